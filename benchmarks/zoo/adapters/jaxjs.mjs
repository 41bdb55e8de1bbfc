// jax-js, in WebAssembly and 64 bits: `grad`, `jacfwd` of it, and again. Arrays are consumed when they are used.

globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
const { init, defaultDevice, numpy: np, nn, lax, grad, jacfwd } = await import("@jax-js/jax");
import { readFileSync } from "node:fs";

import { program, run } from "./harness.mjs";

await init("wasm", "cpu");
defaultDevice("wasm");
const { version } = JSON.parse(readFileSync("node_modules/@jax-js/jax/package.json", "utf8"));
const array = (v) => np.array(Float64Array.from(v), { dtype: np.float64 });
const scalar = (v) => array([v]).reshape([]);

const words = {
  constant: scalar, vec: (...items) => np.stack(items), item: (v, k) => v.slice(k),
  add: np.add, sub: np.subtract, mul: np.multiply, div: np.trueDivide, neg: np.negative, pow: np.power,
  gt: np.greater, ge: np.greaterEqual, lt: np.less, le: np.lessEqual, equal: np.equal, where: np.where,
  sqrt: np.sqrt, exp: np.exp, log: np.log, log1p: np.log1p, expm1: np.expm1, sin: np.sin, cos: np.cos,
  atan2: np.arctan2, abs: np.abs, max: np.maximum, min: np.minimum, floor: np.floor, fmod: np.fmod, mod: np.remainder,
  clip: (x, a, b) => np.clip(x, a, b), asinh: np.arcsinh, sigmoid: nn.sigmoid, softplus: nn.softplus, sum: np.sum,
  prod: np.prod, norm: np.linalg.norm, amax: np.max, std: np.std, logsumexp: nn.logsumexp, softmax: nn.softmax,
  cumprod: np.cumprod, log_sigmoid: nn.logSigmoid, logaddexp: np.logaddexp, sinc: np.sinc, copysign: np.copysign,
  stop: lax.stopGradient, xlogy: (x, y) => x.mul(np.log(y)),
  det2: (x) => np.linalg.det(x.reshape([2, 2])), largest: (v, k) => lax.topK(v, k)[0],
  prelu: (x, a) => np.where(x.ref.greaterEqual(0), x.ref, a.mul(x)),
  take: (v, at) => np.take(v, np.array(Int32Array.from(at)), 0),
}; // prettier-ignore

const orders = (nodes) => {
  const f = program(nodes, words, (v) => v.ref);
  const g = grad(f);
  const h = jacfwd(g);
  return [f, g, h, jacfwd(h)].map((made) => (point) => made(array(point)).data());
};

await run(orders, `jax-js ${version}`);
