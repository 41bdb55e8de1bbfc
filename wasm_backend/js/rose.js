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
 * @typedef {{ name: string, params: { type: Type, empty: boolean }[], result: Type }} Import
 * @typedef {Import & { pieces: string[] }} Print
 * @typedef {{ exports: Export[], imports: Import[], prints?: Print[], line?: Call, sized?: Call,
 *   failed?: { at: number, said: string[] } }} Signatures
 * @typedef {(...args: any[]) => any} Call
 * @typedef {BufferSource | WebAssembly.Module} Compiled
 * @typedef {string | URL | Response | Compiled} Source
 */

/**
 * The function for an import: what the page supplies, or else what JavaScript has under a dotted name.
 *
 * @param {any} opaque @param {string} name @returns {Call}
 */
const find = (opaque, name) => {
  const path = opaque[name] ? [name] : name.split(".");
  const key = /** @type {string} */ (path.pop());
  const owner = path[0] ? path.reduce((x, k) => x?.[k], /** @type {any} */ (globalThis)) : opaque;
  if (typeof owner?.[key] != "function")
    throw new Error(`no function ${name}: give { "${name}": ... } as the last argument`);
  return owner[key].bind(owner);
};

/**
 * One instance of a module, and how to call its exports. They share its memory: only one may run at a time.
 *
 * @param {WebAssembly.Module} module @param {Signatures} signatures @param {any} opaque
 */
const instantiate = (module, { imports, prints = [], line, sized, failed }, opaque) => {
  /** The memory, for each kind of scalar. @type {Record<string, Float64Array | Float32Array | Uint32Array | Uint8Array>} */
  let views;

  /** Where the value that is being checked comes from: a name, then fields and indices. @type {any[]} */
  let path;

  const look = () => {
    // once memory has grown, the length is 0
    if (!views?.real.length) {
      const { buffer } = exports.memory;
      views = {
        real: new Float64Array(buffer),
        single: new Float32Array(buffer),
        index: new Uint32Array(buffer),
        bool: new Uint8Array(buffer),
      };
    }
  };

  /** @param {any} x @param {any} what @returns {never} */
  const refuse = (x, what) => {
    const where = path.reduce((s, k) => s + (typeof k == "number" ? `[${k}]` : "." + k));
    throw new TypeError(`${where} must be ${what}, got ${typeof x == "number" || x === null ? x : typeof x}`);
  };

  /** The number that stands for a scalar. @param {any} t @param {any} x */
  const pack = ({ kind, size }, x) => {
    const type = kind == "bool" ? "boolean" : "number";
    if (typeof x != type || (size != null && (x >>> 0 !== x || x >= size)))
      refuse(x, size == null ? "a " + type : "an integer from 0 to " + (size - 1));
    if (kind == "single" && isFinite(x) && !isFinite(Math.fround(x))) refuse(x, "at most 3.4e38 in size");
    return +x;
  };

  /**
   * Key, offset and type of each part of an aggregate.
   *
   * @param {any} t @returns {[key: any, offset: number, type: any][]}
   */
  const parts = ({ fields, items, size, stride, elem }) =>
    fields ??
    items?.map((/** @type {[number, Type]} */ x, /** @type {number} */ i) => [i, ...x]) ??
    Array.from({ length: size }, (_, i) => [i, i * stride, elem]);

  /**
   * Checks `x` and writes it to memory; without an address, gives the number that stands for it.
   *
   * @param {any} t @param {any} at @param {any} x @returns {number | undefined}
   */
  const write = (t, at, x) => {
    const { kind, size, elem, fields, items } = t;
    const view = views[(elem ?? t).kind];
    const start = at / view?.BYTES_PER_ELEMENT;
    if (kind == "unit") return;
    if (view && !elem) {
      const n = pack(t, x);
      if (at == null) return n;
      view[start] = n;
      return;
    }
    if (typeof x != "object" || !x) refuse(x, fields ? "an object" : "an array");
    if (elem?.kind == "single" && x instanceof Float64Array) refuse(x, "a Float32Array, or an array");
    const last = path.push("length") - 1;
    const length = items?.length ?? size;
    if (!fields && x.length !== length) refuse(x.length, length);
    if (view) {
      if (!(elem.kind == "real" && x instanceof Float64Array) && !(elem.kind == "single" && x instanceof Float32Array))
        for (let i = 0; i < size; i++) {
          path[last] = i;
          pack(elem, x[i]);
        }
      view.set(x, start);
    } else
      for (const [key, offset, type] of parts(t)) {
        path[last] = key;
        write(type, at + offset, x[key]);
      }
    path.pop();
  };

  /**
   * What is at an address, or what a number stands for.
   *
   * @param {any} t @param {any} at @param {number} [n] @returns {any}
   */
  const read = (t, at, n) => {
    const { kind, size, elem, fields } = t;
    const view = views[(elem ?? t).kind];
    const start = at / view?.BYTES_PER_ELEMENT;
    if (kind == "unit") return;
    if (view && !elem) {
      const x = n ?? view[start];
      return kind == "bool" ? !!x : kind == "index" ? x >>> 0 : x;
    }
    if (view && elem.kind != "bool") return view.slice(start, start + size);
    const xs = parts(t).map(([key, offset, type]) => [key, read(type, at + offset)]);
    return fields ? Object.fromEntries(xs) : xs.map((x) => x[1]);
  };

  /** @param {Import} signature @param {Call} [given] @returns {[string, Call]} */
  const host = (signature, given) => {
    const { name } = signature;
    const f = given ?? find(opaque, name);
    const call = (/** @type {any[]} */ ...raw) => {
      const { params, result } = size ? size(signature) : signature;
      look();
      const args = params.map(({ type, empty }) => {
        const n = empty ? 0 : raw.shift();
        return read(type, n >>> 0, n);
      });
      const x = f(...args);
      look();
      path = ["the result of " + name];
      return write(result, raw[0] && raw[0] >>> 0, x);
    };
    return [name, call];
  };
  const instance = new WebAssembly.Instance(module, {
    opaque: Object.fromEntries(imports.map((x) => host(x))),
    print: prints.map((x) => host(x, (...xs) => console.log(line?.(x.pieces, x.params, xs)))[1]),
  });
  const exports = /** @type {any} */ (instance.exports);
  const size = sized?.(exports);

  /** @param {Export} signature @param {any[]} args */
  const run = (signature, args) => {
    const { length } = signature.params;
    path = ["the argument count of " + signature.name];
    if (args.length != length) refuse(args.length, length);
    let n;
    try {
      if (size) signature = size(signature, args);
      look();
      const numbers = signature.params.map(({ name, type, at }, k) => {
        path = [name];
        return write(type, at, args[k]);
      });
      n = exports[signature.name](...numbers.filter((x) => x != null));
    } catch (error) {
      look();
      const at = failed && failed.at / 4;
      const said = at && failed.said[views.index[at] - 1];
      if (!said) throw error;
      views.index[at] = 0;
      throw new Error(said);
    }
    look();
    return read(signature.result.type, signature.result.at, n);
  };
  return { exports, run };
};

/** What needs no look: a number that goes in as it is, or rounded. @type {Record<string, (x: any) => boolean>} */
const usual = {
  real: (x) => typeof x == "number",
  single: (x) => usual.real(x) && Math.abs(x) <= 2 ** 128 - 2 ** 104,
};

/**
 * The functions of a module, by name.
 *
 * @param {Compiled} source @param {Signatures} signatures
 * @param {object} [opaque] The functions that the module imports, by name.
 * @returns {Record<string, Call>}
 */
export const bind = (source, signatures, opaque = {}) => {
  const { exports, imports, prints, failed } = signatures;
  const module = "byteLength" in source ? new WebAssembly.Module(source) : source;
  const make = () => instantiate(module, signatures, opaque);
  // a function that is called while another runs, by the page's, needs a memory of its own
  const idle = [make()];
  /** @param {Export} signature @returns {[string, Call]} */
  const bound = (signature) => {
    const { name, params, result } = signature;
    const f = idle[0].exports[name];
    const plain = !imports[0] && !prints && !failed;
    const direct = plain && [...params, result].every(({ type, at }) => usual[type.kind] && at == null);
    const call = (/** @type {any[]} */ ...args) => {
      if (direct && args.length == params.length && args.every((x, k) => usual[params[k].type.kind](x)))
        return f(...args);
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
