// The search for the best layout of a diagram, as Penrose's engine makes it, around a gradient from anywhere: the
// exterior point method (Rao, Engineering Optimization, 4th edition, page 443) around L-BFGS (Nocedal and Wright,
// Numerical Optimization, 2nd edition, algorithms 7.4 and 7.5). `optimise.py` says the same in our language.

const MEMORY = 17; // steps that are remembered
const ENOUGH = 1e-3; // of the slope at the start: what a step makes the value less by, at least
const FLATTER = 0.9; // of the slope at the start: how steep it may be after a step
const SHORT = 1e-9; // between the bounds of a step, where the search for one gives up
const TRIES = 10;
const TINY = 1e-11; // added to what is divided by
const FLAT = 1e-2; // what a step promises, at the end of a search
const STILL = 1e-3; // how far the last round moved or what it gained, when more weight changes nothing
const GROWTH = 10;
const LEAST_ROUNDS = 3;

const dot = (xs, ys) => {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i] * ys[i];
  return sum;
};
const minus = (xs, ys) => xs.map((x, i) => x - ys[i]);

/** Sets `x` to a point along -r from where it is; Armijo's condition and Wolfe's weak one, by bisection. */
const lineSearch = (f, x, r, fx, gradient) => {
  const from = x.slice();
  const slope = -dot(r, gradient);
  const there = new Float64Array(x.length);
  for (let low = 0, high = Infinity, t = 1, tries = 0; ; tries++) {
    for (let i = 0; i < x.length; i++) x[i] = from[i] - t * r[i];
    if (Math.abs(low - high) < SHORT || tries > TRIES) return;
    const value = f(x, there);
    if (!(value <= fx + ENOUGH * t * slope)) high = t;
    else if (!(-dot(r, there) >= FLATTER * slope)) low = t;
    else return;
    t = high < Infinity ? (low + high) / 2 : 2 * low;
  }
};

/** The gradient, times the inverse of the Hessian as the steps that are remembered tell it, the newest first. */
const direction = (gradient, past) => {
  const r = gradient.slice();
  const weights = past.map(({ s, y }) => 1 / (dot(y, s) + TINY));
  const parts = past.map(({ s, y }, k) => {
    const part = weights[k] * dot(s, r);
    for (let i = 0; i < r.length; i++) r[i] -= part * y[i];
    return part;
  });
  const { s, y } = past[0];
  const scale = dot(s, y) / (dot(y, y) + TINY);
  for (let i = 0; i < r.length; i++) r[i] *= scale;
  for (let k = past.length - 1; k >= 0; k--) {
    const { s, y } = past[k];
    const by = parts[k] - weights[k] * dot(y, r);
    for (let i = 0; i < r.length; i++) r[i] += s[i] * by;
  }
  return r;
};

/** Moves `x` to where f is least, and gives the value before the last step; nan if it came to one. */
const minimise = (f, x) => {
  const gradient = new Float64Array(x.length);
  const value = f(x, gradient);
  let last = { x: x.slice(), gradient: gradient.slice() };
  lineSearch(f, x, gradient.slice(), value, gradient);
  for (const past = []; ; ) {
    const value = f(x, gradient);
    const now = { x: x.slice(), gradient: gradient.slice() };
    past.unshift({ s: minus(now.x, last.x), y: minus(now.gradient, last.gradient) });
    if (past.length > MEMORY) past.pop();
    last = now;
    const r = direction(gradient, past);
    lineSearch(f, x, r, value, gradient);
    if (Number.isNaN(value) || now.x.some(Number.isNaN) || now.gradient.some(Number.isNaN)) return NaN;
    if (dot(now.gradient, r) < FLAT) return value;
  }
};

/** Moves `x` to the best layout of a stage: constraints weigh more from round to round. */
const stage = (f, x, masks, start) => {
  let last;
  for (let round = 1, weight = start; ; round++, weight *= GROWTH) {
    const value = minimise((at, gradient) => f(at, weight, masks, gradient), x);
    if (Number.isNaN(value)) return { value, weight, converged: false };
    if (round >= LEAST_ROUNDS) {
      const moved = minus(x, last.x);
      const still = Math.sqrt(dot(moved, moved)) < STILL || Math.abs(value - last.value) < STILL;
      if (still) return { value, weight, converged: true };
    }
    last = { x: x.slice(), value };
  }
};

/** All stages of a graph, from its inputs: how often the gradient was asked for, and where that ended. */
export const optimise = (f, { inputs, stages, weight }) => {
  let calls = 0;
  const counted = (...args) => (calls++, f(...args));
  const x = inputs.slice();
  let found = { converged: true };
  for (const masks of stages) if (found.converged) found = stage(counted, x, masks, weight);
  return { calls, x, ...found };
};
