// What the original Rose and ours have in common in node: graphs, whether an answer is right, and times.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export const POINTS = ["init", "perturbed", "final"];
const SAMPLE = 4; // milliseconds
const CALM = 1_500;
const LONGEST = 20_000;

/** What JSON has no number for is text in these files. */
const numbers = (xs) => Float64Array.from(xs, Number);

/** A graph of a file, packed or not, with typed arrays where it has numbers. */
export const load = (file) => {
  const bytes = readFileSync(file);
  const graph = JSON.parse(file.endsWith(".gz") ? gunzipSync(bytes) : bytes);
  const bits = (mask) => Array.from(mask, (c) => c === "1");
  graph.inputs = numbers(graph.inputs);
  for (const point of POINTS) {
    const ref = graph.ref[point];
    Object.assign(ref, { x: numbers(ref.x), phi: Number(ref.phi), grad: numbers(ref.grad) });
  }
  graph.stages = graph.stages.map(({ inputMask, objMask, constrMask }) => ({
    inputMask: bits(inputMask),
    objMask: bits(objMask),
    constrMask: bits(constrMask),
  }));
  return graph;
};

/** The masks with which everything varies, and everything counts. */
export const everything = ({ inputs, objectives, constraints }) => ({
  inputMask: Array(inputs.length).fill(true),
  objMask: Array(objectives.length).fill(true),
  constrMask: Array(constraints.length).fill(true),
});

/** How far a value and its gradient are from the reference at a point; entries that are nan there do not count. */
export const off = (value, gradient, { phi, grad }) => {
  const same = (x, y) => x === y || (Number.isNaN(x) && Number.isNaN(y));
  let worst = same(value, phi) ? 0 : Math.abs(value - phi) / (Math.abs(phi) || 1);
  const scale = grad.reduce((most, g) => (Math.abs(g) > most ? Math.abs(g) : most), 0) || 1;
  for (let i = 0; i < grad.length; i++) {
    if (Number.isNaN(grad[i])) continue;
    const by = Math.abs(gradient[i] - grad[i]) / scale;
    if (!(by <= worst)) worst = by;
  }
  return worst;
};

/** The wall clock and the processor, in milliseconds; what `since` gives is what was spent on each. */
export const clock = () => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), cpu: (user + system) / 1e3 };
};
export const since = (start) => {
  const now = clock();
  return { wall: now.wall - start.wall, cpu: now.cpu - start.cpu };
};

/**
 * Microseconds of the processor for a call, when it is warm: the least of turns. The engine writes code that runs often
 * again, beside other work, which for a large module takes seconds: it is warm when that makes it no faster.
 */
export const microseconds = (call) => {
  const time = (n) => {
    const start = clock();
    for (let k = 0; k < n; k++) call();
    return since(start).cpu;
  };
  let least = Infinity;
  const start = performance.now();
  for (let n = 1, last = start, now; (now = performance.now()) - last < CALM && now - start < LONGEST; ) {
    const spent = time(n);
    const us = (1e3 * spent) / n;
    if (spent < SAMPLE / 2) n *= 2;
    else {
      if (us < 0.97 * least) last = now;
      least = Math.min(us, least);
    }
  }
  return { us: least };
};
