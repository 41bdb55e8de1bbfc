// @ts-check
/**
 * `map` with Workers: each takes the next rows until there are none, by a counter in shared memory where the page may
 * have that, and by messages elsewhere. Only packages with maps and Workers have this file.
 *
 * @typedef {import("./rose.js").Call} Call
 * @typedef {{ name: string, n: number, w: any, width: number, args: any[], steps: number[] }} Job The function, the
 *   rows, the column of results and its width, the columns of arguments, and how far each goes on from row to row.
 */

import { refuse } from "./rose.js";
import { stackOf, starter, thread } from "./rose-thread.js";

const PIECES = 8; // for each Worker, so that none waits long for the last one

/** How many rows are taken at once. @param {number} n @param {number} workers */
export const portion = (n, workers) => Math.ceil(n / (PIECES * workers)) || 1;

/** A column with memory that is shared. @param {any} a */
const common = (a) => {
  if (a.buffer instanceof SharedArrayBuffer) return a;
  const made = new a.constructor(new SharedArrayBuffer(a.byteLength));
  made.set(a);
  return made;
};

/**
 * What maps with Workers, which stay for the next map.
 *
 * @param {import("./rose-thread.js").Start} start @param {string} [base]
 */
export const pooled = (start, base) => {
  /** @type {WeakMap<WebAssembly.Module, any[]>} */
  const teams = new WeakMap();

  /** @param {WebAssembly.Module} module @param {() => Job} made @param {any} options @param {Call} from */
  const pool = async (module, made, { workers, signal, progress }, from) => {
    const here = stackOf(from);
    const { name, n, w, width, args, steps } = made();
    if (!(workers >= 1 && workers % 1 == 0)) refuse(`${name}.map: workers`, "a positive integer", workers, from);
    const isShared = typeof SharedArrayBuffer != "undefined" && globalThis.crossOriginIsolated !== false;
    const columns = args.map((a) => a && (isShared ? common(a) : a.slice()));
    const job = { name, width, steps, n, part: portion(n, workers), w, args: columns, at: new Int32Array(1) };
    if (isShared) [job.w, job.at] = [common(w), common(job.at)];
    signal?.throwIfAborted();
    const team = teams.get(module) ?? [];
    teams.set(module, team);
    const make = await starter(start, base);
    while (team.length < workers) team.push(thread(make, module));
    let total = 0;
    const more = (/** @type {number} */ done) => progress?.((total += done), n);

    /** @param {any} thread */
    const shares = ({ send }) => send({ job, progress: !!progress }, { signal, here, heard: more });

    /** @param {any} thread */
    const asks = async ({ send }) => {
      for (let from = 0; (from = job.at[0]) < n; ) {
        const to = (job.at[0] = Math.min(from + job.part, n));
        const given = columns.map((a, k) => (a && steps[k] ? a.slice(from * steps[k], to * steps[k]) : a));
        const own = { ...job, n: to - from, at: new Int32Array(1), args: given, w: new w.constructor((to - from) * width) };
        const transfer = [own.w.buffer, ...given.flatMap((a, k) => (a && steps[k] ? a.buffer : []))];
        try {
          w.set(await send({ job: own }, { signal, here, transfer }), from * width);
        } catch (/** @type {any} */ error) {
          job.at[0] = n;
          if (error?.row >= 0) error.row += from;
          throw error;
        }
        more(to - from);
      }
    };

    const ended = await Promise.allSettled(team.slice(0, workers).map(isShared ? shares : asks));
    const failed = ended.flatMap((x) => (x.status == "rejected" ? [x.reason] : []));
    // the rows before one that fails were taken before it: the first of all is among these
    if (failed.length) throw failed.reduce((a, b) => ((b?.row ?? -1) < (a?.row ?? -1) ? b : a));
    if (isShared && job.w != w) w.set(job.w);
    return w;
  };

  /** Ends the Workers of a module. @param {WebAssembly.Module} module */
  const end = (module) => {
    for (const { end } of teams.get(module) ?? []) end("the Workers of this model were ended by dispose()");
    teams.delete(module);
  };
  return Object.assign(pool, { end });
};
