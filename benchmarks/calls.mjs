// Nanoseconds of a call in Node, for `calls.py`: node calls.mjs FOLDER, which has a package for each function.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const ROUNDS = 31, COUNT = 20_000;

/** The export with every argument in its place, what a page would write by hand, and ours. */
const pair = async (name, args, given = args, into = 0) => {
  const at = `${folder}/${name}/${name}`;
  const bytes = readFileSync(`${at}.wasm`);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const { initSync } = await import(pathToFileURL(`${at}.js`));
  const ours = initSync(bytes)[name];
  exports["#" + name]?.(10);
  const f = exports[name];
  const view = new Float64Array(exports.memory.buffer);
  const byHand = () => {
    view.set(args[0], 2);
    const x = f(...given);
    return into ? view.slice(2 + into, 2 + 2 * into) : x;
  };
  return { export: () => f(...given), ...(args[0].length && { "by hand": byHand }), ours: () => ours(...args) };
};

const ten = new Float64Array(10).fill(1), long = new Float64Array(1000).fill(1);
const calls = {
  "f(x, y)": await pair("scalars", [1, 2]),
  "vec10(Float64Array)": await pair("vec10", [ten], [], 10),
  "sum10(Float64Array)": await pair("sum10", [ten], []),
  "vec10(array)": await pair("vec10", [[...ten]], [], 10),
  "vec1000(Float64Array)": await pair("vec1000", [long], [], 1000),
  "point({ x, y })": await pair("point", [{ x: 1, y: 2 }], []),
  "line({ b0, b })": await pair("line", [{ b0: 1, b: ten }], []),
  "any size, vec10(Float64Array)": await pair("any_size", [ten], [], 10),
  "any size, sum(Float64Array, x)": await pair("any_sum", [ten, 1], [1]),
};
let sink;
const nanoseconds = (f) => {
  const start = process.cpuUsage().user;
  for (let i = 0; i < COUNT; i++) sink = f();
  return ((process.cpuUsage().user - start) * 1000) / COUNT;
};
const found = {};
for (let k = 0; k < ROUNDS; k++)
  for (const [name, both] of Object.entries(calls))
    for (const [which, f] of Object.entries(both)) ((found[name] ??= {})[which] ??= []).push(nanoseconds(f));
const median = (xs) => xs.sort((x, y) => x - y)[xs.length >> 1];
const medians = (both) => Object.fromEntries(Object.entries(both).map(([k, xs]) => [k, median(xs)]));
console.log(JSON.stringify(Object.fromEntries(Object.entries(found).map(([k, both]) => [k, medians(both)]))));
