// @ts-check
import init from "./model/index.js";
import { timed } from "../shared/page.js";
import { RoseDrag } from "./rose-drag.js";

/** @typedef {{ turn: ArrayLike<number>, axle: ArrayLike<number>, pivot: ArrayLike<number>, bars: ArrayLike<number> }} Leg */

const model = await init();
customElements.define("rose-drag", RoseDrag);

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** What is checked of the inputs of a name. @param {string} name */
const checked = (name) => [.../** @type {any} */ (document.querySelectorAll(`[name=${name}]:checked`))].map((x) => x.value);

/** @param {string} name @param {Record<string, any>} attributes */
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(made, attributes);
  return made;
};

/** @param {Element} element @param {Record<string, any>} attributes */
const set = (element, attributes) => {
  for (const key in attributes) element.setAttribute(key, attributes[key]);
};

/** @param {ArrayLike<number>} p */
const at = (p) => `${p[0].toFixed(3)} ${p[1].toFixed(3)}`;

/** @param {ArrayLike<number>[]} points */
const polygon = (...points) => `M${points.map(at).join("L")}Z`;

/** Letters beside points, which stand upright. @param {Element} into @param {string[]} names */
const letters = (into, names) => {
  const made = names.map((name) => svg("text", {}));
  made.forEach((text, k) => (text.textContent = names[k]));
  into.append(...made);
  return made;
};

/** @param {RoseDrag} element @param {(p: any, points: ArrayLike<number>[]) => void} draw @param {any} more */
const start = (element, draw, more) => {
  element.addEventListener("input", (/** @type {any} */ { detail }) => detail && draw(detail.p, Array.from(detail.points)));
  more.drag(more.p, 0, Array.from(more.points(more.p)[0]), more.weights(0), more.low, more.high); // a first time
  element.model = more;
};

// the leg

const JOINTS = ["axle", "pivot", "crank", "top", "knee", "rear", "ankle", "foot"];
const BARS = "mjbkcdefghi";
const ENDS = [[0, 2], [2, 3], [1, 3], [2, 4], [1, 4], [1, 5], [3, 5], [5, 6], [4, 6], [6, 7], [4, 7]]; // prettier-ignore
const PLATES = [[1, 3, 5], [4, 6, 7]]; // prettier-ignore
const JANSEN = [15, 50, 41.5, 61.9, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49];
const START = { turn: [0.8, 0.6], axle: [0, 0], pivot: [-38, -7.8], bars: JANSEN };
const READY = 5; // how far a bar goes at once

/** @param {number} turn @param {number} place @param {ArrayLike<number>} bars @returns {Leg} */
const like = (turn, place, bars) => ({ turn: [turn, turn], axle: [place, place], pivot: [place, place], bars });
/** @param {number} x */
const all = (x) => JANSEN.map(() => x);

const leg = /** @type {RoseDrag} */ ($("leg"));
const weights = like(0, READY, all(READY));
const crank = like(0.25, 0, all(0));
const crankTurns = (/** @type {number} */ k) => k > 1 && k < JOINTS.length && checked("mode")[0] == "turn";

const plates = PLATES.map(() => svg("path", { class: "plate" }));
const bars = ENDS.map(() => svg("line", { class: "bar" }));
$("bars").append(...plates, ...bars);
const letter = letters($("letters"), [...BARS]);

/** A closed curve through points: Catmull and Rom's. @param {ArrayLike<number>[]} points */
const smooth = (points) => {
  const n = points.length;
  const curve = points.map((p, k) => {
    const [o, q, r] = [points[(k + n - 1) % n], points[(k + 1) % n], points[(k + 2) % n]];
    const ends = [[p, q, o], [q, p, r]].map(([x, y, z]) => at([0, 1].map((a) => x[a] + (y[a] - z[a]) / 6)));
    return `C${ends.join(" ")} ${at(q)}`;
  });
  return `M${at(points[0])}${curve.join("")}Z`;
};

/** @param {Leg} p @param {ArrayLike<number>[]} points */
const drawLeg = (p, points) => {
  const path = points.slice(JOINTS.length);
  set($("path"), { d: smooth(path) });
  const ground = Math.min(...path.map((q) => q[1])) - 2;
  set($("beach"), { d: `M-300 ${ground}H300V-300H-300Z` });
  plates.forEach((plate, k) => set(plate, { d: polygon(...PLATES[k].map((j) => points[j])) }));
  ENDS.forEach(([i, j], k) => {
    const [[x1, y1], [x2, y2]] = [points[i], points[j]].map((q) => Array.from(q));
    set(bars[k], { x1, y1, x2, y2 });
    const far = 4.5 / Math.hypot(x2 - x1, y2 - y1);
    set(letter[k], { x: (x1 + x2) / 2 - (y2 - y1) * far, y: -(y1 + y2) / 2 - (x2 - x1) * far });
  });
  rows.forEach((row, k) => row.show(p.bars[k]));
};

/** Which bars move a point is seen on them. @param {number} k */
const light = (k) => {
  const shares = k < 0 ? all(0) : leg.sensitivity(k).slice(-JANSEN.length);
  shares.forEach((x, b) => {
    for (const element of [bars[b], letter[b], rows[b].element]) set(element, { "data-share": Math.ceil(4 * x) });
  });
};

/** A bar in the panel: how long it is, and how easily that changes. */
const rows = JANSEN.map((_, k) => {
  const element = document.createElement("div");
  element.innerHTML = `<b>${BARS[k]}</b><input type="range" step="0.1" aria-label="Bar ${BARS[k]}"><output></output>
    <select aria-label="How bar ${BARS[k]} changes"><option value="${READY}">free<option value="${READY / 10}">stiff<option
    value="0">locked</select>`;
  const [, range, out, choice] = /** @type {any[]} */ ([...element.children]);
  range.oninput = () => {
    leg.p = { ...leg.p, bars: Array.from(leg.p.bars, (x, b) => (b == k ? Number(range.value) : x)) };
  };
  choice.onchange = () => (/** @type {number[]} */ (weights.bars)[k] = Number(choice.value));
  $("rows").append(element);
  return {
    element,
    /** @param {number} x */
    show(x) {
      range.value = x;
      out.value = x.toFixed(1);
    },
    /** @param {number} min @param {number} max */
    bound: (min, max) => set(range, { min, max }),
  };
});

const bound = () => {
  const most = $("limit").value / 100;
  $("most").value = `${$("limit").value} %`;
  const [low, high] = [1 - most, 1 + most].map((x) => JANSEN.map((length) => length * x));
  rows.forEach((row, k) => row.bound(low[k], high[k]));
  return {
    low: { ...like(-9, 0, low), axle: [-108, -100], pivot: [-108, -100] },
    high: { ...like(9, 0, high), axle: [45, 50], pivot: [45, 50] },
  };
};
$("limit").oninput = () => Object.assign(leg.model, bound());

start(leg, drawLeg, {
  ...bound(),
  p: START,
  weights: (/** @type {number} */ k) => (crankTurns(k) ? crank : weights),
  points: model.leg,
  drag(/** @type {Parameters<typeof model.drag_leg>} */ ...args) {
    const p = timed(() => model.drag_leg(...args));
    const far = Math.hypot(...p.turn);
    return { ...p, turn: Array.from(p.turn, (x) => x / far) };
  },
  label: (/** @type {number} */ k) => JOINTS[k] ?? `path of the foot, ${k - JOINTS.length + 1}`,
  stop: (/** @type {number} */ k) => k <= JOINTS.length,
  step: 1,
});
leg.handles.forEach((handle, k) => {
  if (k < JOINTS.length) handle.parentNode?.append(handle); // above the path
  handle.classList.add(k < 2 ? "pivot" : k < JOINTS.length ? "joint" : "dot");
  for (const event of ["pointerenter", "focus"]) handle.addEventListener(event, () => light(k));
  for (const event of ["pointerleave", "blur"]) handle.addEventListener(event, () => light(-1));
});

/** @param {number} before */
const walk = (before) =>
  requestAnimationFrame((now) => {
    if ($("walk").ariaPressed != "true") return;
    const angle = Math.atan2(leg.p.turn[1], leg.p.turn[0]) - Math.min(50, now - before) / 500;
    if (!leg.held.some(crankTurns)) leg.p = { ...leg.p, turn: [Math.cos(angle), Math.sin(angle)] };
    walk(now);
  });
$("walk").onclick = () => {
  const on = $("walk").ariaPressed != "true";
  $("walk").ariaPressed = String(on);
  if (on) walk(performance.now());
};
$("leg-undo").onclick = () => leg.undo();
$("jansen").onclick = () => (leg.p = { ...START, turn: leg.p.turn });
$("lengths").open = matchMedia("(min-width: 60rem)").matches;

// the triangle

const NAMES = [..."ABC         GOHN"];
const SAID = ["middle of BC", "middle of CA", "middle of AB", "foot of A", "foot of B", "foot of C", "middle of AH",
  "middle of BH", "middle of CH", "centre of mass G", "circumcentre O", "orthocentre H", "nine-point centre N"]; // prettier-ignore
const CORNERS = [-7.2, -4, 7.2, -3, -3.2, 6.4];

const triangle = /** @type {RoseDrag} */ ($("triangle"));
const names = letters($("names"), NAMES);
let size = 0; // of what is kept

const what = () => [0, 1, 2, 3].map((k) => Number(checked("kept")[0] == String(k)));
/** @param {ArrayLike<number>} p @param {ArrayLike<number>} q */
const apart = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
/** @param {ArrayLike<number>[]} p */
const area = ([a, b, c]) => ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;

/** @param {any} _ @param {ArrayLike<number>[]} points */
const drawTriangle = (_, points) => {
  const [a, b, c] = points;
  const [mass, centre, height, nine] = points.slice(12);
  const radius = apart(centre, a);
  set($("around"), { cx: centre[0], cy: centre[1], r: radius });
  set($("nine"), { cx: nine[0], cy: nine[1], r: radius / 2 });
  set($("sides"), { d: polygon(a, b, c) });
  set($("altitudes"), { d: [0, 1, 2].map((k) => `M${at(points[k])}L${at(points[6 + k])}L${at(height)}`).join("") });
  set($("euler"), { d: `M${at(centre)}L${at(height)}` });
  names.forEach((name, k) => {
    const p = points[k];
    const [u, v] = k < 3 ? Array.from(mass) : [p[0] - (height[1] - centre[1]), p[1] + height[0] - centre[0]];
    const far = ((k < 3 || k % 2 ? 1 : -1) * 0.75) / Math.hypot(p[0] - u, p[1] - v);
    const [x, y] = [(p[0] - u) * far, (p[1] - v) * far];
    set(name, { x: p[0] + x, y: -p[1] - y });
  });
  $("facts").value = `AB ${apart(a, b).toFixed(3)}   area ${area(points).toFixed(3)}   HG\u00a0:\u00a0GO\u00a0${(
    apart(height, mass) / apart(mass, centre)
  ).toFixed(3)}`;
};

start(triangle, drawTriangle, {
  p: CORNERS,
  low: CORNERS.map(() => -9.2),
  high: CORNERS.map(() => 9.2),
  weights: () => CORNERS.map((_, k) => (checked("locked").includes(String(k >> 1)) ? 0 : 2)),
  points: model.triangle,
  /** @type {(...given: [any, number, number[], any, any, any]) => any} */
  drag: (...given) => timed(() => model.drag_triangle(...given, what(), size)),
  label: (/** @type {number} */ k) => (k < 3 ? `corner ${NAMES[k]}` : SAID[k - 3]),
  step: 0.1,
});
triangle.handles.forEach((handle, k) => handle.classList.add(k < 3 ? "corner" : k < 12 ? "ninth" : "centre"));
$("kept").onchange = () => {
  const [a, b, c] = Array.from(triangle.points);
  size = what()[2] ? apart(a, b) : area([a, b, c]);
  triangle.aim(2, Array.from(c)); // which brings it about
};
$("triangle-undo").onclick = () => triangle.undo();
$("again").onclick = () => (triangle.p = CORNERS);
