// The original Rose on a graph of Penrose's, built as Penrose's engine builds it: a function for each objective and
// each constraint, of its own part of the graph; the gradient of all by one `vjp`; mathematics of the host, with
// Penrose's own rules. `node --expose-gc rose.mjs GRAPH` prints a line of JSON: answers checked, then milliseconds.

import { Bool, Dual, Real, Vec, compile, fn, opaque, select, vec, vjp } from "rose";
import { abs, add, and, div, eq, floor, geq, gt, leq, lt, mul, neg, not, or, sign, sqrt, sub, xor } from "rose";

import { POINTS, clock, everything, load, microseconds, off, since } from "./common.mjs";
import { optimise } from "./optimise.mjs";

const BOUND = 1e-8; // how far from the reference: it was computed in another order, where the graph leaves it open
const AGAIN = 5; // times that a graph is made anew, at least, and for so many milliseconds
const WHILE = 500;
const SMALL = 1e-5; // what a root counts as at least, where it is divided by

const max = (x, y) => select(gt(x, y), Real, x, y);
const min = (x, y) => select(lt(x, y), Real, x, y);

/** A function of one number, with its rule: the tangent from that of the argument, the argument, and the value. */
const unary = (f, rule) => {
  f.jvp = fn([Dual], Dual, ({ re: x, du: dx }) => {
    const y = f(x);
    return { re: y, du: rule(dx, x, y) };
  });
  return f;
};
const host = (f, rule) => unary(opaque([Real], Real, f), rule);

const safeSqrt = unary(
  fn([Real], Real, (x) => sqrt(x)),
  (dx, _, y) => mul(dx, div(0.5, max(SMALL, y))),
);
const cos = opaque([Real], Real, Math.cos);
const sin = host(Math.sin, (dx, x) => mul(dx, cos(x)));
unary(cos, (dx, x) => mul(dx, neg(sin(x))));
const tan = host(Math.tan, (dx, _, y) => mul(dx, add(1, mul(y, y))));
const atan = host(Math.atan, (dx, x) => div(dx, add(1, mul(x, x))));
const acos = host(Math.acos, (dx, x) => div(dx, neg(safeSqrt(sub(1, mul(x, x))))));
const exp = host(Math.exp, (dx, _, y) => mul(dx, y));
const log = host(Math.log, (dx, x) => div(dx, x));
const atan2 = opaque([Real, Real], Real, Math.atan2);
atan2.jvp = fn([Dual, Dual], Dual, ({ re: y, du: dy }, { re: x, du: dx }) => ({
  re: atan2(y, x),
  du: div(sub(mul(dy, x), mul(dx, y)), add(mul(x, x), mul(y, y))),
}));
const pow = opaque([Real, Real], Real, Math.pow);
pow.jvp = fn([Dual, Dual], Dual, ({ re: x, du: dx }, { re: y, du: dy }) => {
  const z = pow(x, y);
  return { re: z, du: mul(add(mul(dx, div(y, x)), mul(dy, log(x))), z) };
});

const choose = (c, x, y) => select(c, Real, x, y);
const inverse = (x) => div(1, x);
const square = (x) => mul(x, x);
const fold = (f) => (first, ...more) => more.reduce((x, y) => f(x, y), first);
const operations = {
  ...{ add, sub, mul, div, neg, abs, sqrt, max, min, sin, cos, tan, atan, acos, exp, log, atan2, pow, floor, sign },
  ...{ gt, lt, ge: geq, le: leq, eq, and, or, xor, not, select: choose, sq: square, inv: inverse, sqrt_eps: safeSqrt },
  ...{ addN: fold(add), maxN: fold(max), minN: fold(min) },
};
const penalty = fn([Real], Real, (x) => square(max(x, 0)));

/** The nodes that one depends on, itself among them, in their order. */
const cone = (nodes, root) => {
  const found = new Set([root]);
  for (const k of found) {
    const [op, ...args] = nodes[k];
    if (op !== "input" && op !== "const") args.forEach((arg) => found.add(arg));
  }
  return [...found].sort((i, j) => i - j);
};

const single = (nodes, n, root) =>
  fn([Vec(n, Real)], Real, (inputs) => {
    const values = new Map();
    for (const k of cone(nodes, root)) {
      const [op, ...args] = nodes[k];
      if (op === "input") values.set(k, inputs[args[0]]);
      else if (op === "const") values.set(k, Number(args[0]));
      else values.set(k, operations[op](...args.map((arg) => values.get(arg))));
    }
    return values.get(root);
  });

const total = (n, term) => (n === 0 ? 0 : Array.from({ length: n }, (_, i) => term(i)).reduce((x, y) => add(x, y)));

/** All objectives and constraints, as functions of the inputs. */
const built = ({ nodes, inputs, objectives, constraints }) => {
  const n = inputs.length;
  const [o, c] = [objectives, constraints].map((roots) => roots.map((root) => single(nodes, n, root)));
  const Outputs = { objectives: Vec(o.length, Real), constraints: Vec(c.length, Real) };
  return fn([Vec(n, Real)], Outputs, (x) => ({
    objectives: o.map((f) => f(x)),
    constraints: c.map((f) => f(x)),
  }));
};

/** Value and gradient, from inputs, weight, and masks of what counts. */
const derived = (outputs, { inputs, objectives, constraints }) => {
  const [n, o, c] = [inputs.length, objectives.length, constraints.length];
  const Result = { phi: Real, gradient: Vec(n, Real), objectives: Vec(o, Real), constraints: Vec(c, Real) };
  return fn([Vec(n, Real), Real, Vec(o, Bool), Vec(c, Bool)], Result, (x, weight, objMask, constrMask) => {
    const Term = { value: Real, slope: Real };
    const none = { value: 0, slope: 0 };
    const { ret, grad } = vjp(outputs)(x);
    const first = vec(o, Term, (i) => select(objMask[i], Term, { value: ret.objectives[i], slope: 1 }, none));
    const second = vec(c, Term, (i) => {
      const { ret: value, grad } = vjp(penalty)(ret.constraints[i]);
      return select(constrMask[i], Term, { value, slope: grad(weight) }, none);
    });
    const slopes = {
      objectives: vec(o, Real, (i) => first[i].slope),
      constraints: vec(c, Real, (i) => second[i].slope),
    };
    const sums = [total(o, (i) => first[i].value), total(c, (i) => second[i].value)];
    const phi = add(sums[0], mul(weight, sums[1]));
    return { phi, gradient: grad(slopes), objectives: ret.objectives, constraints: ret.constraints };
  });
};

/** How many bytes the next module has that is compiled. */
const bytes = () => {
  const found = {};
  const given = WebAssembly.compile;
  WebAssembly.compile = (source) => {
    found.size = source.byteLength;
    WebAssembly.compile = given;
    return given(source);
  };
  return found;
};

/** From arrays to arrays: as Penrose calls it, with the gradient of the inputs that vary, and 0 for the others. */
const called = (f) => (x, weight, { inputMask, objMask, constrMask }, gradient) => {
  const out = f(Array.from(x), weight, objMask, constrMask);
  for (let i = 0; i < gradient.length; i++) gradient[i] = inputMask[i] ? out.gradient[i] : 0;
  return out.phi;
};

const made = async (graph) => {
  const start = clock();
  const outputs = built(graph);
  const build = since(start);
  const from = clock();
  const size = bytes();
  const f = called(await compile(derived(outputs, graph)));
  return { f, build, compile: since(from), bytes: size.size };
};

/** What happens once in a process: a first program is compiled and run. */
const begun = async () => {
  const square = fn([Vec(2, Real)], Real, (x) => penalty(add(x[0], x[1])));
  (await compile(fn([Vec(2, Real)], Vec(2, Real), (x) => vjp(square)(x).grad(1))))([1, 2]);
};

/** The least times of making a graph by code that is warm. */
const anew = async (graph) => {
  const least = { build_again: { wall: Infinity, cpu: Infinity }, compile_again: { wall: Infinity, cpu: Infinity } };
  const start = performance.now();
  for (let k = 0; k < AGAIN || performance.now() - start < WHILE; k++) {
    globalThis.gc();
    const { build, compile } = await made(graph);
    for (const clock of ["wall", "cpu"]) {
      least.build_again[clock] = Math.min(build[clock], least.build_again[clock]);
      least.compile_again[clock] = Math.min(compile[clock], least.compile_again[clock]);
    }
  }
  return least;
};

await begun();
const graph = load(process.argv[2]);
const all = everything(graph);
const gradient = new Float64Array(graph.inputs.length);
let { f, ...found } = await made(graph);
const start = clock();
f(graph.ref.init.x, graph.ref.init.weight, all, gradient);
found.first = since(start);
found.off = {};
for (const point of POINTS) {
  const { x, weight } = graph.ref[point];
  found.off[point] = off(f(x, weight, all, gradient), gradient, graph.ref[point]);
}
const wrong = POINTS.filter((point) => !(found.off[point] <= BOUND));
if (wrong.length > 0) found.error = `differs from the reference at ${wrong}`;
else {
  const start = clock();
  const { x: _, ...ended } = optimise(f, graph);
  found.optimise = { ...ended, ...since(start) };
  const at = graph.ref.init;
  Object.assign(found, microseconds(() => f(at.x, at.weight, all, gradient)));
  f = undefined; // the engine keeps what it made of bytes for as long as there is a module of them
  Object.assign(found, await anew(graph));
}
console.log(JSON.stringify(found));
