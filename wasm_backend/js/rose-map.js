// @ts-check
/**
 * The columns of `map`: flat arrays, with the numbers of a row next to one another. What is as long as one row, and a
 * number, is the same for all rows.
 *
 * @typedef {import("./rose.js").Call} Call
 * @typedef {[name: string, array: any, width: number, size: number, fields: [path: any[], width: number, given?: any][] | 0]} Layout
 */

import { bools, indices, singles } from "./rose-kinds.js";
import { count } from "./rose.js";
import { numbers, told, wrong } from "./rose-values.js";

/** @param {Call} f @param {Call} map */
export const mapped = (f, map) => Object.assign(f, { map });

/** The map of a function that has none. @param {string} name @param {string} why */
export const unmapped = (name, why) => () => {
  throw new TypeError(`${name} has no map, as ${why}: call ${name} for each row`);
};

/** An error, with the number of its row. @param {any} error @param {number} row */
export const inRow = (error, row) => {
  if (error instanceof Error) /** @type {any} */ (error).row = row;
  return error;
};

/** How many rows columns have: 1 if all are the same for all rows. @param {{ rows: number }[]} all */
const rowsOf = (all) => all.find(({ rows }) => rows != 1)?.rows ?? 1;

/**
 * A column, and its rows.
 *
 * @param {any} x @param {any} array @param {number} width @param {number} size @param {string} path
 */
const columnOf = (x, array, width, size, path) => {
  if (typeof x == "number" || typeof x == "boolean") x = width == 1 ? [x] : wrong("an array", x, path);
  if (typeof x != "object" || !x) wrong("an array", x, path);
  const { length } = x;
  const rows = width ? length / width : 1;
  if (!(rows >= 0) || rows % 1 || (!width && length)) wrong("a multiple of " + width, length, path, ".length");
  if (x instanceof array && (array == Float64Array || array == Float32Array)) return { rows, width, from: x };
  const from = new array(length);
  const write = array == Float64Array ? numbers : array == Float32Array ? singles : array == Uint32Array ? indices : bools;
  write(from, x, 0, length, /** @type {any} */ (size), path);
  return { rows, width, from };
};

/** A column of structs, of one for each field. @param {any} x @param {Layout} layout @param {string} path */
const joined = (x, [, array, width, size, fields], path) => {
  const all = /** @type {[any[], number, any?][]} */ (fields).map(([keys, width, given]) => {
    const found = keys.reduce((y, key) => y?.[key], x);
    const part = found === undefined ? given : found;
    return columnOf(part, array, width, size, `${path}.${keys.join(".")}`);
  });
  const rows = rowsOf(all);
  const from = new array(rows * width);
  let start = 0;
  all.forEach((part, k) => {
    if (part.rows != rows && part.rows != 1)
      wrong(rows * part.width, part.from.length, `${path}.${/** @type {any} */ (fields)[k][0].join(".")}.length`);
    const step = part.rows == 1 ? 0 : part.width;
    for (let row = 0; row < rows; row++)
      for (let j = 0; j < part.width; j++) from[row * width + start + j] = part.from[row * step + j];
    start += part.width;
  });
  return { rows, width, from };
};

/**
 * The number of rows, the columns, and how far each goes on from row to row.
 *
 * @param {string} name @param {Layout[]} layouts @param {any[]} args @param {number} wanted @param {number} given @param {Call} from
 */
export const columns = (name, layouts, args, wanted, given, from) => {
  count(name, wanted, given, from);
  try {
    const all = layouts.map((layout, k) => {
      const [label, array, width, size, fields] = layout;
      const path = `${name}: ${label}`;
      const x = args[k];
      const apart = fields && typeof x == "object" && x && x.length === undefined;
      return apart ? joined(x, layout, path) : columnOf(x, array, width, size, path);
    });
    const n = rowsOf(all);
    all.forEach(({ rows, width, from }, k) => {
      if (rows != n && rows != 1) wrong(n * width, from.length, `${name}: ${layouts[k][0]}.length`);
    });
    return { n, b: all.map(({ from }) => from), s: all.map(({ rows, width }) => (rows == 1 ? 0 : width)) };
  } catch (e) {
    throw told(e, from);
  }
};

/**
 * The column of results.
 *
 * @param {any} array @param {number} n @param {any} options @param {string} path @param {Call} from
 */
export const results = (array, n, options, path, from) => {
  const out = options?.out;
  if (!out) return new array(n);
  try {
    if (!(out instanceof array)) wrong("a " + array.name, out, path);
    if (out.length != n) wrong(n, out.length, path, ".length");
  } catch (e) {
    throw told(e, from);
  }
  return out;
};
