// @ts-check
import init from "./model/index.js";
import { handle } from "../shared/handle.js";
import { still, timed } from "../shared/page.js";

const model = await init();

/** @typedef {{ base: number, slope: number, height: number, centre: number, width: number }} Peak */
/** @typedef {"gauss_newton" | "newton" | "lbfgs" | "adam" | "gradient_descent"} Search */

const SEARCHES = /** @type {Record<Search, string>} */ ({
  gauss_newton: "Gauss-Newton",
  newton: "Newton",
  lbfgs: "L-BFGS",
  adam: "Adam",
  gradient_descent: "Descent",
});
const NAMES = /** @type {Search[]} */ (Object.keys(SEARCHES));
const PLACES = 12; // for points, in the module
const MOST = 1000; // steps of the table
const PER_FRAME = 50;
const WIDE = 10;
const HIGH = 6.6;
const START = { base: 1, slope: 0, height: 1, centre: 5, width: 1 };

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);
/** @param {string} name @param {Record<string, string>} [attributes] @returns {any} */
const svg = (name, attributes = {}) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, v);
  return made;
};

/** @typedef {{ x: number, y: number, fit: number, element: SVGGraphicsElement, tell: () => void }} Point `fit` is the curve there */
/** @type {Point[]} */
const points = [];
/** @type {Point | undefined} */
let chosen; // the point that was touched last
/** @type {Search} */
let search = "gauss_newton";
/** @type {Peak} */
let peak = START;

/** @param {Search} name @param {Peak} from @param {number} steps */
const fitted = (name, from, steps) => {
  const all = Array.from({ length: PLACES }, (_, k) => (k < points.length ? [points[k].x, points[k].y] : [0, 0]));
  return model[name](from, all, all.map((_, k) => (k < points.length ? 1 : 0)), steps);
};

// the picture

const ACROSS = 201; // places where the curve is drawn; the other ones of the module are those of points
const across = Array.from({ length: ACROSS }, (_, k) => (WIDE * k) / (ACROSS - 1));

/** The heights of a curve, across the picture and at the points. @param {Peak} of */
const heights = (of) => {
  const at = Array.from({ length: PLACES }, (_, k) => points[k]?.x ?? 0);
  return model.curve(of, [...across, ...at]);
};

/** @param {Float64Array} ys */
const path = (ys) => `M${across.map((x, k) => `${x.toFixed(2)} ${ys[k].toFixed(3)}`).join("L")}`;

const draw = () => {
  const ys = heights(peak);
  points.forEach((point, k) => {
    point.fit = ys[ACROSS + k];
    point.element.setAttribute("transform", `translate(${point.x} ${point.y})`);
  });
  $("fit").setAttribute("d", path(ys));
  $("fit").setAttribute("class", `fit ${search}`);
  $("residuals").setAttribute("d", points.map(({ x, y, fit }) => `M${x} ${y}V${fit}`).join(""));
  $("numbers").replaceChildren(
    ...Object.entries(peak).map(([k, v]) => {
      const part = document.createElement("span");
      part.textContent = `${k} ${v.toFixed(3)}`;
      return part;
    }),
  );
  $("add").disabled = points.length == PLACES;
  $("remove").disabled = points.length < 2;
};

let frames = 0; // how many frames the search may still go on
let going = 0; // the frame that is waited for

/** Go on from the curve that there is, in this frame, and in those after it until the search has converged. */
const follow = () => {
  cancelAnimationFrame(going);
  frames = 240;
  step();
};

const step = () => {
  const found = timed(() => fitted(search, peak, still() ? MOST : PER_FRAME));
  peak = found.x;
  draw();
  if (!found.converged && --frames > 0 && !still()) going = requestAnimationFrame(step);
};

/** Begin again where the table does, and show each step of the search. */
const again = () => {
  cancelAnimationFrame(going);
  let k = 0;
  const next = () => {
    const found = timed(() => fitted(search, START, k));
    peak = found.x;
    draw();
    if (found.steps < k || found.converged || k >= MOST) return;
    k += k < 60 ? 1 : 10;
    going = requestAnimationFrame(() => (going = requestAnimationFrame(next))); // at half of the rate of the screen
  };
  if (still()) k = MOST;
  next();
};

// the table, and how the sums fall

const LEFT = 36;
const DECADE = 90; // pixels of a factor of 10 in the steps
const TOP = 14;
const BOTTOM = 182;
const LEAST = -12; // powers of 10, of what is left of the sum that there was at the start

const STEPS = [...new Set(Array.from({ length: 28 }, (_, k) => Math.round(1.28 ** k)))]; // from 1 to 780

/** @type {Record<Search, { steps: HTMLElement, value: HTMLElement, trace: SVGPathElement }>} */
const rows = /** @type {any} */ ({});

const race = () => {
  const ends = NAMES.map((name) => {
    const found = fitted(name, START, MOST);
    rows[name].steps.textContent = `${found.steps}${found.converged ? "" : "+"}`;
    rows[name].value.textContent = found.value.toFixed(6);
    return found;
  });
  const least = Math.min(...ends.map(({ value }) => value));
  const most = fitted("newton", START, 0).value - least || 1;
  NAMES.forEach((name, i) => {
    const trace = STEPS.filter((k) => k < ends[i].steps).map((k) => [k, fitted(name, START, k).value]);
    trace.push([Math.max(1, ends[i].steps), ends[i].value]);
    const shown = trace.map(([k, value]) => {
      const left = Math.max(LEAST, Math.log10((value - least) / most));
      return `${(LEFT + DECADE * Math.log10(k)).toFixed(1)} ${(TOP + ((BOTTOM - TOP) * left) / LEAST).toFixed(1)}`;
    });
    rows[name].trace.setAttribute("d", `M${shown.join("L")}`);
    rows[name].trace.setAttribute("class", `trace ${name}${name == search ? " chosen" : ""}`);
  });
};

let late = 0;
/** The table follows less often than the curve: it is all five searches, again and again. */
const raceSoon = () => {
  late ||= window.setTimeout(() => {
    late = 0;
    race();
  }, 120);
};

const changed = () => {
  follow();
  raceSoon();
};

// points

/** @param {number} x @param {number} y */
const within = (x, y) => [Math.min(WIDE, Math.max(0, x)), Math.min(HIGH, Math.max(0, y))];

/** @param {number} x @param {number} y */
const add = (x, y) => {
  if (points.length == PLACES) return;
  const element = svg("g", { class: "point" });
  element.append(svg("circle", { class: "reach" }), svg("circle", { class: "dot" }));
  $("points").append(element);
  const point = { x, y, fit: y, element, tell: () => {} };
  points.push(point);
  element.addEventListener("focus", () => {
    chosen = point;
    point.tell();
  });
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key != "Delete" && e.key != "Backspace") return;
    e.preventDefault();
    remove(point);
  });
  point.tell = handle(element, {
    label: `Point ${points.length}`,
    step: 0.1,
    range: [0, WIDE],
    at: () => [point.x, point.y],
    text: () => `x ${point.x.toFixed(2)}, y ${point.y.toFixed(2)}, ${above(point)}`,
    move: (u, v) => {
      [point.x, point.y] = within(u, v);
      changed();
    },
  }).tell;
  return point;
};

/** @param {Point} point */
const above = ({ y, fit }) => `${Math.abs(y - fit).toFixed(2)} ${y < fit ? "below" : "above"} the curve`;

/** @param {Point} point */
const remove = (point) => {
  if (points.length < 2) return;
  points.splice(points.indexOf(point), 1);
  point.element.remove();
  points.forEach(({ element }, k) => element.setAttribute("aria-label", `Point ${k + 1}`));
  points[points.length - 1].element.focus();
  changed();
};

$("add").addEventListener("click", () => {
  const xs = [0, ...points.map(({ x }) => x).sort((a, b) => a - b), WIDE];
  const gaps = xs.slice(1).map((x, k) => x - xs[k]);
  const x = xs[gaps.indexOf(Math.max(...gaps))] + Math.max(...gaps) / 2; // in the middle of the widest, on the curve
  const [u, v] = within(x, heights(peak)[Math.round((x / WIDE) * (ACROSS - 1))]);
  add(u, v)?.element.focus();
  changed();
});
$("remove").addEventListener("click", () => remove(chosen && points.includes(chosen) ? chosen : points[points.length - 1]));
$("again").addEventListener("click", again);
$("world").addEventListener("click", (/** @type {MouseEvent} */ e) => {
  if (/** @type {Element} */ (e.target).closest(".point")) return;
  const matrix = /** @type {DOMMatrix} */ ($("points").getScreenCTM());
  const { x, y } = new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix.inverse());
  const [u, v] = within(x, y);
  add(u, v)?.element.focus();
  changed();
});

// what is there at first

for (const name of NAMES) {
  const row = $("row").content.firstElementChild.cloneNode(true);
  row.className = name;
  row.querySelector("label").append(SEARCHES[name]);
  const input = /** @type {HTMLInputElement} */ (row.querySelector("input"));
  input.checked = name == search;
  input.value = name;
  input.addEventListener("change", () => {
    search = name;
    draw();
    race();
  });
  $("searches").append(row);
  const [steps, value] = row.querySelectorAll("td");
  const trace = svg("path");
  $("traces").append(trace);
  rows[name] = { steps, value, trace };
}

const lines = (/** @type {number} */ n, /** @type {(k: number) => string} */ line) =>
  Array.from({ length: n + 1 }, (_, k) => line(k)).join("");
$("grid").setAttribute("d", lines(WIDE, (k) => `M${k} 0V${HIGH}`) + lines(Math.floor(HIGH), (k) => `M0 ${k}H${WIDE}`));
$("decades").setAttribute("d", lines(3, (k) => `M${LEFT + DECADE * k} ${TOP}V${BOTTOM}M${LEFT} ${TOP + (k * (BOTTOM - TOP)) / 3}H${LEFT + 3 * DECADE}`));
$("start").setAttribute("d", path(heights(START)));

const given = [[0.7, 1.5], [1.9, 1.1], [3.1, 2.6], [4, 3.9], [4.9, 5.3], [5.8, 3.2], [6.9, 2.5], [8.2, 0.9], [9.3, 1.3]]; // prettier-ignore
for (const [x, y] of given) add(x, y);
follow();
for (const { tell } of points) tell();
race();
