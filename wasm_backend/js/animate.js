// @ts-check
/**
 * Steps of a simulation, as fast as time goes, and a picture once a frame.
 *
 * Each step takes the same time, so that it gives the same numbers on every screen. Time in which the page was hidden, or
 * in which the steps took too long, is left out. Nothing moves for those who asked for less motion until `play` is
 * called, nor while the `element`, if there is one, is out of sight.
 *
 *     const { play, pause } = animate({ step: (dt) => (state = model.step(state, dt)), draw: () => show(state) });
 *
 * @typedef {object} Options
 * @property {(dt: number) => void} step Takes a step of so many seconds.
 * @property {() => void} draw Draws the picture.
 * @property {number} [dt] The seconds of a step: 1/60 if it is left out.
 * @property {number} [speed] How many seconds go by in one of the clock.
 * @property {Element} [element] What is looked at.
 *
 * @typedef {object} Animation
 * @property {boolean} playing Whether it moves, or would if it were in sight.
 * @property {() => void} play
 * @property {() => void} pause
 * @property {() => void} step Takes one step, and draws.
 */

const MOST = 0.1; // the most seconds of the clock that a frame makes up for

/** @param {Options} options @returns {Animation} */
export const animate = ({ step, draw, dt = 1 / 60, speed = 1, element }) => {
  let [playing, visible, frame, last, owed] = [false, true, 0, 0, 0];

  const ask = () => {
    if (playing && visible) frame ||= requestAnimationFrame(turn);
  };
  const turn = (/** @type {number} */ now) => {
    frame = 0;
    owed += last ? Math.min(MOST, (now - last) / 1000) * speed : 0;
    last = now;
    const before = owed;
    for (; owed >= dt; owed -= dt) step(dt);
    if (owed != before) draw();
    ask();
  };
  const rest = () => {
    cancelAnimationFrame(frame);
    frame = last = owed = 0;
  };
  const play = () => {
    playing = true;
    ask();
  };
  const pause = () => {
    playing = false;
    rest();
  };
  const one = () => {
    step(dt);
    draw();
  };
  if (element)
    new IntersectionObserver(([{ isIntersecting }]) => {
      visible = isIntersecting;
      if (visible) ask();
      else rest();
    }).observe(element);
  draw();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
  return {
    get playing() {
      return playing;
    },
    play,
    pause,
    step: one,
  };
};
