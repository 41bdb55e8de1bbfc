// @ts-check
/**
 * `<rose-drag>`: a picture of which every point can be dragged, with a mouse, a pen, fingers and keys.
 *
 * The element contains an `<svg>`, which the page draws, and in it a `<g data-handles>`, in the coordinates of the
 * points, in which it places a handle for each point. Once a frame, the result of `rose.lib.dragger` finds the
 * parameters with which a point lies where it is dragged. The last target is always reached, also if the pointer was
 * released before the frame: a distant point moves on, from frame to frame. Arrow keys move a point by small steps, Page
 * Up and Page Down go from point to point, and Escape undoes the last drag.
 *
 *     customElements.define("rose-drag", RoseDrag); // nothing happens at import
 *     const element = document.querySelector("rose-drag");
 *     element.addEventListener("input", ({ detail: { p, points } }) => draw(points));
 *     element.model = { p, low, high, weights, points, drag, label: (k) => names[k], step: 1 };
 *
 * It sends `input` for each new picture, the first one too, and `change` when all points rest.
 *
 * @typedef {ArrayLike<ArrayLike<number>>} Points
 * @typedef {object} Model
 * @property {any} p The parameters at first: an object, or an array, as the module takes them.
 * @property {any} low The least that each of them may be,
 * @property {any} high and the greatest. These, and the weights, are as `rose.lib.dragger` has them, and may be changed.
 * @property {any} weights How far each moves at once, 0 if it is locked; or a function that says so for point k.
 * @property {(p: any) => Points} points The points of the picture,
 * @property {(p: any, k: number, target: number[], weights: any, low: any, high: any) => any} drag and the function that drags them.
 * @property {(k: number) => string} label The name of point k.
 * @property {number} step How far an arrow key moves a point: ten times as far with Shift.
 * @property {(k: number) => boolean} [stop] Whether the tab key stops at point k: at each, if this is left out.
 *
 * @typedef {object} Hold A point that is being dragged.
 * @property {number} k
 * @property {number[]} target
 * @property {number[]} beside From the pointer to the point, when it was grabbed.
 * @property {boolean} free Whether it was released, and only moves on.
 * @property {number} frames How many frames it may still take.
 */

const STILL = 0.02; // pixels: a point that moves less in a frame rests
const FRAMES = 120; // the most frames for a target that does not change
const KEYS = -1; // the number of the keyboard among the pointers

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/** @param {number} x */
const short = (x) => String(Number(x.toPrecision(4))).replace("-", "−");

/** @param {string} name @param {Record<string, string | number>} attributes @param {Element[]} inside */
const svg = (name, attributes, ...inside) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, String(attributes[key]));
  made.append(...inside);
  return /** @type {SVGGraphicsElement} */ (made);
};

/** The style that handles need; the page adds colours. A stroke that does not scale has its width in pixels. */
const STYLE = `
.rose-handle { cursor: grab; touch-action: none; outline: none }
.rose-held { cursor: grabbing }
.rose-reach { stroke: transparent; stroke-width: 36px; stroke-linecap: round; vector-effect: non-scaling-stroke }
.rose-handle:focus-visible .rose-reach { stroke: currentColor; opacity: 0.3 }`;

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** @param {any} x @returns {number[]} The numbers in a value, in order. */
const numbers = (x) => (typeof x == "number" ? [x] : Object.values(x).flatMap(numbers));

/** @type {typeof HTMLElement} */
const Base = globalThis.HTMLElement ?? class {};

export class RoseDrag extends Base {
  /** @type {Model} */
  #model = /** @type {any} */ (undefined);
  /** @type {Points} */
  #points = [];
  /** The handles, one for each point. @type {SVGGraphicsElement[]} */
  handles = [];
  /** @type {Map<number, Hold>} */
  #holds = new Map();
  /** The parameters before each drag. @type {any[]} */
  #past = [];
  #frame = 0;

  connectedCallback() {
    if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLE);
    const root = /** @type {Document | ShadowRoot} */ (this.getRootNode());
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#holds.clear();
  }

  /** @param {Model} model */
  set model(model) {
    this.#model = model;
    this.#holds.clear();
    this.#past = [];
    this.handles = Array.from(model.points(model.p), (_, k) => this.#handle(k));
    this.#layer.replaceChildren(...this.handles);
    this.#show(model.p);
    this.#rest();
  }

  get model() {
    return this.#model;
  }

  /** The parameters. Those with which a point is not finite are refused: then nothing changes. */
  get p() {
    return this.model.p;
  }

  set p(p) {
    const points = this.model.points(p);
    if (numbers(points).every(Number.isFinite)) this.#show(p, points);
    if (!this.#holds.size) this.#rest();
  }

  /** The points. */
  get points() {
    return this.#points;
  }

  /** The points that are being dragged. */
  get held() {
    return [...this.#holds.values()].map((hold) => hold.k);
  }

  /** Drag point k to a target, as a pointer that is released there. @param {number} k @param {number[]} target */
  aim(k, target) {
    this.#begin();
    this.#holds.set(KEYS, { k, target, beside: [0, 0], free: true, frames: FRAMES });
    this.#ask();
  }

  /** Undo the last drag. */
  undo() {
    this.#holds.clear();
    if (this.#past.length) this.p = this.#past.pop();
  }

  /**
   * The sensitivity of point k: for each number of the parameters, in order, the share of its weight that it moves when
   * the point is dragged a little, in any direction; 1 for the one that moves most.
   *
   * @param {number} k
   */
  sensitivity(k) {
    const { low, high, drag } = this.model;
    const weights = this.#weights(k);
    const from = numbers(this.p);
    const ways = [0, 1].map((way) => {
      const target = Array.from(this.#points[k], (x, a) => x + (a == way ? STILL / this.#scale : 0));
      return numbers(drag(this.p, k, target, weights, low, high)).map((x, i) => x - from[i]);
    });
    const shares = numbers(weights).map((w, i) => (w > 0 ? Math.hypot(ways[0][i], ways[1][i]) / w : 0));
    const most = Math.max(...shares) || 1;
    return shares.map((x) => x / most);
  }

  /** @param {number} k */
  #weights(k) {
    const { weights } = this.model;
    return typeof weights == "function" ? weights(k) : weights;
  }

  get #layer() {
    return /** @type {SVGGraphicsElement} */ (this.querySelector("[data-handles]"));
  }

  /** The pixels of a unit of the picture. */
  get #scale() {
    const m = this.#layer.getScreenCTM();
    return (m && Math.sqrt(Math.abs(m.a * m.d - m.b * m.c))) || 1;
  }

  /** The position of an event, in the picture. @param {PointerEvent} event */
  #at({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.#layer.getScreenCTM()?.inverse());
    return [x, y];
  }

  /** @param {number} k */
  #handle(k) {
    const { label, stop } = this.model;
    const handle = svg(
      "g",
      {
        class: "rose-handle",
        role: "slider",
        tabindex: stop?.(k) === false ? -1 : 0,
        "aria-label": label(k),
        "aria-roledescription": "point",
      },
      svg("path", { class: "rose-reach", d: "M0 0h0" }),
      svg("circle", { class: "rose-dot" }),
    );
    // Chromium heeds touch-action of an SVG, and not of what is in it: there the page would scroll
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
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
    // handles overlap: take the nearest point
    const far = Array.from(this.#points, (p) => Math.hypot(p[0] - at[0], p[1] - at[1]));
    const k = far.indexOf(Math.min(...far));
    const [x, y] = Array.from(this.#points[k]);
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
    const [x, y] = this.#at(event).map((x, a) => x + hold.beside[a]);
    if (Math.hypot(x - hold.target[0], y - hold.target[1]) * this.#scale < STILL) return;
    hold.target = [x, y];
    hold.frames = FRAMES;
    this.#ask();
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const hold = this.#holds.get(event.pointerId);
    if (!hold || hold.free) return;
    if (event.type == "pointerup") this.#move(event);
    hold.free = true; // and goes on, if it is on its way
    this.handles[hold.k].classList.remove("rose-held");
    this.#ask();
  }

  // keys

  /** @param {KeyboardEvent} event @param {number} k */
  #key(event, k) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    const page = { PageUp: -1, PageDown: 1 }[event.key];
    if (arrow) {
      const far = this.model.step * (event.shiftKey ? 10 : 1);
      this.aim(k, Array.from(this.#points[k], (x, a) => x + far * (arrow[a] ?? 0)));
    } else if (page) {
      const next = this.handles[(k + page + this.handles.length) % this.handles.length];
      next.focus();
    } else if (event.key == "Escape") this.undo();
    else return;
    event.preventDefault();
  }

  // frames

  #begin() {
    if (!this.#holds.size) this.#past.push(this.p);
  }

  #ask() {
    this.#frame ||= requestAnimationFrame(() => this.#solve());
  }

  get #busy() {
    return [...this.#holds.values()].some((hold) => hold.frames > 0);
  }

  #solve() {
    this.#frame = 0;
    const { drag, low, high, points } = this.model;
    const before = this.#points;
    let p = this.p;
    // all of them, if one has to move: each can move the others
    if (this.#busy) for (const { k, target } of this.#holds.values()) p = drag(p, k, target, this.#weights(k), low, high);
    const places = p === this.p ? before : points(p);
    const still = STILL / this.#scale;
    for (const hold of this.#holds.values()) {
      const [x, y] = Array.from(places[hold.k]);
      const rests = [before[hold.k], hold.target].some((q) => Math.hypot(x - q[0], y - q[1]) < still);
      hold.frames = rests ? 0 : hold.frames - 1;
    }
    const busy = this.#busy;
    if (!busy) for (const [id, hold] of this.#holds) if (hold.free) this.#holds.delete(id);
    this.#show(p, places);
    if (busy) this.#ask();
    else if (!this.#holds.size) this.#rest();
  }

  #show(/** @type {any} */ p, points = this.model.points(p)) {
    this.model.p = p;
    this.#points = points;
    this.handles.forEach((handle, k) => handle.setAttribute("transform", `translate(${Array.from(points[k])})`));
    this.dispatchEvent(new CustomEvent("input", { detail: { p, points } }));
  }

  /** Report the points at rest. */
  #rest() {
    if (this.#past.at(-1) === this.p) this.#past.pop(); // a click
    this.handles.forEach((handle, k) => {
      handle.classList.remove("rose-held");
      const [x, y] = Array.from(this.#points[k], short);
      handle.setAttribute("aria-valuenow", String(this.#points[k][0]));
      handle.setAttribute("aria-valuetext", `${x}, ${y}`);
    });
    this.dispatchEvent(new CustomEvent("change", { detail: { p: this.p, points: this.#points } }));
  }
}
