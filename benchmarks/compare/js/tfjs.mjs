// TensorFlow.js, in numbers of 32 bits: whole tensors where the program has them.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

const loaded = async (backend) => {
  const { warn, log } = console;
  console.warn = console.log = () => {};
  const tf = require("@tensorflow/tfjs");
  if (backend === "wasm") {
    const { setWasmPaths } = require("@tensorflow/tfjs-backend-wasm");
    setWasmPaths(join(dirname(require.resolve("@tensorflow/tfjs-backend-wasm/package.json")), "dist") + "/");
  }
  await tf.setBackend(backend);
  await tf.ready();
  tf.enableProdMode();
  Object.assign(console, { warn, log });
  return tf;
};

/** The value and the gradient, read out of their tensors. */
const gradient = (tf, f, shape) => (p) => {
  const both = tf.valueAndGrad(f(p));
  const call = (x) => {
    const at = tf.tensor(x, shape(p));
    const { value, grad } = both(at);
    const out = [value.dataSync()[0], grad.dataSync()];
    tf.dispose([at, value, grad]);
    return out;
  };
  return { call, args: [Float32Array.from(p.params)], read: ([value, g]) => [value, ...g] };
};

const leastSquares = (tf) => ({ sizes: { N, M }, data, tables }) => {
  const [xs, ys] = data.length ? data : [tables.x, tables.y];
  const x = tf.tensor2d(xs, [N, M]);
  const y = tf.tensor1d(ys);
  return (b) => y.sub(x.matMul(b.slice([1], [M]).reshape([M, 1])).reshape([N]).add(b.slice([0], [1]))).square().sum();
};

const rosenbrock = (tf) => ({ sizes: { N } }) => (x) => {
  const [next, here] = [x.slice([1], [N - 1]), x.slice([0], [N - 1])];
  return next.sub(here.square()).square().mul(100).add(tf.scalar(1).sub(here).square()).sum();
};

const springs = () => ({ sizes: { N } }) => (p) => {
  const d = p.slice([1, 0], [N, 2]).sub(p.slice([0, 0], [N, 2]));
  const stored = d.square().sum(1).sqrt().sub(0.1).square().sum().mul(25);
  return stored.add(p.slice([0, 1], [N + 1, 1]).sum().mul(0.02 * 9.81));
};

const nbody = (tf) => ({ tables: { mass } }) => {
  const m = tf.tensor1d(mass);
  const products = m.expandDims(1).mul(m.expandDims(0));
  const own = mass.reduce((s, m) => s + m * m, 0) / Math.sqrt(0.01);
  return (p) => {
    const square = p.expandDims(1).sub(p.expandDims(0)).square().sum(2).add(0.01);
    return tf.scalar(own).sub(products.div(square.sqrt()).sum()).mul(0.5);
  };
};

const network = (tf) => ({ sizes: { N, H }, data: [samples, targets] }) => {
  const x = tf.tensor2d(samples, [N, 2]);
  const y = tf.tensor1d(targets);
  return (w) => {
    let at = 0;
    const take = (...shape) => {
      const n = shape.reduce((a, b) => a * b);
      return w.slice([(at += n) - n], [n]).reshape(shape);
    };
    const first = x.matMul(take(H, 2), false, true).add(take(H)).tanh();
    const second = first.matMul(take(H, H), false, true).add(take(H)).tanh();
    return second.matMul(take(H, 1)).reshape([N]).add(take(1)).sub(y).square().mean();
  };
};

const oscillator = (tf) => ({ sizes: { N } }) => {
  const gravity = tf.tensor1d([0, -1]);
  const target = tf.tensor1d([0.3, -0.8]);
  return (s) => {
    let x = s.slice([0], [2]);
    let v = s.slice([2], [2]);
    for (let t = 0; t < N; t++) {
      const drag = v.square().sum().add(1e-12).sqrt().mul(0.05);
      v = v.add(x.mul(-1.3).sub(v.mul(drag)).add(gravity).mul(0.01));
      x = x.add(v.mul(0.01));
    }
    return x.sub(target).square().sum();
  };
};

const hessian = (tf) => (p) => {
  const { N } = p.sizes;
  const f = rosenbrock(tf)(p);
  const g = tf.grad(f);
  const unit = (i) => tf.oneHot(tf.tensor1d([i], "int32"), N).reshape([N]).toFloat();
  const rows = Array.from({ length: N }, (_, i) => unit(i)).map((e) => tf.grad((x) => g(x).mul(e).sum()));
  const call = (given) =>
    tf.tidy(() => {
      const x = tf.tensor1d(given);
      return [f(x).dataSync()[0], tf.stack(rows.map((row) => row(x))).dataSync()];
    });
  return { call, args: [Float32Array.from(p.params)], read: ([value, h]) => [value, ...h] };
};

/** The kinds one after the other, each on all of its pairs. */
const terms = (tf) => ({ sizes: { N }, tables: { one, two } }) => {
  const part = (xs, k) => tf.tensor1d(xs.slice(k * N, (k + 1) * N), "int32");
  const pairs = [0, 1, 2, 3].map((k) => [part(one, k), part(two, k)]);
  return (p) => {
    const square = (d) => d.square().sum(1);
    const kinds = [
      (d) => square(d).sqrt().sub(1).square(),
      (d) => tf.scalar(1).div(square(d).add(0.1)),
      (d) => tf.relu(tf.scalar(0.2).sub(d.slice([0, 1], [N, 1]))).square(),
      (d) => square(d).neg().exp(),
    ];
    return tf.addN(kinds.map((f, k) => f(tf.gather(p, pairs[k][1]).sub(tf.gather(p, pairs[k][0]))).sum()));
  };
};

export const withBackend = (backend) => {
  const tool = (f, shape) => async (p) => {
    const tf = await loaded(backend);
    return gradient(tf, f(tf), shape)(p);
  };
  const flat = (p) => [p.params.length];
  return {
    least_squares: { loop: tool(leastSquares, flat) },
    rosenbrock: { loop: tool(rosenbrock, flat) },
    springs: { loop: tool(springs, (p) => [p.sizes.N + 1, 2]) },
    nbody: { all: tool(nbody, (p) => [p.sizes.N, 3]) },
    network: { loop: tool(network, flat) },
    oscillator: { calls: tool(oscillator, flat) },
    hessian: { loop: async (p) => hessian(await loaded(backend))(p) },
    terms: { loop: tool(terms, (p) => [p.sizes.POINTS, 2]) },
  };
};
