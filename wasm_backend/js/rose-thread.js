// @ts-check
/**
 * Workers: what starts one, and calls in it, one after another. Only packages with Workers have this file.
 *
 * @typedef {import("./rose.js").Call} Call
 * @typedef {string | (() => Worker) | undefined} Start The text of the Worker's script; or what makes one of a file.
 * @typedef {{ transfer?: any[], signal?: AbortSignal, heard?: Call, here?: any }} About The buffers that are given up,
 *   what stops the call, what hears of its progress, and the stack of the page that made it.
 */

import { later } from "./rose.js";

/** An error as it is posted: a clone has neither the class of a trap nor the number of a row. @param {any} e @returns {any} */
export const packed = (e) =>
  e instanceof Error
    ? { kind: e.name, said: e.message, stack: e.stack, row: /** @type {any} */ (e).row, cause: e.cause && packed(e.cause) }
    : { thrown: e };

/**
 * The error that was posted. Its stack begins where the page made the call; that of a trap stays, with lines of Python.
 *
 * @param {any} told @param {any} [here] @returns {any}
 */
const unpacked = ({ thrown, kind, said, stack, row, cause }, here) => {
  if (!kind) return thrown;
  const trap = /** @type {any} */ (WebAssembly)[kind];
  const error = new (trap ?? /** @type {any} */ (globalThis)[kind] ?? Error)(said, cause && { cause: unpacked(cause) });
  const lines = here?.stack?.match(/^ +at .*/gm);
  if (trap || lines) error.stack = trap ? stack : [`${kind}: ${said}`, ...lines].join("\n");
  if (row != null) error.row = row;
  return error;
};

/** The buffers of a value that can be given up: all but shared ones. @param {any} x @param {Set<any>} [found] */
export const buffers = (x, found = new Set()) => {
  if (ArrayBuffer.isView(x)) {
    if (x.buffer instanceof ArrayBuffer) found.add(x.buffer);
  } else if (x && typeof x == "object") for (const y of Object.values(x)) buffers(y, found);
  return [...found];
};

/** The stack of whoever called a function, to be read later. @param {Call} from @returns {any} */
export const stackOf = (from) => {
  const here = {};
  /** @type {any} */ (Error).captureStackTrace?.(here, from);
  return here;
};

/**
 * What makes Workers, here. Node's are of a module of its own, and read the file beside the script.
 *
 * @param {Start} start @param {string} [base] The address of the script. @returns {Promise<() => any>}
 */
export const starter = async (start, base) => {
  const { Worker: Web } = globalThis;
  const node = !Web && start ? await later("node:worker_threads").catch(() => 0) : 0;
  if (!start || !(Web || node?.Worker)) throw new Error("no Worker can be started here: call init()");
  if (typeof start == "function") return node ? () => new node.Worker(new URL("./worker.js", base)) : start;
  if (node) return () => new node.Worker(start, { eval: true });
  const address = URL.createObjectURL(new Blob([start], { type: "text/javascript" }));
  return () => new Worker(address, { type: "module" });
};

/**
 * A Worker, which is started when it is first needed, and again after it was stopped. It has one task at a time; those
 * that wait have their arguments already, so that a stop takes nothing from them.
 *
 * @param {() => any} make @param {WebAssembly.Module} module
 */
export const thread = (make, module) => {
  /** @type {any[]} The first one is in the Worker. */
  const tasks = [];
  /** @type {any} */
  let worker;
  let over = "";

  const stop = () => {
    worker?.terminate();
    worker = undefined;
  };

  const open = () => {
    const made = (worker = make());
    const heard = (/** @type {any} */ data) => {
      const [task] = tasks;
      if (made != worker) return;
      if (data.done) task.heard(...data.done);
      else if (data.error) settle(task, "reject", unpacked(data.error, task.here));
      else settle(task, "resolve", data.value);
    };
    const broke = (/** @type {any} */ error) => {
      if (made != worker) return;
      stop();
      const hint = 'it could not be started, or its memory is full; a Content-Security-Policy needs worker-src';
      if (tasks.length) settle(tasks[0], "reject", new Error(`the Worker failed: ${error.message || hint}`));
    };
    if (made.on) made.on("message", heard).on("error", broke);
    else {
      made.onmessage = (/** @type {any} */ { data }) => heard(data);
      made.onerror = (/** @type {any} */ event) => (event.preventDefault(), broke(event));
    }
    made.postMessage({ module });
  };

  /** Sends the first task. In Node, a Worker without one does not keep the process. */
  const next = () => {
    const [task] = tasks;
    if (task && !task.sent && !over)
      try {
        task.sent = true;
        if (!worker) open();
        worker.postMessage(task.message, task.transfer);
      } catch (error) {
        settle(task, "reject", error);
        return;
      }
    worker?.[task ? "ref" : "unref"]?.();
  };

  /** @param {any} task @param {string} way @param {any} value */
  const settle = (task, way, value) => {
    tasks.splice(tasks.indexOf(task), 1);
    task.signal?.removeEventListener("abort", task.stopped);
    task[way](value);
    next();
  };

  /** What the Worker answers. @param {any} message @param {About} about @returns {Promise<any>} */
  const send = (message, { transfer = [], signal, heard, here }) =>
    new Promise((resolve, reject) => {
      if (over) throw new Error(over);
      signal?.throwIfAborted();
      /** @type {any} */
      const task = { message, transfer, signal, heard, here, resolve, reject };
      task.stopped = () => {
        if (tasks[0] == task) stop();
        settle(task, "reject", signal?.reason);
      };
      if (tasks.length) {
        task.message = structuredClone(message, { transfer });
        task.transfer = buffers(task.message);
      }
      signal?.addEventListener("abort", task.stopped);
      if (tasks.push(task) == 1) next();
    });

  /** Ends the Worker for good. @param {string} why */
  const end = (why) => {
    over = why;
    stop();
    for (const task of [...tasks]) settle(task, "reject", new Error(why));
  };
  return { send, end };
};
