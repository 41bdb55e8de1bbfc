/** Steps of a simulation, by a clock of the test. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { animate } from "../../wasm_backend/js/animate.js";

/** A page with a clock. */
const paged = ({ still = false } = {}) => {
  let frames = [];
  globalThis.requestAnimationFrame = (f) => frames.push(f);
  globalThis.cancelAnimationFrame = () => (frames = []);
  globalThis.matchMedia = () => ({ matches: still });
  const observers = [];
  globalThis.IntersectionObserver = class {
    constructor(seen) {
      observers.push(seen);
    }
    observe() {}
  };
  const at = (/** @type {number} */ time) => {
    const now = frames;
    frames = [];
    for (const f of now) f(time);
    return frames.length;
  };
  return { at, see: (isIntersecting) => observers.forEach((seen) => seen([{ isIntersecting }])) };
};

/** How many steps were taken, and pictures drawn. */
const counted = (options) => {
  const seen = { steps: 0, pictures: 0 };
  const motion = animate({ step: () => seen.steps++, draw: () => seen.pictures++, dt: 0.01, ...options });
  return { seen, motion };
};

test("steps keep up with the clock, and a picture is drawn once a frame", () => {
  const { at } = paged();
  const { seen } = counted();
  assert.deepEqual(seen, { steps: 0, pictures: 1 });
  at(1000);
  at(1035);
  assert.deepEqual(seen, { steps: 3, pictures: 2 });
  at(1042);
  assert.deepEqual(seen, { steps: 4, pictures: 3 });
  at(1043);
  assert.deepEqual(seen, { steps: 4, pictures: 3 });
});

test("time that was lost is left out", () => {
  const { at } = paged();
  const { seen } = counted({ speed: 2 });
  at(1000);
  at(61_000);
  assert.ok(seen.steps >= 19 && seen.steps <= 20);
});

test("nothing moves for those who asked for less motion, until it is played", () => {
  const { at } = paged({ still: true });
  const { seen, motion } = counted();
  assert.equal(at(1000), 0);
  assert.equal(motion.playing, false);
  motion.step();
  assert.deepEqual(seen, { steps: 1, pictures: 2 });
  motion.play();
  assert.equal(at(1000), 1);
  motion.pause();
  assert.equal(at(1020), 0);
});

test("nothing moves out of sight", () => {
  const { at, see } = paged();
  const { seen, motion } = counted({ element: {} });
  at(1000);
  see(false);
  assert.equal(at(1100), 0);
  assert.equal(motion.playing, true);
  see(true);
  at(2000);
  at(2020);
  assert.equal(seen.steps, 2);
});

test("an error of a step stops it", () => {
  const { at } = paged();
  animate({
    step: () => {
      throw new Error("no");
    },
    draw: () => {},
  });
  at(1000);
  assert.throws(() => at(1050), { message: "no" });
  assert.equal(at(1100), 0);
});
