// @ts-check
/**
 * An editor of Python: a text area, with its text in colours underneath, and the numbers of its lines.
 *
 * Tab indents; Escape, and then Tab, leaves it.
 */

const KEYWORDS =
  "and as assert async await break class continue def del elif else except finally for from global if import in is " +
  "lambda nonlocal not or pass raise return try while with yield None True False";
const TOKENS = new RegExp(
  [
    /(?<c1>#.*)/,
    /(?<s1>[fr]?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<nd>@[\w.]+)/,
    /(?<=\b(?:def|class)\s+)(?<nf>\w+)/,
    new RegExp(`\\b(?<k>${KEYWORDS.replaceAll(" ", "|")})\\b`),
    /\b(?<mf>(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:e[+-]?\d+)?)/,
  ]
    .map((x) => x.source)
    .join("|"),
  "gi",
);

/** The pieces of a text that have a colour: where they start and end, and their class.
 *  @param {string} text @returns {[number, number, string][]} */
const tokens = (text) =>
  Array.from(text.matchAll(TOKENS), (m) => {
    const [name] = Object.entries(m.groups ?? {}).find(([, x]) => x !== undefined) ?? [""];
    return [m.index, m.index + m[0].length, name];
  });

/** @param {HTMLElement} element Becomes an editor. @param {{ label: string, change: () => void }} options */
export const editor = (element, { label, change }) => {
  const numbers = document.createElement("pre");
  const colours = document.createElement("pre");
  const area = document.createElement("textarea");
  const both = document.createElement("div");
  numbers.className = "lines";
  numbers.ariaHidden = colours.ariaHidden = "true";
  both.className = "both";
  both.append(colours, area);
  element.append(numbers, both);
  for (const [k, v] of Object.entries({
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    autocorrect: "off",
    wrap: "off",
    "aria-label": label,
    "aria-describedby": "keys",
  }))
    area.setAttribute(k, v);

  /** What is wrong: line, and columns. @type {number[] | undefined} */
  let wrong;
  const paint = () => {
    const text = area.value;
    const lines = text.split("\n");
    let [from, to] = [-1, -1];
    if (wrong && lines[wrong[0] - 1] !== undefined) {
      from = lines.slice(0, wrong[0] - 1).reduce((n, line) => n + line.length + 1, 0) + wrong[1];
      to = from + wrong[2] - wrong[1];
    }
    const cuts = tokens(text).flatMap(([a, b]) => [a, b]);
    const edges = [...new Set([0, ...cuts, from, to, text.length])].filter((k) => k >= 0 && k <= text.length);
    edges.sort((a, b) => a - b);
    const kinds = new Map(
      tokens(text).flatMap(([a, b, kind]) => edges.filter((k) => k >= a && k < b).map((k) => [k, kind])),
    );
    colours.replaceChildren(
      ...edges.map((a, k) => {
        const span = document.createElement(a >= from && a < to ? "mark" : "span");
        span.className = kinds.get(a) ?? "";
        span.textContent = text.slice(a, edges[k + 1]);
        return span;
      }),
      "\n",
    );
    numbers.replaceChildren(
      ...lines.map((_, k) => {
        const line = document.createElement(k + 1 === wrong?.[0] ? "mark" : "span");
        line.textContent = `${k + 1}\n`;
        return line;
      }),
    );
  };

  /** Put text in the place of what is selected; it can be undone. @param {string} text */
  const insert = (text) => {
    area.focus();
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  };

  const lineStart = () => area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
  let leaving = false;
  area.addEventListener("keydown", (e) => {
    if (e.key == "Escape") leaving = true;
    if (e.key == "Enter" && !e.isComposing && !e.ctrlKey && !e.metaKey) {
      const line = area.value.slice(lineStart(), area.selectionStart);
      e.preventDefault();
      insert(`\n${/^ */.exec(line)?.[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    } else if (e.key == "Tab" && !leaving && !e.ctrlKey && !e.altKey && !e.metaKey) {
      e.preventDefault();
      if (e.shiftKey) {
        const at = area.selectionStart;
        const start = lineStart();
        const spaces = /^ {0,4}/.exec(area.value.slice(start))?.[0].length ?? 0;
        area.setSelectionRange(start, start + spaces);
        if (spaces) insert("");
        area.setSelectionRange(Math.max(start, at - spaces), Math.max(start, at - spaces));
      } else insert(" ".repeat(4 - ((area.selectionStart - lineStart()) % 4)));
    }
    if (e.key != "Escape" && e.key != "Shift") leaving = false;
  });
  area.addEventListener("input", () => {
    wrong = undefined;
    paint();
    change();
  });
  paint();

  return {
    get text() {
      return area.value;
    },
    /** Another program; what was there can be had back by undoing. @param {string} text */
    replace(text) {
      area.select();
      insert(text);
      area.setSelectionRange(0, 0);
      element.scrollTo(0, 0);
    },
    /** The first program. @param {string} text */
    begin(text) {
      area.value = text;
      paint();
    },
    /** Show where something is wrong, or that nothing is. @param {number[] | undefined} place */
    mark(place) {
      wrong = place;
      paint();
    },
  };
};
