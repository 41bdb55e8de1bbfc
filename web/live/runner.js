// @ts-check
/**
 * Evaluates what the program computes, in a Worker: a program may go on without end, and the page must not.
 *
 * { id, wasm, signatures } brings a module, and { id, wasm: null } the one that the page ships; { id, f, args } asks for
 * an evaluation. The answers are { id, result, ms } and { id, error }.
 */
import shipped from "./model/index.js";
import { failed } from "./runtime/rose-failed.js";
import { find } from "./runtime/rose-host.js";
import { line } from "./runtime/rose-print.js";

/** @type {Record<string, any>} */
let functions = {};

/**
 * Reads a value from memory. The accessors of a package are written by the compiler, and a page without `eval` cannot
 * run what was compiled in it; here a type is looked at each time.
 *
 * @param {DataView} memory @param {any} type @param {number} at @returns {any}
 */
const read = (memory, { kind, size, stride, elem, fields, items }, at) => {
  if (kind == "real") return memory.getFloat64(at, true);
  if (kind == "single") return memory.getFloat32(at, true);
  if (kind == "index") return memory.getUint32(at, true);
  if (kind == "bool") return memory.getUint8(at) != 0;
  if (kind == "vec") return Array.from({ length: size }, (_, k) => read(memory, elem, at + k * stride));
  const each = (/** @type {[any, number, any]} */ [key, offset, type]) => [key, read(memory, type, at + offset)];
  if (fields) return Object.fromEntries(fields.map(each));
  return items?.map((/** @type {[number, any]} */ x, /** @type {number} */ k) => each([k, ...x])[1]);
};

/** The functions of a module, which take numbers. @param {BufferSource} wasm @param {any} signatures */
const bound = (wasm, { exports: all, imports, prints = [], failed: why }) => {
  /** @type {any} */
  let exports;
  const at = (/** @type {any} */ type, /** @type {number} */ place) => read(new DataView(exports.memory.buffer), type, place);
  const value = (/** @type {any} */ type, /** @type {any} */ raw) =>
    /vec|struct|tuple/.test(type.kind) ? at(type, raw >>> 0) : type.kind == "index" ? raw >>> 0 : type.kind == "bool" ? !!raw : raw;
  const host = (/** @type {any} */ { params }, /** @type {(...xs: any[]) => any} */ f) => (/** @type {any[]} */ ...raw) =>
    f(...params.map((/** @type {any} */ { type, empty }) => (empty ? at(type, 0) : value(type, raw.shift()))));
  const print = prints.map((/** @type {any} */ x) => host(x, (...xs) => console.log(line(x.pieces, x.params, xs))));
  const opaque = Object.fromEntries(imports.map((/** @type {any} */ x) => [x.name, host(x, find({}, x.name))]));
  ({ exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), { opaque, print }));
  const called = (/** @type {any} */ { name, result }) => {
    const call = (/** @type {number[]} */ ...args) => {
      try {
        const raw = exports[name](...args);
        return result.at == null ? value(result.type, raw) : at(result.type, result.at);
      } catch (error) {
        throw failed(error, call, exports, why?.said ?? []);
      }
    };
    return call;
  };
  return Object.fromEntries(all.map((/** @type {any} */ x) => [x.name, called(x)]));
};

/** @param {any} data */
const answered = async ({ wasm, signatures, f, args }) => {
  if (wasm === null) {
    const { himmelblau_local: local, himmelblau_heights: heights } = await shipped();
    functions = { local, heights };
    return {};
  }
  if (wasm) {
    functions = bound(wasm, signatures);
    return {};
  }
  const start = performance.now();
  const result = functions[f](...args);
  return { result, ms: performance.now() - start };
};

addEventListener("message", ({ data }) => {
  answered(data).then(
    (answer) => postMessage({ id: data.id, ...answer }),
    (e) => postMessage({ id: data.id, error: String(e) }),
  );
});
