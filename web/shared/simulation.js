// @ts-check
/** What the pages with a simulation share: time that is played and slid, and the curve of a search. */
import { still } from "./page.js";

/** @param {string} id @returns {any} */
export const $ = (id) => document.getElementById(id);

/** Set attributes. @param {Element} e @param {Record<string, string | number>} values */
export const set = (e, values) => {
  for (const k in values) e.setAttribute(k, String(values[k]));
};

/** A new element of an SVG. @param {string} name @param {Element} parent @returns {any} */
export const make = (name, parent) => parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));

/**
 * The slider #step, the button #play, which moves it as fast as time goes, and #clock.
 *
 * @param {{ steps?: number, dt: number, show: (step: number) => void }} options A step takes `dt` seconds. How many there
 *   are is the `max` of the slider, from then on.
 */
export const player = ({ steps = 1, dt, show }) => {
  const [slider, button, clock] = [$("step"), $("play"), $("clock")];
  const label = button.textContent;
  let playing = 0;
  const seek = (/** @type {number} */ step) => {
    slider.value = step;
    const time = (slider.value * dt).toFixed(2);
    clock.value = `${time} s`;
    slider.setAttribute("aria-valuetext", `${time} seconds`);
    show(+slider.value);
  };
  const pause = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    button.textContent = label;
  };
  const play = () => {
    pause();
    button.textContent = "Pause";
    const from = +slider.value < +slider.max ? +slider.value : 0;
    /** @type {number} */
    let start;
    const turn = (/** @type {number} */ now) => {
      start ??= now;
      seek(from + (now - start) / 1000 / dt);
      playing = +slider.value < +slider.max ? requestAnimationFrame(turn) : 0;
      if (!playing) pause();
    };
    playing = requestAnimationFrame(turn);
  };
  slider.max = steps;
  slider.addEventListener("input", () => {
    pause();
    seek(+slider.value);
  });
  button.addEventListener("click", () => (playing ? pause() : play()));
  return { seek, pause, play, replay: () => (seek(0), still() || play()), again: () => seek(+slider.value) };
};

/**
 * Draw the curve of a search into an SVG of 200 by 84, with lines at the levels.
 *
 * @param {Element} svg @param {{ turns: number, levels: number[], y: (value: number) => number }} options `y` gives the
 *   height of a value, from 0 to 1.
 */
export const curve = (svg, { turns, levels, y }) => {
  const at = (/** @type {number} */ k, /** @type {number} */ value) =>
    `${(28 + (168 * k) / turns).toFixed(1)} ${(78 - 72 * Math.min(1, Math.max(0, y(value)))).toFixed(1)}`;
  for (const level of levels) {
    set(make("path", svg), { class: "level", d: `M${at(0, level)}L${at(turns, level)}` });
    const text = make("text", svg);
    const [, height] = at(0, level).split(" ");
    set(text, { x: 24, y: +height + 2.5 });
    text.textContent = String(level);
  }
  const line = make("path", svg);
  const dot = make("circle", svg);
  set(line, { class: "losses" });
  return (/** @type {number[]} */ values) => {
    line.setAttribute("d", values.length ? `M${values.map((v, k) => at(k, v)).join("L")}` : "");
    const [x, height] = at(values.length - 1, values[values.length - 1] ?? 0).split(" ");
    set(dot, { cx: x, cy: height, r: values.length ? 2.2 : 0 });
  };
};

/** Let the buttons be pressed: before the script of the page was loaded, a click would have been lost. */
export const listening = () => {
  for (const button of document.querySelectorAll("button")) button.disabled = false;
};
