// @ts-check
/** The reason why a module stopped, such as a failed assertion. Only modules that may stop have this file. */

/**
 * The function that calls `f` and says why it stopped: the module leaves the number of the reason in memory. The cause
 * of the error, the trap, has the lines of Python in its stack; its own begins where the page called.
 *
 * @param {(...args: any[]) => any} f @param {any} exports @param {{ at: number, said: string[] }} failed
 * @returns {(...args: any[]) => any}
 */
export const guard = (f, exports, { at, said }) => {
  /** @type {(...args: any[]) => any} */
  const guarded = (...args) => {
    try {
      return f(...args);
    } catch (error) {
      const why = new Uint32Array(exports.memory.buffer, at, 1);
      const reason = said[why[0] - 1];
      why[0] = 0;
      if (!reason) throw error;
      const told = new Error(reason, { cause: error });
      // `run` of rose-values.js is given the function that the page called
      /** @type {any} */ (Error).captureStackTrace?.(told, args.find((x) => x?.call) ?? guarded);
      throw told;
    }
  };
  return guarded;
};
