// @ts-check
/** The leg: bars between joints, and the path of its foot. */
import init from "./linkage/linkage.js";
import { timed } from "../shared/page.js";

/** @typedef {Record<string, number>} Leg */

const JOINTS = ["axle of the crank", "pivot", "crank", "top", "knee", "rear", "ankle", "foot"];
/** The bars, and the joints that they join. @type {Record<string, [number, number]>} */
const BARS = {
  f: [5, 6], c: [1, 4], d: [1, 5], b: [1, 3], e: [3, 5], g: [4, 6], h: [6, 7], i: [4, 7], j: [2, 3], k: [2, 4], m: [0, 2],
}; // prettier-ignore
const PLATES = [[1, 3, 5], [4, 6, 7]]; // prettier-ignore
const LABELS = { turn: "turn", x: "axle, x", y: "axle, y", u: "pivot, x", v: "pivot, y", m: "crank m" };
/** @type {Leg} */
const JANSEN = {
  turn: 0.6, x: 0, y: 0, u: -38, v: -7.8, m: 15, j: 50, b: 41.5, k: 61.9, c: 39.3, d: 40.1, e: 55.8, f: 39.4, g: 36.7,
  h: 65.7, i: 49,
}; // prettier-ignore
const PLACE = ["x", "y", "u", "v"];
const READY = 5; // how far a bar moves at once, and how far one that is stiff
const STIFF = 0.5;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** @param {string} name @param {Record<string, any>} attributes */
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
};

/** @param {ArrayLike<number>} p */
const at = (p) => `${p[0].toFixed(2)} ${p[1].toFixed(2)}`;

/** A smooth closed curve through points: Catmull and Rom's. @param {ArrayLike<number>[]} points */
const smooth = (points) => {
  const n = points.length;
  const curve = points.map((p, k) => {
    const [before, q, after] = [points[(k + n - 1) % n], points[(k + 1) % n], points[(k + 2) % n]];
    const near = [0, 1].map((a) => p[a] + (q[a] - before[a]) / 6);
    const far = [0, 1].map((a) => q[a] - (after[a] - p[a]) / 6);
    return `C${at(near)} ${at(far)} ${at(q)}`;
  });
  return `M${at(points[0])}${curve.join("")}Z`;
};

/** An object of the same keys. @param {(key: string) => number} of @returns {Leg} */
const each = (of) => Object.fromEntries(Object.keys(JANSEN).map((key) => [key, of(key)]));

export const leg = async () => {
  const { points, drag, sensitivity } = await init();
  const element = /** @type {import("./rose-drag.js").RoseDrag} */ ($("leg"));
  const weights = each((key) => (key == "turn" ? 0 : READY));
  const only = each((key) => (key == "turn" ? 0.25 : 0));
  const turns = () => $("leg-mode-turn").checked;

  // the picture
  const plates = PLATES.map(() => svg("path", { class: "plate" }));
  const lines = Object.fromEntries(Object.keys(BARS).map((key) => [key, svg("line", { class: `bar ${key}` })]));
  const letters = Object.fromEntries(Object.keys(BARS).map((key) => [key, svg("text", {})]));
  for (const key in letters) letters[key].textContent = key;
  $("bars").append(...plates, ...Object.values(lines));
  $("letters").append(...Object.values(letters));
  const stands = [0, 1].map(() => svg("path", { d: "M0 0L-5 -9H5Z" }));
  $("frame").append(...stands);

  /** @param {Leg} leg @param {ArrayLike<number>[]} points */
  const draw = (leg, points) => {
    const path = points.slice(JOINTS.length);
    $("path").setAttribute("d", smooth(path));
    const low = Math.min(...path.map((p) => p[1])) - 2.5;
    $("beach").setAttribute("d", `M-400 ${low}H400`);
    stands.forEach((stand, k) => stand.setAttribute("transform", `translate(${at(points[k])})`));
    plates.forEach((plate, k) => plate.setAttribute("d", `M${PLATES[k].map((j) => at(points[j])).join("L")}Z`));
    for (const key in BARS) {
      const [p, q] = BARS[key].map((k) => points[k]);
      const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
      const far = Math.hypot(dx, dy);
      for (const [name, x] of Object.entries({ x1: p[0], y1: p[1], x2: q[0], y2: q[1] }))
        lines[key].setAttribute(name, x.toFixed(2));
      letters[key].setAttribute("x", ((p[0] + q[0]) / 2 - (dy / far) * 4.5).toFixed(1));
      letters[key].setAttribute("y", (-(p[1] + q[1]) / 2 - (dx / far) * 4.5).toFixed(1));
    }
    for (const key in rows) rows[key].show(leg[key]);
  };
  // the rows
  const rows = parameters($("leg-rows"), weights, (key, x) => (element.p = { ...element.p, [key]: x }));
};
