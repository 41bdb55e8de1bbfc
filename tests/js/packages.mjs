// A package that tests/js/test_packages.py has made, as a page uses it: every call in its calls.json gives here what
// it gave in Python, to the bit. The directory is in the environment: ROSE_PACKAGE.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = process.env.ROSE_PACKAGE;
if (!folder) throw new Error("ROSE_PACKAGE is not set: tests/js/test_packages.py makes the packages, and runs this");
const { module, functions, page, calls } = JSON.parse(readFileSync(join(folder, "calls.json"), "utf8"));
const { default: init, initSync } = await import(pathToFileURL(join(folder, "index.js")));

const view = new DataView(new ArrayBuffer(8));

const float = (bits) => {
  view.setBigUint64(0, BigInt("0x" + bits));
  return view.getFloat64(0);
};

/** The bits of a number, in hexadecimal; every nan is the same one. */
const bitsOf = (x) => {
  view.setFloat64(0, x);
  return Number.isNaN(x) ? "nan" : view.getBigUint64(0).toString(16).padStart(16, "0");
};

/** A value of calls.json as JavaScript has it; vectors of numbers as plain arrays, or as those of their type. */
const made = (x, typed) => {
  if (typeof x == "string") return float(x);
  if (x === null) return undefined;
  if (Array.isArray(x)) return x.map((y) => made(y, typed));
  if (x.struct) return Object.fromEntries(x.struct.map(([k, y]) => [k, made(y, typed)]));
  if (typeof x != "object") return x;
  const [[kind, items]] = Object.entries(x);
  const numbers = items.map((y) => made(y, typed));
  return typed ? globalThis[kind].from(numbers) : numbers;
};

/** Checks that what a function gave is what calls.json has. */
const same = (got, want, path) => {
  const items = (class_, xs) => {
    assert.equal(got?.constructor, class_, path);
    assert.equal(got.length, xs.length, path);
    xs.forEach((y, k) => same(got[k], y, `${path}[${k}]`));
  };
  if (typeof want == "string") {
    assert.equal(typeof got, "number", path);
    assert.equal(bitsOf(got), bitsOf(float(want)), `${path} is ${got} here, and ${float(want)} in Python`);
  } else if (want === null) assert.equal(got, undefined, path);
  else if (Array.isArray(want)) items(Array, want);
  else if (want.struct) {
    assert.deepEqual(
      Object.keys(got),
      want.struct.map(([k]) => k),
      path,
    );
    for (const [k, y] of want.struct) same(got[k], y, `${path}.${k}`);
  } else if (typeof want == "object") for (const [kind, xs] of Object.entries(want)) items(globalThis[kind], xs);
  else assert.equal(got, want, path);
};

/** What the page supplies; an own property, so that one can be called __proto__. What it saw is in `seen`. */
let seen = [];
const saw = (...xs) => seen.push(...xs);
const supplied = Object.fromEntries(
  Object.entries(page).map(([k, text]) => [k, new Function("saw", `return ${text};`)(saw)]),
);
const needed = Object.keys(page).length ? [supplied] : [];

const check = (found, { name, args, result, seen: wanted }, typed, path) => {
  seen = [];
  same(found[name](...args.map((x) => made(x, typed))), result, path);
  assert.deepEqual(seen.map(bitsOf), wanted.map(float).map(bitsOf), `what the page saw of ${path}`);
};

const loaded = needed.length ? await init(undefined, ...needed) : await init();

test("the functions have their names, in order", () => {
  const isIndex = (k) => /^\d+$/.test(k); // which JavaScript puts first
  const names = [...functions.filter(isIndex), ...functions.filter((k) => !isIndex(k))];
  assert.deepEqual(Object.keys(loaded), names);
});

for (const name of functions)
  test(`${name || "(no name)"} gives what it gives in Python`, () => {
    const own = calls.map((call, k) => [call, k]).filter(([call]) => call.name === name);
    for (const [call, k] of own) check(loaded, call, false, `call ${k}`);
  });

test("the calls in the reverse order, given typed arrays, without waiting", () => {
  const bytes = readFileSync(join(folder, module));
  const found = initSync(bytes, ...needed);
  for (const [k, call] of [...calls.entries()].reverse()) check(found, call, true, `call ${k}, ${call.name}`);
});

test("the calls without a look at each number", () => {
  for (const typed of [false, true])
    for (const [k, call] of calls.entries()) {
      const found = { [call.name]: loaded[call.name].unchecked };
      check(found, call, typed, `call ${k}, ${call.name}`);
    }
});

test("the package with its module inside gives the same", async () => {
  const { default: init, initSync } = await import(pathToFileURL(join(folder, "inline.js")));
  for (const found of [await init(undefined, ...needed), initSync(undefined, ...needed)])
    for (const [k, call] of calls.slice(0, 9).entries()) check(found, call, false, `call ${k}, ${call.name}`);
});
