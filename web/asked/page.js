// @ts-check
import init from "./model/index.js";
import { still, timed } from "../shared/page.js";

const { train, logits, hand, moves, fit } = await init();

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
/** @param {string} name @param {Record<string, unknown>} attributes @returns {any} */
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, String(v));
  return made;
};
const list = (/** @type {number} */ n, /** @type {(k: number) => any} */ f) => Array.from({ length: n }, (_, k) => f(k));

// a network that learns a spiral

const BATCH = 32;
const GRID = 32; // squares along a side, each row of them a batch
const RATE = 0.5;
const PER_FRAME = 20;
const turns = list(BATCH, (k) => (3 * k) / BATCH);
const points = turns.map((t, k) => [(k / BATCH) * Math.cos(2 * t), (k / BATCH) * Math.sin(2 * t)]);
const classes = turns.map(Math.floor);
const place = (/** @type {number} */ k) => ((k + 0.5) / GRID) * 2.2 - 1.1;
const rows = list(GRID, (i) => list(GRID, (j) => [place(j), -place(i)]));
const small = (/** @type {number} */ n, /** @type {number} */ m) => list(n, (i) => list(m, (j) => Math.sin(7 * i + 3 * j + 1) / 2));
/** @returns {any} */
const newborn = () => ({ w1: small(2, 16), b1: new Float64Array(16), w2: small(16, 3), b2: new Float64Array(3) });

let net = newborn();
let steps = 0;
let running = false;
const squares = rows.map((row) =>
  row.map(([x, y]) => $("regions").appendChild(svg("rect", { x: x - 1.1 / GRID, y: -y - 1.1 / GRID, width: 2.2 / GRID, height: 2.2 / GRID }))),
);
points.forEach(([x, y], k) => $("points").append(svg("circle", { cx: x, cy: -y, r: 0.035, class: `class-${classes[k]}` })));

const largest = (/** @type {ArrayLike<number>} */ z) => (z[0] >= z[1] && z[0] >= z[2] ? 0 : z[1] >= z[2] ? 1 : 2);
const draw = () => {
  rows.forEach((row, i) => logits(net, row).forEach((z, j) => squares[i][j].setAttribute("class", `class-${largest(z)}`)));
  $("steps").textContent = steps.toLocaleString("en");
  const right = logits(net, points).filter((z, k) => largest(z) == classes[k]).length;
  $("right").textContent = `${right} of ${BATCH}`;
};
const learn = (/** @type {number} */ n) => {
  const start = performance.now();
  for (let k = 0; k < n; k++) net = timed(() => train(net, points, classes, RATE));
  steps += n;
  if (n > 1) $("each").textContent = `${(((performance.now() - start) / n) * 1e3).toFixed(0)} µs`;
  draw();
};
const frame = () => {
  if (!running) return;
  learn(PER_FRAME);
  requestAnimationFrame(frame);
};
const run = (/** @type {boolean} */ on) => {
  running = on;
  $("train").textContent = on ? "Pause" : "Train";
  if (on) requestAnimationFrame(frame);
};
$("train").onclick = () => run(!running);
$("once").onclick = () => learn(1);
$("reset").onclick = () => {
  run(false);
  [net, steps] = [newborn(), 0];
  draw();
};
for (const id of ["train", "once", "reset"]) $(id).disabled = false;

// a robot of three arms

const angles = () => [0, 1, 2].map((k) => Number($(`t${k}`).value));
const cells = list(3, (i) => {
  const row = document.createElement("tr");
  row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: "xyz"[i] }));
  const held = list(4, () => document.createElement("td"));
  row.append(...held);
  $("hand").append(row);
  return held;
});
const turned = () => {
  const at = angles();
  const { x, slopes } = timed(() => ({ x: hand(at), slopes: moves(at) }));
  cells.forEach((held, i) => [x[i], ...slopes[i]].forEach((z, k) => (held[k].textContent = z.toFixed(k ? 2 : 1))));
};
for (const k of [0, 1, 2]) $(`t${k}`).oninput = turned;

// a wave through points

const times = Float64Array.from({ length: 1000 }, (_, k) => (2 * Math.PI * k) / 1000);
const searched = () => {
  const [a, f] = ["amplitude", "frequency"].map((id) => Number($(id).value));
  const heights = times.map((t) => a * Math.sin(f * t));
  const start = performance.now();
  const all = list(10, (k) => timed(() => fit([1, (k + 1) / 4], times, heights)));
  $("took").textContent = `${(performance.now() - start).toFixed(1)} ms`;
  const least = Math.min(...all.map(({ value }) => value));
  const { x } = all.find(({ value }) => value == least) ?? all[0];
  if (x[1] < 0) x.set([-x[0], -x[1]]); // the same wave
  [$("a").textContent, $("f").textContent] = [a.toFixed(4), f.toFixed(4)];
  [$("found-a").textContent, $("found-f").textContent] = [x[0].toFixed(4), x[1].toFixed(4)];
  $("searched").textContent = String(all.filter(({ value }) => value < least + 1e-9).length);
};
for (const id of ["amplitude", "frequency"]) $(id).oninput = searched;

draw();
turned();
searched();
if (!still()) run(true);
