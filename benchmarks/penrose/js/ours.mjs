// Our modules of a graph of Penrose's, in node, from the packages that `compiled.save` wrote:
// `node ours.mjs GRAPH FOLDER` prints a line of JSON: answers checked, then times, in milliseconds.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { POINTS, clock, load, microseconds, off, since } from "./common.mjs";

const BOUND = 1e-9; // of the value, and of the greatest entry of the gradient: how far off an answer may be

/** The functions of a package: its script is there when the clock starts, its module is only bytes. */
const opened = async (folder) => {
  const { init } = await import(pathToFileURL(join(folder, "index.js")).href);
  const bytes = readFileSync(join(folder, "program.wasm"));
  return () => init(bytes);
};

const [file, folder] = process.argv.slice(2);
const graph = load(file);
const all = [graph.inputs, graph.objectives, graph.constraints].map(({ length }) => new Float64Array(length).fill(1));
const ready = await opened(join(folder, "gradient"));
const start = clock();
const { gradient } = await ready();
const called = (x, weight) => gradient(x, weight, ...all);
called(graph.ref.init.x, graph.ref.init.weight);
const found = { first: since(start), off: {} };
for (const point of POINTS) {
  const { x, weight } = graph.ref[point];
  const [value, slopes] = called(x, weight);
  found.off[point] = off(value, slopes, graph.ref[point]);
}
const wrong = POINTS.filter((point) => !(found.off[point] <= BOUND));
if (wrong.length > 0) found.error = `differs from the reference at ${wrong}`;
else {
  const { x, weight } = graph.ref.init;
  Object.assign(found, microseconds(() => called(x, weight)));
  const { optimise } = await (await opened(join(folder, "optimise")))();
  const start = clock();
  const { converged, weight: last, value, calls, asked } = optimise(graph.inputs);
  found.optimise = { converged, weight: last, value, calls, asked, ...since(start) };
}
console.log(JSON.stringify(found));
