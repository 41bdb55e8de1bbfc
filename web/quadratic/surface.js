// @ts-check
/**
 * The graph of a function over a square, seen from above at a slant, with the local quadratic approximation lying on
 * it. The point on it can be dragged, and the whole be turned.
 *
 * In the picture a cube of side 2 is seen in parallel projection: `s` and `t` go along the square, from -1 to 1, and
 * `h` upward, of the same scale.
 *
 * @typedef {import("./map.js").Local} Local
 * @typedef {import("./map.js").Box} Box
 */
import { handle } from "../shared/handle.js";
import { colour, quadratic, svg } from "./map.js";

const [WIDTH, HEIGHT] = [640, 500];
const SCALE = 205; // pixels for a unit
const RISE = 0.62; // of the heights, for the square's half side
const SLANT = 0.6; // sine of the angle at which the ground is seen
const UP = Math.sqrt(1 - SLANT * SLANT);
const REACH = 0.8; // of the approximation: where it ends, and how far from the surface
const APART = 0.6;

/**
 * @param {HTMLElement} figure Where it is drawn.
 * @param {{ label: string, move: (x: number, y: number) => void, look: (x: number, y: number) => Local }} options
 */
export const surface = (figure, { label, move, look }) => {
  const canvas = document.createElement("canvas");
  const dot = svg("g", {}, svg("circle", { class: "reach", r: 40 }), svg("circle", { r: 10 }));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "over" }, dot);
  figure.append(canvas, picture);
  const sharp = Math.min(devicePixelRatio || 1, 2);
  const [context, bare] = [canvas, document.createElement("canvas")].map((to) => {
    to.width = WIDTH * sharp;
    to.height = HEIGHT * sharp;
    return /** @type {CanvasRenderingContext2D} */ (to.getContext("2d"));
  }); // the other has the surface alone, which stays while the point moves

  /** @type {Box} */
  let box = [-1, -1, 1, 1];
  /** @type {import("./contours.js").Grid} */
  let grid = [];
  /** @type {string[][]} */
  let shades = [];
  let accent = "";
  let [low, high] = [0, 1];
  let turn = -0.6;
  let centre = HEIGHT / 2;
  /** @type {number[][][]} */
  let ground = [];
  let [x, y] = [0, 0];
  let waiting = false; // for the next frame
  /** @type {Local | undefined} */
  let local;

  const [half, middle] = [
    (/** @type {number} */ k) => (box[k + 2] - box[k]) / 2,
    (/** @type {number} */ k) => (box[k] + box[k + 2]) / 2,
  ];
  const rise = (/** @type {number} */ z) => ((z - low) / (high - low) - 0.5) * 2 * RISE;
  /** @param {number} s @param {number} t @param {number} h */
  const project = (s, t, h) => {
    const [c, w] = [Math.cos(turn), Math.sin(turn)];
    return [WIDTH / 2 + SCALE * (c * s - w * t), centre - SCALE * (SLANT * (w * s + c * t) + UP * h)];
  };
  /** See the surface from another side: it lies in the middle of the picture. */
  const arrange = () => {
    const along = (/** @type {number} */ k) => (2 * k) / (grid.length - 1) - 1;
    centre = 0;
    const seen = grid.map((row, i) => Array.from(row, (z, j) => project(along(j), along(i), rise(z))));
    const all = seen
      .flat()
      .map(([, v]) => v)
      .filter(Number.isFinite);
    centre = HEIGHT / 2 - (all.reduce((a, b) => Math.min(a, b)) + all.reduce((a, b) => Math.max(a, b))) / 2;
    ground = seen.map((row) => row.map(([u, v]) => [u, v + centre]));
    bare.setTransform(sharp, 0, 0, sharp, 0, 0);
    bare.clearRect(0, 0, WIDTH, HEIGHT);
    bare.lineWidth = 0.6;
    backward((i, j, corners) => shades[i][j] && cell(bare, corners, shades[i][j]));
    show();
  };
  /** @param {number} x @param {number} y @param {number} z */
  const place = (x, y, z) => project((x - middle(0)) / half(0), (y - middle(1)) / half(1), rise(z));

  /** Where the point has to be so that it is seen at a place: a few damped steps of Newton's method, from where it is.
   *  @param {number} u @param {number} v */
  const chase = (u, v) => {
    let at = [x, y];
    let here = /** @type {Local} */ (local);
    for (let n = 0; n < 8; n++) {
      const [pu, pv] = place(at[0], at[1], here.value);
      const [du, dv] = [u - pu, v - pv];
      if (Math.hypot(du, dv) < 0.2) break;
      const [c, w] = [SCALE * Math.cos(turn), SCALE * Math.sin(turn)];
      const k = (SCALE * UP * RISE * 2) / (high - low);
      const [a, b] = [c / half(0), -w / half(1)]; // how the place on the screen changes with the point
      const [d, e] = [(-SLANT * w) / half(0) - k * here.gradient[0], (-SLANT * c) / half(1) - k * here.gradient[1]];
      const damp = 0.02 * (a * a + b * b + d * d + e * e);
      const [p, q, r] = [a * a + d * d + damp, a * b + d * e, b * b + e * e + damp];
      const [f, g] = [a * du + d * dv, b * du + e * dv];
      const det = p * r - q * q;
      const far = Math.min(1, 0.25 / Math.hypot((r * f - q * g) / det / half(0), (p * g - q * f) / det / half(1)));
      const next = [0, 1].map((i) =>
        Math.min(Math.max(at[i] + (far * (i ? p * g - q * f : r * f - q * g)) / det, box[i]), box[i + 2]),
      );
      const there = look(next[0], next[1]);
      if (!Number.isFinite(there.value)) break;
      [at, here] = [next, there];
    }
    return at;
  };

  /** @param {CanvasRenderingContext2D} on @param {number[][]} corners @param {string} fill */
  const cell = (on, corners, fill) => {
    on.fillStyle = on.strokeStyle = fill;
    on.beginPath();
    for (const [u, v] of corners) on.lineTo(u, v);
    on.closePath();
    on.fill();
    if (!fill.includes("/")) on.stroke(); // so that nothing shows between cells
  };

  /** All cells of the surface, those that are farther away first.
   *  @param {(i: number, j: number, corners: number[][]) => void} visit */
  const backward = (visit) => {
    const n = grid.length - 1;
    for (let k = 0; k < n; k++)
      for (let l = 0; l < n; l++) {
        const [i, j] = [Math.cos(turn) > 0 ? n - 1 - k : k, Math.sin(turn) > 0 ? n - 1 - l : l];
        visit(i, j, [ground[i][j], ground[i][j + 1], ground[i + 1][j + 1], ground[i + 1][j]]);
      }
  };

  const draw = () => {
    waiting = false;
    if (!local) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bare.canvas, 0, 0);
    context.setTransform(sharp, 0, 0, sharp, 0, 0);
    context.lineWidth = 0.6;
    const film = filmed(local);
    /** @type {[number[][], string][]} */
    const hidden = [];
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]; // of what is drawn of the film
    backward((i, j, corners) => {
      const [above, below, clear] = film(i, j);
      const covers = corners.some(([u, v]) => u > left && u < right && v > top && v < bottom);
      if (shades[i][j] && (above.length || covers)) cell(context, corners, shades[i][j]);
      if (above.length) cell(context, above, `rgb(${accent} / ${clear.toFixed(3)})`);
      if (below.length) hidden.push([below, `rgb(${accent} / ${(clear * 0.2).toFixed(3)})`]);
      for (const [u, v] of above) {
        [left, right] = [Math.min(left, u), Math.max(right, u)];
        [top, bottom] = [Math.min(top, v), Math.max(bottom, v)];
      }
    });
    for (const [below, fill] of hidden) cell(context, below, fill); // shines through
  };

  /** Move the point now, and draw the rest with the next frame. */
  const show = () => {
    if (!local) return;
    const [u, v] = place(x, y, local.value);
    dot.setAttribute("transform", `translate(${u.toFixed(2)} ${v.toFixed(2)})`);
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  };

  /** The part of the approximation that lies over a cell: what of it is above the surface, what is below, and how
   *  clearly it is seen, from 0 to 1.
   *  @param {Local} at @returns {(i: number, j: number) => [number[][], number[][], number]} */
  const filmed = (at) => {
    const along = (/** @type {number} */ k) => (2 * k) / (grid.length - 1) - 1;
    const [cs, ct] = [(x - middle(0)) / half(0), (y - middle(1)) / half(1)];
    const height = (/** @type {number} */ i, /** @type {number} */ j) =>
      quadratic(at, (along(j) - cs) * half(0), (along(i) - ct) * half(1));
    return (i, j) => {
      const far = Math.hypot(along(j + 0.5) - cs, along(i + 0.5) - ct) / REACH;
      if (far >= 1 || !shades[i][j]) return [[], [], 0];
      const apart = Math.abs(rise(height(i + 0.5, j + 0.5)) - rise((grid[i][j] + grid[i + 1][j + 1]) / 2)) / APART;
      const clear = Math.min(1, 2.4 * (1 - far), 1.6 * (1 - apart)) * (i % 4 && j % 4 ? 0.78 : 0.92);
      if (!(clear > 0)) return [[], [], 0];
      const corners = [i, i, i + 1, i + 1].map((i, k) => {
        const l = k == 0 || k == 3 ? j : j + 1;
        const q = height(i, l);
        return [...project(along(l), along(i), rise(q)), q - grid[i][l]];
      });
      return [...parted(corners), clear];
    };
  };

  const { tell } = handle(dot, {
    label,
    step: 5,
    range: [0, WIDTH],
    at: () => place(x, y, local?.value ?? 0),
    move: (u, v) => {
      const [a, b] = chase(u, v);
      move(a, b);
    },
    text: () => `x ${x.toPrecision(3)}, y ${y.toPrecision(3)}, height ${local?.value.toPrecision(3)}`,
  });

  let grip = 0;
  picture.addEventListener("pointerdown", (/** @type {PointerEvent} */ e) => {
    if (dot.contains(/** @type {Node} */ (e.target)) || e.button) return;
    picture.setPointerCapture(e.pointerId);
    grip = e.clientX;
  });
  picture.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => {
    if (!picture.hasPointerCapture(e.pointerId)) return;
    turn += (e.clientX - grip) / 160;
    grip = e.clientX;
    arrange();
  });

  return {
    /** Show another function. @param {Box} around @param {import("./contours.js").Grid} heights */
    surface(around, heights) {
      [box, grid] = [around, heights];
      const all = heights.flatMap((row) => Array.from(row).filter(Number.isFinite));
      low = all.reduce((a, b) => Math.min(a, b), Infinity);
      high = all.reduce((a, b) => Math.max(a, b), -Infinity);
      if (!(high > low)) [low, high] = [low - 1, low + 1];
      shades = shaded(heights, rise);
      accent = colour("--accent").join(" ");
      arrange();
    },
    /** Show the point. @param {number} px @param {number} py @param {Local} at */
    point(px, py, at) {
      [x, y, local] = [px, py, at];
      show();
      tell();
    },
    /** Turn it. @param {number} angle */
    turn(angle) {
      turn += angle;
      arrange();
    },
  };
};

/** A cell in two: where the last number of its corners is above 0, and where it is below.
 *  @param {number[][]} corners */
const parted = (corners) => {
  /** @type {[number[][], number[][]]} */
  const parts = [[], []];
  corners.forEach((a, k) => {
    const b = corners[(k + 1) % corners.length];
    parts[a[2] >= 0 ? 0 : 1].push(a);
    if (a[2] >= 0 === b[2] >= 0) return;
    const t = a[2] / (a[2] - b[2]);
    const between = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), 0];
    for (const part of parts) part.push(between);
  });
  return parts;
};

/** A colour for each cell: by its height, and by how it lies to the light.
 *  @param {import("./contours.js").Grid} grid @param {(z: number) => number} rise */
const shaded = (grid, rise) => {
  const n = grid.length - 1;
  const [bottom, half, top, paper] = ["--second", "--third", "--warm", "--card"].map(colour);
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => {
      const [a, b, c, d] = [grid[i][j], grid[i][j + 1], grid[i + 1][j + 1], grid[i + 1][j]].map(rise);
      const [ds, dt] = [((b + c - a - d) * n) / 4, ((c + d - a - b) * n) / 4];
      const light = (0.9 + 0.5 * ds - 0.35 * dt) / Math.hypot(1, ds, dt); // from the left and above
      const t = (a + b + c + d) / 8 / RISE + 0.5;
      const line = i % 6 && j % 6 ? 1 : 0.93; // every sixth row and column stands out
      if (!Number.isFinite(t)) return "";
      const [from, to, r] = t < 0.5 ? [bottom, half, 2 * t] : [half, top, 2 * t - 1];
      const part = (/** @type {number} */ k) => 0.35 * paper[k] + 0.65 * ((1 - r) * from[k] + r * to[k]);
      return `rgb(${[0, 1, 2].map((k) => Math.round(part(k) * line * (0.62 + 0.42 * Math.max(light, 0)))).join(" ")})`;
    }),
  );
};
