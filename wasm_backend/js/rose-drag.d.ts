// Made by Rose.

/** The points of a picture. */
export type Points = ArrayLike<ArrayLike<number>>;

/** What is dragged. Parameters, bounds and weights are as the result of `rose.lib.dragger` takes them. */
export interface Model<P = any> {
  /** The parameters at first. */
  p: P;
  /** The least that each of them may be. */
  low: P;
  /** The greatest that each of them may be. */
  high: P;
  /** How far each moves at once, 0 if it is locked; or a function that says so for point k. */
  weights: any;
  /** The points of the picture. */
  points: (p: P) => Points;
  /** The result of `rose.lib.dragger`: the parameters with which point k lies nearer to the target. */
  drag: (p: P, k: number, target: any, weights: any, low: P, high: P) => P;
  /** The name of point k. */
  label: (k: number) => string;
  /** How far an arrow key moves a point: ten times as far with Shift. */
  step: number;
  /** Whether the tab key stops at point k: at each, if this is left out. */
  stop?: ((k: number) => boolean) | undefined;
}

/**
 * A picture of which every point can be dragged, with a mouse, a pen, fingers and keys: an `<svg>` with a
 * `<g data-handles>` in it. Define it under a name: `customElements.define("rose-drag", RoseDrag)`.
 *
 * It sends `input` for each new picture, with `detail: { p, points }`, and `change` when all points rest.
 */
export class RoseDrag extends HTMLElement {
  model: Model;
  /** The parameters. Those with which a point is not finite are refused. */
  p: any;
  /** The points. */
  readonly points: Points;
  /** The handles, one for each point. */
  readonly handles: SVGGraphicsElement[];
  /** The points that are being dragged. */
  readonly held: number[];
  /** Drags point k to a target, as a pointer that is released there. */
  aim(k: number, target: ArrayLike<number>): void;
  /** Undoes the last drag. */
  undo(): void;
  /** The share of its weight that each parameter moves when point k is dragged a little; 1 for the one that moves most. */
  sensitivity(k: number): number[];
}
