// @ts-check
/** The Worker's side: what calls the functions of a package for the page. Only the Worker's script has this file. */

import { buffers, packed } from "./rose-thread.js";
import { later } from "./rose.js";
import { portion } from "./rose-pool.js";

/**
 * In the place of what the page supplies: a function of JavaScript is here too, any other is refused when it is called.
 */
const absent = new Proxy(
  {},
  {
    get: (_, name) => {
      /** @type {any} */
      let here = globalThis;
      for (const k of String(name).split(".")) here = here?.[k];
      if (typeof here == "function") return undefined;
      return () => {
        throw new Error(`${String(name)} is a function of the page, and a Worker cannot call it: call this one in the page`);
      };
    },
  },
);

/** Maps pieces of columns until none is left. @param {any} model @param {any} job @param {(done: number) => void} [heard] */
const inPieces = (model, { name, args, steps, n, part, w, width, at }, heard) => {
  const next = () => Atomics.add(/** @type {Int32Array} */ (at), 0, part);
  for (let from = next(); from < n; from = next()) {
    const to = Math.min(from + part, n);
    const given = args.map((/** @type {any} */ a, /** @type {number} */ k) => {
      const own = a && steps[k] ? a.subarray(from * steps[k], to * steps[k]) : a;
      return own instanceof Uint8Array ? Array.from(own, Boolean) : own;
    });
    try {
      model[name].map(...given, { out: w.subarray(from * width, to * width) });
    } catch (/** @type {any} */ error) {
      Atomics.store(at, 0, n);
      if (error?.row >= 0) error.row += from;
      throw error;
    }
    heard?.(to - from);
  }
  return w;
};

/** In the place of a pool: the Worker itself. @param {any} model */
export const mapping = (model) => ({
  /** @param {any} job @param {any} heard */
  job: (job, heard) => inPieces(model(), job, heard),

  /** @param {any} _ @param {() => import("./rose-pool.js").Job} made @param {any} options */
  pool: (_, made, { progress }) => {
    const job = made();
    let total = 0;
    const heard = (/** @type {number} */ done) => progress((total += done), job.n);
    return inPieces(model(), { ...job, part: portion(job.n, PARTS), at: new Int32Array(1) }, heard);
  },
});

const PARTS = 12; // some 100 pieces, of which progress is told

/**
 * Calls functions for the page.
 *
 * @param {(module: WebAssembly.Module, page: any, pool?: any) => any} functions @param {Call} [maps] `mapping`, if
 *   there are maps.
 * @typedef {(...args: any[]) => any} Call
 */
export const serve = (functions, maps) => {
  /** @type {any} */
  let module;
  /** @type {any} */
  let model;
  const more = maps?.(() => model);

  /** @param {any} data @param {Call} post */
  const hear = (data, post) => {
    if (data.module) module = data.module;
    else
      try {
        model ??= functions(module, absent, more?.pool);
        const { name, form, args, out, job } = data;
        const heard = data.progress ? (/** @type {any} */ ...done) => post({ done }) : undefined;
        const options = form == "map" && heard ? [{ out, workers: 1, progress: heard }] : out ? [{ out }] : [];
        const value = job ? more.job(job, heard) : (form ? model[name][form] : model[name])(...args, ...options);
        post({ value }, buffers(value));
      } catch (e) {
        post({ error: packed(e) });
      }
  };
  /** @type {any} */
  const scope = globalThis;
  if (scope.postMessage) scope.onmessage = (/** @type {any} */ { data }) => hear(data, (...x) => scope.postMessage(...x));
  else
    later("node:worker_threads").then(({ parentPort }) =>
      parentPort.on("message", (/** @type {any} */ data) => hear(data, (...x) => parentPort.postMessage(...x))),
    );
};
