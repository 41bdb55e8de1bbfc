// One program in one process: node run.mjs SCRIPT PROGRAM. It prints microseconds a call, milliseconds until the first
// result, and the numbers of that. With SECONDS behind, it calls for so long instead, and prints how many bytes the
// process grew by after a sixth of that: node --expose-gc run.mjs SCRIPT PROGRAM SECONDS.

import { performance } from "node:perf_hooks";

const [script, name, seconds] = process.argv.slice(2);
const flat = (x) =>
  typeof x == "number" ? [x] : ArrayBuffer.isView(x) ? [...x] : x && typeof x == "object" ? Object.values(x).flatMap(flat) : [];

const began = performance.now();
const program = await import(script);
const call = await (program[name] ?? program.default[name])();
const found = flat(await call());
const first = performance.now() - began;

const waits = call() instanceof Promise;
const timed = async (n) => {
  const start = performance.now();
  if (waits) for (let i = 0; i < n; i++) await call();
  else for (let i = 0; i < n; i++) call();
  return ((performance.now() - start) / n) * 1e3;
};

if (seconds) {
  const [began, sizes] = [performance.now(), []];
  let calls = 0;
  for (let k = 1; k <= 6; k++) {
    while (performance.now() < began + (seconds * 1e3 * k) / 6) for (let i = 0; i < 50; i++, calls++) await call();
    globalThis.gc();
    sizes.push(process.memoryUsage().rss);
  }
  console.log(JSON.stringify({ calls, grown: sizes[5] - sizes[0] }));
  process.exit();
}

let n = 1;
while ((await timed(n)) * n < 20e3) n *= 2; // a round takes 20 ms
const rounds = [];
for (let k = 0; k < 40; k++) rounds.push(await timed(n));
rounds.sort((a, b) => a - b);
console.log(JSON.stringify({ us: rounds[rounds.length >> 2], first, found }));
