// @ts-check
/**
 * Where a function has given heights, from its heights at the points of a grid.
 *
 * @typedef {number[] | Float64Array} Numbers
 * @typedef {Numbers[]} Grid A row for each y, from the lowest.
 */

/** Which two sides of a cell a contour joins, by which corners lie above it; there are two contours at the two saddles. */
const SIDES = "|30|01|31|12|3210|02|32|23|20|0321|21|13|10|03|".split("|");

/**
 * The contour of a level, as the data of a path: a line through each cell that it crosses (marching squares).
 *
 * @param {Grid} grid @param {number} level @param {(x: number, y: number) => number[]} place From columns and rows, as
 *   fractions, to the picture.
 */
export const contour = (grid, level, place) => {
  let path = "";
  for (let i = 0; i + 1 < grid.length; i++) {
    const [low, high] = [grid[i], grid[i + 1]];
    for (let j = 0; j + 1 < low.length; j++) {
      const [a, b, c, d] = [low[j], low[j + 1], high[j + 1], high[j]]; // against the clock
      const bits =
        Number(a >= level) | (Number(b >= level) << 1) | (Number(c >= level) << 2) | (Number(d >= level) << 3);
      if (bits == 0 || bits == 15 || !Number.isFinite(a + b + c + d)) continue;
      const saddle = bits == 5 || bits == 10; // what is in the middle of it is joined
      const sides = SIDES[saddle && (a + b + c + d) / 4 >= level ? 15 - bits : bits];
      for (let k = 0; k < sides.length; k++) {
        const side = Number(sides[k]);
        const from = [a, b, c, d][side];
        const t = (level - from) / ([b, c, d, a][side] - from);
        const [x, y] = [[t, 1, 1 - t, 0][side], [0, t, 1, 1 - t][side]];
        const [u, v] = place((j + x) / (low.length - 1), (i + y) / (grid.length - 1));
        path += `${k % 2 ? "L" : "M"}${u.toFixed(1)} ${v.toFixed(1)}`;
      }
    }
  }
  return path;
};

/** Levels between which there is about as much of the picture. @param {Grid} grid @param {number} count */
export const levels = (grid, count) => {
  const all = Float64Array.from(
    Array.from(grid, (row) => Array.from(row))
      .flat()
      .filter(Number.isFinite),
  ).sort();
  const chosen = Array.from({ length: count }, (_, k) => all[Math.floor(((k + 1) / (count + 1)) * all.length)]);
  return { all, levels: [...new Set(chosen)].filter((z) => z !== undefined) };
};

/** How much of the picture lies lower, from 0 to 1. @param {Float64Array} all @param {number} z */
export const rank = (all, z) => {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle] < z) low = middle + 1;
    else high = middle;
  }
  return low / (all.length - 1 || 1);
};
