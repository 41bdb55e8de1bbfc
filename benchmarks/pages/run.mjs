// One program in one process: node run.mjs SCRIPT PROGRAM. It prints microseconds a call, milliseconds until the first
// result, and the numbers of that; and how much the process grew over the calls.

import { performance } from "node:perf_hooks";

const [script, name] = process.argv.slice(2);
const flat = (x) =>
  typeof x == "number" ? [x] : ArrayBuffer.isView(x) ? [...x] : x && typeof x == "object" ? Object.values(x).flatMap(flat) : [];

const began = performance.now();
const program = await import(script);
const call = await (program[name] ?? program.default[name])();
const found = flat(await call());
const first = performance.now() - began;

const waits = call() instanceof Promise;
let calls = 0;
const timed = async (n) => {
  const start = performance.now();
  if (waits) for (let i = 0; i < n; i++) await call();
  else for (let i = 0; i < n; i++) call();
  calls += n;
  return ((performance.now() - start) / n) * 1e3;
};
let n = 1;
while ((await timed(n)) * n < 20e3) n *= 2; // a round takes 20 ms
const before = process.memoryUsage().rss;
const rounds = [];
for (let k = 0; k < 40; k++) rounds.push(await timed(n));
rounds.sort((a, b) => a - b);
const grown = process.memoryUsage().rss - before;
console.log(JSON.stringify({ us: rounds[rounds.length >> 2], first, found, grown, calls }));
