// @ts-check
/** Finds the functions that a module calls. Only packages that need it have this file. */

/**
 * The function for an import: one that the page supplies, or else one of JavaScript, by its dotted name.
 *
 * @param {any} opaque @param {string} name @returns {(...args: any[]) => any}
 */
export const find = (opaque, name) => {
  const path = opaque[name] ? [name] : name.split(".");
  const key = /** @type {string} */ (path.pop());
  const owner = path[0] ? path.reduce((x, k) => x?.[k], /** @type {any} */ (globalThis)) : opaque;
  if (typeof owner?.[key] != "function")
    throw new Error(`no function ${name}: write init(undefined, { "${name}": ... })`);
  return owner[key].bind(owner);
};
