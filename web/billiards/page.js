// @ts-check
import { init, load } from "./model/index.js";
import { handle } from "../shared/handle.js";
import { still, timed } from "../shared/page.js";
import { $, curve, listening, make, player, set } from "../shared/simulation.js";

/**
 * @typedef {ArrayLike<number>} Point
 * @typedef {{ x: Point, v: Point }} Ball
 */

const { improve, replay } = await init();

const TURNS = 200; // of gradient descent
const REACH = 0.4; // the arrow of the cue ball is as long as its way in so many seconds
const START = { x: [0.1, 0.5], v: [0.3, 0] };

/** @type {Ball} */
let cue = START;
let ball = 10;
let goal = [0.9, 0.75];
/** In each frame x and y of all balls, one after another. */
let path = replay(cue);
let missed = 0;

// the picture

const FRAMES = path.length - 1;
const all = Array.from({ length: path[0].length / 2 }, (_, k) => k);
const trails = all.map(() => make("polyline", $("trails")));
const balls = all.map((k) => {
  const g = make("g", $("balls"));
  set(make("circle", g), { r: 0.03 });
  if (!k) return g;
  const text = make("text", g);
  text.textContent = k;
  set(text, { y: 0.0085 });
  g.addEventListener("click", () => choose(k));
  $("ball").add(new Option(String(k)));
  return g;
});

/** @param {Element} e @param {Point} x */
const place = (e, x) => set(e, { transform: `translate(${x[0]} ${-x[1]})` });

/** Where a ball is in a frame. @param {number} frame @param {number} k */
const at = (frame, k) => [path[frame][2 * k], path[frame][2 * k + 1]];

/** @param {Element} e @param {Point} from @param {Point} to */
const line = (e, from, to) => set(e, { x1: from[0], y1: -from[1], x2: to[0], y2: -to[1] });

/** The tip of the cue ball's arrow. */
const tip = () => [0, 1].map((k) => cue.x[k] + REACH * cue.v[k]);

/**
 * An arrow from a point, against a gradient: long ones grow less and less.
 *
 * @param {Element} e @param {Point} from @param {number[]} slope
 */
const downhill = (e, from, slope) => {
  const far = 0.1 / (Math.hypot(...slope) + 0.5);
  line(e, from, [from[0] - far * slope[0], from[1] - far * slope[1]]);
  e.classList.toggle("none", Math.hypot(...slope) < 0.02);
};

/** Follow the shot to its end, and draw what comes of it. */
const draw = () => {
  const [x, [value, better]] = timed(() => [replay(cue), improve(cue, ball, goal)]);
  path = x;
  missed = Math.sqrt(value);
  trails.forEach((e, k) => {
    const points = path.map((x) => `${x[2 * k].toFixed(4)},${(-x[2 * k + 1]).toFixed(4)}`);
    set(e, { points: points.filter((x, t) => x != points[t - 1]).join(" ") });
  });
  place($("landing"), at(FRAMES, ball));
  place($("goal"), goal);
  place($("cue"), cue.x);
  place($("aim"), tip());
  line($("speed"), cue.x, tip());
  const slope = (/** @type {"x" | "v"} */ of) => [0, 1].map((k) => (cue[of][k] - better[of][k]) / 0.01);
  downhill($("better-x"), cue.x, slope("x"));
  downhill($("better-v"), tip(), slope("v"));
  time.again();
  $("missed").value = missed.toFixed(4);
  handles.forEach(({ tell }) => tell());
  $("untouched").hidden = String(at(FRAMES, ball)) != String(at(0, ball));
};

const time = player({
  steps: FRAMES,
  dt: 0.012,
  show: (frame) => balls.forEach((e, k) => place(e, at(frame, k))),
});

let waiting = false;
/** Draw in the next frame: once, however often it is asked for. */
const redraw = () => {
  if (!waiting)
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  waiting = true;
};

// the search: each step is a message to the worker, and its answer

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.postMessage({ module: await load() });
const drawCurve = curve($("curve"), { turns: TURNS, levels: [1, 0.1, 0.01, 0.001], y: (v) => 1 + Math.log10(v) / 3 });
let job = 0; // answers to an earlier one come too late
let running = false;
/** @type {number[]} */
let losses = [];
let ms = 0;
let best = { value: Infinity, cue };

const report = () => {
  $("optimise").textContent = running ? "Stop" : "Optimise";
  $("progress").value = losses.length;
  $("steps").value = losses.length ? `${losses.length} steps, ${(ms / losses.length).toFixed(1)} ms each` : "";
  drawCurve(losses);
};

/** @param {boolean} [look] First choose the best of many other shots. */
const ask = (look = false) => worker.postMessage({ job, cue, ball, goal, look });

const begin = (look = false) => {
  time.pause();
  time.seek(0);
  job++;
  [running, losses, ms, best] = [true, [], 0, { value: Infinity, cue }];
  ask(look);
  report();
};

const stop = () => {
  job++;
  running = false;
  report();
};

worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (data.job != job) return;
  losses.push(Math.sqrt(data.value));
  ms += data.ms;
  if (data.value < best.value) best = data;
  cue = data.better;
  if (losses.length == TURNS) return finish();
  ask();
  report();
  redraw();
};

/** Keep the best shot, and show it. */
const finish = () => {
  stop();
  cue = best.cue;
  draw();
  time.replay();
};

// what the reader does

const choose = (/** @type {number} */ k) => {
  ball = k;
  $("ball").value = k;
  for (const each of [balls, trails]) each.forEach((e, i) => e.classList.toggle("chosen", i == k));
  running ? begin() : redraw();
};

const clamp = (/** @type {number} */ x, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.min(high, Math.max(low, x));

/** @param {string} id @param {string} label @param {() => Point} at @param {(x: number, y: number) => void} move */
const drag = (id, label, at, move) =>
  handle($(id), {
    label,
    step: 0.005,
    range: [0, 1],
    at: () => [at()[0], -at()[1]],
    text: () =>
      `x ${at()[0].toFixed(3)}, y ${at()[1].toFixed(3)}, ball ${ball} ends ${missed.toFixed(3)} from the goal`,
    move: (x, y) => {
      move(clamp(x, 0.03, 0.97), clamp(-y, 0.15, 0.85));
      draw();
    },
  });

/** A shot that the reader makes ends the search. @param {Ball} shot */
const shoot = (shot) => {
  if (running) stop();
  time.pause();
  time.seek(0);
  cue = shot;
};

const handles = [
  drag(
    "goal",
    "Goal",
    () => goal,
    (x, y) => {
      goal = [x, y];
      if (running) begin();
    },
  ),
  drag(
    "cue",
    "Cue ball",
    () => cue.x,
    (x, y) => shoot({ x: [x, y], v: cue.v }),
  ),
  drag("aim", "Tip of the cue ball's arrow", tip, (x, y) =>
    shoot({ x: cue.x, v: [(x - cue.x[0]) / REACH, (y - cue.x[1]) / REACH] }),
  ),
];

$("ball").addEventListener("change", () => choose(+$("ball").value));
$("optimise").addEventListener("click", () => (running ? finish() : begin()));
$("look").addEventListener("click", () => begin(true));
$("reset").addEventListener("click", () => {
  shoot(START);
  goal = [0.9, 0.75];
  losses = [];
  choose(10);
  report();
});

report();
choose(ball);
still() ? time.replay() : begin(); // nobody likes to miss at first
listening();
