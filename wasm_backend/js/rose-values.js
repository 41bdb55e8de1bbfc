// @ts-check
/**
 * Calls functions of vectors, structs and other values: checks the arguments, writes them to linear memory, and reads
 * the result. Sizes, offsets and addresses come from the compiler, as data: no layout is computed here.
 *
 * @typedef {import("./rose.js").Type} Type
 * @typedef {import("./rose.js").Export} Export
 * @typedef {import("./rose.js").Signatures} Signatures
 * @typedef {import("./rose.js").Call} Call
 * @typedef {{ array: any, free?: boolean, bars?: any, wrong: (x: any, size: number) => string, made: Call }} Kind
 *   A kind of scalars: its typed array, the reason why a value is wrong (in words), and the conversion from memory. If
 *   it is `free`, an unchecked call takes any value; typed arrays of the class `bars` are refused.
 */

import { count, ofNumbers, refuse } from "./rose.js";

/** Numbers of 64 bits. @type {Kind} */
const real = {
  array: Float64Array,
  free: true,
  wrong: (x) => (typeof x == "number" ? "" : "a number"),
  made: (n) => n,
};

/**
 * One instance of a module. Its exports share its memory: only one may run at a time.
 *
 * @param {WebAssembly.Module} module @param {Signatures} signatures @param {any} opaque
 */
const instantiate = (module, signatures, opaque) => {
  const { failed, guard, hosted, sized } = signatures;
  /** @type {Record<string, Kind>} */
  const kinds = { real, ...signatures.kinds };

  /** The memory, for each kind of scalar. @type {Record<string, any>} */
  let views;

  /** The path of the value that is being checked: a name, then fields and indices. @type {any[]} */
  const path = [];

  /** The function that the page called. @type {Call} */
  let from;

  /** Whether it is one that does not check each number. What host functions answer is checked. @type {boolean} */
  let free;

  const look = () => {
    // once memory has grown, the length is 0
    if (views?.real.length) return;
    views = {};
    for (const kind in kinds) views[kind] = new kinds[kind].array(exports.memory.buffer);
  };

  /** @param {number} depth The length of the path. @param {any} what @param {any} x @returns {never} */
  const wrong = (depth, what, x) =>
    refuse(path.slice(0, depth).reduce((s, k) => s + (typeof k == "number" ? `[${k}]` : "." + k)), what, x, from);

  /**
   * The functions that check and write (`put`) and read (`get`) the values of a type at an address, specialised to the
   * type once. A scalar without an address is passed as a number.
   *
   * @param {any} type @param {number | null} [at] @param {number} [depth] The length of the path to such a value.
   * @returns {{ put: Call, get: Call, numbers?: boolean }}
   */
  const access = ({ kind, size, stride, elem, fields, items }, at, depth = 1) => {
    if (kind == "unit") return { put() {}, get() {} };
    const of = elem?.kind ?? kind;
    const scalar = kinds[of];
    const array = scalar?.array;
    const shift = Math.log2(array?.BYTES_PER_ELEMENT);
    if (kind in kinds) {
      const { made } = scalar;
      const check = (/** @type {any} */ x) => {
        if (free && scalar.free) return +x;
        const what = scalar.wrong(x, size);
        if (what) wrong(depth, what, x);
        return x;
      };
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
    const numbers = array ? of != "bool" : each?.numbers;
    return {
      numbers,
      put(x, at) {
        if (typeof x != "object" || !x) wrong(depth, fields ? "an object" : "an array", x);
        if (scalar?.bars && x instanceof scalar.bars) wrong(depth, `a ${array.name}, or an array`, x);
        if (!fields && x.length !== length) {
          path[depth] = "length";
          wrong(depth + 1, length, x.length);
        }
        if (parts)
          for (const { key, offset, part } of parts) {
            path[depth] = key;
            part.put(x[key], at + offset);
          }
        // a few numbers are written faster one by one
        else if (scalar?.free && (x instanceof array ? size > 4 : free && size > 99)) views[of].set(x, at >>> shift);
        else {
          const reals = of == "real" && views.real;
          for (let i = 0; i < size; i++) {
            const y = x[i];
            if (reals && typeof y == "number") reals[(at >>> 3) + i] = y;
            else {
              path[depth] = i;
              each.put(y, at + i * stride);
            }
          }
        }
      },
      get(at, copy) {
        const start = at >>> shift;
        if (numbers && array) return copy ? new array(copy, at, size) : views[of].slice(start, start + size);
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

  /** The function that calls an export. @param {Export} signature @returns {(args: any[]) => any} */
  const caller = ({ name, params, result }) => {
    const f = exports[name];
    const puts = params.map((p) => ({ where: `${name}: ${p.name}`, at: p.at, ...access(p.type, p.at) }));
    const { get } = access(result.type, result.at);
    return (args) => {
      look();
      /** @type {number[]} */
      const numbers = [];
      puts.forEach(({ where, at, put }, k) => {
        path[0] = where;
        const n = put(args[k], at);
        if (n != null) numbers.push(n);
      });
      free = false;
      const n = numbers.length ? f(...numbers) : f();
      look();
      return get(result.at ?? n);
    };
  };

  /** The callers of signatures. @type {WeakMap<Export, Call>} */
  const callers = new WeakMap();

  /** @param {Export} signature @param {any[]} args @param {Call} page @param {boolean} unchecked */
  const run = (signature, args, page, unchecked) => {
    from = page;
    free = unchecked;
    count(signature, args, from);
    signature = size(signature, args);
    let call = callers.get(signature);
    if (!call) callers.set(signature, (call = caller(signature)));
    return call(args);
  };
  return { exports, run: guard?.(run, exports, failed) ?? run };
};

/** The functions of a module. @type {import("./rose.js").Binder} */
export const values = (module, signatures, opaque) => {
  const make = () => instantiate(module, signatures, opaque);
  // a nested call, by a host function or a getter, needs a memory of its own
  const idle = [make()];
  /** The instance for functions from numbers to a number that call nothing of the page. @type {any} */
  let own;
  const { failed, guard } = signatures;
  return (signature) => {
    const { name, params, result, calls, fails } = signature;
    if (!calls && [...params, result].every(({ type, at }) => type.kind == "real" && at == null)) {
      const { exports } = (own ??= idle.pop());
      const f = exports[name];
      return ofNumbers(fails ? guard?.(f, exports, failed) : f, signature);
    }
    const through = (/** @type {boolean} */ free) => {
      /** @type {any} */
      const call = (/** @type {any[]} */ ...args) => {
        const instance = idle.pop() ?? make();
        try {
          return instance.run(signature, args, call, free);
        } finally {
          idle.push(instance);
        }
      };
      return call;
    };
    return Object.assign(through(false), { unchecked: through(true) });
  };
};
