// @ts-check
import { init, load } from "./model/index.js";
import { handle } from "../shared/handle.js";
import { still, took } from "../shared/page.js";
import { $, curve, listening, make, player, set } from "../shared/simulation.js";

const TURNS = 100; // of gradient descent
const FRAMES = 341; // of a sixtieth of a second each
const [LEFT, RIGHT] = [-0.2, 1]; // where the goal can be

const springs = (await init()).springs();

let goal = [0.9, 0.2];
/** In each frame x and y of all masses, one after another. @type {ArrayLike<number>[]} */
let path = [];

// the picture

/** @param {ArrayLike<number>} x @param {number} k */
const at = (x, k) => `${x[2 * k].toFixed(4)} ${(-x[2 * k + 1]).toFixed(4)}`;

/** @param {ArrayLike<number>} x @param {{ a: number, b: number }} spring */
const length = (x, { a, b }) => Math.hypot(x[2 * a] - x[2 * b], x[2 * a + 1] - x[2 * b + 1]);

const bones = springs.filter(({ muscle }) => !muscle);
const muscles = springs.filter(({ muscle }) => muscle).map((spring) => ({ spring, e: make("path", $("muscles")) }));

/** The corners of the squares, in order around each: diagonals cross in pairs. */
const squares = bones
  .filter((s) => s.length > 0.06)
  .map((s, k, all) => [s, all[k + 1]])
  .filter((_, k) => k % 2 == 0)
  .map(([s, t]) => [s.a, t.a, s.b, t.b]);

/** @param {ArrayLike<number>} x */
const outline = (x) => squares.map((corners) => `M${corners.map((k) => at(x, k)).join("L")}Z`).join("");

const pose = (/** @type {number} */ frame) => {
  const x = path[frame];
  if (!x) return; // the first walk is under way
  set($("flesh"), { d: outline(x) });
  set($("bones"), { d: bones.map(({ a, b }) => `M${at(x, a)}L${at(x, b)}`).join("") });
  for (const { spring, e } of muscles) {
    const { a, b } = spring;
    // one that is contracted is thick
    const grown = length(x, spring) / spring.length - 1;
    set(e, { d: `M${at(x, a)}L${at(x, b)}`, "stroke-width": (0.011 * Math.max(0.3, 1 - 5 * grown)).toFixed(4) });
  }
  set($("head"), { cx: x[0], cy: -x[1] });
};

const time = player({ steps: FRAMES, dt: 0.016, show: pose });

/** How far the robot is from the goal in the end: what the training makes smaller. */
const far = () => Math.abs(goal[0] - path[FRAMES][0]);

const draw = () => {
  set($("trail"), { points: path.map((x) => at(x, 0)).join(" ") });
  set($("landing"), { d: outline(path[FRAMES]) });
  $("far").value = far().toFixed(4);
  $("far").dataset.value = far();
  flag.tell();
  time.again();
};

// the worker: one message at a time, and for each an answer

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.postMessage({ module: await load() });
const drawCurve = curve($("curve"), { turns: TURNS, levels: [1, 0.5, 0], y: (v) => v });
let busy = false;
let training = false;
let job = 0; // answers to an earlier one come too late
/** What to ask for next: a robot from a seed, or to keep the best one, or only how it walks now. @type {any} */
let next;
/** @type {number[]} */
let losses = [];
let ms = 0;
let first = true;

const wait = (/** @type {boolean} */ yes) => {
  busy = yes;
  document.body.ariaBusy = String(yes);
};

const ask = () => {
  if (busy || !(training || next)) return;
  wait(true);
  worker.postMessage({ job, goal, train: training, ...next });
  next = undefined;
};

worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
  wait(false);
  if (data.job == job) {
    path = data.path;
    if (data.train) {
      losses.push(data.value);
      ms += data.ms;
    }
    took(data.ms);
    draw();
    if (first && !still()) time.play();
    first = false;
    if (losses.length == TURNS && training) stop();
  }
  report();
  ask();
};

const report = () => {
  const { length } = losses;
  $("train").textContent = training ? "Stop" : "Train";
  $("progress").value = length;
  $("steps").value = length ? `${length} steps, ${(ms / length).toFixed(0)} ms for each gradient` : "";
  drawCurve(losses);
};

/** Forget what was learned of another goal, or by another robot. @param {any} [what] To ask for next. */
const anew = (what = {}) => {
  job++;
  [losses, ms, next] = [[], 0, { ...next, ...what }];
  ask();
  report();
};

/** End the training, and let the best robot walk. */
const stop = () => {
  training = false;
  next = { ...next, keep: true };
  time.replay();
  ask();
  report();
};

$("train").addEventListener("click", () => {
  if (training) return stop();
  training = true;
  time.pause();
  time.seek(FRAMES);
  anew();
});

$("born").addEventListener("click", () => {
  training = false;
  anew({ seed: 1 + Math.floor(Math.random() * 1e6) });
});

// the goal

const place = () => set($("goal"), { transform: `translate(${goal[0]} 0)` });
place();
const flag = handle($("goal"), {
  label: "Goal",
  step: 0.01,
  range: [LEFT, RIGHT],
  at: () => [goal[0], 0],
  text: () => `${goal[0].toFixed(2)}, and the robot ends ${path.length ? far().toFixed(3) : ""} from it`,
  move(x) {
    goal = [Math.min(RIGHT, Math.max(LEFT, x)), goal[1]];
    place();
    anew();
  },
});
$("goal").setAttribute("aria-roledescription", "point on the ground");

$("progress").max = TURNS;
let marks = "";
for (let k = -10; k < 20; k++) marks += `M${k / 10} -.1v.0${k % 5 ? 1 : 2}`;
set($("marks"), { d: marks });
anew({ seed: 2 });
listening();
