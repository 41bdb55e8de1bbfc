// @ts-check
/**
 * Dynamic sizes: measures the vectors in the arguments of a call, and tells the module.
 *
 * @typedef {{ name: string, sizes?: [string, ...(string | number)[]][] }} Export
 */

/**
 * For one instance: the signature of a call, with the sizes and addresses that the module computes. Each of `sizes` is
 * a name, and the path from the arguments to a vector of that size. Without arguments, the sizes of the last call.
 *
 * @param {any} exports @returns {(signature: Export, args?: any[]) => any}
 */
export const sized = (exports) => {
  /** The sizes of the last calls, by name. @type {Record<string, number>} */
  const now = {};
  /** The signatures of the exports that were told these sizes. @type {Map<Export, any>} */
  const ready = new Map();
  const known = (/** @type {any} */ signature) =>
    JSON.parse(JSON.stringify(signature), (_, x) => (x?.["#"] ? exports[x["#"]].value >>> 0 : x));
  return (signature, args) => {
    const { name, sizes } = signature;
    if (!args) return known(signature);
    if (!sizes) return signature;
    for (const way of sizes) {
      /** @type {any} */
      let x = args;
      for (let k = 1; k < way.length; k++) x = x?.[way[k]];
      // of complex numbers the path ends with the length, of both parts
      const length = (x?.length ?? x / 2) >>> 0;
      if (now[way[0]] !== length) ready.clear();
      now[way[0]] = length;
    }
    let found = ready.get(signature);
    if (!found) {
      exports["#" + name](...sizes.map(([size]) => now[size]));
      ready.set(signature, (found = known(signature)));
    }
    return found;
  };
};
