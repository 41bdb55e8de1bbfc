// @ts-check
/** Trains the robot, away from the page. First the module comes in; then each message is answered with a walk. */
import { initSync } from "./model/index.js";

/**
 * @typedef {import("./model/index.js").Functions} Functions
 * @typedef {ReturnType<Functions["newborn"]>} Weights
 */

/** @type {Functions} */
let model;
/** @type {Weights} */
let weights;
/** @type {{ job?: number, value: number, weights?: Weights }} */
let best = { value: Infinity };

onmessage = ({ data: { module, job, seed, goal, train, keep } }) => {
  if (module) {
    model = initSync(module);
    return;
  }
  if (seed) {
    weights = model.newborn(seed);
    best = { value: Infinity };
  }
  if (keep && best.weights) weights = best.weights;
  const walked = weights;
  const start = performance.now();
  let value;
  if (train) {
    if (best.job != job) best = { job, value: Infinity };
    [value, weights] = model.improve(weights, goal);
    if (value < best.value) best = { job, value, weights: walked };
  }
  const improved = performance.now();
  const path = model.replay(walked, goal);
  postMessage({ job, train, value, ms: (train ? improved : performance.now()) - start, path });
};
