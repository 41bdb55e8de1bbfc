// @ts-check
/** Handles that can be dragged, of the pages that have no `<rose-drag>`, which brings its own. */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Make an element of an SVG a handle: a pointer, a finger, or arrow keys (with Shift ten times as far) move it.
 *
 * `move` is called at most once for each frame, and with the last position always. Positions are in the coordinates of
 * the element's parent, whichever way these point; keys follow the screen.
 *
 * @param {SVGGraphicsElement} element
 * @param {{ label: string, at: () => number[], move: (x: number, y: number) => void, step: number, range: number[],
 *   text?: () => string, start?: () => void, end?: (by: "pointer" | "keys") => void }} options `label` and `text` are read
 *   aloud; x lies in the `range`; `start` and `end` stand around each drag, and each stroke of a key.
 */
export const handle = (element, { label, at, move, step, range: [least, most], text, start, end }) => {
  const tell = () => {
    const [x, y] = at();
    element.setAttribute("aria-valuenow", x.toFixed(3));
    element.setAttribute("aria-valuetext", text?.() ?? `x ${x.toFixed(2)}, y ${y.toFixed(2)}`);
  };
  const fixed = { role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": least, "aria-valuemax": most };
  for (const [k, v] of Object.entries(fixed)) element.setAttribute(k, String(v));
  element.setAttribute("aria-roledescription", "point in the plane");
  element.classList.add("handle");
  tell();

  const parent = /** @type {SVGGraphicsElement} */ (element.parentNode);
  const matrix = () => /** @type {DOMMatrix} */ (parent.getScreenCTM());
  /** @type {number[] | undefined} */
  let waiting;
  const go = () => {
    if (!waiting) return;
    const [x, y] = waiting;
    waiting = undefined;
    move(x, y);
    tell();
  };
  let grip = [0, 0];
  /** @param {PointerEvent} e */
  const under = (e) => {
    const { x, y } = new DOMPoint(e.clientX, e.clientY).matrixTransform(matrix().inverse());
    return [x, y];
  };
  element.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    element.setPointerCapture(e.pointerId);
    element.focus();
    const [[x, y], [u, v]] = [under(e), at()];
    grip = [u - x, v - y];
    start?.();
    e.preventDefault();
  });
  // Chromium heeds touch-action of an SVG, and not of what is in it: there the page would scroll
  element.addEventListener("touchstart", (e) => e.preventDefault(), { passive: false });
  element.addEventListener("pointermove", (e) => {
    if (!element.hasPointerCapture(e.pointerId)) return;
    const [x, y] = under(e);
    if (!waiting) requestAnimationFrame(go);
    waiting = [x + grip[0], y + grip[1]];
  });
  element.addEventListener("lostpointercapture", () => {
    go();
    end?.("pointer");
  });
  element.addEventListener("keydown", (e) => {
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (e.key)];
    if (!arrow || e.altKey || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    const { a, d } = matrix();
    const far = step * (e.shiftKey ? 10 : 1);
    const [x, y] = at();
    start?.();
    move(x + arrow[0] * far * Math.sign(a || 1), y - arrow[1] * far * Math.sign(d || 1));
    tell();
    end?.("keys");
  });
  return { tell };
};
