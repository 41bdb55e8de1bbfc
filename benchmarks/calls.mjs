// Nanoseconds of a call in Node, for `calls.py`: node calls.mjs FOLDER, which has a package for each function, and
// perhaps another FOLDER, of another version.
// Each is called as the bare export, with its arguments in their places; with what a page would write by hand around
// that, for this one function; and as ours.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, other] = process.argv.slice(2);
const ROUNDS = 31, COUNT = 20_000;

// by hand: `m` is a view of the memory that is kept, and arguments lie there from the number 2 on, then the result

const first = (f) => f;
const set = (n) => (f, m) => (v) => (m.set(v, 2), f(), m.slice(2 + n, 2 + 2 * n));
const loop = (n) => (f, m) => (v) => {
  for (let k = 0; k < n; k++) m[2 + k] = v[k];
  f();
  return m.slice(2 + n, 2 + 2 * n);
};
const point = (f, m) => (p) => {
  m[2] = p.x;
  m[3] = p.y;
  f();
  return { x: m[4], y: m[5] };
};
const points = (n) => (f, m) => (ps) => {
  let at = 2;
  for (const p of ps) {
    m[at++] = p.x;
    m[at++] = p.y;
  }
  f();
  return ps.map(() => ({ x: m[at++], y: m[at++] }));
};
const line = (f, m) => (l) => {
  m[2] = l.b0;
  m.set(l.b, 3);
  f();
  return { b0: m[13], b: m.slice(14, 24) };
};
const rows = (n, size) => (f, m) => (v) => {
  let at = 2;
  for (const row of v) for (let k = 0; k < size; k++) m[at++] = row[k];
  f();
  const { buffer } = m.slice(at, at + n * size);
  return v.map((_, k) => new Float64Array(buffer, 8 * size * k, size));
};
const areas = (f, m) => (ps) => {
  let at = 2;
  for (const p of ps) {
    m[at++] = p.x;
    m[at++] = p.y;
  }
  return f();
};
const bodies = (n) => (f, m) => (bs) => {
  let at = 2;
  for (const { pos, vel, mass } of bs) {
    m[at++] = pos.x;
    m[at++] = pos.y;
    m[at++] = vel.x;
    m[at++] = vel.y;
    m[at++] = mass;
  }
  f();
  return bs.map(() => ({ pos: { x: m[at++], y: m[at++] }, vel: { x: m[at++], y: m[at++] }, mass: m[at++] }));
};
const sum = (f, m) => (v) => {
  for (let k = 0; k < v.length; k++) m[2 + k] = v[k];
  return f();
};
const mapped = (f, m) => (xs) => {
  const out = new Float64Array(xs.length);
  for (let k = 0; k < xs.length; k += 3) {
    m[2] = xs[k];
    m[3] = xs[k + 1];
    m[4] = xs[k + 2];
    f();
    out[k] = m[5];
    out[k + 1] = m[6];
    out[k + 2] = m[7];
  }
  return out;
};
const total = (f, m) => (v, x) => (m.set(v, 2), f(x));

/** The three ways to call a function, with these arguments; those of its parameters that are numbers are `given`. */
const ways = async (name, byHand, args, given = []) => {
  const at = `${folder}/${name}`;
  const bytes = readFileSync(`${at}/${name}.wasm`);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const called = async (folder) => {
    const { initSync } = await import(pathToFileURL(`${folder}/${name}/index.js`));
    return initSync(readFileSync(`${folder}/${name}/${name}.wasm`))[name];
  };
  const ours = await called(folder);
  const before = other && (await called(other));
  exports["#" + name]?.(10);
  const f = exports[name];
  const hand = byHand(f, new Float64Array(exports.memory.buffer));
  const [want, got] = [hand(...args), ours(...args)].map((x) => JSON.stringify(x));
  if (want != got) throw new Error(`${name} gives ${got}, and by hand ${want}`);
  const all = { export: () => f(...given), "by hand": () => hand(...args), ours: () => ours(...args) };
  return { ...all, ...(before && { before: () => before(...args) }), unchecked: () => ours.unchecked(...args) };
};

/** The ways to call a function for each row of a column; nanoseconds a row. */
const rowsOf = async (name, byHand, xs, width) => {
  const ways_ = await ways(name, set(width), [xs.slice(0, width)]);
  const { initSync } = await import(pathToFileURL(`${folder}/${name}/index.js`));
  const bytes = readFileSync(`${folder}/${name}/${name}.wasm`);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const hand = byHand(exports[name], new Float64Array(exports.memory.buffer));
  const { map } = initSync(bytes)[name];
  const out = new Float64Array(xs.length);
  if (String(hand(xs)) != String(map(xs))) throw new Error(`the map of ${name} differs`);
  const over = (f) => Object.assign(f, { rows: xs.length / width });
  return { ...ways_, "by hand, all": over(() => hand(xs)), map: over(() => map(xs)), "map, out": over(() => map(xs, { out })) };
};

const reals = (n) => Float64Array.from({ length: n }, (_, k) => k + 0.5);
const many = (n) => Array.from({ length: n }, (_, k) => ({ x: k + 0.5, y: -k }));
const matrix = (n, size) => Array.from({ length: n }, () => reals(size));
const [ten, long] = [reals(10), reals(1000)];
const worlds = Array.from({ length: 50 }, (_, k) => ({ pos: { x: k, y: 1 }, vel: { x: 3, y: 4 }, mass: 1 }));
const calls = {
  "f(x, y), beside one that asserts": await ways("beside", first, [1, 2], [1, 2]),
  "f(x, y)": await ways("scalars", first, [1, 2], [1, 2]),
  "sum10(Float64Array)": await ways("sum10", total, [ten]),
  "vec10(Float64Array)": await ways("vec10", set(10), [ten]),
  "vec10(array)": await ways("vec10", loop(10), [[...ten]]),
  "sum1000(array)": await ways("sum1000", sum, [[...long]]),
  "vec1000(Float64Array)": await ways("vec1000", set(1000), [long]),
  "vec1000(array)": await ways("vec1000", loop(1000), [[...long]]),
  "50 rows of 2": await ways("rows2", rows(50, 2), [matrix(50, 2)]),
  "10 rows of 100": await ways("rows100", rows(10, 100), [matrix(10, 100)]),
  "point({ x, y })": await ways("point", point, [{ x: 1.5, y: 2.5 }]),
  "100 points": await ways("points", points(100), [many(100)]),
  "100 points to a number": await ways("areas", areas, [many(100)]),
  "50 structs of structs": await ways("bodies", bodies(50), [worlds]),
  "line({ b0, b })": await ways("line", line, [{ b0: 1, b: ten }]),
  "a gradient in 3 numbers": await rowsOf("slope", mapped, Float64Array.from(reals(60_000), Math.sin), 3),
  "any size, vec10(Float64Array)": await ways("any_size", set(10), [ten]),
  "any size, sum(Float64Array, x)": await ways("any_sum", total, [ten, 1], [1]),
};
let sink;
const nanoseconds = (f) => {
  const start = process.cpuUsage();
  const count = f.rows ? 20 : COUNT;
  for (let i = 0; i < count; i++) sink = f();
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / count / (f.rows ?? 1);
};
const found = {};
for (const [name, all] of Object.entries(calls))
  for (let k = 0; k < ROUNDS; k++)
    for (const [which, f] of Object.entries(all)) ((found[name] ??= {})[which] ??= []).push(nanoseconds(f));
const quartile = (xs) => xs.sort((x, y) => x - y)[xs.length >> 2];
const quartiles = (all) => Object.fromEntries(Object.entries(all).map(([k, xs]) => [k, quartile(xs)]));
console.log(JSON.stringify(Object.fromEntries(Object.entries(found).map(([k, all]) => [k, quartiles(all)]))));
