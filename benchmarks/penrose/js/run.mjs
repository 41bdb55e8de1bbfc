// `node run.mjs tool.mjs rounds`: reads names of files with graphs, one a line, and prints a line of JSON for each: the
// times, in milliseconds, from the parsed graph to the first gradient, and of a gradient.
//
// Of a tool that makes its own code the least of several rounds is told; each makes everything anew.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [tool, rounds] = process.argv.slice(2);
let bytes = 0;
for (const name of ["compile", "instantiate"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = (source, ...more) => {
    if (source.byteLength) bytes = source.byteLength;
    return original(source, ...more);
  };
}
WebAssembly.Module = class extends WebAssembly.Module {
  constructor(source) {
    super(source);
    bytes = source.byteLength;
  }
};
const { made } = await import(pathToFileURL(tool).href);

const spent = (f, x, weight, mask) => {
  let n = 1;
  const run = (n) => {
    const start = performance.now();
    for (let k = 0; k < n; k++) f(x, weight, mask);
    return performance.now() - start;
  };
  for (const start = performance.now(); performance.now() - start < 100; ) run(n); // until it is optimised
  while (run(n) < 2) n *= 2;
  return Math.min(...Array.from({ length: 9 }, () => run(n) / n));
};

const measured = async (file) => {
  const graph = JSON.parse(readFileSync(file, "utf8"));
  const numbers = (xs) => xs.map((x) => (x === "-0" ? -0 : Number(x)));
  const x = numbers(graph.inputs);
  const mask = Array.from({ length: graph.objectives.length + graph.constraints.length }, () => 1);
  let best, f;
  for (let k = 0; k < +rounds; k++) {
    const start = performance.now();
    f = await made(graph);
    const built = performance.now();
    f(x, graph.weight, mask);
    const called = performance.now();
    const found = { build: built - start, first: called - built, total: called - start };
    if (!best || found.total < best.total) best = found;
    if (found.total > 1000) break;
  }
  const points = Object.values(graph.ref ?? {}).filter((p) => p.grad);
  const answers = points.map((p) => {
    const [y, g] = f(numbers(p.x), Number(p.weight), mask);
    return [y, ...g].map((v) => (Number.isFinite(v) ? v : String(v)));
  });
  return { ...best, gradient: spent(f, x, graph.weight, mask), bytes, answers };
};

for await (const file of createInterface({ input: process.stdin }))
  try {
    console.log(JSON.stringify(await measured(file)));
  } catch (e) {
    console.log(JSON.stringify({ error: `${e?.constructor?.name}: ${String(e?.message ?? e).slice(0, 200)}` }));
  }
process.exit(0);
