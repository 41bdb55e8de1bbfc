// `node run.mjs tool.mjs rounds`: reads a line of JSON for each graph, the names of its file and of a folder of ours, and
// prints a line of JSON: the milliseconds from the parsed graph to the first gradient, those of a gradient, and answers.
//
// Building is timed in several rounds, of which the least is told; the first call in the first one alone, as the engine
// keeps what it has compiled of the same bytes.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [tool, rounds] = process.argv.slice(2);
let bytes = 0;
for (const name of ["compile", "instantiate"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = (source, ...more) => {
    bytes = source.byteLength ?? bytes;
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

/** Milliseconds of the processor, of all threads: others use the machine, too. */
const clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const numbers = (xs) => xs.map((x) => (x === "-0" ? -0 : Number(x)));

/** Milliseconds of a call, of the clock: the least of several samples, once the engine has done with it what it can. */
const spent = (call) => {
  const run = (n) => {
    const start = performance.now();
    for (let k = 0; k < n; k++) call();
    return performance.now() - start;
  };
  const start = performance.now();
  for (let k = 0; k < 3000 && performance.now() - start < 1500; k++) call();
  let n = 1;
  while (run(n) < 1) n *= 2;
  return Math.min(...Array.from({ length: 25 }, () => run(n) / n));
};

const measured = async ({ file, folder }) => {
  const raw = readFileSync(file);
  const graph = JSON.parse(file.endsWith(".gz") ? gunzipSync(raw) : raw);
  const x = numbers(graph.inputs);
  const mask = new Array(graph.objectives.length + graph.constraints.length).fill(1);
  let f;
  let first;
  let build = Infinity;
  for (let k = 0; k < +rounds; k++) {
    const start = clock();
    f = await made(graph, folder);
    const built = clock();
    f(x, graph.weight, mask);
    first ??= clock() - built;
    build = Math.min(build, built - start);
  }
  const points = Object.values(graph.ref ?? {}).filter((p) => p.grad);
  const answers = points.map((p) => {
    const [y, g] = f(numbers(p.x), Number(p.weight), mask);
    return [y, ...g].map((v) => (Number.isFinite(v) ? v : String(v)));
  });
  return { build, first, gradient: spent(() => f(x, graph.weight, mask)), bytes, answers };
};

for await (const line of createInterface({ input: process.stdin }))
  try {
    console.log(JSON.stringify(await measured(JSON.parse(line))));
  } catch (e) {
    console.log(JSON.stringify({ error: `${e?.constructor?.name}: ${String(e?.message ?? e).slice(0, 200)}` }));
  }
