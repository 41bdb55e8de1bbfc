// jax-js, jitted, with its back end of WebAssembly. Arrays are consumed when they are used; `.ref` keeps one.

import { defaultDevice, grad, init, jit, nn, numpy as np } from "@jax-js/jax";
import { batch, classes, net } from "./data.mjs";

globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
const array = (x, shape) => {
  const made = np.array(Float32Array.from(x.flat()), { dtype: np.float32 });
  return shape ? made.reshape(shape) : made;
};
const ready = async () => {
  await init("wasm", "cpu");
  defaultDevice("wasm");
};

export const valley = async () => {
  await ready();
  const slope = jit(
    grad((x) => {
      const [a, b] = [x.ref.slice(0), x.slice(1)];
      return np.square(a.ref.mul(-1).add(1)).add(np.square(b.sub(np.square(a))).mul(100));
    }),
  );
  return () => slope(array([-1.2, 1])).dataSync();
};

export const network = async () => {
  await ready();
  const hot = classes.map((k) => [0, 1, 2].map((j) => (j == k ? 1 : 0)));
  const [x, y] = [array(batch, [32, 2]), array(hot, [32, 3])];
  const loss = (w1, b1, w2, b2) => {
    const z = np.matmul(nn.relu(np.matmul(x.ref, w1).add(b1)), w2).add(b2);
    const norm = np.log(np.exp(z.ref).sum(1)).sum();
    return norm.sub(z.mul(y.ref).sum()).div(32);
  };
  const slopes = jit(grad(loss, { argnums: [0, 1, 2, 3] }));
  const shapes = { w1: [2, 16], b1: [16], w2: [16, 3], b2: [3] };
  return () => {
    const all = Object.entries(shapes).map(([k, shape]) => array(net[k], shape));
    return slopes(...all.map((a) => a.ref)).map((g, k) => all[k].sub(g.mul(0.1)).dataSync());
  };
};
