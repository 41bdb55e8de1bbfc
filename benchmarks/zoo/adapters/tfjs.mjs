// TensorFlow.js, in JavaScript and 32 bits: `tf.grad`, again and again.

import { createRequire } from "node:module";

import { program, run } from "./harness.mjs";

const { warn, log } = console;
console.warn = () => {};
const tf = createRequire(import.meta.url)("@tensorflow/tfjs");
await tf.setBackend("cpu");
Object.assign(console, { warn, log });

/** A copy without a past: what a comparison takes has no gradient function. */
const detached = (v) => tf.tensor(v.dataSync(), v.shape);
const compared = (f) => (a, b) => f(detached(a), detached(b));

const words = {
  constant: (v) => tf.scalar(v), vec: (...items) => tf.stack(items), item: (v, k) => v.gather(k),
  add: tf.add, sub: tf.sub, mul: tf.mul, div: tf.div, neg: tf.neg, pow: tf.pow, gt: compared(tf.greater),
  ge: compared(tf.greaterEqual), lt: compared(tf.less), le: compared(tf.lessEqual), equal: compared(tf.equal),
  stop: detached, where: (c, a, b) => tf.where(c, tf.add(a, tf.zerosLike(b)), b),
  sqrt: tf.sqrt, exp: tf.exp, log: tf.log, log1p: tf.log1p, expm1: tf.expm1, sin: tf.sin, cos: tf.cos,
  atan2: tf.atan2, abs: tf.abs, max: tf.maximum, min: tf.minimum, floor: tf.floor, mod: tf.mod,
  asinh: tf.asinh, sigmoid: tf.sigmoid, softplus: tf.softplus, sum: tf.sum, prod: tf.prod, norm: tf.norm, amax: tf.max,
  logsumexp: tf.logSumExp, softmax: tf.softmax, cumprod: tf.cumprod, log_sigmoid: tf.logSigmoid,
  prelu: (x, a) => tf.prelu(x.reshape([1]), a.reshape([1])).reshape([]),
  std: (v) => tf.moments(v).variance.sqrt(), largest: (v, k) => tf.topk(v, k).values,
  xlogy: (x, y) => x.mul(y.log()), take: (v, at) => tf.gather(v, tf.tensor1d(at, "int32")),
}; // prettier-ignore
words.clip = (x, a, b) => tf.clipByValue(x, a.dataSync()[0], b.dataSync()[0]);

/** Of what does not depend on its argument, 0. */
const grad = (f) => (x) => {
  try {
    return tf.grad(f)(x);
  } catch (e) {
    if (e.message.includes("Make sure that the f you passed")) return tf.zerosLike(x);
    throw e;
  }
};

const orders = (nodes, n) => {
  const f = program(nodes, words);
  const made = [f, grad(f)];
  for (const order of [2, 3]) {
    const inner = made.at(-1);
    const count = n ** (order - 1);
    made.push((x) =>
      tf.stack(Array.from({ length: count }, (_, k) => grad((v) => inner(v).reshape([count]).gather(k))(x))));
  }
  return made.map((g) => (point) => g(tf.tensor1d(point)).dataSync());
};

await run(orders, `TensorFlow.js ${tf.version.tfjs}`);
