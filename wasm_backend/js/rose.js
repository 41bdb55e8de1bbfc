// @ts-check
/**
 * Loads modules compiled by Rose, and calls functions from numbers to a number. `rose-values.js` calls all others; a
 * package has it, and the other files, only if its module needs them.
 *
 * @typedef {{ kind: "real" | "single" | "bool" | "unit" }
 *   | { kind: "index", size: number }
 *   | { kind: "vec", size: number, stride: number, elem: Type }
 *   | { kind: "struct", name: string, fields: [name: string, offset: number, type: Type][] }
 *   | { kind: "tuple", items: [offset: number, type: Type][] }} Type
 * @typedef {{ type: Type, at: number | null }} Slot
 * @typedef {{ name: string, params: (Slot & { name: string })[], result: Slot, calls?: boolean,
 *   fails?: boolean }} Export A function; it `calls` functions of the page, or prints; it `fails` for reasons.
 * @typedef {{ exports: Export[], imports: any[], name?: string, prints?: any[],
 *   failed?: { at: number, said: string[] }, values?: Binder, kinds?: any, hosted?: Call, sized?: Call, guard?: Call,
 *   line?: Call }} Signatures The signatures of a module, as data from the compiler, the name of its package, and the
 *   functions that it needs from the other files.
 * @typedef {(...args: any[]) => any} Call
 * @typedef {Call & { unchecked: Call }} Checked A function, with a member that does not check each number.
 * @typedef {(module: WebAssembly.Module, signatures: Signatures, opaque: any) => (signature: Export) => Checked} Binder
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

/** @param {Export} signature @param {any[]} args @param {Call} from */
export const count = ({ name, params }, args, from) => {
  if (args.length != params.length) refuse("the argument count of " + name, params.length, args.length, from);
};

/** A function from numbers to a number. @param {Call} f @param {Export} signature @returns {Checked} */
export const ofNumbers = (f, signature) => {
  const { name, params } = signature;
  const call = (/** @type {any[]} */ ...args) => {
    const k = args.findIndex((x) => typeof x != "number");
    if (k < 0 && args.length == params.length) return f(...args);
    count(signature, args, call);
    refuse(`${name}: ${params[k].name}`, "a number", args[k], call);
  };
  return Object.assign(call, { unchecked: f });
};

/** Binds a module whose functions all go from numbers to a number. @type {Binder} */
const numbers = (module) => {
  const { exports } = new WebAssembly.Instance(module);
  return (signature) => ofNumbers(/** @type {Call} */ (exports[signature.name]), signature);
};

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
 * @param {Compiled} source @param {Signatures} signatures
 * @param {object} [opaque] The functions that the module imports, by name.
 * @returns {Record<string, Checked>}
 */
export const bind = (source, signatures, opaque = {}) => {
  const { exports, values = numbers } = signatures;
  const bound = values(ready(source) ? source : new WebAssembly.Module(source), signatures, opaque);
  return Object.fromEntries(exports.map((x) => [x.name, bound(x)]));
};

/** @param {string} base64 */
export const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** Imports what a bundler shall not look for. @param {string} file */
const later = (file) => import(/* webpackIgnore: true */ /* @vite-ignore */ file);

/**
 * Compiles a module from any source.
 *
 * @param {Source | Promise<Source> | Call} from @param {string} [name] The package's.
 * @returns {Promise<WebAssembly.Module>}
 */
export const compile = async (from, name) => {
  const own = typeof from == "function";
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
  try {
    if (source?.arrayBuffer) {
      const type = source.headers.get("Content-Type");
      if (!source.ok || /html/.test(type)) {
        const hint = own ? `; bundled? import "${name}/inline"` : "";
        throw new Error(`cannot load ${source.url}: ${source.status} ${type}${hint}`);
      }
      if (type == "application/wasm") return await WebAssembly.compileStreaming(source);
      source = await source.arrayBuffer();
    }
    return ready(source) ? source : await WebAssembly.compile(source);
  } catch (/** @type {any} */ error) {
    if (/CSP|Content Security/.test(error)) throw new Error(`${error}: allow script-src 'wasm-unsafe-eval'`);
    throw error;
  }
};

/**
 * The exports of a package. Each source is loaded once, and each module bound once, or once more for each call that
 * supplies host functions.
 *
 * @param {Signatures} signatures @param {() => any} own The source of the package's own module.
 */
export const entry = (signatures, own) => {
  /** The modules by source; the package's own is at "". @type {Map<string, Promise<WebAssembly.Module>>} */
  const known = new Map();
  /** The functions of modules. @type {WeakMap<WebAssembly.Module, any>} */
  const made = new WeakMap();

  /** @param {Source | Promise<Source>} [source] */
  const load = (source = "") => {
    if (typeof source != "string" && !(source instanceof URL)) return compile(source);
    const place = String(source);
    if (!known.has(place)) {
      const module = compile(place || own, signatures.name);
      known.set(place, module);
      module.catch(() => known.delete(place));
    }
    return known.get(place);
  };

  /** @param {Compiled} [source] @param {object} [opaque] */
  const initSync = (source = own(), opaque) => bind(source, signatures, opaque);

  /** @param {Source | Promise<Source>} [source] @param {object} [opaque] */
  const init = async (source, opaque) => {
    const module = /** @type {WebAssembly.Module} */ (await load(source));
    if (opaque) return initSync(module, opaque);
    if (!made.has(module)) made.set(module, initSync(module));
    return made.get(module);
  };
  return { init, initSync, load };
};
