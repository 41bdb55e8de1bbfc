import { Matrix, solve as solved } from "ml-matrix";
import { matrix, side } from "./data.mjs";

export const solve = () => {
  const [a, b] = [new Matrix(matrix), Matrix.columnVector(side)];
  return () => solved(a, b).to1DArray();
};
