// @ts-check
/** The checks of scalars that only some modules have: a number of 32 bits, an index, a truth value; and vectors of them. */

import { array, wrong } from "./rose-values.js";

/** A number of 32 bits. @param {any} x @param {any} free @param {string} path @param {string} [more] */
export const single = (x, free, path, more) =>
  free
    ? +x
    : typeof x != "number"
      ? wrong("a number", x, path, more)
      : isFinite(x) && !isFinite(Math.fround(x))
        ? wrong("at most 3.4e38 in size", x, path, more)
        : x;

/** An integer below a size. @param {any} x @param {number} size @param {string} path @param {string} [more] */
export const index = (x, size, path, more) =>
  typeof x == "number" && x >>> 0 === x && x < size ? x : wrong(`an integer from 0 to ${size - 1}`, x, path, more);

/** A truth value. @param {any} x @param {string} path @param {string} [more] */
export const bool = (x, path, more) => (typeof x == "boolean" ? x : wrong("a boolean", x, path, more));

/**
 * Writes n numbers of 32 bits from `at` on.
 *
 * @param {Float32Array} to @param {any} x @param {number} at @param {number} n @param {any} free
 * @param {string} path
 */
export const singles = (to, x, at, n, free, path) => {
  // its numbers would be rounded silently
  if (x instanceof Float64Array) wrong("a Float32Array, or an array", x, path);
  array(x, n, path);
  if (x instanceof Float32Array && n > 16) to.set(x, at);
  else for (let i = 0; i < n; i++) to[at + i] = single(x[i], free, path, `[${i}]`);
};

/**
 * Writes n indices.
 *
 * @param {Uint32Array} to @param {any} x @param {number} at @param {number} n @param {number} size
 * @param {string} path
 */
export const indices = (to, x, at, n, size, path) => {
  array(x, n, path);
  for (let i = 0; i < n; i++) to[at + i] = index(x[i], size, path, `[${i}]`);
};

/**
 * Writes n truth values.
 *
 * @param {Uint8Array} to @param {any} x @param {number} at @param {number} n @param {any} _ @param {string} path
 */
export const bools = (to, x, at, n, _, path) => {
  array(x, n, path);
  for (let i = 0; i < n; i++) to[at + i] = /** @type {any} */ (typeof x[i] == "boolean" ? x[i] : bool(x[i], path, `[${i}]`));
};
