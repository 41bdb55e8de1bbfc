// The adjoints of `c/`, in JavaScript.

const simple = (run) => (p) => {
  const { N } = p.sizes;
  const x = Float64Array.from(p.params);
  const g = new Float64Array(p.answer.length - 1);
  return { call: run(p, N, g), args: [x], read: (value) => [value, ...g] };
};

const leastSquares = (p, n, g) => {
  const m = p.sizes.M;
  const [x, y] = (p.data.length ? p.data : [p.tables.x, p.tables.y]).map((xs) => Float64Array.from(xs));
  return (b) => {
    let value = 0;
    g.fill(0);
    for (let i = 0; i < n; i++) {
      let e = y[i] - b[0];
      for (let j = 0; j < m; j++) e -= x[i * m + j] * b[j + 1];
      value += e * e;
      const d = -2 * e;
      g[0] += d;
      for (let j = 0; j < m; j++) g[j + 1] += d * x[i * m + j];
    }
    return value;
  };
};

const rosenbrock = (_, n, g) => (x) => {
  let value = 0;
  let carried = 0;
  for (let i = 0; i < n - 1; i++) {
    const a = x[i + 1] - x[i] * x[i];
    const b = 1 - x[i];
    value += 100 * a * a + b * b;
    g[i] = carried - 400 * a * x[i] - 2 * b;
    carried = 200 * a;
  }
  g[n - 1] = carried;
  return value;
};

const springs = (_, n, g) => (p) => {
  const weight = 0.02 * 9.81;
  let value = 0;
  let gx = 0;
  let gy = 0;
  for (let s = 0; s < n; s++) {
    const dx = p[2 * s + 2] - p[2 * s];
    const dy = p[2 * s + 3] - p[2 * s + 1];
    const d = Math.sqrt(dx * dx + dy * dy);
    const e = d - 0.1;
    const c = (50 * e) / d;
    value += 25 * e * e + weight * p[2 * s + 1];
    g[2 * s] = gx - c * dx;
    g[2 * s + 1] = gy - c * dy + weight;
    gx = c * dx;
    gy = c * dy;
  }
  g[2 * n] = gx;
  g[2 * n + 1] = gy + weight;
  return value + weight * p[2 * n + 1];
};

const nbody = ({ tables }, n, g) => {
  const mass = Float64Array.from(tables.mass);
  return (p) => {
    let value = 0;
    g.fill(0);
    for (let i = 0; i < n; i++) {
      const [x, y, z] = [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
      let gx = 0;
      let gy = 0;
      let gz = 0;
      for (let j = 0; j < i; j++) {
        const dx = x - p[3 * j];
        const dy = y - p[3 * j + 1];
        const dz = z - p[3 * j + 2];
        const square = dx * dx + dy * dy + dz * dz + 0.01;
        const u = (mass[i] * mass[j]) / Math.sqrt(square);
        const c = u / square;
        value -= u;
        gx += c * dx;
        gy += c * dy;
        gz += c * dz;
        g[3 * j] -= c * dx;
        g[3 * j + 1] -= c * dy;
        g[3 * j + 2] -= c * dz;
      }
      g[3 * i] = gx;
      g[3 * i + 1] = gy;
      g[3 * i + 2] = gz;
    }
    return value;
  };
};

const network = ({ sizes: { H }, data }, n, g) => {
  const [samples, targets] = data.map((xs) => Float64Array.from(xs));
  const [B1, W2] = [2 * H, 3 * H];
  const [B2, W3, B3] = [W2 + H * H, W2 + H * H + H, W2 + H * H + 2 * H];
  const [first, second, d] = [0, 1, 2].map(() => new Float64Array(H));
  return (p) => {
    let value = 0;
    g.fill(0);
    for (let s = 0; s < n; s++) {
      const x = samples[2 * s];
      const y = samples[2 * s + 1];
      let z = p[B3];
      for (let i = 0; i < H; i++) first[i] = Math.tanh(p[2 * i] * x + p[2 * i + 1] * y + p[B1 + i]);
      for (let i = 0; i < H; i++) {
        let t = p[B2 + i];
        for (let j = 0; j < H; j++) t += p[W2 + i * H + j] * first[j];
        second[i] = Math.tanh(t);
        z += p[W3 + i] * second[i];
      }
      const e = z - targets[s];
      const de = (2 * e) / n;
      value += (e * e) / n;
      g[B3] += de;
      d.fill(0);
      for (let i = 0; i < H; i++) {
        const dt = de * p[W3 + i] * (1 - second[i] * second[i]);
        g[W3 + i] += de * second[i];
        g[B2 + i] += dt;
        for (let j = 0; j < H; j++) {
          g[W2 + i * H + j] += dt * first[j];
          d[j] += dt * p[W2 + i * H + j];
        }
      }
      for (let i = 0; i < H; i++) {
        const dt = d[i] * (1 - first[i] * first[i]);
        g[B1 + i] += dt;
        g[2 * i] += dt * x;
        g[2 * i + 1] += dt * y;
      }
    }
    return value;
  };
};

const oscillator = (_, n, g) => {
  const tape = new Float64Array(3 * n);
  const [dt, k, c] = [0.01, 1.3, 0.05];
  return (at) => {
    let [x, y, u, v] = [at[0], at[1], at[2], at[3]];
    for (let t = 0; t < n; t++) {
      const speed = Math.sqrt(u * u + v * v + 1e-12);
      tape[3 * t] = u;
      tape[3 * t + 1] = v;
      tape[3 * t + 2] = speed;
      u += dt * (-k * x - c * speed * u);
      v += dt * (-k * y - c * speed * v - 1);
      x += dt * u;
      y += dt * v;
    }
    const ex = x - 0.3;
    const ey = y + 0.8;
    let gx = 2 * ex;
    let gy = 2 * ey;
    let gu = 0;
    let gv = 0;
    for (let t = n - 1; t >= 0; t--) {
      const u = tape[3 * t];
      const v = tape[3 * t + 1];
      const speed = tape[3 * t + 2];
      gu += dt * gx;
      gv += dt * gy;
      const ax = dt * gu;
      const ay = dt * gv;
      const gs = (-c * (u * ax + v * ay)) / speed;
      gx -= k * ax;
      gy -= k * ay;
      gu += gs * u - c * speed * ax;
      gv += gs * v - c * speed * ay;
    }
    g[0] = gx;
    g[1] = gy;
    g[2] = gu;
    g[3] = gv;
    return ex * ex + ey * ey;
  };
};

const hessian = (_, n, h) => (x) => {
  let value = 0;
  let carried = 0;
  h.fill(0);
  for (let i = 0; i < n - 1; i++) {
    const a = x[i + 1] - x[i] * x[i];
    const b = 1 - x[i];
    value += 100 * a * a + b * b;
    h[i * n + i] = carried - 400 * a + 800 * x[i] * x[i] + 2;
    h[i * n + i + 1] = h[(i + 1) * n + i] = -400 * x[i];
    carried = 200;
  }
  h[n * n - 1] = carried;
  return value;
};

const terms = ({ tables }, n, g) => {
  const [one, two] = [tables.one, tables.two].map((xs) => Int32Array.from(xs));
  return (p) => {
    let value = 0;
    g.fill(0);
    for (let k = 0; k < 4 * n; k++) {
      const i = 2 * one[k];
      const j = 2 * two[k];
      const dx = p[j] - p[i];
      const dy = p[j + 1] - p[i + 1];
      let gx = 0;
      let gy = 0;
      if (k < n) {
        const d = Math.sqrt(dx * dx + dy * dy);
        const e = d - 1;
        value += e * e;
        gx = ((2 * e) / d) * dx;
        gy = ((2 * e) / d) * dy;
      } else if (k < 2 * n) {
        const u = 1 / (dx * dx + dy * dy + 0.1);
        value += u;
        gx = -2 * u * u * dx;
        gy = -2 * u * u * dy;
      } else if (k < 3 * n) {
        const e = Math.max(0.2 - dy, 0);
        value += e * e;
        gy = -2 * e;
      } else {
        const u = Math.exp(-(dx * dx + dy * dy));
        value += u;
        gx = -2 * u * dx;
        gy = -2 * u * dy;
      }
      g[i] -= gx;
      g[i + 1] -= gy;
      g[j] += gx;
      g[j + 1] += gy;
    }
    return value;
  };
};

export const forms = {
  least_squares: { loop: simple(leastSquares) },
  rosenbrock: { loop: simple(rosenbrock) },
  springs: { loop: simple(springs) },
  nbody: { loop: simple(nbody) },
  network: { loop: simple(network) },
  oscillator: { loop: simple(oscillator) },
  hessian: { loop: simple(hessian) },
  terms: { loop: simple(terms) },
};
