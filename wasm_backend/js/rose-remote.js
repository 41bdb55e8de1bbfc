// @ts-check
/**
 * `remote`: the functions of a package in a Worker, as promises. Only packages with Workers have this file.
 *
 * @typedef {import("./rose.js").Call} Call
 */

import { buffers, stackOf, starter, thread } from "./rose-thread.js";

/** True for a view whose memory is shared. @param {any} x */
const isShared = (x) => typeof SharedArrayBuffer != "undefined" && x.buffer instanceof SharedArrayBuffer;

/**
 * A function in a Worker. An argument behind its own has options.
 *
 * @param {any} send @param {string} name @param {number} n The parameters. @param {string} form @returns {Call}
 */
const far = (send, name, n, form) =>
  async function g(...args) {
    const here = stackOf(g);
    const more = args.length == n + 1 && {}.toString.call(args[n]) == "[object Object]";
    const { out, signal, progress, workers, transfer = [] } = more ? args.pop() : {};
    if (workers !== undefined) throw new TypeError(`${name}.map: this one has one Worker: call that of init()`);
    // a clone of a view has all of its buffer
    const own = (/** @type {any} */ x) =>
      ArrayBuffer.isView(x) && x.byteLength < x.buffer.byteLength && !isShared(x) && !transfer.includes(x.buffer)
        ? /** @type {any} */ (x).slice()
        : x;
    const message = { name, form, args: args.map(own), out: own(out), progress: !!progress };
    const given = out && transfer.includes(out.buffer);
    try {
      const value = await send(message, { transfer, signal, heard: progress, here });
      if (!out || given) return value;
      if (!isShared(out)) out.set(value);
      return out;
    } catch (/** @type {any} */ error) {
      if (error?.name != "DataCloneError") throw error;
      throw new TypeError(`${name}: an argument cannot be sent to a Worker: ${error.message}`);
    }
  };

/**
 * What gives the functions of a package in a Worker of their own.
 *
 * @param {[name: string, n: number][]} all Their names and counts of parameters. @param {string[]} forms The members of
 *   each that are functions too. @param {Call} load
 * @param {import("./rose-thread.js").Start} start @param {string} [base]
 */
export const remotely = (all, forms, load, start, base) => async (/** @type {any} */ source) => {
  const { send, end } = thread(await starter(start, base), await load(source));
  const made = all.map(([name, n]) => {
    const others = forms.map((form) => [form, far(send, name, n, form)]);
    return [name, Object.assign(far(send, name, n, ""), Object.fromEntries(others))];
  });
  const terminate = () => end("the Worker was terminated: remote() gives another one");
  const dispose = /** @type {any} */ (Symbol).dispose ?? "terminate";
  return Object.fromEntries([...made, ["terminate", terminate], [dispose, terminate]]);
};
