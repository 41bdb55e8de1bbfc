// @ts-check
/**
 * Loads modules compiled by Rose, and calls functions from numbers to a number. A package has the other files only if
 * its module needs them.
 *
 * @typedef {(...args: any[]) => any} Call
 * @typedef {Call & { unchecked: Call }} Checked A function, with a member that does not check each number.
 * @typedef {(module: WebAssembly.Module, page: any) => Record<string, Checked>} Functions Makes the functions of a
 *   module, as the compiler wrote them, with those that the page supplies.
 * @typedef {BufferSource | WebAssembly.Module} Compiled
 * @typedef {string | URL | Response | Compiled} Source
 */

/**
 * Throws a TypeError, whose stack begins where the page called `from`.
 *
 * @param {string} where @param {any} what The expectation. @param {any} x @param {Call} [from] @returns {never}
 */
export const refuse = (where, what, x, from) => {
  const error = new TypeError(`${where} must be ${what}, got ${typeof x == "number" || x === null ? x : typeof x}`);
  /** @type {any} */ (Error).captureStackTrace?.(error, from);
  throw error;
};

/** @param {string} name @param {number} n @param {number} given @param {Call} from */
export const count = (name, n, given, from) => {
  if (given != n) refuse("the argument count of " + name, n, given, from);
};

/**
 * Refuses the arguments of a function of numbers.
 *
 * @param {Call} from @param {string} name @param {string[]} names @param {any[]} args @param {number} given
 */
export const misfit = (from, name, names, args, given) => {
  count(name, names.length, given, from);
  const k = args.findIndex((x) => typeof x != "number");
  refuse(`${name}: ${names[k]}`, "a number", args[k], from);
};

/** A function from numbers to a number, around an export. @param {Call} f @param {(f: Call) => Call} make */
export const numeric = (f, make) => Object.assign(make(f), { unchecked: f });

/**
 * A function, and its form that does not check each number.
 *
 * @param {Call} f @param {(f: Call, free: boolean) => Call} make
 */
export const both = (f, make) => Object.assign(make(f, false), { unchecked: make(f, true) });

/**
 * True for a compiled module, of any realm; what is neither one nor bytes of one is refused.
 *
 * @param {any} source @returns {source is WebAssembly.Module}
 */
const ready = (source) => {
  const what = {}.toString.call(source).slice(8, -1);
  const compiled = what == "WebAssembly.Module";
  if (!compiled && source?.byteLength == null)
    throw new TypeError(`${what} is no module: write init(), init(undefined, functions) or initSync(bytes)`);
  return compiled;
};

/**
 * The functions of a module, by name.
 *
 * @param {Compiled} source @param {Functions} functions
 * @param {object} [page] The functions that the module imports, by name.
 */
export const bind = (source, functions, page = {}) =>
  functions(ready(source) ? source : new WebAssembly.Module(source), page);

/** @param {string} base64 */
export const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** Imports what a bundler shall not look for. @param {string} file */
export const later = (file) => import(/* webpackIgnore: true */ /* @vite-ignore */ file);

/**
 * Compiles a module from any source.
 *
 * @param {Source | Promise<Source> | Call} from @param {string} [name] The package's.
 * @returns {Promise<WebAssembly.Module>}
 */
export const compile = async (from, name) => {
  const own = typeof from == "function";
  try {
    /** @type {any} */
    let source = await (own ? from() : from);
    if (typeof source == "string" || source instanceof URL) {
      const [url, data] = String(source).split(";base64,");
      const node = /** @type {any} */ (globalThis).process?.versions?.node;
      // in Node a script has the module, too: the page of a test has an address at which no server answers
      const held = node && own && (await later("./inline.js").catch(() => 0));
      if (data) source = bytes(data);
      else if (held) source = await held.load();
      else if (node && /^file:/.test(url)) source = await (await later("node:fs/promises")).readFile(new URL(url));
      else source = await fetch(url);
    }
    if (source?.arrayBuffer) {
      const type = source.headers.get("Content-Type");
      if (!source.ok || /html/.test(type)) throw new Error(`cannot load ${source.url}: ${source.status} ${type}`);
      if (type == "application/wasm") return await WebAssembly.compileStreaming(source);
      source = await source.arrayBuffer();
    }
    return ready(source) ? source : await WebAssembly.compile(source);
  } catch (/** @type {any} */ error) {
    if (/CSP|Security/.test(error)) error.message += ": allow script-src 'wasm-unsafe-eval'";
    // a bundler left the module behind
    else if (own && /ENOENT|load|URL/.test(error)) error.message += `; bundled? import "${name}/inline"`;
    throw error;
  }
};

/** The functions of modules, as `init` gives them. @type {WeakMap<WebAssembly.Module, any>} */
export const kept = new WeakMap();

/**
 * The exports of a package. Each source is loaded once, and each module bound once, or once more for each call that
 * supplies host functions.
 *
 * @param {Functions} functions @param {() => any} own The source of the package's own module. @param {string} [name]
 */
export const loader = (functions, own, name) => {
  /** The modules by source; the package's own is at "". @type {Map<string, Promise<WebAssembly.Module>>} */
  const known = new Map();

  /** @param {Source | Promise<Source>} [source] */
  const load = (source = "") => {
    if (!(typeof source == "string" || source instanceof URL)) return compile(source);
    const place = String(source);
    if (!known.has(place)) {
      const module = compile(place || own, name);
      known.set(place, module);
      module.catch(() => known.delete(place));
    }
    return known.get(place);
  };

  /** @param {Compiled} [source] @param {object} [opaque] */
  const initSync = (source = own(), opaque) => bind(source, functions, opaque);

  /** @param {Source | Promise<Source>} [source] @param {object} [opaque] */
  const init = async (source, opaque) => {
    const module = /** @type {WebAssembly.Module} */ (await load(source));
    if (opaque) return initSync(module, opaque);
    if (!kept.has(module)) kept.set(module, initSync(module));
    return kept.get(module);
  };
  return { init, initSync, load };
};
