// The part of `python -m benchmarks.mathematics` that runs in node: nanoseconds a call of our modules, and of Math.*.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const { rounds, repeats, count, functions } = JSON.parse(readFileSync(join(folder, "all.json"), "utf8"));

const nanoseconds = (loop) => {
  let least = Infinity;
  for (let k = 0; k < repeats; k++) {
    const start = process.hrtime.bigint();
    loop();
    least = Math.min(least, Number(process.hrtime.bigint() - start) / count);
  }
  return least;
};

const median = (xs) => xs.sort((x, y) => x - y)[Math.floor(xs.length / 2)];

const ours = {};
const theirs = {};
for (const { name, at, call, per } of functions) {
  const bytes = readFileSync(join(folder, `${name}.f64`));
  const points = new Float64Array(bytes.buffer, bytes.byteOffset, count * per).slice();
  const { total, memory } = new WebAssembly.Instance(
    new WebAssembly.Module(readFileSync(join(folder, `${name}.wasm`))),
  ).exports;
  new Float64Array(memory.buffer, at, points.length).set(points);
  ours[name] = total;
  if (!call) continue;
  const text = `let total = 0; for (let i = 0; i < ${count}; i++) {
    const x = p[${per} * i], y = p[${per} * i + ${per - 1}]; total += ${call}; } return total;`;
  const loop = new Function("p", text); // a function for each, so that none is made general by the others
  theirs[name] = () => loop(points);
}

/** The median of the rounds, in each of which every function has its turn; the first rounds are not counted. */
const measured = (loops) => {
  const times = Object.fromEntries(Object.keys(loops).map((name) => [name, []]));
  for (const loop of Object.values(loops)) for (let k = 0; k < 200; k++) loop();
  for (let k = 0; k < rounds; k++) for (const [name, loop] of Object.entries(loops)) times[name].push(nanoseconds(loop));
  return Object.fromEntries(Object.entries(times).map(([name, ts]) => [name, median(ts)]));
};

console.log(JSON.stringify({ node: measured(ours), "Math.*": measured(theirs) }));
