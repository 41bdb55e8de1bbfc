// @ts-check
/** Gradient descent, away from the page: a shot comes in, and a better one goes out. */
import init from "./model/billiards.js";

const ready = init();
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

onmessage = async ({ data: { job, cue, ball, goal, look } }) => {
  const { loss, improve } = await ready;
  if (look) {
    let least = Infinity;
    for (let k = 0; k < SHOTS; k++) {
      const shot = random();
      const value = loss(shot, ball, goal);
      if (value < least) [least, cue] = [value, shot];
    }
  }
  const start = performance.now();
  const [value, better] = improve(cue, ball, goal);
  postMessage({ job, cue, value, better, ms: performance.now() - start });
};
