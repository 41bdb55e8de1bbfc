// @ts-check
/** Gradient descent, away from the page: first the module comes in, then shots, and for each a better one goes out. */
import { initSync } from "./model/index.js";

/** @type {import("./model/index.js").Functions} */
let model;
const SHOTS = 300;

/** A shot from around the rack, more or less towards it. */
const random = () => {
  const spread = (/** @type {number} */ a, /** @type {number} */ b) => a + (b - a) * Math.random();
  const [from, aim, far, speed] = [spread(-0.6, 0.6), spread(-0.25, 0.25), spread(0.2, 0.45), spread(0.2, 0.9)];
  return {
    x: [0.58 - far * Math.cos(from), 0.53 - far * Math.sin(from)],
    v: [speed * Math.cos(from + aim), speed * Math.sin(from + aim)],
  };
};

onmessage = ({ data: { module, job, cue, ball, goal, look } }) => {
  if (module) {
    model = initSync(module);
    return;
  }
  if (look) {
    let least = Infinity;
    for (let k = 0; k < SHOTS; k++) {
      const shot = random();
      const value = model.loss(shot, ball, goal);
      if (value < least) [least, cue] = [value, shot];
    }
  }
  const start = performance.now();
  const [value, better] = model.improve(cue, ball, goal);
  postMessage({ job, cue, value, better, ms: performance.now() - start });
};
