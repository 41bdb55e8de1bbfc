// Milliseconds of a map without Workers and with so many, and of round trips: node workers.mjs PACKAGE.

import { pathToFileURL } from "node:url";

const { default: init, remote } = await import(pathToFileURL(process.argv[2]));
const [{ swing }, far] = [await init(), await remote()];

const WORKERS = [0, 1, 2, 4];
const found = {};
for (const rows of [1, 10, 100, 1_000, 10_000]) {
  const xs = Float64Array.from({ length: rows }, (_, k) => 1 + k / rows);
  const ways = WORKERS.map((workers) => (workers ? () => swing.map(xs, { workers }) : () => swing.map(xs)));
  if (rows == 1) ways.push(() => far.swing(1));
  const times = ways.map(() => []);
  const count = Math.max(11, Math.min(400, 200_000 / rows));
  for (let k = 0; k < count; k++)
    for (const [i, way] of ways.entries()) {
      const start = performance.now();
      await way();
      times[i].push(performance.now() - start);
    }
  found[rows] = times.map((all) => all.sort((a, b) => a - b)[0]);
}
console.log(JSON.stringify(found));
