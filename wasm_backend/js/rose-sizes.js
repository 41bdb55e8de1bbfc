// @ts-check
/**
 * Functions for every size: reads off the arguments how large their vectors are, and tells the module.
 *
 * @typedef {{ name: string, sizes?: [string, ...(string | number)[]][] }} Export
 */

/**
 * For one instance: the signature of a call, with sizes and addresses that the module works out. Each of `sizes` is a
 * name, and the way from the arguments to a vector of so many elements. Without arguments, what the module knows now.
 *
 * @param {any} exports @returns {(signature: Export, args?: any[]) => any}
 */
export const sized = (exports) => {
  /** The sizes by name, as calls told them last. @type {Record<string, number>} */
  const now = {};
  /** The signatures of the exports that know of these. @type {Map<Export, any>} */
  const ready = new Map();
  const known = (/** @type {any} */ signature) =>
    JSON.parse(JSON.stringify(signature), (_, x) => (x?.["#"] ? exports[x["#"]].value >>> 0 : x));
  return (signature, args) => {
    const { name, sizes } = signature;
    if (!args) return known(signature);
    if (!sizes) return signature;
    const lengths = sizes.map(([size, ...way]) => {
      const length = way.reduce((x, key) => x?.[key], /** @type {any} */ (args))?.length >>> 0;
      if (now[size] !== length) ready.clear();
      return (now[size] = length);
    });
    if (!ready.has(signature)) {
      exports["#" + name](...lengths);
      ready.set(signature, known(signature));
    }
    return ready.get(signature);
  };
};
