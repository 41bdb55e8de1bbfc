// @ts-check
/**
 * Formats the output of `rose.print`, as Python does. Only packages that print have this file.
 *
 * @typedef {{ type: any, spec: string }} Place
 */

/**
 * A number in Python's notation; a spec, such as ".3f", rounds it.
 *
 * @param {number} x @param {string} [spec]
 */
const digits = (x, spec) => {
  if (!isFinite(x)) return `${x}`.toLowerCase().replace("inity", "");
  const places = spec ? parseInt(spec.slice(1)) : undefined;
  const sign = Object.is(x, -0) ? "-" : "";
  const [mantissa, e] = x.toExponential(places).split("e");
  if (spec ? spec.endsWith("e") : +e < -4 || +e > 15) return `${sign}${mantissa}e${e[0]}${e.slice(1).padStart(2, "0")}`;
  const text = sign + (spec ? x.toFixed(places) : x);
  return spec || text.includes(".") ? text : text + ".0";
};

/**
 * A value in Python's notation.
 *
 * @param {any} type @param {any} x @param {string} [spec] @returns {string}
 */
const spell = ({ kind, elem, items, fields, name }, x, spec) => {
  if (kind == "real" || kind == "single") return digits(x, spec);
  if (kind == "bool") return x ? "True" : "False";
  if (elem) return `[${Array.from(x, (y) => spell(elem, y)).join(", ")}]`;
  if (items) {
    const all = items.map((/** @type {[number, any]} */ [, type], /** @type {number} */ i) => spell(type, x[i]));
    return `(${all.join(", ")}${all.length == 1 ? "," : ""})`;
  }
  if (!fields) return kind == "unit" ? "None" : `${x}`;
  const dict = name == "dict";
  const all = fields.map((/** @type {[string, number, any]} */ [key, , type]) => {
    return (dict ? `'${key}': ` : key + "=") + spell(type, x[key]);
  });
  return dict ? `{${all.join(", ")}}` : `${name}(${all.join(", ")})`;
};

/**
 * A line: pieces of text, and values between them.
 *
 * @param {string[]} pieces @param {Place[]} places @param {any[]} xs
 */
export const line = (pieces, places, xs) =>
  xs.reduce((text, x, i) => text + spell(places[i].type, x, places[i].spec) + pieces[i + 1], pieces[0]);
