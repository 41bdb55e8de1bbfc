// @ts-check
/**
 * `<rose-drag>`: a picture of which every point can be dragged, with a mouse, a pen, fingers and keys.
 *
 * The element holds an `<svg>` that the page draws, and in it a `<g data-handles>`, in the coordinates of the points,
 * into which it puts a handle for each of them. What `rose.lib.dragger` made finds the parameters with which a point is
 * where it was dragged, once a frame; the page draws them. What was asked for last is always found, also if the pointer
 * was let go before the frame; and a point that was on its way gets there.
 *
 * Nothing happens at import: `customElements.define("rose-drag", RoseDrag)`, then give the element its `picture`. While
 * points move it sends `input` events, and when they rest `change`; their `detail` is the parameters.
 *
 * @typedef {ArrayLike<ArrayLike<number>>} Points
 * @typedef {object} Picture
 * @property {any} x The parameters, of any type.
 * @property {(x: any) => Points} points The function that says where the points are,
 * @property {(x: any, k: number, target: number[], ease: any, low: any, high: any) => any} drag and what drags them.
 * @property {(k: number) => any} ease How far parameters move at once while point k is dragged: 0 locks one.
 * @property {any} low The least that each of them may be,
 * @property {any} high and the greatest.
 * @property {number} step How far an arrow key moves a point: ten times as far with shift, a tenth with alt.
 * @property {(k: number) => string} label What point k is called.
 * @property {(k: number) => boolean} [stop] Whether the tab key stops at point k. Page Up and Page Down reach them all.
 * @property {(x: any, points: Points) => void} draw What draws the picture.
 *
 * @typedef {object} Hold A point that is being dragged.
 * @property {number} k
 * @property {number[]} target
 * @property {number[]} beside From the pointer to the point, when it was taken.
 * @property {boolean} free Whether it was let go, and is only on its way.
 * @property {number} frames How many frames it may still take.
 */

const SVG = "http://www.w3.org/2000/svg";
const REACH = 18; // pixels around a point where it can be taken
const STILL = 0.02; // pixels: what moves less in a frame rests
const FRAMES = 120; // for a target that does not change
const KEYS = -1; // the pointer that the keys are

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/** @param {number} x */
const short = (x) => String(Number(x.toPrecision(4))).replace("-", "−");

/** @param {string} name @param {Record<string, string | number>} attributes @param {Element[]} inside */
const svg = (name, attributes, ...inside) => {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, String(attributes[key]));
  made.append(...inside);
  return /** @type {SVGGraphicsElement} */ (made);
};

/** @type {typeof HTMLElement} */
const Base = globalThis.HTMLElement ?? class {};

export class RoseDrag extends Base {
  /** @type {Picture} */
  #picture;
  /** @type {Points} */
  #points = [];
  /** The handles, one for each point. @type {SVGGraphicsElement[]} */
  handles = [];
  /** @type {Map<number, Hold>} */
  #holds = new Map();
  /** The parameters before the drag. @type {any} */
  #before;
  #frame = 0;
  #resized = new ResizeObserver(() => this.#place());

  /** @param {Picture} picture */
  set picture(picture) {
    this.#picture = picture;
    this.#points = picture.points(picture.x);
    this.handles = Array.from(this.#points, (_, k) => this.#handle(k));
    this.#layer.replaceChildren(...this.handles);
    this.#resized.observe(this);
    this.#show(picture.x, this.#points);
    this.#tell("change");
  }

  get picture() {
    return this.#picture;
  }

  /** The parameters. Those with which a point would have no place are refused, and all stays as it was. */
  get x() {
    return this.#picture.x;
  }

  set x(x) {
    const points = this.#picture.points(x);
    if (Array.from(points).every((p) => Array.from(p).every(Number.isFinite))) this.#show(x, points);
    this.#tell("change");
  }

  /** Drag point k to a target, as a pointer would that is let go there. @param {number} k @param {number[]} target */
  aim(k, target) {
    this.#begin();
    this.#holds.set(KEYS, { k, target, beside: [0, 0], free: true, frames: FRAMES });
    this.#ask();
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
    this.#holds.clear();
    this.#frame = 0;
  }

  get #layer() {
    return /** @type {SVGGraphicsElement} */ (this.querySelector("[data-handles]"));
  }

  /** How many pixels a unit of the picture has. */
  get #scale() {
    const m = this.#layer.getScreenCTM();
    return (m && Math.sqrt(Math.abs(m.a * m.d - m.b * m.c))) || 1;
  }

  /** Where an event is, in the picture. @param {PointerEvent} event */
  #at({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.#layer.getScreenCTM()?.inverse());
    return [x, y];
  }

  /** @param {number} k */
  #handle(k) {
    const { label, stop } = this.#picture;
    const handle = svg(
      "g",
      {
        class: "rose-handle",
        role: "slider",
        tabindex: stop?.(k) === false ? -1 : 0,
        "aria-label": label(k),
        "aria-roledescription": "point",
      },
      svg("circle", { class: "rose-reach", fill: "transparent" }),
      svg("circle", { class: "rose-dot" }),
    );
    handle.style.touchAction = "none"; // not as an attribute, which a strict policy forbids
    handle.addEventListener("pointerdown", (event) => this.#take(event));
    handle.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel", "lostpointercapture"]))
      handle.addEventListener(name, (event) => this.#release(event));
    handle.addEventListener("keydown", (event) => this.#key(event, k));
    return handle;
  }

  // pointers

  /** @param {PointerEvent} event */
  #take(event) {
    if (event.button) return;
    event.preventDefault();
    const at = this.#at(event);
    // handles lie over one another: the nearest point is meant
    const far = Array.from(this.#points, ([x, y]) => Math.hypot(x - at[0], y - at[1]));
    const k = far.indexOf(Math.min(...far));
    const [x, y] = this.#points[k];
    /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
    this.handles[k].focus({ preventScroll: true });
    this.handles[k].classList.add("rose-held");
    this.#begin();
    const beside = [x - at[0], y - at[1]];
    this.#holds.set(event.pointerId, { k, target: [x, y], beside, free: false, frames: 0 });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const hold = this.#holds.get(event.pointerId);
    if (!hold || hold.free) return;
    hold.target = this.#at(event).map((x, a) => x + hold.beside[a]);
    hold.frames = FRAMES;
    this.#ask();
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const hold = this.#holds.get(event.pointerId);
    if (!hold || hold.free) return;
    hold.free = true;
    this.handles[hold.k].classList.remove("rose-held");
    this.#ask();
  }

  // keys

  /** @param {KeyboardEvent} event @param {number} k */
  #key(event, k) {
    const arrow = ARROWS[event.key];
    const page = { PageUp: -1, PageDown: 1 }[event.key];
    if (arrow) {
      const far = this.#picture.step * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
      this.aim(k, Array.from(this.#points[k], (x, a) => x + far * (arrow[a] ?? 0)));
    } else if (page) {
      const next = this.handles[(k + page + this.handles.length) % this.handles.length];
      next.focus();
    } else if (event.key == "Escape" && this.#holds.size) {
      this.#holds.clear();
      for (const handle of this.handles) handle.classList.remove("rose-held");
      this.x = this.#before;
    } else return;
    event.preventDefault();
  }

  // frames

  #begin() {
    if (!this.#holds.size) this.#before = this.x;
  }

  #ask() {
    this.#frame ||= requestAnimationFrame(() => this.#solve());
  }

  #solve() {
    this.#frame = 0;
    const still = STILL / this.#scale;
    for (const [id, hold] of this.#holds) {
      const { k, target } = hold;
      const from = this.#points[k];
      const { drag, ease, low, high, points } = this.#picture;
      if (hold.frames > 0) {
        const x = drag(this.x, k, target, ease(k), low, high);
        this.#picture.x = x;
        const to = (this.#points = points(x))[k];
        const near = [from, target].some((p) => Math.hypot(to[0] - p[0], to[1] - p[1]) < still);
        hold.frames = near ? 0 : hold.frames - 1;
      }
      if (hold.free && !hold.frames) this.#holds.delete(id);
    }
    this.#show(this.x, this.#points);
    this.#tell(this.#holds.size ? "input" : "change");
    if ([...this.#holds.values()].some((hold) => hold.frames)) this.#ask();
  }

  /** @param {any} x @param {Points} points */
  #show(x, points) {
    this.#picture.x = x;
    this.#points = points;
    this.#place();
    this.#picture.draw(x, points);
  }

  #place() {
    const reach = String(REACH / this.#scale);
    this.handles.forEach((handle, k) => {
      const [x, y] = this.#points[k];
      handle.setAttribute("transform", `translate(${x} ${y})`);
      handle.firstElementChild?.setAttribute("r", reach);
    });
  }

  /** @param {"input" | "change"} what */
  #tell(what) {
    if (what == "change")
      this.handles.forEach((handle, k) => {
        const [x, y] = Array.from(this.#points[k], short);
        handle.setAttribute("aria-valuenow", String(this.#points[k][0]));
        handle.setAttribute("aria-valuetext", `${x}, ${y}`);
      });
    this.dispatchEvent(new CustomEvent(what, { detail: this.x }));
  }
}
