// Our packages: what `compiled.save` wrote, called as a page calls it.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

/** A number, a typed array, a list or an object of them, for what the package says of a parameter. */
const shaped = (type, next) => {
  if (type.kind === "real") return next();
  if (type.kind === "vec") {
    const items = Array.from({ length: type.size }, () => shaped(type.elem, next));
    return type.elem.kind === "real" ? Float64Array.from(items) : items;
  }
  return Object.fromEntries(type.fields.map(([name, , elem]) => [name, shaped(elem, next)]));
};

const flat = (x) => {
  if (typeof x == "number") return [x];
  return (Array.isArray(x) ? x : ArrayBuffer.isView(x) ? Array.from(x) : Object.values(x)).flatMap(flat);
};

const packaged = (form) => async (p) => {
  const { folder, signature } = p.packages[form];
  const { init } = await import(pathToFileURL(join(folder, "index.js")).href);
  const { f } = await init(readFileSync(join(folder, "program.wasm")));
  const given = [p.params, ...p.data];
  const args = signature.params.map(({ type }, k) => {
    const numbers = given[k][Symbol.iterator]();
    return shaped(type, () => numbers.next().value);
  });
  return { call: f, args, read: flat };
};

const every = ["loop", "unrolled", "pairs", "all", "scan", "calls"];
const each = Object.fromEntries(every.map((form) => [form, packaged(form)]));
const sources = ["least_squares", "rosenbrock", "springs", "nbody", "network", "oscillator", "hessian", "terms"];
export const forms = Object.fromEntries(sources.map((source) => [source, each]));
