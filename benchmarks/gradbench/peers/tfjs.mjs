// TensorFlow.js behind GradBench's protocol: `node gradbench-tfjs.mjs cpu` or `wasm`; in numbers of 32 bits.
import { createInterface } from "node:readline";
import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";

const [backend = "cpu", flag, clockName = "wall"] = process.argv.slice(2);

const cpu = () => Math.round(1e3 * (({ user, system }) => user + system)(process.cpuUsage()));
const clock = flag === "--clock" && clockName === "cpu" ? cpu : () => Number(process.hrtime.bigint());

function llsq(x, n) {
  const m = x.shape[0];
  const t = tf.tensor1d(Float32Array.from({ length: n }, (_, i) => -1 + (2 * i) / (n - 1)));
  return (x) => {
    const powers = tf.pow(tf.reshape(t, [n, 1]), tf.range(0, m));
    const sums = tf.reshape(tf.matMul(powers, tf.reshape(x, [m, 1])), [n]);
    return tf.sum(tf.square(tf.sub(tf.sign(t), sums))).div(2);
  };
}

function lse() {
  return (x) => {
    const most = tf.scalar(tf.max(x).dataSync()[0]);
    return tf.add(most, tf.log(tf.sum(tf.exp(tf.sub(x, most)))));
  };
}

const evals = {
  llsq: ({ x, n }) => [llsq(tf.tensor1d(x), n), tf.tensor1d(x)],
  lse: ({ x }) => [lse(), tf.tensor1d(x)],
};

function evaluated({ module, function: name, input }) {
  const [f, x] = evals[module](input);
  const run = name === "primal" ? f : tf.grad(f);
  const once = () => tf.tidy(() => run(x).dataSync());
  once();
  const times = [];
  let [output, spent] = [null, 0];
  while (times.length < Math.max(1, input.min_runs ?? 1) || spent < 1e9 * (input.min_seconds ?? 0)) {
    const start = clock();
    output = once();
    times.push(clock() - start);
    spent += times.at(-1);
  }
  output = name === "primal" ? output[0] : [...output];
  return { success: true, output, timings: times.map((nanoseconds) => ({ name: "evaluate", nanoseconds })) };
}

function answer(message) {
  if (message.kind === "start") return { tool: `tfjs ${backend}` };
  if (message.kind === "define") return { success: message.module in evals };
  return message.kind === "evaluate" ? evaluated(message) : {};
}

await tf.setBackend(backend);
await tf.ready();
tf.enableProdMode();
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: message.id, ...answer(message) })}\n`);
}
