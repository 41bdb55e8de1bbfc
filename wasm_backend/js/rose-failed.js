// @ts-check
/** The reason why a module stopped, such as a failed assertion. Only modules that may stop have this file. */

/**
 * The error to throw: the module leaves the number of the reason in memory. Its cause, the trap, has the lines of
 * Python in its stack.
 *
 * @param {any} error @param {any} exports @param {{ at: number, said: string[] }} failed
 */
export const told = (error, exports, { at, said }) => {
  const why = new Uint32Array(exports.memory.buffer, at, 1);
  if (why[0]) error = new Error(said[why[0] - 1], { cause: error });
  why[0] = 0;
  return error;
};
