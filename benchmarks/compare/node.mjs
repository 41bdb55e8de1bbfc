// The part of `python -m benchmarks.compare` that runs in node: modules of WebAssembly, called by their drivers.
// Prints, for each program and way, the answer and nanoseconds of the processor an evaluation in each round.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const { rounds, repeats, sample, programs } = JSON.parse(readFileSync(join(folder, "all.json"), "utf8"));
const PAGE = 65536;

/** A module with what it is called with in its memory: the loop, and what reads the answer. */
const running = ({ name, exported, places, result, outputs, end }) => {
  const read = (file) => new WebAssembly.Module(readFileSync(join(folder, file)));
  const exports = new WebAssembly.Instance(read(`${name}.wasm`)).exports;
  const short = end - exports.memory.buffer.byteLength;
  if (short > 0) exports.memory.grow(Math.ceil(short / PAGE));
  for (const [at, numbers] of places) new Float64Array(exports.memory.buffer, at, numbers.length).set(numbers);
  const { loop } = new WebAssembly.Instance(read(`${name}.driver.wasm`), { "": { f: exports[exported] } }).exports;
  const answer = () => {
    loop(1);
    return Array.from(new Float64Array(exports.memory.buffer, result, 1 + outputs));
  };
  return { loop, answer };
};

/** Of the process, in which nothing else runs: what others do on the machine is not in them. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return 1e3 * (user + system);
};

const nanoseconds = (loop, n) => {
  const start = spent();
  loop(n);
  return (spent() - start) / n;
};

const turns = (loop) => {
  for (let n = 1; ; n *= 4) {
    const taken = nanoseconds(loop, n) * n;
    if (taken >= sample / 4) return Math.max(1, Math.round((n * sample) / taken));
  }
};

const least = (loop, n) => Math.min(...Array.from({ length: repeats }, () => nanoseconds(loop, n)));

const measured = programs.map(({ program, modules }) => {
  const ways = modules.map((m) => ({ way: m.way, ...running(m), ns: [] }));
  const answers = Object.fromEntries(ways.map(({ way, answer }) => [way, answer()]));
  const counts = ways.map(({ loop }) => turns(loop));
  for (let k = 0; k < rounds; k++) ways.forEach(({ loop, ns }, i) => ns.push(least(loop, counts[i])));
  return { program, answers, ns: Object.fromEntries(ways.map(({ way, ns }) => [way, ns])) };
});

console.log(JSON.stringify(measured));
