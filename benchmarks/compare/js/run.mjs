// One program with one tool in JavaScript: `node run.mjs tool.mjs form program.json` prints a line of JSON.
// Without a program, it prints the forms that the tool has.
//
// A tool exports `forms`, by the source of a program: each takes a program, and gives { call, args, read }. `call` is
// what is timed, with data in and out; `read` makes [value, ...derivative] of what it gives. The answer is checked
// against the adjoint by hand before anything is timed.

import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [tool, form, file] = process.argv.slice(2);
const program = file && JSON.parse(readFileSync(file, "utf8"));
const SAMPLES = 60;
const SAMPLE = 2; // milliseconds
const MOST = 4000; // of all samples together

const difference = (got, known) => {
  let worst = Math.abs(got[0] - known[0]) / Math.max(Math.abs(known[0]), 1e-300);
  const scale = known.reduce((most, x, k) => (k ? Math.max(most, Math.abs(x)) : most), 0) || 1;
  for (let k = 1; k < known.length; k++) {
    const off = Math.abs(got[k] - known[k]) / scale;
    if (!(off <= worst)) worst = off;
  }
  return got.length === known.length ? worst : Infinity;
};

/** Milliseconds for each of n calls. */
const time = async (call, args, n, waits) => {
  const start = performance.now();
  if (waits) for (let k = 0; k < n; k++) await call(...args);
  else for (let k = 0; k < n; k++) call(...args);
  return (performance.now() - start) / n;
};

const measured = async () => {
  const before = performance.now();
  const { forms, bound = program.bound } = await import(pathToFileURL(tool).href);
  const imported = performance.now();
  const { call, args, read } = await forms[program.source][form](program);
  const made = performance.now();
  let given = call(...args);
  const waits = typeof given?.then == "function";
  if (waits) given = await given;
  const first = performance.now();
  const off = difference(Array.from(await read(given)), program.answer);
  const found = { import_ms: imported - before, first_ms: first - imported, call_ms: first - made, "differs by": off };
  if (!(off <= bound)) return { ...found, error: `differs from the adjoint by ${off}` };
  let n = 1;
  for (let spent; (spent = (await time(call, args, n, waits)) * n) < SAMPLE / 2 && n < 1e7; )
    n = Math.max(n + 1, Math.min(8 * n, Math.round((n * SAMPLE) / Math.max(spent, 1e-3))));
  for (let warm = performance.now(); performance.now() - warm < 300; ) await time(call, args, n, waits);
  const samples = [];
  for (let start = performance.now(); samples.length < SAMPLES && performance.now() - start < MOST; )
    samples.push(1e3 * (await time(call, args, n, waits)));
  samples.sort((x, y) => x - y);
  const at = (share) => samples[Math.floor(samples.length * share)];
  return { ...found, us: at(0.1), "median us": at(0.5), samples: samples.length };
};

let found;
try {
  if (!file) {
    const { forms } = await import(pathToFileURL(tool).href);
    console.log(JSON.stringify(Object.fromEntries(Object.entries(forms).map(([k, made]) => [k, Object.keys(made)]))));
    process.exit(0);
  }
  found = await measured();
} catch (e) {
  found = { error: `${e?.constructor?.name}: ${String(e?.message ?? e).slice(0, 200)}` };
}
// what `resourceUsage` tells counts the process before this one, too, so Linux has another
const status = "/proc/self/status";
const memory = existsSync(status) && Number(/VmHWM:\s*(\d+)/.exec(readFileSync(status, "utf8"))[1]);
console.log(JSON.stringify({ ...found, rss_mb: (memory || process.resourceUsage().maxRSS) / 1024 }));
process.exit(0);
