// @ts-check
/** `dispose`, which drops the memory of an instance. Only packages that are asked for it have this file. */

import { kept } from "./rose.js";

/** Refuses a call of what was disposed. @param {string} name @param {(...args: any[]) => any} from @returns {never} */
export const ended = (name, from) => {
  const error = new Error(`${name}: this model was disposed: init() gives another one`);
  /** @type {any} */ (Error).captureStackTrace?.(error, from);
  throw error;
};

/** Functions, with what disposes them. @param {any} functions @param {WebAssembly.Module} module @param {() => void} end */
export const disposable = (functions, module, end) => {
  const dispose = () => {
    if (kept.get(module) == functions) kept.delete(module);
    end();
  };
  return Object.assign(functions, { dispose, [/** @type {any} */ (Symbol).dispose ?? "dispose"]: dispose });
};
