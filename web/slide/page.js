// @ts-check
import init from "./model/index.js";
import { handle } from "../shared/handle.js";
import { still, timed } from "../shared/page.js";
import { $, curve, listening, make, player, set } from "../shared/simulation.js";

/**
 * @typedef {number[] | Float64Array} Point
 * @typedef {{ at: Point, slope: Point, seconds: number }} Place
 */

const model = await init();

const WIDE = 10; // metres
const HIGH = 6.4;
const LOW = -0.6;
const STEPS = 100; // of a descent, at most
const PER_FRAME = 8; // of those that follow the ends
const SLOW = 0.3; // the rate of its first step, so that one sees what moves
const FAST = 10; // and where it is to be soon at its end
const ARROW = 0.9; // metres of the longest
const APART = 0.4; // metres of the slide between two
const GRIPS = [26, 46, 66]; // places at which the slide is pulled
const NAMES = ["upper", "middle", "lower"];
const WAVES = 10;
const HUMPS = [-0.6, -0.2, 0.9, -0.5]; // of the slide that there is at first
const FLAT = Array.from({ length: WAVES }, () => [0, 0]);

let start = [1, 5.6];
let end = [8, -3.4]; // from the start
/** @type {Point[]} */
let slide = FLAT;
/** @type {Place[]} */
let places;
let [yours, line, rate] = [0, 0, SLOW];
let least = { radius: 1, angle: 1, seconds: 1 };

// the picture

/** A point that is given from the start, in the picture. @param {Point} p */
const at = (p) => `${(start[0] + p[0]).toFixed(3)} ${(start[1] + p[1]).toFixed(3)}`;
/** @param {Point[]} points */
const path = (points) => `M${points.map(at).join("L")}`;

/** The cycloid's point at an angle of the wheel. @param {number} angle */
const rolled = (angle) => [least.radius * (angle - Math.sin(angle)), least.radius * (Math.cos(angle) - 1)];

/** Minus the derivative at a place: long arrows grow less and less. @param {Place} place */
const arrow = ({ at: [x, y], slope: [p, q] }) => {
  const size = Math.hypot(p, q);
  const far = (ARROW * size) / (size + 0.3);
  if (!(far > 0.04)) return "";
  const [u, v] = [-p / size, -q / size];
  const tip = [x + far * u, y + far * v];
  const head = Math.min(0.13, far / 2);
  const side = (/** @type {number} */ a) => [tip[0] - head * (u + a * v), tip[1] - head * (v - a * u)];
  return path([[x, y], tip]) + path([side(0.7), tip, side(-0.7)]);
};

/** Places a while apart from each other, for arrows. */
const spread = () => {
  let far = 0;
  return places.filter(({ at: [x, y] }, k) => {
    if (!k) return false;
    const [u, v] = Array.from(places[k - 1].at);
    const before = far;
    far += Math.hypot(x - u, y - v) / APART;
    return Math.floor(far) > Math.floor(before);
  });
};

const draw = () => {
  set($("slide"), { d: path(places.map((p) => p.at)) });
  set($("arrows"), { d: spread().map(arrow).join("") });
  $("yours").textContent = yours.toFixed(4);
  $("yours-more").textContent = more(yours);
  $("step").max = (Math.max(yours, line) + 0.005).toFixed(2); // of more digits it would not keep all
  race.again();
  handles.forEach(({ place }) => place());
};

/** How many percent slower than the cycloid. @param {number} seconds */
const slower = (seconds) => 100 * (seconds / least.seconds - 1);
/** @param {number} seconds */
const more = (seconds) => `${slower(seconds).toFixed(2)} %`;

/** What depends on the ends alone. */
const drawEnds = () => {
  least = model.cycloid(end);
  line = model.seconds(end, FLAT);
  set($("straight"), { d: path([[0, 0], end]) });
  set($("cycloid"), { d: path(Array.from({ length: 81 }, (_, k) => rolled((least.angle * k) / 80))) });
  $("line").textContent = line.toFixed(4);
  $("line-more").textContent = more(line);
  $("least").textContent = least.seconds.toFixed(4);
};

/** Take a slide, if a bead gets to its end. @param {Point[]} to @returns {boolean} */
const take = (to) => {
  const [seconds, seen] = timed(() => [model.seconds(end, to), model.look(end, to)]);
  if (!Number.isFinite(seconds + seen[seen.length - 1].seconds)) return false;
  [slide, places, yours] = [to, seen, seconds];
  draw();
  return true;
};

// the race

/** Where the bead of your slide is. @param {number} t @returns {Point} */
const bead = (t) => {
  const k = places.findIndex(({ seconds }) => seconds > t);
  if (k < 1) return k ? end : [0, 0];
  const [p, q] = [places[k - 1], places[k]];
  const part = (t - p.seconds) / (q.seconds - p.seconds);
  return [0, 1].map((i) => p.at[i] + part * (q.at[i] - p.at[i]));
};

const race = player({
  dt: 1,
  show(t) {
    set($("beads"), { visibility: t ? "visible" : "hidden" }); // before a race they are under the start
    const part = Math.min(1, t / line) ** 2;
    const spots = [rolled(least.angle * Math.min(1, t / least.seconds)), end.map((x) => part * x), bead(t)];
    spots.forEach((p, k) => set($("beads").children[k], { transform: `translate(${at(p)})` }));
  },
});

// the descent

/** @type {number[]} */
let gaps = []; // how many percent slower than the cycloid the slide was, after each step
let going = 0; // the frame that is waited for
let down = false; // whether the slide came down, and follows the ends
const drawCurve = curve($("curve"), { turns: STEPS, levels: [100, 1, 0.01], y: (v) => (3 + Math.log10(v)) / 5 });

const report = () => {
  $("descend").textContent = going ? "Stop" : "Descend";
  $("steps").value = gaps.length > 1 ? `${gaps.length - 1} steps` : "";
  drawCurve(gaps);
};

const stop = () => {
  cancelAnimationFrame(going);
  going = 0;
};

/** Forget the descent that there was. @param {number} first The rate of the next step. */
const anew = (first) => {
  stop();
  [rate, gaps] = [first, [slower(yours)]];
};

/** One step; whether another one is worth its while. */
const step = () => {
  const found = timed(() => model.descend(end, { slide, seconds: yours, rate }));
  rate = found.rate;
  slide = found.slide;
  yours = found.seconds;
  gaps.push(slower(yours));
  const before = gaps[gaps.length - 13] ?? Infinity;
  return gaps.length <= STEPS && before - gaps[gaps.length - 1] > 1e-4;
};

const show = () => {
  places = model.look(end, slide);
  draw();
  report();
};

const finish = () => {
  stop();
  down = true;
  show();
};

const descend = () => {
  race.pause();
  race.seek(0);
  anew(still() ? FAST : SLOW);
  if (still()) {
    while (step());
    return finish();
  }
  const frame = () => {
    if (!step()) {
      finish();
      return race.replay();
    }
    going = requestAnimationFrame(() => (going = requestAnimationFrame(frame))); // at half of the rate of the screen
    show();
  };
  going = requestAnimationFrame(frame);
  report();
};

/** Go on as fast as can be, in this frame and those after it. */
const follow = () => {
  let goes = true;
  for (let k = 0; goes && k < (still() ? STEPS : PER_FRAME); k++) goes = step();
  going = goes ? requestAnimationFrame(follow) : 0;
  down = true;
  show();
};

// what the reader does

const clamp = (/** @type {number} */ x, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(high, Math.max(low, x));

/**
 * Put both ends somewhere: the slide is stretched with them, and after a descent goes on with it.
 *
 * @param {number[]} from @param {number[]} to
 */
const span = (from, to) => {
  const now = [to[0] - from[0], to[1] - from[1]];
  const stretched = slide.map((wave) => [0, 1].map((i) => (wave[i] * now[i]) / end[i]));
  const follows = down || going;
  [start, end] = [from, now];
  drawEnds();
  take(stretched);
  anew(FAST);
  if (follows) follow();
  report();
};

/** Pull the slide at a place as far as a bead still gets to the end. @param {number} k @param {Point} by */
const pull = (k, by) => {
  down = false;
  stop();
  for (let part = 1; part > 0.01; part /= 2)
    if (take(model.pull(slide, k / (places.length - 1), [by[0] * part, by[1] * part]))) break;
  anew(SLOW);
  report();
};

/** @param {string} name @param {string} label @param {() => Point} at @param {(x: number, y: number) => void} move */
const handled = (name, label, at, move) => {
  const element = make("g", $("handles"));
  set(element, { class: name });
  set(make("circle", element), { class: "reach" });
  set(make("circle", element), { class: "dot" });
  const { tell } = handle(element, {
    label,
    step: 0.1,
    range: [0, WIDE],
    at: () => Array.from(at()),
    text: () => `x ${at()[0].toFixed(2)}, y ${at()[1].toFixed(2)}, ${yours.toFixed(3)} seconds`,
    start: race.pause,
    move,
  });
  const place = () => {
    set(element, { transform: `translate(${Array.from(at(), (x) => x.toFixed(3)).join(" ")})` });
    tell();
  };
  return { place };
};

const finishing = () => [start[0] + end[0], start[1] + end[1]];
/** @param {number} k @returns {Point} */
const grip = (k) => [0, 1].map((i) => start[i] + (places?.[k].at[i] ?? 0));

/** @type {{ place: () => void }[]} */
const handles = [];
handles.push(
  ...GRIPS.map((k, n) =>
    handled(`grip`, `Slide, ${NAMES[n]} part`, () => grip(k), (x, y) => {
      const [u, v] = grip(k);
      pull(k, [clamp(x, 0, WIDE) - u, clamp(y, LOW, HIGH) - v]);
    }),
  ),
  handled("start", "Start", () => start, (x, y) => {
    const [u, v] = finishing();
    span([clamp(x, 0.4, u - 1), clamp(y, Math.max(3, v + 0.5), 6)], [u, v]);
  }),
  handled("finish", "End", finishing, (x, y) =>
    span(start, [clamp(x, start[0] + 1, 9.6), clamp(y, 0, start[1] - 0.5)]),
  ),
); // prettier-ignore

const reset = () => {
  down = false;
  race.pause();
  [start, end] = [[1, 5.6], [8, -3.4]];
  drawEnds();
  take(FLAT.map((_, k) => [0, HUMPS[k] ?? 0]));
  race.seek(0);
  anew(SLOW);
  report();
};

$("descend").addEventListener("click", () => (going ? (stop(), report()) : descend()));
$("once").addEventListener("click", () => {
  stop();
  rate = Math.max(rate, FAST / 2);
  const before = yours;
  for (let k = 0; k < 9 && !(yours < before); k++) step(); // those that are taken back are not seen
  show();
});
$("reset").addEventListener("click", reset);

const lines = (/** @type {number} */ n, /** @type {(k: number) => string} */ draw) =>
  Array.from({ length: n + 1 }, (_, k) => draw(k)).join("");
set($("grid"), { d: lines(WIDE, (k) => `M${k} ${LOW}V${HIGH}`) + lines(6, (k) => `M0 ${k}H${WIDE}`) });
reset();
listening();
if (!still()) descend(); // nobody likes to be slow at first
