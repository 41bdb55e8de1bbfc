// jax-js, jitted, in numbers of 64 bits. Arrays are consumed when they are used; `.ref` keeps one.

globalThis.Float16Array ??= class Float16Array extends Uint16Array {};
const { init, defaultDevice, numpy: np, jit, valueAndGrad, hessian } = await import("@jax-js/jax");
await init("wasm", "cpu");
defaultDevice("wasm");

const array = (xs, shape) => {
  const made = np.array(Float64Array.from(xs), { dtype: np.float64 });
  return shape ? made.reshape(shape) : made;
};

const gradient = (f, shape) => (p) => {
  const both = jit(valueAndGrad(f(p)));
  const call = (x) => {
    const [value, g] = both(array(x, shape?.(p)));
    return [value.dataSync()[0], g.dataSync()];
  };
  return { call, args: [Float64Array.from(p.params)], read: ([value, g]) => [value, ...g] };
};

const leastSquares = ({ sizes: { N, M }, data, tables }) => {
  const [xs, ys] = data.length ? data : [tables.x, tables.y];
  const [x, y] = [array(xs, [N, M]), array(ys)];
  return (b) => np.square(y.ref.sub(np.matmul(x.ref, b.ref.slice([1, M + 1])).add(b.slice(0)))).sum();
};

const rosenbrock = ({ sizes: { N } }) => (x) => {
  const [next, here] = [x.ref.slice([1, N]), x.slice([0, N - 1])];
  return np.square(next.sub(np.square(here.ref))).mul(100).add(np.square(here.mul(-1).add(1))).sum();
};

// gathers, and a mask for the height: the gradient of a slice of a column is wrong under jit in 0.1.25
const springs = ({ sizes: { N } }) => {
  const one = np.array(Int32Array.from({ length: N }, (_, i) => i));
  const two = np.array(Int32Array.from({ length: N }, (_, i) => i + 1));
  const mask = array([0, 1]);
  return (p) => {
    const d = np.take(p.ref, two.ref, 0).sub(np.take(p.ref, one.ref, 0));
    const stored = np.square(np.sqrt(np.square(d).sum(1)).sub(0.1)).sum().mul(25);
    return stored.add(p.mul(mask.ref).sum().mul(0.02 * 9.81));
  };
};

const nbody = ({ sizes: { N }, tables: { mass } }) => {
  const products = array(mass, [N, 1]).mul(array(mass, [1, N]));
  const own = mass.reduce((s, m) => s + m * m, 0) / Math.sqrt(0.01);
  return (p) => {
    const d = p.ref.reshape([N, 1, 3]).sub(p.reshape([1, N, 3]));
    return products.ref.div(np.sqrt(np.square(d).sum(2).add(0.01))).sum().sub(own).mul(-0.5);
  };
};

const network = ({ sizes: { N, H }, data: [samples, targets] }) => {
  const [x, y] = [array(samples, [N, 2]), array(targets)];
  return (w) => {
    let at = 0;
    const take = (...shape) => {
      const n = shape.reduce((a, b) => a * b);
      return w.ref.slice([(at += n) - n, at]).reshape(shape);
    };
    const first = np.tanh(np.matmul(x.ref, take(H, 2).transpose()).add(take(H)));
    const second = np.tanh(np.matmul(first, take(H, H).transpose()).add(take(H)));
    const out = np.matmul(second, take(H)).add(take(1));
    w.dispose();
    return np.square(out.sub(y.ref)).mean();
  };
};

const oscillator = ({ sizes: { N } }) => {
  const [gravity, target] = [array([0, -1]), array([0.3, -0.8])];
  return (s) => {
    let x = s.ref.slice([0, 2]);
    let v = s.slice([2, 4]);
    for (let t = 0; t < N; t++) {
      const drag = np.sqrt(np.square(v.ref).sum().add(1e-12)).mul(0.05);
      v = v.ref.add(x.ref.mul(-1.3).sub(v.mul(drag)).add(gravity.ref).mul(0.01));
      x = x.add(v.ref.mul(0.01));
    }
    v.dispose();
    return np.square(x.sub(target.ref)).sum();
  };
};

const hessianOf = (p) => {
  const f = rosenbrock(p);
  const [value, second] = [jit(f), jit(hessian(f))];
  const call = (xs) => {
    const x = array(xs);
    const y = value(x.ref).dataSync()[0];
    return [y, second(x).dataSync()];
  };
  return { call, args: [Float64Array.from(p.params)], read: ([y, h]) => [y, ...h] };
};

const terms = ({ sizes: { N }, tables: { one, two } }) => {
  const part = (xs, k) => np.array(Int32Array.from(xs.slice(k * N, (k + 1) * N)));
  const pairs = [0, 1, 2, 3].map((k) => [part(one, k), part(two, k)]);
  const mask = array([0, 1]);
  const square = (d) => np.square(d).sum(1);
  const kinds = [
    (d) => np.square(np.sqrt(square(d)).sub(1)),
    (d) => np.reciprocal(square(d).add(0.1)),
    (d) => np.square(np.maximum(d.mul(mask.ref).sum(1).mul(-1).add(0.2), 0)),
    (d) => np.exp(square(d).mul(-1)),
  ];
  return (p) => {
    const sums = kinds.map((f, k) => f(np.take(p.ref, pairs[k][1].ref, 0).sub(np.take(p.ref, pairs[k][0].ref, 0))).sum());
    p.dispose();
    return sums.reduce((s, x) => s.add(x));
  };
};

export const bound = 1e-6; // its square roots, exponentials and tanh have 24 bits
export const forms = {
  least_squares: { loop: gradient(leastSquares) },
  rosenbrock: { loop: gradient(rosenbrock) },
  springs: { loop: gradient(springs, (p) => [p.sizes.N + 1, 2]) },
  nbody: { all: gradient(nbody, (p) => [p.sizes.N, 3]) },
  network: { loop: gradient(network) },
  oscillator: { calls: gradient(oscillator) },
  hessian: { loop: hessianOf },
  terms: { loop: gradient(terms, (p) => [p.sizes.POINTS, 2]) },
};
