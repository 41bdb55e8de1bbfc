// mathjs: derivatives of expressions, and linear equations.

import { derivative, lusolve, parse } from "mathjs";
import { angles, matrix, side } from "./data.mjs";

export const valley = () => {
  const text = "(1 - x)^2 + 100 * (y - x^2)^2";
  const parts = ["x", "y"].map((k) => derivative(text, k).compile());
  return () => parts.map((part) => part.evaluate({ x: -1.2, y: 1 }));
};

export const solve = () => () => lusolve(matrix, side);

/** The place of the hand of a robot with three arms, as one expression of its angles. */
const written = () => {
  const [base, hand, arm, bar] = [457.3, 115, 112, 232];
  const off = ((base - hand) * Math.tan(Math.PI / 6)) / 2;
  const [out, z] = [(k) => `(${off} + ${arm} * cos(t${k}))`, (k) => `(-${arm} * sin(t${k}))`];
  const [sine, tangent] = [Math.sin(Math.PI / 6), Math.tan(Math.PI / 3)];
  const [y1, y2, y3] = [`(-${out(1)})`, `(${out(2)} * ${sine})`, `(${out(3)} * ${sine})`];
  const [x2, x3] = [`(${y2} * ${tangent})`, `(-${y3} * ${tangent})`];
  const w1 = `(${y1}^2 + ${z(1)}^2)`;
  const [w2, w3] = [`(${x2}^2 + ${y2}^2 + ${z(2)}^2)`, `(${x3}^2 + ${y3}^2 + ${z(3)}^2)`];
  const d = `((${y2} - ${y1}) * ${x3} - (${y3} - ${y1}) * ${x2})`;
  const a1 = `((${z(2)} - ${z(1)}) * (${y3} - ${y1}) - (${z(3)} - ${z(1)}) * (${y2} - ${y1}))`;
  const b1 = `(-((${w2} - ${w1}) * (${y3} - ${y1}) - (${w3} - ${w1}) * (${y2} - ${y1})) / 2)`;
  const a2 = `(-(${z(2)} - ${z(1)}) * ${x3} + (${z(3)} - ${z(1)}) * ${x2})`;
  const b2 = `(((${w2} - ${w1}) * ${x3} - (${w3} - ${w1}) * ${x2}) / 2)`;
  const a = `(${a1}^2 + ${a2}^2 + ${d}^2)`;
  const b = `(2 * (${a1} * ${b1} + ${a2} * (${b2} - ${y1} * ${d}) - ${z(1)} * ${d}^2))`;
  const c = `((${b2} - ${y1} * ${d})^2 + ${b1}^2 + ${d}^2 * (${z(1)}^2 - ${bar ** 2}))`;
  const height = `(-(${b} + sqrt(${b}^2 - 4 * ${a} * ${c})) / (2 * ${a}))`;
  return [`(${a1} * ${height} + ${b1}) / ${d}`, `(${a2} * ${height} + ${b2}) / ${d}`, height];
};

const moved = (...options) => {
  const rows = written().map((text) => {
    const tree = parse(text);
    return [1, 2, 3].map((k) => derivative(tree, `t${k}`, ...options).compile());
  });
  const [t1, t2, t3] = angles;
  return () => rows.map((row) => row.map((part) => part.evaluate({ t1, t2, t3 })));
};

export const delta = () => moved();
export const plain = () => moved({ simplify: false });
