// @ts-check
/**
 * The compiler, in a Worker: Pyodide, which is Python as WebAssembly, with Rose in it.
 *
 * It says { loaded } while it loads, the bytes so far, and { ready } in the end. To { id, text } it answers
 * { id, facts, wasm, ms }, and to { id, package: true } { id, zip }. What ends it says is { died }: make another.
 */
import { IMPORTED } from "./python/contents.js";
import { loadPyodide } from "./python/pyodide.mjs";

const KEPT = 10; // programs, of half a megabyte each, before the collector runs: it takes 50 ms
let loaded = IMPORTED;
let programs = 0;

/** A response whose bytes are counted as they come. @param {Response} response */
const counted = ({ body, headers, status, statusText }) => {
  const stream = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.length;
      postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(stream), { headers, status, statusText });
};

const load = async () => {
  const get = globalThis.fetch;
  globalThis.fetch = async (...args) => counted(await get(...args)); // Pyodide fetches what it needs itself
  const rose = fetch(new URL("./python/rose.zip", import.meta.url)).then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("./python/", import.meta.url).href });
  python.unpackArchive(await rose, "zip", { extractDir: "/rose" });
  globalThis.fetch = get;
  // the collector runs between programs, not in the middle of one: that would take longer, and more of the small stack
  python.runPython("import sys, gc; gc.disable(); sys.path.insert(0, '/rose')");
  const { compiled, package: packed } = python.pyimport("compiler");
  return { compiled, packed, collect: python.pyimport("gc").collect };
};

/** @param {any} e */
const died = (e) => postMessage({ died: String(e) });
const compiler = load();
compiler.then(() => postMessage({ ready: true }), died);

addEventListener("message", async ({ data: { id, text } }) => {
  try {
    const { compiled, packed, collect } = await compiler;
    const start = performance.now();
    const found = text === undefined ? packed() : compiled(text);
    const ms = performance.now() - start;
    const made = found.toJs();
    found.destroy();
    if (text === undefined) postMessage({ id, zip: made });
    else postMessage({ id, facts: JSON.parse(made[0]), wasm: made[1], ms });
    if (text !== undefined && ++programs % KEPT == 0) collect();
  } catch (e) {
    died(e);
  }
});
