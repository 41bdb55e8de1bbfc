// The data of the programs: the same for every library.

let seed = 1;
/** A number from -1/2 to 1/2, of Lehmer's generator. */
const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
const several = (n, f = next) => Array.from({ length: n }, (_, k) => f(k));

export const matrix = several(8, (i) => several(8, (j) => next() + (i == j ? 4 : 0)));
export const side = several(8);
export const batch = several(32, () => several(2));
export const classes = several(32, (k) => k % 3);
export const net = { w1: several(2, () => several(16)), b1: several(16, () => 0), w2: several(16, () => several(3)), b2: several(3, () => 0) };
export const times = several(1000, (k) => (2 * Math.PI * k) / 1000);
export const heights = times.map((t) => 2 * Math.sin(2 * t));
export const angles = [0.3, 0.1, -0.2];
