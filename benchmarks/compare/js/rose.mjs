// The original Rose, from npm. Its `vjp` differentiates in the whole argument. It has no index arithmetic from
// Fin(n - 1) to Fin(n), so a loop over neighbours masks the last; tanh and exp are functions of the host.

import { Dual, Real, Vec, compile, fn, jvp, opaque, select, vec, vjp } from "rose";
import { add, div, iadd, ilt, imod, lt, mul, neg, sqrt, sub, sum } from "rose";

const sqr = (x) => mul(x, x);
const rows = (xs, width) => Array.from({ length: xs.length / width }, (_, k) => xs.slice(k * width, (k + 1) * width));
const flat = (x) => (typeof x == "number" ? [x] : Object.values(x).flatMap(flat));
const R2 = Vec(2, Real);
const R3 = Vec(3, Real);

const gradient = (f, X) => {
  const v = vjp(f);
  return fn([X], { y: Real, g: X }, (x) => {
    const { ret, grad } = v(x);
    return { y: ret, g: grad(1) };
  });
};

const ready = async (f, args) => ({ call: await compile(f), args, read: ({ y, g }) => [y, ...flat(g)] });

const leastSquares = async ({ sizes: { N, M }, params: [b0, ...b], data, tables }) => {
  const Data = { x: Vec(N, Vec(M, Real)), y: Vec(N, Real) };
  const Line = { b0: Real, b: Vec(M, Real) };
  const loss = fn([{ ...Data, ...Line }], Real, ({ x, y, b0, b }) =>
    sum(N, (i) => sqr(sub(y[i], add(b0, sum(M, (j) => mul(x[i][j], b[j])))))),
  );
  const [x, y] = data.length ? data : [tables.x, tables.y];
  const points = { x: rows(x, M), y };
  const read = ({ y, g }) => [y, g.b0, ...g.b];
  if (!data.length) {
    const fitted = fn([Line], Real, ({ b0, b }) => loss({ ...points, b0, b }));
    return { ...(await ready(gradient(fitted, Line), [{ b0, b }])), read };
  }
  const v = vjp(loss);
  const both = fn([Data, Line], { y: Real, g: Line }, (points, line) => {
    const { ret, grad } = v({ x: points.x, y: points.y, b0: line.b0, b: line.b });
    const g = grad(1);
    return { y: ret, g: { b0: g.b0, b: g.b } };
  });
  return { ...(await ready(both, [points, { b0, b }])), read };
};

const term = (x, y) => add(mul(100, sqr(sub(y, sqr(x)))), sqr(sub(1, x)));
const inLoop = (N) =>
  fn([Vec(N, Real)], Real, (x) =>
    sum(N, (i) => select(ilt(N, i, N - 1), Real, term(x[i], x[imod(N, iadd(N, i, 1))]), 0)),
  );
const unrolled = (N) =>
  fn([Vec(N, Real)], Real, (x) => {
    let s = 0;
    for (let i = 0; i < N - 1; i++) s = add(s, term(x[i], x[i + 1]));
    return s;
  });
const rosenbrock = (make) => ({ sizes: { N }, params }) => ready(gradient(make(N), Vec(N, Real)), [params]);

const springs = ({ sizes: { N }, params }) => {
  const X = Vec(N + 1, R2);
  const stretched = fn([R2, R2], Real, (p, q) =>
    mul(25, sqr(sub(sqrt(add(sqr(sub(q[0], p[0])), sqr(sub(q[1], p[1])))), 0.1))),
  );
  const one = Array.from({ length: N }, (_, i) => i);
  const two = one.map((i) => i + 1);
  const energy = fn([{ one: Vec(N, N + 1), two: Vec(N, N + 1), p: X }], Real, ({ one, two, p }) =>
    add(sum(N, (s) => stretched(p[one[s]], p[two[s]])), sum(N + 1, (i) => mul(0.02 * 9.81, p[i][1]))),
  );
  return ready(gradient(fn([X], Real, (p) => energy({ one, two, p })), X), [rows(params, 2)]);
};

const attraction = () =>
  fn([R3, R3], Real, (p, q) => {
    const square = [0, 1, 2].reduce((s, k) => add(s, sqr(sub(p[k], q[k]))), 0.01);
    return div(1, sqrt(square));
  });
const own = (mass) => mass.reduce((s, m) => s + m * m, 0) / Math.sqrt(0.01);
const allBodies = ({ sizes: { N }, params, tables: { mass } }) => {
  const X = Vec(N, R3);
  const pair = attraction();
  const over = fn([{ m: Vec(N, Real), x: X }], Real, ({ m, x }) =>
    sum(N, (i) => mul(m[i], sum(N, (j) => mul(m[j], pair(x[i], x[j]))))),
  );
  const f = fn([X], Real, (x) => mul(0.5, sub(own(mass), over({ m: mass, x }))));
  return ready(gradient(f, X), [rows(params, 3)]);
};
const pairsOfBodies = ({ sizes: { N }, params, tables: { mass } }) => {
  const X = Vec(N, R3);
  const pair = attraction();
  const f = fn([X], Real, (x) => {
    let s = 0;
    for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) s = sub(s, mul(mass[i] * mass[j], pair(x[i], x[j])));
    return s;
  });
  return ready(gradient(f, X), [rows(params, 3)]);
};

const host = (f, rule) => {
  const g = opaque([Real], Real, f);
  g.jvp = fn([Dual], Dual, ({ re, du }) => {
    const y = g(re);
    return { re: y, du: mul(du, rule(y)) };
  });
  return g;
};

const network = ({ sizes: { N, H }, params, data: [samples, targets] }) => {
  const tanh = host(Math.tanh, (y) => sub(1, mul(y, y)));
  const W = { w1: Vec(H, R2), b1: Vec(H, Real), w2: Vec(H, Vec(H, Real)), b2: Vec(H, Real), w3: Vec(H, Real), b3: Real };
  const predicted = fn([W, R2], Real, ({ w1, b1, w2, b2, w3, b3 }, x) => {
    const first = vec(H, Real, (i) => tanh(add(add(mul(w1[i][0], x[0]), mul(w1[i][1], x[1])), b1[i])));
    const second = vec(H, Real, (i) => tanh(add(sum(H, (j) => mul(w2[i][j], first[j])), b2[i])));
    return add(sum(H, (i) => mul(w3[i], second[i])), b3);
  });
  const core = fn([{ w: W, x: Vec(N, R2), y: Vec(N, Real) }], Real, ({ w, x, y }) =>
    div(sum(N, (s) => sqr(sub(predicted(w, x[s]), y[s]))), N),
  );
  const points = { x: rows(samples, 2), y: targets };
  let at = 0;
  const take = (n) => params.slice(at, (at += n));
  const w1 = rows(take(2 * H), 2);
  const [b1, w2, b2, w3] = [take(H), rows(take(H * H), H), take(H), take(H)];
  const read = ({ y, g }) => [y, ...flat([g.w1, g.b1, g.w2, g.b2, g.w3, g.b3])];
  const f = gradient(fn([W], Real, (w) => core({ w, ...points })), W);
  return ready(f, [{ w1, b1, w2, b2, w3, b3: params[at] }]).then((made) => ({ ...made, read }));
};

const State = { x: Real, y: Real, u: Real, v: Real };
const oscillator = ({ sizes: { N }, params: [x, y, u, v] }) => {
  const step = fn([State], State, ({ x, y, u, v }) => {
    const drag = mul(0.05, sqrt(add(add(sqr(u), sqr(v)), 1e-12)));
    const u1 = add(u, mul(0.01, sub(mul(-1.3, x), mul(drag, u))));
    const v1 = add(v, mul(0.01, sub(sub(mul(-1.3, y), mul(drag, v)), 1)));
    return { x: add(x, mul(0.01, u1)), y: add(y, mul(0.01, v1)), u: u1, v: v1 };
  });
  const f = fn([State], Real, (s) => {
    for (let t = 0; t < N; t++) s = step(s);
    return add(sqr(sub(s.x, 0.3)), sqr(add(s.y, 0.8)));
  });
  const read = ({ y, g }) => [y, g.x, g.y, g.u, g.v];
  return ready(gradient(f, State), [{ x, y, u, v }]).then((made) => ({ ...made, read }));
};

/** The Hessian, by forward or reverse mode over reverse mode. Its rows are unrolled. */
const hessian = (make, forward) => ({ sizes: { N }, params }) => {
  const X = Vec(N, Real);
  const f = make(N);
  const v = vjp(f);
  const g = fn([X], X, (x) => v(x).grad(1));
  const w = forward ? jvp(g) : vjp(g);
  const basis = Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, j) => (i === j ? 1 : 0)));
  const both = fn([X], { y: Real, g: Vec(N, X) }, (x) => {
    if (!forward) {
      const { grad } = w(x);
      return { y: f(x), g: basis.map((e) => grad(e)) };
    }
    const row = (e) => {
      const duals = w(e.map((du, j) => ({ re: x[j], du })));
      return vec(N, Real, (j) => duals[j].du);
    };
    return { y: f(x), g: basis.map(row) };
  });
  return ready(both, [params]);
};

const terms = ({ sizes: { N, POINTS }, params, tables: { one, two } }) => {
  const X = Vec(POINTS, R2);
  const exp = host(Math.exp, (y) => y);
  const of = (f) => fn([R2, R2], Real, (p, q) => f(sub(q[0], p[0]), sub(q[1], p[1])));
  const kinds = [
    of((x, y) => sqr(sub(sqrt(add(sqr(x), sqr(y))), 1))),
    of((x, y) => div(1, add(add(sqr(x), sqr(y)), 0.1))),
    of((_, y) => sqr(select(lt(y, 0.2), Real, sub(0.2, y), 0))),
    of((x, y) => exp(neg(add(sqr(x), sqr(y))))),
  ];
  const f = fn([X], Real, (p) => {
    let s = 0;
    for (let k = 0; k < 4 * N; k++) s = add(s, kinds[Math.floor(k / N)](p[one[k]], p[two[k]]));
    return s;
  });
  return ready(gradient(f, X), [rows(params, 2)]);
};

export const forms = {
  least_squares: { loop: leastSquares },
  rosenbrock: { loop: rosenbrock(inLoop), unrolled: rosenbrock(unrolled) },
  springs: { loop: springs },
  nbody: { all: allBodies, pairs: pairsOfBodies },
  network: { loop: network },
  oscillator: { calls: oscillator },
  hessian: {
    loop: hessian(inLoop, true),
    unrolled: hessian(unrolled, true),
    "reverse, loop": hessian(inLoop, false),
    "reverse, unrolled": hessian(unrolled, false),
  },
  terms: { calls: terms },
};
