// What a page calls, by the name of the program: a function without arguments, of which `flat` compares the numbers.

import { angles, batch, classes, heights, matrix, net, side, times } from "./data.mjs";

const zeros = (...sizes) => {
  const [n, ...rest] = sizes;
  return Array.from({ length: n }, () => (rest.length ? zeros(...rest) : 0.25));
};
const columns = Float64Array.from({ length: 800 }, (_, k) => Math.sin(k));
const rows = Array.from({ length: 100 }, (_, k) => columns.subarray(8 * k, 8 * k + 8));
const images = Float64Array.from({ length: 8 * 28 * 28 }, (_, k) => Math.sin(k));
const weights = { kernel: zeros(3, 3, 1, 8), weights: zeros(1568, 10), bias: zeros(10) };
const labels = [0, 1, 2, 3, 4, 5, 6, 7];

export const calls = {
  valley: ({ slope }) => () => slope([-1.2, 1]),
  functional: ({ slope }) => () => slope(0.5),
  arrays: ({ slope }) => () => slope(side, columns, columns.subarray(0, 100)),
  "any size": ({ slope }) => () => slope(side, rows, columns.subarray(0, 100)),
  solve: ({ solve }) => () => solve(matrix, side),
  delta: ({ moves }) => () => moves(angles),
  fit: ({ fit }) => () => fit([1, 1], times, heights).x,
  ode: ({ slope }) => () => slope([1.1, 0.4, 0.1, 0.4], zeros(10, 2)),
  network: ({ train }) => () => train(net, batch, classes, 0.1),
  images: ({ train }) => () => train(weights, images, labels, 0.1),
};
