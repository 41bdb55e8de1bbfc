// @ts-check
/** The numbers of a point, in the table of the page. @param {number} x @param {number} y
 *  @param {import("./map.js").Local} local */
export const tell = (x, y, local) => {
  const {
    value,
    gradient: [p, q],
    hessian: [[a, b], [c, d]],
    bends: [most, least],
  } = local;
  for (const [id, z] of Object.entries({ x, y, value, gx: p, gy: q, hxx: a, hxy: b, hyx: c, hyy: d })) {
    const cell = /** @type {HTMLElement} */ (document.getElementById(id));
    cell.textContent = spelled(z);
    cell.dataset.exactly = String(z);
  }
  const bends = /** @type {HTMLElement} */ (document.getElementById("bends"));
  bends.textContent =
    least > 0
      ? "up, a bowl"
      : most < 0
        ? "down, a dome"
        : least < 0 && most > 0
          ? "both ways, a saddle"
          : "not everywhere";
};

/** @param {number} z */
const spelled = (z) => {
  const size = Math.abs(z);
  return (size >= 1e5 || (size && size < 1e-3) ? z.toExponential(2) : z.toFixed(3)).replace("-", "−");
};
