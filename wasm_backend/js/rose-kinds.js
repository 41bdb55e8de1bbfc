// @ts-check
/**
 * The kinds of scalars that only some modules have: their arrays, their checks, and their conversion to JavaScript, as
 * in `rose-values.js`.
 *
 * @typedef {import("./rose-values.js").Kind} Kind
 */

/** Numbers of 32 bits. @type {Kind} */
export const single = {
  array: Float32Array,
  free: true,
  // its numbers would be rounded silently
  bars: Float64Array,
  wrong: (x) =>
    typeof x != "number" ? "a number" : isFinite(x) && !isFinite(Math.fround(x)) ? "at most 3.4e38 in size" : "",
  made: (n) => n,
};

/** Integers below a size. @type {Kind} */
export const index = {
  array: Uint32Array,
  wrong: (x, size) => (typeof x == "number" && x >>> 0 === x && x < size ? "" : `an integer from 0 to ${size - 1}`),
  made: (n) => n >>> 0,
};

/** Truth values. @type {Kind} */
export const bool = {
  array: Uint8Array,
  wrong: (x) => (typeof x == "boolean" ? "" : "a boolean"),
  made: (n) => !!n,
};
