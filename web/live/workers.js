// @ts-check
/**
 * A Worker that is asked, and answers; where it does not in time, it is ended, and the next question starts another.
 *
 * @param {string} file Of its module.
 * @param {{ patience: number, hear?: (message: any) => void }} options How many milliseconds it has for an answer; and
 *   who hears what else it says.
 */
export const asked = (file, { patience, hear }) => {
  /** @type {Worker | undefined} */
  let worker;
  /** Who waits for which answer. @type {Map<number, { done: (x: any) => void, fail: (e: Error) => void }>} */
  const waiting = new Map();
  let last = 0;

  /** @param {string} why */
  const end = (why) => {
    worker?.terminate();
    worker = undefined;
    const all = [...waiting.values()];
    waiting.clear();
    for (const { fail } of all) fail(new Error(why));
  };

  const start = () => {
    const made = new Worker(new URL(file, import.meta.url), { type: "module" });
    made.addEventListener("message", ({ data }) => {
      if (data.died) end(data.died);
      waiting.get(data.id)?.done(data);
      waiting.delete(data.id);
      hear?.(data);
    });
    made.addEventListener("error", (e) => end(e.message || `${file} cannot be loaded`));
    return made;
  };

  return {
    /** Start it, if it does not run. */
    start() {
      worker ??= start();
    },
    /** @param {any} question @returns {Promise<any>} */
    ask(question) {
      worker ??= start();
      const id = ++last;
      return new Promise((done, fail) => {
        const timer = setTimeout(() => end(`no answer in ${patience / 1000} s`), patience);
        const stop = () => clearTimeout(timer);
        waiting.set(id, {
          done: (data) => (stop(), data.error ? fail(new Error(data.error)) : done(data)),
          fail: (e) => (stop(), fail(e)),
        });
        worker?.postMessage({ id, ...question });
      });
    },
    end,
    get runs() {
      return worker !== undefined;
    },
  };
};
