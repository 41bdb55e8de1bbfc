// @ts-check
/**
 * A plugin of Vite's that compiles Python: `import { loss, grad_loss } from "./model.py"`.
 *
 *     // vite.config.js
 *     import rose from "./vite-plugin-rose.js";
 *     export default { plugins: [rose()] };
 *
 * A page imports each function by its name, and `init`, `initSync` and `load`, as from a package; so does a server. When
 * a Python file is saved, the page is loaded again. What is wrong in it is shown over the page, where it was written.
 *
 * @typedef {object} Options
 * @property {string[]} [flags] Those of `rose compile`: `["--grad"]` if they are left out.
 * @property {string[]} [command] What runs Rose: `["uv", "run", "rose"]`, say. Otherwise the `rose` of `.venv`, if there is
 *   one, or that of the path.
 * @property {boolean} [types] Whether model.d.py.ts is written beside model.py, for TypeScript with
 *   `allowArbitraryExtensions`: if there is a tsconfig.json, unless it is said here.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const PYTHON = /\.(py|rose)$/;
const ENTRY = ["init", "initSync", "load"]; // what a package exports

/** An error for Vite. @typedef {{ message: string, frame?: string, loc?: { file: string, line: number, column: number } }} Told */

/**
 * What `rose compile` said of a mistake, with the place where it was made.
 *
 * @param {string} said @returns {Promise<Told>}
 */
export const told = async (said) => {
  const lines = said.trim().split("\n");
  const k = lines.findIndex((line) => /^ +at .+:\d+$|^ +File ".+", line \d+$/.test(line));
  if (k < 0) return { message: said.trim() };
  const [, file, line] = /** @type {string[]} */ (/(?:at |File ")(.+?)(?::|", line )(\d+)$/.exec(lines[k]));
  const shown = lines[k + 1] ?? "";
  const caret = (lines[k + 2] ?? "").indexOf("^");
  const marked = caret >= 0 && !/[^\s^~]/.test(lines[k + 2]);
  const written = (await readFile(file, "utf8").catch(() => "")).split("\n")[+line - 1] ?? "";
  const column = marked ? Math.max(0, written.indexOf(shown.trim()) + caret - shown.search(/\S/)) : 0;
  return {
    message: [...lines.slice(0, k), ...lines.slice(k + (marked ? 3 : 1))].join("\n").replace(/^Error: /, ""),
    frame: marked ? `${line} | ${shown}\n${" ".repeat(line.length)} | ${lines[k + 2]}\n` : undefined, // as Vite writes it
    loc: { file, line: +line, column },
  };
};

/** @param {Options} options @returns {import("vite").Plugin} */
export default function rose({ flags = ["--grad"], command, types } = {}) {
  /** @typedef {{ code: string, sources: string[] }} Made */
  /** What was compiled, by file, or is about to be. @type {Map<string, Promise<Made>>} */
  const made = new Map();
  /** Of which files each is made; null before it is known, and if it could not be compiled. @type {Map<string, string[] | null>} */
  const sources = new Map();
  let folder = "";
  let root = "";

  const [rose, ...more] = command ?? [];
  const program = () => rose ?? ["bin/rose", "Scripts/rose.exe"].map((at) => join(root, ".venv", at)).find(existsSync) ?? "rose";

  /** Compiles a file into a directory of its own, and gives that. @param {string} file */
  const compiled = async (file) => {
    await mkdir(folder, { recursive: true });
    const scratch = await mkdtemp(join(folder, "new-"));
    try {
      const args = [...more, "compile", file, "-o", join(scratch, "made"), "--json", ...flags];
      const { stdout } = await run(program(), args, { env: { ...process.env, NO_COLOR: "1" } });
      const { version } = JSON.parse(await readFile(join(scratch, "made", "package.json"), "utf8"));
      const at = join(folder, `${basename(file).replace(/\W/g, "_")}-${version}`);
      await rename(join(scratch, "made"), at).catch(() => existsSync(at) || Promise.reject(new Error(`cannot make ${at}`)));
      return { at, ...JSON.parse(stdout) };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };

  /** @param {string} file @returns {Promise<Made>} */
  const make = async (file) => {
    const { at, functions, files, sources } = await compiled(file);
    const names = Object.keys(files).map((each) => basename(each));
    const about = names.find((name) => name.endsWith(".json") && name != "package.json") ?? "";
    const module = names.includes("inline.js") ? "inline" : "index"; // which contains it, with --inline
    const { imports } = JSON.parse(await readFile(join(at, about), "utf8"));
    // where the page supplies functions, there are none before it does
    const supplied = imports.some((/** @type {any} */ f) => !f.name.includes("."));
    const named = supplied ? [] : functions.filter((/** @type {string} */ f) => /^[A-Za-z_$][\w$]*$/.test(f));
    const entry = ENTRY.filter((name) => !named.includes(name));
    const code = [
      `import * as made from ${JSON.stringify(join(at, `${module}.js`).replaceAll("\\", "/"))};`,
      "export default made.init;",
      named.length ? "const functions = made.initSync();" : "",
      ...named.map((/** @type {string} */ f, /** @type {number} */ k) => `const f${k} = functions.${f}; export { f${k} as ${f} };`),
      ...entry.map((name) => `export const ${name} = made.${name};`),
    ];
    if (types ?? existsSync(join(root, "tsconfig.json"))) await declare(file, join(at, `${module}.d.ts`), named);
    return { code: code.join("\n"), sources };
  };

  /** Writes model.d.py.ts. @param {string} file @param {string} at The declarations. @param {string[]} named */
  const declare = async (file, at, named) => {
    const text = await readFile(at, "utf8");
    const index = (await readFile(join(dirname(at), "index.d.ts"), "utf8")).replace(/\/\*\*[^*]*\*\/\nexport function initSync.*\n/, "");
    const sync = /\/\*\*[^*]*\*\/\nexport function initSync.*\n/.exec(text)?.[0] ?? "";
    const constants = named.filter((f) => !ENTRY.includes(f)).map((f) => `export declare const ${f}: Functions["${f}"];\n`);
    const name = basename(file).replace(/\.(\w+)$/, ".d.$1.ts");
    const whole = index + sync + constants.join("");
    const place = join(dirname(file), name);
    if ((await readFile(place, "utf8").catch(() => "")) != whole) await writeFile(place, whole);
  };

  /** What may be made of a file. @param {string} file */
  const madeOf = (file) =>
    PYTHON.test(file) ? [...sources].filter(([, from]) => !from || from.includes(file)).map(([each]) => each) : [];

  return {
    name: "rose",
    configResolved(config) {
      root = config.root;
      folder = join(config.cacheDir, "rose");
    },
    async load(id) {
      const [file, query] = id.split("?");
      if (!PYTHON.test(file) || /^(raw|url)\b/.test(query ?? "")) return;
      if (!made.has(file)) {
        sources.set(file, null);
        made.set(file, make(file));
      }
      try {
        const { code, sources: from } = await /** @type {Promise<Made>} */ (made.get(file));
        sources.set(file, from);
        for (const each of from) this.addWatchFile(each);
        return { code, map: null };
      } catch (/** @type {any} */ error) {
        if (error.code == "ENOENT") this.error(`cannot run ${program()}: install Rose, or say rose({ command: [...] })`);
        this.error(await told(error.stderr || String(error)));
      }
    },
    watchChange(file) {
      for (const each of madeOf(file)) made.delete(each);
    },
    hotUpdate({ file, modules, timestamp }) {
      const { hot, moduleGraph: graph } = this.environment;
      // a module that could not be loaded has no importers yet that Vite would load again
      if (madeOf(file).some((each) => !sources.get(each))) hot.send({ type: "full-reload" });
      const again = madeOf(file).flatMap((each) => [...(graph.getModulesByFile(each) ?? [])]);
      for (const module of again) graph.invalidateModule(module, new Set(), timestamp, true);
      return [...new Set([...modules, ...again])];
    },
  };
}
