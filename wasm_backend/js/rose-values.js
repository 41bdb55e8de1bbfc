// @ts-check
/**
 * What the accessors of a package call: they check values, write them to linear memory, and read results. Sizes,
 * offsets and addresses come from the compiler, in the accessors.
 *
 * @typedef {import("./rose.js").Call} Call
 * @typedef {Float64Array | Float32Array} Numbers
 */

import { refuse } from "./rose.js";

/** The reason why a value is refused, until the call that was given it throws an error. */
class Refused {
  /** @param {string} path @param {any} what @param {any} x */
  constructor(path, what, x) {
    this.path = path;
    this.what = what;
    this.x = x;
  }
}

/** Refuses a value. @param {any} what @param {any} x @param {string} path @param {string} [more] @returns {never} */
export const wrong = (what, x, path, more = "") => {
  throw new Refused(path + more, what, x);
};

/** What a call throws for this error, whose stack begins where the page made it. @param {any} e @param {Call} from */
export const told = (e, from) => (e instanceof Refused ? refuse(e.path, e.what, e.x, from) : e);

/** An error of an element of a vector. @param {any} e @param {string} path @param {number} i */
export const within = (e, path, i) => {
  if (e instanceof Refused) e.path = `${path}[${i}]${e.path}`;
  return e;
};

/** @param {any} x @param {any} free @param {string} path @param {string} [more] */
export const number = (x, free, path, more) =>
  typeof x == "number" ? x : free ? +x : wrong("a number", x, path, more);

/** @param {any} x @param {string} path @param {string} [more] */
export const object = (x, path, more) => (typeof x == "object" && x ? x : wrong("an object", x, path, more));

/** @param {any} x @param {number} n @param {string} path @param {string} [more] */
export const array = (x, n, path, more = "") => {
  if (typeof x != "object" || !x) wrong("an array", x, path, more);
  if (x.length !== n) wrong(n, x.length, path, more + ".length");
  return x;
};

/**
 * Writes n numbers from `at` on.
 *
 * @param {Float64Array} to @param {any} x @param {number} at @param {number} n @param {any} free
 * @param {string} path
 */
export const numbers = (to, x, at, n, free, path) => {
  array(x, n, path);
  // a few numbers are written faster one by one
  if (x instanceof Float64Array && n > 16) to.set(x, at);
  else
    for (let i = 0; i < n; i++) {
      const y = x[i];
      to[at + i] = typeof y == "number" ? y : number(y, free, path, `[${i}]`);
    }
};

/**
 * Writes n numbers that are given flat, if they are.
 *
 * @param {Numbers} to @param {any} x @param {number} at @param {number} n @param {string} path
 */
export const flat = (to, x, at, n, path) => {
  if (!ArrayBuffer.isView(x)) return false;
  const y = /** @type {any} */ (x);
  if (y.BYTES_PER_ELEMENT > to.BYTES_PER_ELEMENT) wrong("a Float32Array, or an array", x, path);
  to.set(array(y, n, path), at);
  return true;
};

/** The length of a vector, of `per` numbers each if they are given flat. @param {any} x @param {number} per */
export const size = (x, per) => (ArrayBuffer.isView(x) ? /** @type {any} */ (x).length / per : x?.length) >>> 0;

/** Rows, or rows of rows, as parts of one copy. @param {any} from @param {number} at @param {number[]} sizes */
export const rows = (from, at, sizes) => {
  const bytes = from.BYTES_PER_ELEMENT;
  const { buffer } = from.slice(at / bytes, sizes.reduce((n, size) => n * size, 1) + at / bytes);
  const last = sizes.length - 1;
  let next = 0;
  const cut = (/** @type {number} */ depth) => {
    const n = sizes[depth];
    if (depth == last) {
      const row = new from.constructor(buffer, next, n);
      next += n * bytes;
      return row;
    }
    /** @type {any[]} */
    const all = [];
    for (let i = 0; i < n; i++) all.push(cut(depth + 1));
    return all;
  };
  return cut(0);
};

/**
 * Copies a result into an array of the page.
 *
 * @param {any} from @param {number} at @param {number} end @param {any} out @param {string} path
 */
export const into = (from, at, end, out, path) => {
  const { name } = from.constructor;
  if (!(out instanceof from.constructor)) wrong("a " + name, out, path);
  array(out, end - at, path).set(from.subarray(at, end));
  return out;
};
