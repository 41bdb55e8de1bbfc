// @ts-check
/**
 * Host functions, which a module calls: those that the page supplies, and `rose.print`. Only packages that need it have
 * this file.
 *
 * @typedef {(...args: any[]) => any} Call
 * @typedef {{ name: string, params: { type: any, empty: boolean }[], result: any }} Import
 * @typedef {{ imports: Import[], prints?: (Import & { pieces: string[] })[], line?: Call }} Signatures
 */

/**
 * The function for an import: one that the page supplies, or else one of JavaScript, by its dotted name.
 *
 * @param {any} opaque @param {string} name @returns {Call}
 */
const find = (opaque, name) => {
  const path = opaque[name] ? [name] : name.split(".");
  const key = /** @type {string} */ (path.pop());
  const owner = path[0] ? path.reduce((x, k) => x?.[k], /** @type {any} */ (globalThis)) : opaque;
  if (typeof owner?.[key] != "function")
    throw new Error(`no function ${name}: write init(undefined, { "${name}": ... })`);
  return owner[key].bind(owner);
};

/**
 * The imports of an instance.
 *
 * @param {Signatures} signatures @param {any} opaque @param {any} instance Its functions that read and write values.
 */
export const hosted = ({ imports, prints = [], line }, opaque, { look, path, access, known }) => {
  /** @param {Import} signature @param {Call} f */
  const host = (signature, f) => {
    /** @type {Import["params"]} */
    let seen;
    /** @type {Call[]} */
    let gets;
    /** @type {Call} */
    let put;
    return (/** @type {any[]} */ ...raw) => {
      look();
      const { params, result } = known(signature);
      if (seen != params) {
        seen = params;
        gets = params.map((/** @type {any} */ { type }) => access(type).get);
        put = access(result).put;
      }
      const x = f(...seen.map(({ empty }, k) => gets[k](empty ? 0 : raw.shift())));
      look();
      path[0] = "the result of " + signature.name;
      return put(x, raw[0]);
    };
  };
  return {
    opaque: Object.fromEntries(imports.map((x) => [x.name, host(x, find(opaque, x.name))])),
    print: prints.map((x) => host(x, (...xs) => console.log(line?.(x.pieces, x.params, xs)))),
  };
};
