// @ts-check
/**
 * A contour map with a point in it that can be dragged; round the point, through a lens, the contours of the local
 * quadratic approximation.
 *
 * @typedef {[x0: number, y0: number, x1: number, y1: number]} Box
 * @typedef {import("./contours.js").Numbers} Numbers
 * @typedef {{ value: number, gradient: Numbers, hessian: Numbers[], bends: Numbers, along: Numbers[],
 *   newton: Numbers }} Local
 */
import { handle } from "../shared/handle.js";
import { contour, levels, rank } from "./contours.js";

const WIDTH = 400;
const LENS = 78; // its radius
const STEP = 1 / 100; // of the picture, for a key

/** @param {string} name @param {Record<string, any>} [attributes] @param {Element[]} children @returns {any} */
export const svg = (name, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) made.setAttribute(k, String(v));
  made.append(...children);
  return made;
};

/** The approximation at a distance from the point. @param {Local} at @param {number} u @param {number} v */
export const quadratic = ({ value, gradient: [p, q], hessian: [[a, b], [, d]] }, u, v) =>
  value + p * u + q * v + (a * u * u + 2 * b * u * v + d * v * v) / 2;

/** A colour of the page, as numbers. @param {string} name */
export const colour = (name) => {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((k) => parseInt(String(context.fillStyle).slice(k, k + 2), 16));
};

/**
 * @param {HTMLElement} figure Where it is drawn.
 * @param {{ label: string, move: (x: number, y: number) => void }} options `move` is called when the point is moved.
 */
export const contourMap = (figure, { label, move }) => {
  const id = `lens-${Math.random().toString(36).slice(2)}`;
  const canvas = document.createElement("canvas");
  const [lines, hugged, arrow, newton, goal] = ["contours", "hugged", "arrow", "newton", "goal"].map((name) =>
    svg(name == "goal" ? "circle" : "path", { class: name }),
  );
  const axes = [svg("line", { class: "axis" }), svg("line", { class: "axis" })];
  const hole = svg("circle", { r: LENS });
  const glass = svg("circle", { class: "lens", r: LENS });
  const dot = svg("g", {}, svg("circle", { class: "reach", r: 24 }), svg("circle", { r: 9 }));
  const inside = svg("g", { "clip-path": `url(#${id})` }, hugged, ...axes);
  const picture = svg(
    "svg",
    { class: "map" },
    svg("clipPath", { id }, hole),
    lines,
    glass,
    inside,
    newton,
    goal,
    arrow,
    dot,
  );
  goal.setAttribute("r", "5");
  figure.append(canvas, picture);

  /** @type {Box} */
  let box = [0, 0, 1, 1];
  let height = WIDTH;
  let [x, y] = [0, 0];
  let shown = /** @type {number[]} */ ([]);
  let unit = 1; // of heights, for the length of the arrow
  /** @param {number} x @param {number} y */
  const place = (x, y) => [
    ((x - box[0]) / (box[2] - box[0])) * WIDTH,
    height - ((y - box[1]) / (box[3] - box[1])) * height,
  ];
  /** @param {number} u @param {number} v */
  const found = (u, v) => [box[0] + (u / WIDTH) * (box[2] - box[0]), box[1] + (1 - v / height) * (box[3] - box[1])];
  const within = (/** @type {number} */ k, /** @type {number} */ z) => Math.min(Math.max(z, box[k]), box[k + 2]);
  const { tell } = handle(dot, {
    label,
    step: WIDTH * STEP,
    range: [0, WIDTH],
    at: () => place(x, y),
    move: (u, v) => {
      const [a, b] = found(u, v);
      move(within(0, a), within(1, b));
    },
    text: () => `x ${x.toPrecision(3)}, y ${y.toPrecision(3)}`,
  });
  picture.addEventListener("click", (/** @type {MouseEvent} */ e) => {
    if (dot.contains(/** @type {Node} */ (e.target))) return; // elsewhere a tap calls the point
    const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const [a, b] = found(at.x, at.y);
    move(within(0, a), within(1, b));
  });

  return {
    /** Show another function. @param {Box} around @param {import("./contours.js").Grid} grid Its heights there. */
    surface(around, grid) {
      box = around;
      height = WIDTH * Math.min(Math.max((box[3] - box[1]) / (box[2] - box[0]), 0.5), 1.5);
      picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
      const { all, levels: chosen } = levels(grid, 14);
      shown = chosen;
      unit = (all[Math.floor(all.length * 0.8)] - all[Math.floor(all.length * 0.2)]) / WIDTH || 1;
      const at = (/** @type {number} */ s, /** @type {number} */ t) => [s * WIDTH, (1 - t) * height];
      lines.setAttribute("d", shown.map((level) => contour(grid, level, at)).join(""));
      tint(canvas, grid, all, height);
    },
    /** Show the point, and what is known of the function there. @param {number} px @param {number} py
     *  @param {Local} local @param {{ axes?: boolean, newton?: boolean }} [also] */
    point(px, py, local, also = {}) {
      [x, y] = [px, py];
      const [u, v] = place(x, y);
      for (const circle of [hole, glass]) put(circle, { cx: u, cy: v });
      dot.setAttribute("transform", `translate(${u} ${v})`);
      const scale = [(box[2] - box[0]) / WIDTH, (box[3] - box[1]) / height];
      hugged.setAttribute("d", approximation(local, shown, u, v, scale));
      arrow.setAttribute("d", upward(u, v, local.gradient[0] * scale[0], -local.gradient[1] * scale[1], unit));
      axes.forEach((line, k) => {
        const [c, s] = [local.along[k][0] / scale[0], -local.along[k][1] / scale[1]];
        const far = LENS / Math.hypot(c, s);
        put(line, { x1: u - c * far, y1: v - s * far, x2: u + c * far, y2: v + s * far });
        line.classList.toggle("down", local.bends[k] < 0);
        line.classList.toggle("shown", Boolean(also.axes) && Number.isFinite(far));
      });
      const [gu, gv] = place(x + local.newton[0], y + local.newton[1]);
      const there = Boolean(also.newton) && Number.isFinite(gu + gv);
      newton.setAttribute("d", there ? `M${u} ${v}L${gu} ${gv}` : "");
      put(goal, there ? { cx: gu, cy: gv } : { cx: -99, cy: -99 });
      tell();
    },
  };
};

/** @param {Element} element @param {Record<string, number>} numbers */
const put = (element, numbers) => {
  for (const [k, v] of Object.entries(numbers)) element.setAttribute(k, Number.isFinite(v) ? v.toFixed(2) : "-99");
};

/** The contours of the approximation within the lens, at the levels of the map.
 *  @param {Local} local @param {number[]} shown @param {number} u @param {number} v @param {number[]} scale */
const approximation = (local, shown, u, v, scale) => {
  const cells = 26;
  const at = (/** @type {number} */ k) => (k / cells - 0.5) * 2 * LENS;
  const grid = Array.from({ length: cells + 1 }, (_, i) =>
    Array.from({ length: cells + 1 }, (_, j) => quadratic(local, at(j) * scale[0], at(i) * scale[1])),
  );
  const place = (/** @type {number} */ s, /** @type {number} */ t) => [u + at(s * cells), v - at(t * cells)];
  return shown.map((level) => contour(grid, level, place)).join("");
};

/** An arrow in the direction in which heights grow, longer where they grow faster.
 *  @param {number} u @param {number} v @param {number} du @param {number} dv @param {number} unit */
const upward = (u, v, du, dv, unit) => {
  const steep = Math.hypot(du, dv);
  if (!(steep > 0) || !Number.isFinite(steep)) return "";
  const length = 95 * Math.tanh(steep / unit / 3);
  const [c, s] = [du / steep, dv / steep];
  const tip = [u + c * length, v + s * length];
  const barb = (/** @type {number} */ side) =>
    `L${(tip[0] - 9 * c + side * 5 * s).toFixed(1)} ${(tip[1] - 9 * s - side * 5 * c).toFixed(1)}`;
  const end = `${tip[0].toFixed(1)} ${tip[1].toFixed(1)}`;
  return length < 12 ? "" : `M${u.toFixed(1)} ${v.toFixed(1)}L${end}M${end}${barb(1)}${barb(-1)}Z`;
};

/** Heights as a tint. @param {HTMLCanvasElement} canvas @param {import("./contours.js").Grid} grid
 *  @param {Float64Array} all @param {number} height */
const tint = (canvas, grid, all, height) => {
  const [rows, columns] = [grid.length, grid[0].length];
  const small = new OffscreenCanvas(columns, rows);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (small.getContext("2d"));
  const image = context.createImageData(columns, rows);
  const [low, high] = [colour("--second"), colour("--accent")];
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const z = grid[rows - 1 - i][j];
      const t = rank(all, z);
      const from = t < 0.5 ? low : high;
      image.data.set([...from, Number.isFinite(z) ? 20 + 190 * Math.abs(t - 0.5) : 0], 4 * (i * columns + j));
    }
  context.putImageData(image, 0, 0);
  canvas.width = WIDTH;
  canvas.height = height;
  const [w, h] = [WIDTH / (columns - 1), height / (rows - 1)]; // pixels of the image lie round the points of the grid
  canvas.getContext("2d")?.drawImage(small, -w / 2, -h / 2, columns * w, rows * h);
};
