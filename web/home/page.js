// @ts-check
import init from "./model/index.js";
import { handle } from "./shared/handle.js";
import { still, timed } from "./shared/page.js";

const { spring, slope } = await init();

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

let p = [0.9, -1.05]; // the end of the spring, y upwards as in mathematics
let velocity = [0, 0];
let held = false;

$("answer").textContent = `// [${slope([1, 2]).join(", ")}]`;

const draw = () => {
  const [x, y] = p;
  const { energy, g } = timed(() => ({ energy: spring(p), g: slope(p) }));
  const length = Math.hypot(x, y) || 1;
  const [u, v] = [x / length, y / length];
  const coil = [[0, 0]];
  for (let k = 0; k <= 20; k++) {
    const [along, aside] = [0.1 + 0.8 * (k / 20), k % 20 ? 0.07 * (k % 2 ? 1 : -1) : 0];
    coil.push([x * along - v * aside, y * along + u * aside]);
  }
  coil.push(p);
  $("coil").setAttribute("d", `M${coil.map(([a, b]) => `${a} ${-b}`).join("L")}`);
  $("end").setAttribute("transform", `translate(${x} ${-y})`);
  const [a, b] = [x - 0.5 * g[0], y - 0.5 * g[1]];
  for (const [k, n] of Object.entries({ x1: x, y1: -y, x2: a, y2: -b })) $("force").setAttribute(k, n);
  const size = Math.hypot(g[0], g[1]);
  $("tip").setAttribute("d", size > 0.05 ? "M-.09-.07L0 0L-.09.07" : "");
  $("tip").setAttribute("transform", `translate(${a} ${-b}) rotate(${(Math.atan2(g[1], -g[0]) * 180) / Math.PI})`);
  $("numbers").value = `energy ${energy.toFixed(4)}   gradient ${g[0].toFixed(4)}, ${g[1].toFixed(4)}`;
};

/** Move the free end for one frame: the gradient pulls, and air slows it down. */
const swing = () => {
  if (held) return;
  const STEPS = 8;
  const dt = 1 / 60 / STEPS;
  for (let k = 0; k < STEPS; k++) {
    const g = slope(p);
    velocity = velocity.map((v, i) => v - dt * (60 * g[i] + 1.5 * v));
    p = p.map((x, i) => x + dt * velocity[i]);
  }
  draw();
  end.tell();
  if (Math.hypot(...velocity) + Math.hypot(...slope(p)) > 0.003) requestAnimationFrame(swing);
};

const end = handle($("end"), {
  label: "End of the spring",
  step: 0.05,
  range: [-1.6, 1.6],
  at: () => [p[0], -p[1]],
  text: () => `x ${p[0].toFixed(2)}, y ${p[1].toFixed(2)}, energy ${spring(p).toFixed(3)}`,
  start() {
    held = true;
  },
  move(x, y) {
    p = [Math.min(1.6, Math.max(-1.6, x)), Math.min(1.4, Math.max(-1.4, -y))];
    draw();
  },
  end(by) {
    held = false;
    velocity = [0, 0];
    if (by == "pointer" && !still()) requestAnimationFrame(swing);
  },
});
draw();
