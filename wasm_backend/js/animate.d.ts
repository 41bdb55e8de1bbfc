// Made by Rose.

/** A simulation that moves. */
export interface Animation {
  /** Whether it moves, or would if it were in sight. */
  readonly playing: boolean;
  play(): void;
  pause(): void;
  /** Takes one step, and draws. */
  step(): void;
}

/** What moves, and how. */
export interface Options {
  /** Takes a step of so many seconds. */
  step: (dt: number) => void;
  /** Draws the picture. */
  draw: () => void;
  /** The seconds of a step: 1/60 if it is left out. */
  dt?: number | undefined;
  /** How many seconds go by in one of the clock. */
  speed?: number | undefined;
  /** What is looked at: nothing moves while it is out of sight. */
  element?: Element | undefined;
}

/**
 * Takes steps as fast as time goes, each of the same time, and draws once a frame.
 *
 * It begins at once, but for those who asked for less motion: for them, it begins with `play`.
 */
export function animate(options: Options): Animation;
