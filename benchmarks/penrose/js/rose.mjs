// A graph in the original Rose, as Penrose gives it to that: a function for each objective and each constraint, in which
// what they share is computed again, `vjp` of all of them together, and `compile`. Arrays go in and come out.

import { Dual, Real, Vec, compile, fn, opaque, select, vjp } from "rose";
import { abs, add, and, div, eq, floor, geq, gt, leq, lt, mul, neg, not, or, sign, sqrt, sub, xor } from "rose";

const host = (f, rule) => {
  const g = opaque([Real], Real, f);
  g.jvp = fn([Dual], Dual, ({ re: x, du: dx }) => {
    const y = g(x);
    return { re: y, du: mul(dx, rule(x, y)) };
  });
  return g;
};
const host2 = (f, rule) => {
  const g = opaque([Real, Real], Real, f);
  g.jvp = fn([Dual, Dual], Dual, ({ re: x, du: dx }, { re: y, du: dy }) => {
    const z = g(x, y);
    return { re: z, du: rule(x, dx, y, dy, z) };
  });
  return g;
};
const sine = opaque([Real], Real, Math.sin);
const cos = host(Math.cos, (x) => neg(sine(x)));
const sin = host(Math.sin, (x) => cos(x));
const log = host(Math.log, (x) => div(1, x));
const max = (x, y) => select(gt(x, y), Real, x, y);
const min = (x, y) => select(lt(x, y), Real, x, y);
const fold = (f) => (...xs) => xs.reduce(f);
const squareRoot = fn([Real], Real, (x) => sqrt(x));
squareRoot.jvp = fn([Dual], Dual, ({ re: x, du: dx }) => {
  const y = sqrt(x);
  return { re: y, du: mul(dx, div(0.5, max(1e-5, y))) };
});

const OPERATIONS = {
  add, sub, mul, div, neg, abs, floor, sign, sqrt, sin, cos, log, max, min, gt, lt, eq, and, or, xor, not,
  sq: (x) => mul(x, x),
  inv: (x) => div(1, x),
  sqrt_eps: squareRoot,
  addN: fold((x, y) => add(x, y)),
  maxN: fold((x, y) => max(x, y)),
  minN: fold((x, y) => min(x, y)),
  tan: host(Math.tan, (_, y) => add(1, mul(y, y))),
  atan: host(Math.atan, (x) => div(1, add(1, mul(x, x)))),
  acos: host(Math.acos, (x) => div(-1, sqrt(sub(1, mul(x, x))))),
  exp: host(Math.exp, (_, y) => y),
  atan2: host2(Math.atan2, (y, dy, x, dx) => div(sub(mul(dy, x), mul(dx, y)), add(mul(x, x), mul(y, y)))),
  pow: host2(Math.pow, (x, dx, y, dy, z) => mul(add(mul(dx, div(y, x)), mul(dy, log(x))), z)),
  ge: geq,
  le: leq,
  select: (c, x, y) => select(c, Real, x, y),
};

/** The nodes that an output needs, in order. */
const cone = (nodes, output) => {
  const found = new Set();
  for (const todo = [output]; todo.length; ) {
    const k = todo.pop();
    if (found.has(k)) continue;
    found.add(k);
    const [op, ...args] = nodes[k];
    if (op !== "input" && op !== "const") todo.push(...args);
  }
  return [...found].sort((j, k) => j - k);
};

const number = (c) => (c === "-0" ? -0 : Number(c));

const output = (nodes, n, k) =>
  fn([Vec(n, Real)], Real, (x) => {
    const made = new Map();
    for (const j of cone(nodes, k)) {
      const [op, ...args] = nodes[j];
      if (op === "input") made.set(j, x[args[0]]);
      else if (op === "const") made.set(j, number(args[0]));
      else made.set(j, OPERATIONS[op](...args.map((a) => made.get(a))));
    }
    return made.get(k);
  });

/** The value and the gradient, of the inputs, the weight, and which outputs count. */
export const made = async ({ nodes, inputs, objectives, constraints }) => {
  const n = inputs.length;
  const X = Vec(n, Real);
  const outputs = [...objectives, ...constraints];
  const fs = outputs.map((k) => output(nodes, n, k));
  const Y = Vec(outputs.length, Real);
  const v = vjp(fn([X], Y, (x) => fs.map((f) => f(x))));
  const both = fn([X, Real, Y], { y: Real, g: X }, (x, weight, mask) => {
    const { ret, grad } = v(x);
    let y = 0;
    const cts = outputs.map((_, k) => {
      if (k < objectives.length) {
        y = add(y, mul(mask[k], ret[k]));
        return mask[k];
      }
      const over = max(ret[k], 0);
      const pull = mul(mul(weight, mask[k]), over);
      y = add(y, mul(pull, over));
      return add(pull, pull);
    });
    return { y, g: grad(cts) };
  });
  const f = await compile(both);
  return (x, weight, mask) => {
    const { y, g } = f(x, weight, mask);
    return [y, g];
  };
};
