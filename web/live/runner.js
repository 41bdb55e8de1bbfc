// @ts-check
/**
 * Evaluates what the program computes, in a Worker: a program may go on without end, and the page must not.
 *
 * { id, wasm, signatures } brings a module, and { id, wasm: null } the one that the page ships; { id, f, args } asks for
 * an evaluation. The answers are { id, result, ms } and { id, error }.
 */
import shipped from "./model/index.js";
import { guard } from "./runtime/rose-failed.js";
import { hosted } from "./runtime/rose-host.js";
import * as kinds from "./runtime/rose-kinds.js";
import { line } from "./runtime/rose-print.js";
import { values } from "./runtime/rose-values.js";
import { bind } from "./runtime/rose.js";

/** @type {Record<string, any>} */
let functions = {};

/** @param {any} data */
const answered = async ({ wasm, signatures, f, args }) => {
  if (wasm === null) {
    const { himmelblau_local: local, himmelblau_heights: heights } = await shipped();
    functions = { local, heights };
    return {};
  }
  if (wasm) {
    const { imports, prints, failed } = signatures;
    const calls = imports.length || prints ? { hosted, line } : {};
    functions = bind(wasm, { ...signatures, values, kinds, ...calls, ...(failed ? { guard } : {}) });
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
