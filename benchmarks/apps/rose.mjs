// The original Rose, from npm: the steps are calls of one function, written one after the other, in one module. It has
// no loop with a state. tanh, exp and sin are functions of the host.
//
// `node rose.mjs robot setting.json`, with what `serve.py` reads and prints.

const began = [performance.now(), process.cpuUsage()];

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Dual, Real, Vec, compile, fn, opaque, select, vec, vjp } from "rose";
import { add, and, div, lt, mul, neg, sqrt, sub, sum } from "rose";

const R2 = Vec(2, Real);
const Body = { x: R2, v: R2 };
const host = (f, rule) => {
  const g = opaque([Real], Real, f);
  g.jvp = fn([Dual], Dual, ({ re, du }) => {
    const y = g(re);
    return { re: y, du: mul(du, rule(y)) };
  });
  return g;
};
const tanh = host(Math.tanh, (y) => sub(1, mul(y, y)));
const plus = (a, b, scale = 1) => [0, 1].map((k) => add(a[k], mul(scale, b[k])));
const dot = (a, b) => add(mul(a[0], b[0]), mul(a[1], b[1]));
const total = (xs) => xs.reduce((a, b) => add(a, b));
const flat = (x) => (typeof x == "number" ? [x] : Object.values(x).flatMap(flat));
const after = (state, steps, step) => {
  for (let t = 0; t < steps; t++) state = step(state, t);
  return state;
};

const gradient = (f, X) => {
  const v = vjp(f);
  return compile(
    fn([X], { y: Real, g: X }, (x) => {
      const { ret, grad } = v(x);
      return { y: ret, g: grad(1) };
    }),
  );
};

const billiards = async ({ steps }) => {
  const [DT, RADIUS, E, LAYERS] = [0.003, 0.03, 0.8, 4];
  const rack = [];
  for (let i = 0; i < LAYERS; i++)
    for (let j = 0; j <= i; j++) rack.push([i * 2 * RADIUS + 0.5, j * 2 * RADIUS + 0.5 - i * RADIUS * 0.7]);
  const N = 1 + rack.length;
  const Table = Vec(N, Body);
  const bounce = fn([Body, Body], Body, (a, b) => {
    const apart = plus(plus(a.x, a.v, DT), plus(b.x, b.v, DT), -1);
    const distance = sqrt(dot(apart, apart));
    const normal = apart.map((d) => div(d, add(distance, 1e-6)));
    const speed = dot(normal, plus(a.v, b.v, -1));
    const hits = and(lt(distance, 2 * RADIUS), lt(speed, 0));
    const slow = select(lt(speed, -1e-3), Real, speed, -1e-3);
    const early = sub(div(sub(distance, 2 * RADIUS), slow), DT);
    const back = select(lt(early, 0), Real, early, 0);
    const push = normal.map((n) => select(hits, Real, mul(mul(-(1 + E) * 0.5, speed), n), 0));
    return { x: push.map((p) => mul(back, p)), v: push };
  });
  const step = fn([Table], Table, (table) => {
    const made = [];
    for (let i = 0; i < N; i++) {
      const changes = [];
      for (let j = 0; j < N; j++) if (j !== i) changes.push(bounce(table[i], table[j]));
      const v = [0, 1].map((k) => add(table[i].v[k], total(changes.map((c) => c.v[k]))));
      const back = [0, 1].map((k) => total(changes.map((c) => c.x[k])));
      made.push({ x: plus(plus(table[i].x, v, DT), back), v });
    }
    return made;
  });
  const f = await gradient(
    fn([Body], Real, (cue) => {
      const table = after([cue, ...rack.map((x) => ({ x, v: [0, 0] }))], steps, (s) => step(s));
      const d = plus(table[N - 1].x, [-0.9, -0.75]);
      return dot(d, d);
    }),
    Body,
  );
  const start = { x: [0.1, 0.5], v: [0.3, 0] };
  const moved = (x, g) => [0, 1].map((k) => x[k] - 0.01 * g[k]);
  const better = (cue, g) => ({ x: moved(cue.x, g.x), v: moved(cue.v, g.v) });
  return { f, start, better, read: (g) => flat([g.x, g.v]) };
};

const robot = async ({ steps, masses, springs, weights }) => {
  const [DT, GROUND, WAVES, HIDDEN] = [0.004, 0.1, 10, 32];
  const [n, m] = [masses.length, springs.length];
  const W = { w1: Vec(HIDDEN, Vec(WAVES + 4 * n + 2, Real)), b1: Vec(HIDDEN, Real) };
  Object.assign(W, { w2: Vec(m, Vec(HIDDEN, Real)), b2: Vec(m, Real) });
  const State = Vec(n, Body);
  const Inputs = Vec(WAVES + 4 * n + 2, Real);
  const senses = fn([State, Vec(WAVES, Real)], Inputs, (body, waves) => {
    const centre = [0, 1].map((k) => div(total(masses.map((_, i) => body[i].x[k])), n));
    const told = masses.flatMap((_, i) => [
      ...[0, 1].map((k) => mul(0.05, sub(body[i].x[k], centre[k]))),
      ...[0, 1].map((k) => mul(0.05, body[i].v[k])),
    ]);
    return [...Array.from({ length: WAVES }, (_, j) => waves[j]), ...told, sub(0.9, centre[0]), sub(0.2, centre[1])];
  });
  const muscles = fn([W, Inputs], Vec(m, Real), ({ w1, b1, w2, b2 }, told) => {
    const inputs = WAVES + 4 * n + 2;
    const hidden = vec(HIDDEN, Real, (i) => tanh(add(sum(inputs, (j) => mul(w1[i][j], told[j])), b1[i])));
    return vec(m, Real, (i) => tanh(add(sum(HIDDEN, (j) => mul(w2[i][j], hidden[j])), b2[i])));
  });
  const pulls = fn([State, Vec(m, Real)], Vec(n, R2), (body, said) => {
    const pull = masses.map(() => [0, 0]);
    springs.forEach(([a, b, length, stiffness, muscle], k) => {
      const along = plus(body[a].x, body[b].x, -1);
      const far = add(sqrt(dot(along, along)), 1e-4);
      const rest = mul(length, add(1, mul(muscle, said[k])));
      const force = div(mul(mul(DT, sub(far, rest)), stiffness), far);
      pull[a] = plus(pull[a], [0, 1].map((i) => mul(force, along[i])), -1);
      pull[b] = plus(pull[b], [0, 1].map((i) => mul(force, along[i])));
    });
    return pull;
  });
  const moved = fn([Body, R2], Body, ({ x, v }, pull) => {
    const keep = Math.exp(-DT * 15);
    const old = [add(mul(keep, v[0]), pull[0]), add(add(mul(keep, v[1]), DT * -4.8), pull[1])];
    const lands = and(lt(add(x[1], mul(DT, old[1])), GROUND), lt(old[1], -1e-4));
    const falls = select(lands, Real, div(neg(sub(x[1], GROUND)), old[1]), 0);
    const next = old.map((u) => select(lands, Real, 0, u));
    return { x: plus(plus(x, [0, 1].map((k) => mul(falls, old[k]))), [0, 1].map((k) => mul(sub(DT, falls), next[k]))), v: next };
  });
  const step = fn([W, State, Vec(WAVES, Real)], State, (weights, body, waves) => {
    const pull = pulls(body, muscles(weights, senses(body, waves)));
    return masses.map((_, i) => moved(body[i], pull[i]));
  });
  const waves = (t) => Array.from({ length: WAVES }, (_, j) => Math.sin(10 * t * DT + ((2 * Math.PI) / WAVES) * j));
  const begin = masses.map((x) => ({ x, v: [0, 0] }));
  const f = await gradient(
    fn([W], Real, (weights) => neg(after(begin, steps, (body, t) => step(weights, body, waves(t)))[0].x[0])),
    W,
  );
  const [w1, b1, w2, b2] = weights;
  const better = (w, g) => {
    const rate = 0.2 / (Math.sqrt(flat(g).reduce((s, x) => s + x * x, 0)) + 1e-6);
    const row = (x, y) => x.map((v, i) => v - rate * y[i]);
    const rows = (x, y) => x.map((r, i) => row(r, y[i]));
    return { w1: rows(w.w1, g.w1), b1: row(w.b1, g.b1), w2: rows(w.w2, g.w2), b2: row(w.b2, g.b2) };
  };
  return { f, start: { w1, b1, w2, b2 }, better, read: (g) => flat([g.w1, g.b1, g.w2, g.b2]) };
};

const spent = ([clock, cpu], n = 1) => {
  const { user, system } = process.cpuUsage(cpu);
  return { ms: (performance.now() - clock) / n, cpu_ms: (user + system) / 1e3 / n };
};
const [app, file, iterations] = process.argv.slice(2);
const { f, start, better, read } = await { billiards, robot }[app](JSON.parse(readFileSync(file, "utf8")));
const print = (x) => console.log(JSON.stringify(x));
if (iterations) {
  const losses = [];
  for (let k = 0, now = start; k < Number(iterations); k++) {
    const { y, g } = f(now);
    losses.push(y);
    now = better(now, g);
  }
  print({ losses, ...spent(began) });
} else {
  const { y, g } = f(start);
  print({ answer: [y, ...read(g)], ...spent(began) });
  for await (const line of createInterface({ input: process.stdin })) {
    const since = [performance.now(), process.cpuUsage()];
    for (let k = 0; k < Number(line); k++) f(start);
    print(spent(since, Number(line)));
  }
}
