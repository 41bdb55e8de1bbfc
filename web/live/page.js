// @ts-check
/** The editor: a program is compiled when its writer pauses, and what it computes is drawn. */
import { contourMap } from "../quadratic/map.js";
import { tell } from "../quadratic/numbers.js";
import { took } from "../shared/page.js";
import { editor } from "./editor.js";
import { PROGRAMS, TOTAL } from "./python/contents.js";
import { asked } from "./workers.js";

const PAUSE = 300; // ms without a key, before the program is compiled
const PATIENCE = { compile: 10_000, evaluate: 2_000 }; // ms
const MB = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);
/** @param {HTMLElement} element @param {string} text */
const say = (element, text) => {
  element.textContent = text;
  element.hidden = !text;
};
/** Say what is wrong: sentences may take more lines than one, but what is quoted stays above its caret.
 *  @param {string} text */
const complain = (text) => {
  say($("wrong"), text);
  const parts = text.match(/(?:^ {4}.*\n?)+|(?:^(?! {4}).*\n?)+/gm) ?? [];
  const spans = parts.filter(Boolean).map((part) => {
    const span = document.createElement("span");
    span.textContent = part.replace(/\n$/, "");
    span.className = part.startsWith("    ") ? "quoted" : "";
    return span;
  });
  $("wrong").replaceChildren(...spans);
};

// the picture

/** @type {import("../quadratic/map.js").Box} */
let box = [-4.8, -4.8, 4.8, 4.8];
let [x, y] = [0.4, -0.3];
const runner = asked("./runner.js", { patience: PATIENCE.evaluate });
/** @param {string} f @param {...number} args */
const evaluated = async (f, ...args) => {
  const { result, ms } = await runner.ask({ f, args });
  took(ms);
  return result;
};

let moving = false;
/** @type {[number, number] | undefined} */
let next;
/** The point goes on while an evaluation is under way; the last place is always evaluated. */
const follow = async () => {
  if (moving) return;
  moving = true;
  try {
    while (next) {
      const [toX, toY] = next;
      next = undefined;
      const local = await evaluated("local", toX, toY);
      [x, y] = [toX, toY];
      map.point(x, y, local, { newton: true });
      tell(x, y, local);
    }
  } catch (e) {
    failed(e);
  }
  moving = false;
};
const map = contourMap($("map"), {
  label: "The point",
  move: (toX, toY) => {
    next = [toX, toY];
    follow();
  },
});

/** @param {any} e */
const failed = (e) => {
  next = undefined;
  complain(`${e.message}\n  when the compiled program was evaluated`);
};

/** Draw what a module computes; the last picture stays if that fails.
 *  @param {{ wasm: Uint8Array | null, signatures?: any }} module @param {import("../quadratic/map.js").Box} around */
const draw = async (module, around) => {
  await runner.ask(module);
  const heights = await evaluated("heights", ...around);
  if (x < around[0] || x > around[2] || y < around[1] || y > around[3])
    [x, y] = [0, 1].map((k) => 0.4 * around[k] + 0.6 * around[k + 2]);
  box = around;
  map.surface(box, heights);
  next = [x, y];
  await follow();
};

// the program

/** @type {Uint8Array<ArrayBuffer> | undefined} */
let module;
let state = "off"; // then loading, ready or busy
let stale = false; // the text is newer than what is being compiled
let hung = false; // the text did not come to an end
let timer = 0;

const compiler = asked("./python.js", {
  patience: PATIENCE.compile,
  hear: ({ loaded, ready, died }) => {
    if (died && state == "loading") {
      state = "off";
      $("load").hidden = false;
      $("progress").hidden = true;
      say($("status"), `Python cannot be loaded: ${died}`);
    }
    if (loaded) {
      if (loaded < TOTAL) $("progress").value = loaded / TOTAL;
      else $("progress").removeAttribute("value");
      say($("status"), loaded < TOTAL ? `${MB(loaded)} of ${MB(TOTAL)}` : "Python starts …");
    }
    if (!ready) return;
    state = "ready";
    $("progress").hidden = true;
    say($("status"), "");
    if (!hung) compile();
  },
});

const load = () => {
  state = "loading";
  $("load").hidden = true;
  $("progress").hidden = false;
  compiler.start();
};

const compile = async () => {
  clearTimeout(timer);
  if (state == "busy") stale = true;
  if (state != "ready") return;
  state = "busy";
  stale = false;
  const slow = setTimeout(() => ($("stop").hidden = false), 800);
  try {
    const { facts, wasm, ms } = await compiler.ask({ text: code.text });
    state = "ready";
    if (!stale) await show(facts, wasm, ms);
  } catch (e) {
    complain(`Python was stopped: ${/** @type {Error} */ (e).message}. It starts again.`);
    hung = !stale;
    load();
  }
  clearTimeout(slow);
  $("stop").hidden = true;
  if (stale) compile();
};

/** @param {any} facts @param {Uint8Array<ArrayBuffer>} wasm @param {number} ms */
const show = async ({ wrong, said, signatures, box: around }, wasm, ms) => {
  code.mark(wrong?.at);
  complain(wrong?.text ?? "");
  say($("said"), said);
  if (wrong) return say($("status"), "the picture is that of the last program that was right");
  module = wasm;
  $("wasm").disabled = $("zip").disabled = false;
  say($("status"), `${wasm.length.toLocaleString("en")} bytes of WebAssembly, compiled in ${ms.toFixed(0)} ms`);
  const count = String(Number(document.body.dataset.compiled ?? 0) + 1);
  document.body.dataset.compiled = count;
  try {
    await draw({ wasm, signatures }, around);
    document.body.dataset.drawn = count;
  } catch (e) {
    failed(e);
  }
};

const code = editor($("editor"), {
  label: "Program",
  change: () => {
    clearTimeout(timer);
    hung = false;
    if (state == "off") say($("status"), "load Python, and the picture follows what you write");
    else timer = setTimeout(compile, PAUSE);
  },
});

/** @param {BlobPart} data @param {string} name @param {string} type */
const download = (data, name, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

// what is pressed and chosen

if (TOTAL) $("load").textContent = `Load Python, ${MB(TOTAL)}`;
else {
  $("load").disabled = true;
  say($("status"), "This site was built without Python.");
}
$("load").addEventListener("click", load);
$("stop").addEventListener("click", () => compiler.end("as you asked"));
$("wasm").addEventListener("click", () => module && download(module, "program.wasm", "application/wasm"));
$("zip").addEventListener("click", async () =>
  download((await compiler.ask({})).zip, "program.zip", "application/zip"),
);
for (const { title } of PROGRAMS) $("programs").append(new Option(title));
$("programs").addEventListener("change", () => code.replace(PROGRAMS[$("programs").selectedIndex].text));
code.begin(PROGRAMS[0].text);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  evaluated("heights", ...box).then((heights) => {
    map.surface(box, heights);
    next = [x, y];
    follow();
  }, failed),
);
draw({ wasm: null }, box).catch(failed);
