// TensorFlow.js: its core and its back end in JavaScript, with the gradients of all operations; in numbers of 32 bits.

import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-core/dist/register_all_gradients";
import "@tensorflow/tfjs-backend-cpu";
import { batch, classes, net } from "./data.mjs";

const ready = async () => {
  await tf.setBackend("cpu");
  await tf.ready();
  tf.enableProdMode();
};

export const valley = async () => {
  await ready();
  const slope = tf.grad((x) => {
    const [a, b] = tf.split(x, 2);
    return tf.sum(tf.add(tf.square(tf.sub(1, a)), tf.mul(100, tf.square(tf.sub(b, tf.square(a))))));
  });
  return () => tf.tidy(() => slope(tf.tensor1d([-1.2, 1])).dataSync());
};

export const network = async () => {
  await ready();
  const [x, y] = [tf.tensor2d(batch), tf.oneHot(tf.tensor1d(classes, "int32"), 3)];
  const loss = (w1, b1, w2, b2) => {
    const z = tf.add(tf.matMul(tf.relu(tf.add(tf.matMul(x, w1), b1)), w2), b2);
    return tf.neg(tf.mean(tf.sum(tf.mul(y, tf.sub(z, tf.logSumExp(z, 1, true))), 1)));
  };
  const slopes = tf.grads(loss);
  return () =>
    tf.tidy(() => {
      const all = [tf.tensor2d(net.w1), tf.tensor1d(net.b1), tf.tensor2d(net.w2), tf.tensor1d(net.b2)];
      return slopes(all).map((g, k) => tf.sub(all[k], tf.mul(g, 0.1)).dataSync());
    });
};
