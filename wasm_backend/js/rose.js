// @ts-check
/**
 * Runs functions compiled by Rose: checks what they are given, writes it where the compiled code reads it, and
 * reads what it answers. Sizes, offsets and addresses come from the compiler, as data: nothing about layout is
 * worked out here.
 *
 * @typedef {{ kind: "real" | "single" | "bool" | "unit" }
 *   | { kind: "index", size: number }
 *   | { kind: "vec", size: number, stride: number, elem: Type }
 *   | { kind: "struct", name: string, fields: [name: string, offset: number, type: Type][] }
 *   | { kind: "tuple", items: [offset: number, type: Type][] }} Type
 * @typedef {{ type: Type, at: number | null }} Slot
 * @typedef {{ name: string, params: (Slot & { name: string })[], result: Slot }} Export
 * @typedef {{ exports: Export[], imports: any[], prints?: any[], failed?: { at: number, said: string[] },
 *   hosted?: Call, sized?: Call, line?: Call }} Signatures
 * @typedef {(...args: any[]) => any} Call
 * @typedef {BufferSource | WebAssembly.Module} Compiled
 * @typedef {string | URL | Response | Compiled} Source
 */

/** The arrays that see a scalar of each kind in memory. @type {Record<string, any>} */
const ARRAYS = { real: Float64Array, single: Float32Array, index: Uint32Array, bool: Uint8Array };

/**
 * One instance of a module, and how to call its exports. They share its memory: only one may run at a time.
 *
 * @param {WebAssembly.Module} module @param {Signatures} signatures @param {any} opaque
 */
const instantiate = (module, signatures, opaque) => {
  const { failed, hosted, sized } = signatures;

  /** The memory, for each kind of scalar. @type {Record<string, any>} */
  let views;

  /** Where the value that is being checked comes from: a name, then fields and indices. @type {any[]} */
  const path = [];

  const look = () => {
    // once memory has grown, the length is 0
    if (views?.real.length) return;
    views = {};
    for (const kind in ARRAYS) views[kind] = new ARRAYS[kind](exports.memory.buffer);
  };

  /** @param {number} depth How long the path is. @param {any} x @param {any} what @returns {never} */
  const refuse = (depth, x, what) => {
    const where = path.slice(0, depth).reduce((s, k) => s + (typeof k == "number" ? `[${k}]` : "." + k));
    throw new TypeError(`${where} must be ${what}, got ${typeof x == "number" || x === null ? x : typeof x}`);
  };

  /**
   * How values of a type are checked and put at an address, and how they are got from there: all that is to be known
   * of the type is looked up here, once. A scalar without an address is the number that is put and got.
   *
   * @param {any} type @param {number | null} [at] @param {number} [depth] The length of the path to such a value.
   * @returns {{ put: Call, get: Call, numbers?: boolean }}
   */
  const access = ({ kind, size, stride, elem, fields, items }, at, depth = 1) => {
    if (kind == "unit") return { put() {}, get() {} };
    const scalar = elem?.kind ?? kind;
    const array = ARRAYS[scalar];
    const shift = Math.log2(array?.BYTES_PER_ELEMENT);
    if (kind in ARRAYS) {
      const check = (/** @type {any} */ x) => {
        const type = kind == "bool" ? "boolean" : "number";
        if (typeof x != type || (size != null && (x >>> 0 !== x || x >= size)))
          refuse(depth, x, size == null ? "a " + type : "an integer from 0 to " + (size - 1));
        if (kind == "single" && isFinite(x) && !isFinite(Math.fround(x))) refuse(depth, x, "at most 3.4e38 in size");
        return x;
      };
      const made = (/** @type {any} */ n) => (kind == "bool" ? !!n : kind == "index" ? n >>> 0 : n);
      if (at == null) return { put: check, get: made };
      return {
        put(x, at) {
          views[kind][at >>> shift] = check(x);
        },
        get: (at) => made(views[kind][at >>> shift]),
      };
    }
    const each = elem && access(elem, 0, depth + 1);
    /** @type {{ key: any, offset: number, part: { put: Call, get: Call } }[]} */
    const parts = (fields ?? items?.map((/** @type {any} */ x, /** @type {number} */ i) => [i, ...x]))?.map(
      (/** @type {[any, number, Type]} */ [key, offset, type]) => ({ key, offset, part: access(type, 0, depth + 1) }),
    );
    const length = parts?.length ?? size;
    const empty = fields && Object.fromEntries(parts.map(({ key }) => [key, NaN]));
    // a vector of numbers, or of such vectors
    const numbers = array ? scalar != "bool" : each?.numbers;
    return {
      numbers,
      put(x, at) {
        if (typeof x != "object" || !x) refuse(depth, x, fields ? "an object" : "an array");
        if (scalar == "single" && x instanceof Float64Array) refuse(depth, x, "a Float32Array, or an array");
        if (!fields && x.length !== length) {
          path[depth] = "length";
          refuse(depth + 1, x.length, length);
        }
        if (parts)
          for (const { key, offset, part } of parts) {
            path[depth] = key;
            part.put(x[key], at + offset);
          }
        // a few numbers are sooner put one by one
        else if (size > 4 && (scalar == "real" || scalar == "single") && x instanceof array)
          views[scalar].set(x, at >>> shift);
        else {
          const reals = scalar == "real" && views.real;
          const start = at >>> shift;
          for (let i = 0; i < size; i++) {
            const y = x[i];
            if (reals && typeof y == "number") reals[start + i] = y;
            else {
              path[depth] = i;
              each.put(y, at + i * stride);
            }
          }
        }
      },
      get(at, copy) {
        const start = at >>> shift;
        if (numbers && array) return copy ? new array(copy, at, size) : views[scalar].slice(start, start + size);
        if (numbers && !copy) {
          // the rows are parts of one copy
          copy = views.real.buffer.slice((at >>>= 0), at + size * stride);
          at = 0;
        }
        /** @type {any} */
        const x = fields ? { ...empty } : [];
        if (parts) for (const { key, offset, part } of parts) x[key] = part.get(at + offset);
        else for (let i = 0; i < size; i++) x.push(each.get(at + i * stride, copy));
        return x;
      },
    };
  };

  const instance = new WebAssembly.Instance(
    module,
    hosted?.(signatures, opaque, { look, path, access, known: (/** @type {any} */ x) => size(x) }),
  );
  const exports = /** @type {any} */ (instance.exports);
  const size = sized?.(exports) ?? ((/** @type {any} */ x) => x);

  /** What calls an export. @param {Export} signature @returns {(args: any[]) => any} */
  const caller = ({ name, params, result }) => {
    const f = exports[name];
    const puts = params.map(({ name, type, at }) => ({ name, at, ...access(type, at) }));
    const { get } = access(result.type, result.at);
    return (args) => {
      look();
      /** @type {number[]} */
      const numbers = [];
      puts.forEach(({ name, at, put }, k) => {
        path[0] = name;
        const n = put(args[k], at);
        if (n != null) numbers.push(n);
      });
      const n = numbers.length ? f(...numbers) : f();
      look();
      return get(result.at ?? n);
    };
  };

  /** The callers of signatures. @type {WeakMap<Export, Call>} */
  const callers = new WeakMap();

  /** @param {Export} signature @param {any[]} args */
  const run = (signature, args) => {
    const { length } = signature.params;
    path[0] = "the argument count of " + signature.name;
    if (args.length != length) refuse(1, args.length, length);
    try {
      signature = size(signature, args);
      let call = callers.get(signature);
      if (!call) callers.set(signature, (call = caller(signature)));
      return call(args);
    } catch (error) {
      look();
      const said = failed?.said[views.index[failed.at / 4] - 1];
      if (!said) throw error;
      views.index[failed.at / 4] = 0;
      throw new Error(said);
    }
  };
  return { exports, run };
};

/**
 * The functions of a module, by name.
 *
 * @param {Compiled} source @param {Signatures} signatures
 * @param {object} [opaque] The functions that the module imports, by name.
 * @returns {Record<string, Call>}
 */
export const bind = (source, signatures, opaque = {}) => {
  const { exports, hosted, failed } = signatures;
  const module = "byteLength" in source ? new WebAssembly.Module(source) : source;
  const make = () => instantiate(module, signatures, opaque);
  // a function that is called while another runs, by the page's, needs a memory of its own
  const idle = [make()];
  /** @param {Export} signature @returns {[string, Call]} */
  const bound = (signature) => {
    const { name, params, result } = signature;
    const f = idle[0].exports[name];
    const direct = !hosted && !failed && [...params, result].every(({ type, at }) => type.kind == "real" && at == null);
    const call = (/** @type {any[]} */ ...args) => {
      if (direct && args.length == params.length && args.every((x) => typeof x == "number")) return f(...args);
      const instance = idle.pop() ?? make();
      try {
        return instance.run(signature, args);
      } finally {
        idle.push(instance);
      }
    };
    return [name, call];
  };
  return Object.fromEntries(exports.map(bound));
};

/**
 * The functions of a module, by name, from wherever its bytes are.
 *
 * @param {Source | Promise<Source>} from @param {Signatures} signatures @param {object} [opaque] As in `bind`.
 */
export const load = async (from, signatures, opaque) => {
  /** @type {any} */
  let source = await from;
  if (typeof source == "string" || source instanceof URL) {
    const url = String(source);
    const base64 = url.split(";base64,")[1];
    if (base64) source = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    else if (/^file:/.test(url) && /** @type {any} */ (globalThis).process) {
      const fs = "node:fs/promises";
      source = await (await import(/* webpackIgnore: true */ /* @vite-ignore */ fs)).readFile(new URL(url));
    } else source = await fetch(url);
  }
  if (source.arrayBuffer) {
    const type = source.headers.get("Content-Type");
    if (!source.ok || /html/.test(type)) throw new Error(`cannot load ${source.url}: ${source.status} ${type}`);
    source = await (type == "application/wasm" ? WebAssembly.compileStreaming(source) : source.arrayBuffer());
  }
  return bind("byteLength" in source ? await WebAssembly.compile(source) : source, signatures, opaque);
};
