// @ts-check
/** The quadratic explorer: a function of two variables, and what it looks like from a point. */
import { still, timed } from "../shared/page.js";
import { contourMap } from "./map.js";
import init from "./model/index.js";
import { tell } from "./numbers.js";
import { surface } from "./surface.js";

/** What is seen of each function, and from where. @type {Record<string, { box: import("./map.js").Box, at: number[] }>} */
const FUNCTIONS = {
  power: { box: [0.1, -1, 3.1, 2], at: [1.9, 1.2] },
  himmelblau: { box: [-4.8, -4.8, 4.8, 4.8], at: [0.4, -0.3] },
  waves: { box: [-3.2, -3.2, 3.2, 3.2], at: [0.9, -0.5] },
  rosenbrock: { box: [-1.6, -0.7, 1.6, 2.5], at: [-0.7, 0.9] },
};
const FRAMES = 24; // of a step of Newton's

const $ = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {Record<string, any>} */
const model = await init();
const checked = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ ($(id)).checked;

let name = "power";
let [x, y] = FUNCTIONS[name].at;
/** @type {import("./map.js").Local} */
let local;

const look = (/** @type {number} */ x, /** @type {number} */ y) => timed(() => model[`${name}_local`](x, y));

/** @param {number} toX @param {number} toY */
const move = (toX, toY) => {
  [x, y] = [toX, toY];
  local = look(x, y);
  map.point(x, y, local, { axes: checked("axes"), newton: true });
  graph.point(x, y, local);
  tell(x, y, local);
};

const map = contourMap($("map"), { label: "The point, on the map", move });
const graph = surface($("surface"), { label: "The point, on the graph", move, look });

/** @param {string} chosen */
const show = (chosen) => {
  name = chosen;
  const { box, at } = FUNCTIONS[name];
  const heights = timed(() => model[`${name}_heights`](...box));
  map.surface(box, heights);
  graph.surface(box, heights);
  move(at[0], at[1]);
};

const tabs = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(".tabs button"));
for (const tab of tabs)
  tab.addEventListener("click", () => {
    for (const other of tabs) other.setAttribute("aria-pressed", String(other == tab));
    show(/** @type {string} */ (tab.dataset.name));
  });

/** Where Newton's step leads, or the edge of the picture on the way there. */
const goal = () => {
  const { box } = FUNCTIONS[name];
  const [du, dv] = local.newton;
  const room = [
    [x, du, 0],
    [y, dv, 1],
  ].map(([z, dz, k]) => (dz > 0 ? (box[k + 2] - z) / dz : dz < 0 ? (box[k] - z) / dz : 1));
  const far = Math.max(0, Math.min(1, ...room));
  return Number.isFinite(du + dv) ? [x + far * du, y + far * dv] : [x, y];
};

$("step").addEventListener("click", () => {
  const [from, to] = [[x, y], goal()];
  let frame = still() ? FRAMES : 0;
  const next = () => {
    const t = Math.min(1, ++frame / FRAMES);
    const s = t * t * (3 - 2 * t);
    if (t == 1) return move(to[0], to[1]);
    move(from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1]));
    requestAnimationFrame(next);
  };
  next();
});
$("axes").addEventListener("change", () => move(x, y));
for (const [id, angle] of [
  ["left", -1],
  ["right", 1],
])
  $(String(id)).addEventListener("click", () => graph.turn(Number(angle) * 0.3));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(name));

show(name);
