// All cases in a tool of JavaScript: a line of JSON for each, as harness.py has it.

import { readFileSync } from "node:fs";

/** Numbers as Python's json reads them. */
const shown = (x) =>
  Array.isArray(x) ? `[${x.map(shown)}]`
  : typeof x === "object" ? JSON.stringify(x)
  : Number.isNaN(x) ? "NaN" : Number.isFinite(x) ? JSON.stringify(x)
  : x > 0 ? "Infinity" : "-Infinity"; // prettier-ignore

const number = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text] ?? Number(text);

export class Missing extends Error {}

/** A program as a function of the tool's own vector. `keep` marks a value that is used again. */
export const program = (nodes, words, keep = (v) => v) => (x) => {
  const values = [];
  for (const [name, ...args] of nodes) {
    const word = words[name];
    if (name === "x") values.push(x);
    else if (name === "const") values.push(words.constant(number(args[0])));
    else if (word === undefined) throw new Missing(`there is no ${name}`);
    else if (["item", "take", "largest"].includes(name)) values.push(word(keep(values[args[0]]), args[1]));
    else values.push(word(...args.map((k) => keep(values[k]))));
  }
  return values.at(-1);
};

/** `orders(nodes, n)` gives functions of a point, from the value to the highest order that the tool has. */
export const run = async (orders, versions) => {
  console.log(JSON.stringify({ versions }));
  const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
  for (const { name, nodes, missing, points, size } of cases.slice(Number(process.argv[3]))) {
    const answers = [];
    const derivatives = missing ? [] : orders(nodes, size);
    for (const { point, orders: count } of points) {
      const at = point.map(number);
      const answer = [];
      for (let k = 0; k <= count; k++) {
        if (!derivatives[k]) answer.push({ missing: missing ?? "no such order" });
        else
          try {
            answer.push([...(await derivatives[k](at))]);
          } catch (e) {
            answer.push({ [e instanceof Missing ? "missing" : "error"]: `${e.name}: ${e.message}`.slice(0, 200) });
          }
      }
      answers.push(answer);
    }
    console.log(`{"case": ${JSON.stringify(name)}, "answers": ${shown(answers)}}`);
  }
};
