// @ts-check
/** What all pages use: the time of an evaluation, and whether anything may move by itself. */

const KEPT = 60; // times; browsers round each of them, to 0.1 ms or so, and their mean less
/** @type {number[]} */
const times = [];
let shown = false;

/**
 * Evaluate, and show in the frame how long that took: the mean of the last times.
 *
 * @template T @param {() => T} f @returns {T}
 */
export const timed = (f) => {
  const start = performance.now();
  const result = f();
  took(performance.now() - start);
  return result;
};

/** Show a time in the frame, in milliseconds: for what was evaluated in a Worker. @param {number} ms */
export const took = (ms) => {
  times.push(ms);
  if (times.length > KEPT) times.shift();
  if (shown) return;
  shown = true;
  requestAnimationFrame(() => {
    shown = false;
    const mean = times.reduce((x, y) => x + y) / times.length;
    const out = /** @type {HTMLOutputElement} */ (document.querySelector("#time"));
    out.value = mean < 0.001 ? "under 0.001 ms" : `${mean.toPrecision(2)} ms`;
    out.dataset.ms = String(mean);
  });
};

/** True if the reader wants nothing to move by itself. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
