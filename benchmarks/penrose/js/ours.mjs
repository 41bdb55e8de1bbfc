// A graph's package, which Python wrote beside it: its module is compiled and called as a page would do it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const made = async ({ inputs, objectives, constraints }, folder) => {
  const { init } = await import(pathToFileURL(join(folder, "node.js")).href);
  const { value_and_gradient } = await init(readFileSync(join(folder, "diagram.wasm")));
  const ones = ({ length }) => new Float64Array(length).fill(1);
  const varies = ones(inputs);
  const masks = [ones(objectives), ones(constraints)];
  return (x, weight) => value_and_gradient(x, weight, varies, ...masks);
};
