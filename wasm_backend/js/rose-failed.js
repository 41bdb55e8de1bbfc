// @ts-check
/** The reason why a module stopped, such as a failed assertion. Only modules that may stop have this file. */

const AT = 8; // where a module leaves the number of the reason

/**
 * What a call throws for this error: an error that says why the module stopped. Its cause, the trap, has the lines of
 * Python in its stack; its own begins where the page called.
 *
 * @param {any} error @param {(...args: any[]) => any} from @param {any} exports @param {string[]} said The reasons.
 */
export const failed = (error, from, exports, said) => {
  const why = new Uint32Array(exports.memory.buffer, AT, 1);
  const reason = said[why[0] - 1];
  why[0] = 0;
  if (!reason) return error;
  const told = new Error(reason, { cause: error });
  /** @type {any} */ (Error).captureStackTrace?.(told, from);
  return told;
};
