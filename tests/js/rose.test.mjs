// The browser runtime, on small modules assembled by hand: what functions accept, refuse and answer, what
// they ask of the page, and where modules can be loaded from.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

// where no package.json says what a .js is, older versions of Node take it for CommonJS
const folder = mkdtempSync(join(tmpdir(), "rose é "));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const root = fileURLToPath(new URL("../..", import.meta.url));
const files = readdirSync(join(root, "wasm_backend/js")).filter((file) => /^rose(-(?!drag).*)?\.js$/.test(file));
for (const file of files) copyFileSync(join(root, "wasm_backend/js", file), join(folder, file));
const at = (file) => import(pathToFileURL(join(folder, file)));
const library = Object.assign({}, ...(await Promise.all(files.map(at))));
const { bind: bindTo, loader: entryOf } = library;

// the functions, which the compiler writes
const here = join(root, ".venv/bin/python");
const python = process.env.PYTHON ?? (existsSync(here) ? here : "python3");
const WRITE = `
import json, sys
from wasm_backend.package.calls import functions
print(functions(json.load(sys.stdin))[0])`;
const textOf = (signatures) =>
  execFileSync(python, ["-S", "-c", WRITE], { input: JSON.stringify(signatures), cwd: root, encoding: "utf8" });
const written = new Map();
const functionsOf = (signatures) => {
  const known = JSON.stringify(signatures);
  if (!written.has(known)) {
    const made = new Function(...Object.keys(library), `${textOf(signatures)}; return functions;`);
    written.set(known, made(...Object.values(library)));
  }
  return written.get(known);
};
const bind = (source, signatures, page) => bindTo(source, functionsOf(signatures), page);
const load = (source, signatures, page) => entryOf(functionsOf(signatures)).init(source, page);

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

// (module
//   (memory (export "memory") 1)
//   (func (export "f") (param f64 f64) (result f64) (f64.sub (local.get 0) (local.get 1)))
//   (func (export "flip") (param i32) (result i32) (i32.eqz (local.get 0)))
//   (func (export "same") (param i32) (result i32) (local.get 0))
//   (func (export "mix") (param f64 i32 i32) (result f64)
//     (f64.add (local.get 0) (f64.convert_i32_u (i32.add (i32.mul (i32.const 10) (local.get 1)) (local.get 2)))))
//   (func (export "dot") (result f64)
//     (f64.add (f64.mul (f64.load (i32.const 16)) (f64.load (i32.const 32)))
//              (f64.mul (f64.load (i32.const 24)) (f64.load (i32.const 40)))))
//   (func (export "echo"))
//   (func (export "grow") (drop (memory.grow (i32.const 1))))
//   (func (export "stop") unreachable))
const PLAIN_BASE64 =
  "AGFzbQEAAAABGgVgAnx8AXxgAX8Bf2ADfH9/AXxgAAF8YAAAAwkIAAEBAgMEBAQFAwEAAQc9CQZtZW1vcnkCAAFmAAAEZmxpcAAB" +
  "BHNhbWUAAgNtaXgAAwNkb3QABARlY2hvAAUEZ3JvdwAGBHN0b3AABwpMCAcAIAAgAaELBQAgAEULBAAgAAsOACAAQQogAWwgAmq4" +
  "oAsZAEEQKwMAQSArAwCiQRgrAwBBKCsDAKKgCwIACwcAQQFAABoLAwAACw==";
const PLAIN = bytesOf(PLAIN_BASE64);

// (module
//   (import "opaque" "Math.log" (func (param f64) (result f64)))
//   (import "opaque" "ask" (func (param f64 i32 i32) (result i32)))
//   (import "opaque" "turn" (func (param i32 i32 i32)))
//   (import "opaque" "tell" (func (param f64)))
//   (memory (export "memory") 1)
//   (func (export "log") (param f64) (result f64) (call 0 (local.get 0)))
//   (func (export "ask") (param f64 i32 i32) (result i32) (call 1 (local.get 0) (local.get 1) (local.get 2)))
//   (func (export "turn") (param i32) (call 2 (i32.const 16) (local.get 0) (i32.const 64)))
//   (func (export "scale")
//     (call 3 (f64.load (i32.const 16)))
//     (f64.store (i32.const 128) (f64.mul (f64.const 10) (f64.load (i32.const 16))))
//     (f64.store (i32.const 136) (f64.mul (f64.const 10) (f64.load (i32.const 24))))))
const HOSTED = bytesOf(
  "AGFzbQEAAAABHgZgAXwBfGADfH9/AX9gA39/fwBgAXwAYAF/AGAAAAI8BAZvcGFxdWUITWF0aC5sb2cAAAZvcGFxdWUDYXNrAAEG" +
    "b3BhcXVlBHR1cm4AAgZvcGFxdWUEdGVsbAADAwUEAAEEBQUDAQABByUFBm1lbW9yeQIAA2xvZwAEA2FzawAFBHR1cm4ABgVzY2Fs" +
    "ZQAHClMEBgAgABAACwoAIAAgASACEAELCwBBECAAQcAAEAILMwBBECsDABADQYABRAAAAAAAACRAQRArAwCiOQMAQYgBRAAAAAAA" +
    "ACRAQRgrAwCiOQMACw==",
);

// (module
//   (import "opaque" "__proto__" (func (result f64)))
//   (import "opaque" "a b" (func (result f64)))
//   (memory (export "memory") 1)
//   (func (export "then") (result f64) (f64.const 1))
//   (func (export "constructor") (result f64) (call 1))
//   (func (export "__proto__") (result f64) (call 0)))
const ODD = bytesOf(
  "AGFzbQEAAAABBQFgAAF8AiECBm9wYXF1ZQlfX3Byb3RvX18AAAZvcGFxdWUDYSBiAAADBAMAAAAFAwEAAQcrBAZtZW1vcnkCAAR0" +
    "aGVuAAILY29uc3RydWN0b3IAAwlfX3Byb3RvX18ABAoXAwsARAAAAAAAAPA/CwQAEAELBAAQAAs=",
);

const real = { kind: "real" };
const single = { kind: "single" };
const bool = { kind: "bool" };
const unit = { kind: "unit" };
const index = (size) => ({ kind: "index", size });
const vec = (size, elem = real, stride = 8) => ({ kind: "vec", size, stride, elem });
const struct = (...fields) => ({ kind: "struct", name: "S", fields });
const tuple = (...items) => ({ kind: "tuple", items });
const slot = (type, at = null) => ({ type, at });
const param = (name, type, at = null) => ({ name, type, at });

const signature = (name, params, result) => ({ name, params, result });
const only = (...exports) => ({ exports, imports: [] });

/** The function that gives back what it is given, through memory; read as another type, it shows the bytes. */
const echo = (type, result = type) =>
  bind(PLAIN, only(signature("echo", [param("x", type, 16)], slot(result, 16)))).echo;

const f = bind(PLAIN, only(signature("f", [param("x", real), param("y", real)], slot(real)))).f;

const refuses = (call, message) => assert.throws(call, { name: "TypeError", message });

const point = struct(["x", 0, real], ["y", 8, real]);
const mixed = struct(["flag", 0, bool], ["i", 4, index(9)], ["x", 8, real], ["v", 16, vec(2)]);

test("scalars", () => {
  assert.equal(f(5, 3), 2);
  assert.equal(f(Infinity, 3), Infinity);
  assert.ok(Number.isNaN(f(NaN, 3)));
  assert.ok(Object.is(f(-0, 0), -0));
  const { flip, same, mix } = bind(
    PLAIN,
    only(
      signature("flip", [param("b", bool)], slot(bool)),
      signature("same", [param("i", index(2 ** 32))], slot(index(2 ** 32))),
      signature("mix", [param("x", real), param("b", bool), param("u", unit), param("i", index(10))], slot(real)),
    ),
  );
  assert.equal(flip(true), false);
  assert.equal(flip(false), true);
  assert.equal(same(0), 0);
  assert.equal(same(4294967295), 4294967295);
  assert.equal(mix(0.5, true, undefined, 7), 17.5);
});

test("scalars that lie in memory, as those of a function with hundreds of parameters do", () => {
  const params = [16, 24, 32, 40].map((at, k) => param("abcd"[k], real, at));
  const { dot } = bind(PLAIN, only(signature("dot", params, slot(real))));
  assert.equal(dot(2, 3, 5, 7), 31);
  refuses(() => dot(2, 3, 5, null), "dot: d must be a number, got null");
});

test("vectors of numbers", () => {
  const params = [param("x", vec(2), 16), param("y", vec(2), 32)];
  const { dot } = bind(PLAIN, only(signature("dot", params, slot(real))));
  assert.equal(dot([2, 3], [5, 7]), 31);
  assert.equal(dot(new Float64Array([2, 3]), Float32Array.of(5, 7)), 31);
  assert.equal(dot({ length: 2, 0: 2, 1: 3 }, Int8Array.of(5, 7)), 31);
});

test("a vector comes back as a copy", () => {
  const same = echo(vec(3));
  const y = same([1, 2, 3]);
  assert.deepEqual(y, new Float64Array([1, 2, 3]));
  y[0] = 9;
  assert.deepEqual(same([4, 5, 6]), new Float64Array([4, 5, 6]));
  assert.deepEqual(y, new Float64Array([9, 2, 3]));
});

test("vectors of indices, of booleans, and of none", () => {
  assert.deepEqual(echo(vec(3, index(5), 4))([4, 0, 2]), Uint32Array.of(4, 0, 2));
  assert.deepEqual(echo(vec(2, index(5), 4))(Uint16Array.of(1, 3)), Uint32Array.of(1, 3));
  assert.deepEqual(echo(vec(3, bool, 1))([true, false, true]), [true, false, true]);
  assert.deepEqual(echo(vec(0))([]), new Float64Array(0));
  assert.deepEqual(echo(vec(2, unit, 0))([null, undefined]), [undefined, undefined]);
  const empty = bind(PLAIN, only(signature("echo", [param("x", vec(0, point, 16))], slot(vec(0))))).echo;
  assert.deepEqual(empty([]), new Float64Array(0));
});

test("nested vectors", () => {
  const m = echo(vec(2, vec(3), 24));
  const rows = [new Float64Array([1, 2, 3]), new Float64Array([4, 5, 6])];
  assert.deepEqual(m([[1, 2, 3], Float64Array.of(4, 5, 6)]), rows);
  assert.deepEqual(m(rows), rows);
  const cube = echo(vec(2, vec(3, vec(2), 16), 48));
  const number = (i, j, k) => 100 * i + 10 * j + k;
  const made = (one) => [0, 1].map((i) => [0, 1, 2].map((j) => one([number(i, j, 0), number(i, j, 1)])));
  assert.deepEqual(cube(made(Array.from)), made(Float64Array.from.bind(Float64Array)));
  assert.deepEqual(echo(vec(2, vec(2, bool, 1), 2))([[true, false], [false, true]]), [[true, false], [false, true]]);
  assert.deepEqual(echo(vec(2, vec(0), 0))([[], []]), [new Float64Array(0), new Float64Array(0)]);
  assert.deepEqual(echo(vec(0, vec(2), 16))([]), []);
});

test("rows come back as a copy, and are apart from one another", () => {
  const m = echo(vec(2, vec(3), 24));
  const [a, b] = m([[1, 2, 3], [4, 5, 6]]);
  a.fill(9);
  assert.deepEqual(b, Float64Array.of(4, 5, 6));
  m([[0, 0, 0], [0, 0, 0]]);
  assert.deepEqual([a, b], [Float64Array.of(9, 9, 9), Float64Array.of(4, 5, 6)]);
});

test("longer vectors, from arrays of each kind", () => {
  const numbers = Array.from({ length: 40 }, (_, k) => k % 7);
  const given = [Array, Float64Array, Float32Array, Int8Array, Uint32Array].map((kind) => kind.from(numbers));
  for (const x of given) {
    assert.deepEqual(echo(vec(40))(x), Float64Array.from(numbers));
    assert.deepEqual(echo(vec(40, index(7), 4))(x), Uint32Array.from(numbers));
    refuses(() => echo(vec(40, index(6), 4))(x), "echo: x[6] must be an integer from 0 to 5, got 6");
    refuses(() => echo(vec(40, bool, 1))(x), "echo: x[0] must be a boolean, got 0");
    if (x instanceof Float64Array)
      refuses(() => echo(vec(40, single, 4))(x), "echo: x must be a Float32Array, or an array, got object");
    else assert.deepEqual(echo(vec(40, single, 4))(x), Float32Array.from(numbers));
  }
  refuses(() => echo(vec(9, bool, 1))(new Uint8Array(9)), "echo: x[0] must be a boolean, got 0");
  refuses(() => echo(vec(9, single, 4))([0, 1e39, 0, 0, 0, 0, 0, 0, 0]), "echo: x[1] must be at most 3.4e38 in size, got 1e+39");
});

test("structs, and where their fields lie", () => {
  const s = { flag: true, i: 7, x: 0.5, v: new Float64Array([1, 2]) };
  assert.deepEqual(echo(mixed)({ ...s, extra: 1 }), s);
  assert.deepEqual(echo(mixed, vec(2, index(9), 4))(s)[1], 7);
  assert.deepEqual(echo(mixed, vec(8, bool, 1))(s), [true, false, false, false, true, false, false, false]);
  assert.deepEqual(echo(mixed, vec(4))(s).slice(1), new Float64Array([0.5, 1, 2]));
  assert.deepEqual(echo(struct())({}), {});
  class Point {
    x = 1;
    get y() {
      return 2;
    }
  }
  assert.deepEqual(echo(point)(new Point()), { x: 1, y: 2 });
});

test("vectors of structs of vectors", () => {
  const shape = struct(["at", 0, point], ["size", 16, vec(2)]);
  const two = [
    { at: { x: 1, y: 2 }, size: new Float64Array([3, 4]) },
    { at: { x: 5, y: 6 }, size: new Float64Array([7, 8]) },
  ];
  assert.deepEqual(echo(vec(2, shape, 32))(two), two);
});

test("tuples", () => {
  const pair = tuple([0, real], [8, tuple([0, bool], [4, index(3)])]);
  assert.deepEqual(echo(pair)([1.5, [true, 2]]), [1.5, [true, 2]]);
  assert.deepEqual(echo(tuple())([]), []);
});

test("nothing", () => {
  const none = bind(PLAIN, only(signature("echo", [param("x", unit)], slot(unit)))).echo;
  assert.equal(none(undefined), undefined);
  assert.equal(none(null), undefined);
});

test("fields of any name", () => {
  const names = ["then", "constructor", "__proto__", "toString", "length", "a b", "é", "0"];
  const odd = struct(...names.map((name, k) => [name, 8 * k, real]));
  const x = Object.fromEntries(names.map((name, k) => [name, k]));
  const y = echo(odd)(x);
  assert.deepEqual(Object.keys(y).sort(), [...names].sort());
  assert.deepEqual(y, x);
  assert.equal(Object.getPrototypeOf(y), Object.prototype);
  refuses(() => echo(odd)({ ...x, "a b": "" }), "echo: x.a b must be a number, got string");
  refuses(() => echo(struct(["__proto__", 0, real]))({}), "echo: x.__proto__ must be a number, got object");
  refuses(() => echo(struct(["constructor", 0, real]))({}), "echo: x.constructor must be a number, got function");
});

test("functions of any name, of the module and of the page", () => {
  const answers = (name) => signature(name, [], slot(real));
  const imports = ["__proto__", "a b"].map((name) => ({ name, params: [], result: real }));
  const odd = { exports: ["then", "constructor", "__proto__"].map(answers), imports };
  const found = bind(ODD, odd, { ["__proto__"]: () => 3, "a b": () => 2 });
  assert.deepEqual(Object.keys(found), ["then", "constructor", "__proto__"]);
  assert.deepEqual([found.then(), found.constructor(), found["__proto__"]()], [1, 2, 3]);
  assert.throws(() => bind(ODD, odd), { message: /^no function __proto__: / });
});

test("the wrong number of arguments", () => {
  refuses(() => f(1), "the argument count of f must be 2, got 1");
  refuses(() => f(1, 2, 3), "the argument count of f must be 2, got 3");
  refuses(() => echo(vec(2))(), "the argument count of echo must be 1, got 0");
});

test("what is no number", () => {
  refuses(() => f(undefined, 1), "f: x must be a number, got undefined");
  refuses(() => f(1, null), "f: y must be a number, got null");
  refuses(() => f("1", 1), "f: x must be a number, got string");
  refuses(() => f(1n, 1), "f: x must be a number, got bigint");
  refuses(() => f(true, 1), "f: x must be a number, got boolean");
  refuses(() => f([1], 1), "f: x must be a number, got object");
  refuses(() => f(Math.sin, 1), "f: x must be a number, got function");
  refuses(() => f(Symbol.iterator, 1), "f: x must be a number, got symbol");
  refuses(() => f(new Number(1), 1), "f: x must be a number, got object");
});

test("what is no boolean, and no index", () => {
  const flip = bind(PLAIN, only(signature("flip", [param("b", bool)], slot(bool)))).flip;
  refuses(() => flip(1), "flip: b must be a boolean, got 1");
  refuses(() => flip(undefined), "flip: b must be a boolean, got undefined");
  const same = bind(PLAIN, only(signature("same", [param("i", index(5))], slot(index(5))))).same;
  for (const x of [5, -1, 0.5, NaN, Infinity, 2 ** 32])
    refuses(() => same(x), `same: i must be an integer from 0 to 4, got ${x}`);
  refuses(() => same("0"), "same: i must be an integer from 0 to 4, got string");
  refuses(() => same(0n), "same: i must be an integer from 0 to 4, got bigint");
  refuses(() => same(false), "same: i must be an integer from 0 to 4, got boolean");
  assert.equal(same(-0), 0);
});

test("what is no vector, or has a wrong length or element", () => {
  const same = echo(vec(3));
  refuses(() => same(undefined), "echo: x must be an array, got undefined");
  refuses(() => same(null), "echo: x must be an array, got null");
  refuses(() => same("123"), "echo: x must be an array, got string");
  refuses(() => same(1), "echo: x must be an array, got 1");
  refuses(() => same((a, b, c) => a + b + c), "echo: x must be an array, got function");
  refuses(() => same([1, 2]), "echo: x.length must be 3, got 2");
  refuses(() => same({}), "echo: x.length must be 3, got undefined");
  refuses(() => same(new Float64Array(4)), "echo: x.length must be 3, got 4");
  refuses(() => same([1, , 3]), "echo: x[1] must be a number, got undefined");
  refuses(() => same([1, 2, "3"]), "echo: x[2] must be a number, got string");
  refuses(() => same(BigInt64Array.of(1n, 2n, 3n)), "echo: x[0] must be a number, got bigint");
  const detached = new Float64Array(3);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  refuses(() => same(detached), "echo: x.length must be 3, got 0");
  refuses(() => echo(vec(2, index(5), 4))([1, 5]), "echo: x[1] must be an integer from 0 to 4, got 5");
  refuses(() => echo(vec(2, index(5), 4))(Float64Array.of(1, 0.5)), "echo: x[1] must be an integer from 0 to 4, got 0.5");
  refuses(() => echo(vec(2, bool, 1))([true, 0]), "echo: x[1] must be a boolean, got 0");
});

test("what is no struct or tuple, or is wrong inside", () => {
  refuses(() => echo(point)(undefined), "echo: x must be an object, got undefined");
  refuses(() => echo(point)(3), "echo: x must be an object, got 3");
  refuses(() => echo(point)({ x: 1 }), "echo: x.y must be a number, got undefined");
  refuses(() => echo(vec(2, point, 16))([{ x: 1, y: 2 }, { x: 1 }]), "echo: x[1].y must be a number, got undefined");
  refuses(() => echo(mixed)({ flag: true, i: 0, x: 0, v: [1, true] }), "echo: x.v[1] must be a number, got boolean");
  refuses(() => echo(mixed)({ flag: true, i: 0, x: 0, v: [1] }), "echo: x.v.length must be 2, got 1");
  refuses(() => echo(vec(2, vec(2), 16))([[1, 2], [3]]), "echo: x[1].length must be 2, got 1");
  const pair = tuple([0, real], [8, bool]);
  refuses(() => echo(pair)([1]), "echo: x.length must be 2, got 1");
  refuses(() => echo(pair)([1, 1]), "echo: x[1] must be a boolean, got 1");
  refuses(() => echo(pair)(7), "echo: x must be an array, got 7");
});

test("a call after one that failed", () => {
  const same = echo(vec(2));
  refuses(() => same([1]), "echo: x.length must be 2, got 1");
  assert.deepEqual(same([1, 2]), new Float64Array([1, 2]));
  const { stop, f } = bind(
    PLAIN,
    only(signature("stop", [], slot(unit)), signature("f", [param("x", real), param("y", real)], slot(real))),
  );
  assert.throws(() => stop(), WebAssembly.RuntimeError);
  assert.throws(() => stop(), WebAssembly.RuntimeError);
  assert.equal(f(3, 2), 1);
});

test("a memory that grows during a call", () => {
  const { grow } = bind(PLAIN, only(signature("grow", [param("x", vec(2), 16)], slot(vec(2), 16))));
  for (let k = 0; k < 3; k++) assert.deepEqual(grow([k, 2]), Float64Array.of(k, 2));
});

test("a call from a getter of an argument of another call", () => {
  const same = echo(point);
  const x = {
    x: 1,
    get y() {
      return same({ x: 5, y: 6 }).x;
    },
  };
  assert.deepEqual(same(x), { x: 1, y: 5 });
});

test("a function from numbers to a number is called while the arguments of another call are written", () => {
  const module = only(
    signature("echo", [param("x", point, 16)], slot(point, 16)),
    signature("f", [param("x", real), param("y", real)], slot(real)),
  );
  const { echo: same, f: difference } = bind(PLAIN, module);
  const x = {
    x: 1,
    get y() {
      return difference(7, 2);
    },
  };
  assert.deepEqual(same(x), { x: 1, y: 5 });
});

test("the stack of an error begins where the page made the call", () => {
  const calls = [() => f(1), () => f(1, "2"), () => echo(vec(2))([1]), () => echo(point).unchecked(null)];
  for (const call of calls)
    assert.throws(call, ({ stack }) => stack.split("\n")[1].includes("rose.test.mjs"));
});

// without a look at each number

test("an unchecked function of numbers is the module's own, whatever other functions of the module do", () => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(PLAIN));
  for (const others of [[], [signature("echo", [param("x", point, 16)], slot(point, 16))]]) {
    const bound = bind(PLAIN, only(signature("f", [param("x", real), param("y", real)], slot(real)), ...others));
    assert.equal(Object.getPrototypeOf(bound.f.unchecked), Object.getPrototypeOf(exports.f));
    assert.match(String(bound.f.unchecked), /native code/);
  }
  assert.doesNotMatch(String(paged().log.unchecked), /native code/); // this one calls the page
  assert.equal(f.unchecked(5, 3), 2);
  assert.equal(f.unchecked("5", 3), 2);
  assert.ok(Number.isNaN(f.unchecked(5)));
  assert.equal(f.unchecked.unchecked, undefined);
});

test("an unchecked call takes what JavaScript makes a number of", () => {
  const params = [param("x", real), param("b", bool), param("u", unit), param("i", index(10))];
  const { mix } = bind(PLAIN, only(signature("mix", params, slot(real))));
  assert.equal(mix.unchecked("0.5", true, undefined, 7), 17.5);
  assert.ok(Number.isNaN(mix.unchecked(undefined, true, undefined, 7)));
  const given = [1, "2", undefined, null, true];
  assert.deepEqual(echo(vec(5)).unchecked(given), Float64Array.of(1, 2, NaN, 0, 1));
  assert.deepEqual(echo(vec(3)).unchecked({ length: 3, 0: 1, 2: 3 }), Float64Array.of(1, NaN, 3));
  assert.deepEqual(echo(vec(2)).unchecked(Float32Array.of(1, 2)), Float64Array.of(1, 2));
  assert.deepEqual(echo(vec(2, single, 4)).unchecked([1, 1e39]), Float32Array.of(1, Infinity));
  assert.deepEqual(echo(point).unchecked({ x: "1" }), { x: 1, y: NaN });
});

test("an unchecked call still writes nothing where it should not", () => {
  refuses(() => echo(vec(3)).unchecked([1, 2]), "echo: x.length must be 3, got 2");
  refuses(() => echo(vec(3)).unchecked(new Float64Array(4)), "echo: x.length must be 3, got 4");
  refuses(() => echo(vec(3)).unchecked(), "the argument count of echo must be 1, got 0");
  refuses(() => echo(vec(3)).unchecked(null), "echo: x must be an array, got null");
  refuses(() => echo(vec(2, index(5), 4)).unchecked([1, 5]), "echo: x[1] must be an integer from 0 to 4, got 5");
  refuses(() => echo(vec(2, bool, 1)).unchecked([true, 2]), "echo: x[1] must be a boolean, got 2");
  assert.throws(() => echo(vec(2)).unchecked([1n, 2]), TypeError);
});

test("checked and unchecked calls of one function do not get in each other's way", () => {
  const same = echo(vec(2));
  assert.deepEqual(same.unchecked(["1", 2]), Float64Array.of(1, 2));
  refuses(() => same(["1", 2]), "echo: x[0] must be a number, got string");
  assert.deepEqual(same.unchecked(["1", 2]), Float64Array.of(1, 2));
});

// what the page supplies

const [LOG, ASK, TURN, SCALE] = [
  { ...signature("log", [param("x", real)], slot(real)), calls: true },
  signature("ask", [param("x", real), param("b", bool), param("i", index(5))], slot(bool)),
  signature("turn", [param("p", point, 16), param("i", index(5))], slot(tuple([0, vec(2)], [16, bool]), 64)),
  signature("scale", [param("v", vec(2), 16)], slot(vec(2), 128)),
];
const needs = (type, empty = false) => ({ type, empty });
const imports = [
  { name: "Math.log", params: [needs(real)], result: real },
  { name: "ask", params: [needs(real), needs(bool), needs(index(5))], result: bool },
  { name: "turn", params: [needs(point), needs(unit, true), needs(index(5))], result: tuple([0, vec(2)], [16, bool]) },
  { name: "tell", params: [needs(vec(0), true), needs(real)], result: unit },
];
const signatures = { exports: [LOG, ASK, TURN, SCALE], imports };
const page = { ask: () => true, turn: () => [[0, 0], true], tell: () => 5 };
const paged = (opaque) => bind(HOSTED, signatures, { ...page, ...opaque });

test("a dotted name is JavaScript's own, unless the page supplies it", () => {
  assert.equal(paged().log(Math.E), 1);
  assert.equal(paged({ "Math.log": (x) => 2 * x }).log(3), 6);
});

test("a function that is not supplied", () => {
  const missing = (name) => `no function ${name}: write init(undefined, { "${name}": ... })`;
  const { ask, ...rest } = page;
  assert.throws(() => bind(HOSTED, signatures, rest), { name: "Error", message: missing("ask") });
  assert.throws(() => bind(HOSTED, signatures), { message: missing("ask") });
  assert.throws(() => paged({ turn: 3 }), { message: missing("turn") });
  const other = { exports: [], imports: [{ name: "No.such.thing", params: [], result: unit }] };
  assert.throws(() => bind(HOSTED, other), { message: missing("No.such.thing") });
});

test("methods keep their object", () => {
  class Page {
    base = 10;
    ask(x) {
      return x > this.base;
    }
    turn = page.turn;
    tell = page.tell;
  }
  const { ask } = bind(HOSTED, signatures, new Page());
  assert.equal(ask(11, true, 1), true);
  assert.equal(ask(9, true, 1), false);
});

test("scalars, to the page and back", () => {
  const seen = [];
  const { ask } = paged({
    ask: (...args) => {
      seen.push(args);
      return args[1];
    },
  });
  assert.equal(ask(0.5, true, 3), true);
  assert.equal(ask(1.5, false, 0), false);
  assert.deepEqual(seen, [
    [0.5, true, 3],
    [1.5, false, 0],
  ]);
});

test("aggregates, to the page and back", () => {
  const seen = [];
  const { turn } = paged({
    turn: (p, u, i) => {
      seen.push([p, u, i]);
      return [[p.y, p.x + i], true];
    },
  });
  assert.deepEqual(turn({ x: 1, y: 2 }, 3), [Float64Array.of(2, 4), true]);
  assert.deepEqual(seen, [[{ x: 1, y: 2 }, undefined, 3]]);
});

test("nothing, to the page and back", () => {
  const seen = [];
  const { scale } = paged({ tell: (...args) => seen.push(args) });
  assert.deepEqual(scale([3, 4]), Float64Array.of(30, 40));
  assert.deepEqual(seen, [[new Float64Array(0), 3]]);
});

test("what the page answers is checked", () => {
  refuses(() => paged({ "Math.log": () => {} }).log(1), "the result of Math.log must be a number, got undefined");
  refuses(() => paged({ "Math.log": async () => 1 }).log(1), "the result of Math.log must be a number, got object");
  refuses(() => paged({ ask: () => 1 }).ask(1, true, 1), "the result of ask must be a boolean, got 1");
  const turned = (x) => () => paged({ turn: () => x }).turn({ x: 1, y: 2 }, 3);
  refuses(turned(undefined), "the result of turn must be an array, got undefined");
  refuses(turned([[1], true]), "the result of turn[0].length must be 2, got 1");
  refuses(turned([[1, "2"], true]), "the result of turn[0][1] must be a number, got string");
});

test("what the page throws comes out, and the next call works", () => {
  let fail = true;
  const { scale } = paged({
    tell: () => {
      if (fail) throw new RangeError("not now");
    },
  });
  assert.throws(() => scale([1, 2]), { name: "RangeError", message: "not now" });
  fail = false;
  assert.deepEqual(scale([1, 2]), Float64Array.of(10, 20));
});

test("the page calls the function that is calling it", () => {
  const inner = [];
  const { scale } = paged({ tell: (_, x) => x < 4 && inner.push(...scale([x + 1, 100 * x])) });
  for (let turn = 0; turn < 2; turn++) {
    inner.length = 0;
    assert.deepEqual(scale([1, 7]), Float64Array.of(10, 70));
    assert.deepEqual(inner, [40, 3000, 30, 2000, 20, 1000]);
  }
});

test("the page calls another function of the module, which fails", () => {
  const found = paged({
    tell: () => refuses(() => found.scale([1]), "scale: v.length must be 2, got 1"),
  });
  assert.deepEqual(found.scale([1, 2]), Float64Array.of(10, 20));
});

// where modules come from

const F = only(signature("f", [param("x", real), param("y", real)], slot(real)));
const works = async (source) => assert.equal((await load(source, F)).f(5, 3), 2);

test("load from bytes, from a module, and from promises of them", async () => {
  await works(PLAIN);
  await works(PLAIN.buffer);
  await works(new WebAssembly.Module(PLAIN));
  await works(Promise.resolve(PLAIN));
  assert.equal(bind(new WebAssembly.Module(PLAIN), F).f(5, 3), 2);
  await assert.rejects(load(new Uint8Array(0), F), WebAssembly.CompileError);
});

test("load with what the page supplies", async () => {
  const { ask } = await load(HOSTED, signatures, page);
  assert.equal(ask(1, false, 1), true);
  await assert.rejects(load(HOSTED, signatures), { message: /^no function ask: / });
});

test("load from a file", async () => {
  const url = pathToFileURL(join(folder, "plain.wasm"));
  writeFileSync(url, PLAIN);
  await works(url);
  await works(url.href);
  await assert.rejects(load(new URL("none.wasm", url), F), { code: "ENOENT" });
});

test("load from a data: URL, without fetch", async (t) => {
  const { fetch } = globalThis;
  t.after(() => (globalThis.fetch = fetch));
  globalThis.fetch = () => assert.fail("nothing is fetched");
  await works(`data:application/wasm;base64,${PLAIN_BASE64}`);
  await works(new URL(`data:application/wasm;base64,${PLAIN_BASE64}`));
});

test("load from responses: compiled as they stream in only where the server calls them application/wasm", async (t) => {
  const { compileStreaming } = WebAssembly;
  t.after(() => (WebAssembly.compileStreaming = compileStreaming));
  let streamed = 0;
  WebAssembly.compileStreaming = (response) => {
    streamed++;
    return compileStreaming(response);
  };
  const response = (type, init) => new Response(PLAIN, { headers: type ? { "Content-Type": type } : {}, ...init });
  await works(response("application/wasm"));
  await works(Promise.resolve(response("application/wasm")));
  assert.equal(streamed, 2);
  await works(response("application/octet-stream"));
  await works(response("application/wasm; charset=utf-8"));
  await works(response());
  assert.equal(streamed, 2);
});

test("load from a server", async (t) => {
  const server = createServer((request, response) => {
    const [status, type, body] = {
      "/plain.wasm": [200, "application/wasm", PLAIN],
      "/page.wasm": [200, "text/html; charset=utf-8", "<!doctype html>"],
    }[request.url] ?? [404, "text/plain", "not here"];
    response.writeHead(status, { "Content-Type": type, Connection: "close" }).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close());
  const at = `http://127.0.0.1:${server.address().port}`;
  await works(`${at}/plain.wasm`);
  await works(new URL(`${at}/plain.wasm`));
  await works(fetch(`${at}/plain.wasm`));
  await assert.rejects(load(`${at}/none.wasm`, F), { message: `cannot load ${at}/none.wasm: 404 text/plain` });
  const message = `cannot load ${at}/page.wasm: 200 text/html; charset=utf-8`;
  await assert.rejects(load(`${at}/page.wasm`, F), { message });
  await assert.rejects(packaged(() => `${at}/page.wasm`, { ...F, name: "@me/plain" }).init(), {
    message: `${message}; bundled? import "@me/plain/inline"`,
  });
});

test("what is no module is refused, and the message says where functions go", async () => {
  const said = (what) => ({
    name: "TypeError",
    message: `${what} is no module: write init(), init(undefined, functions) or initSync(bytes)`,
  });
  const { init, initSync } = packaged(() => new URL("file:///plain.wasm"));
  await assert.rejects(init({ noise: Math.random }), said("Object"));
  await assert.rejects(init(null), said("Null"));
  assert.throws(() => initSync({ noise: Math.random }), said("Object"));
  assert.throws(() => initSync(), said("URL"));
});

test("a refusal by the Content-Security-Policy says what to allow", async (t) => {
  const { compile } = WebAssembly;
  t.after(() => (WebAssembly.compile = compile));
  // as Firefox and Chromium say it
  for (const text of ["call to WebAssembly.compile() blocked by CSP", "violates the following Content Security Policy"]) {
    WebAssembly.compile = async () => {
      throw new WebAssembly.CompileError(text);
    };
    await assert.rejects(load(PLAIN, F), { name: "CompileError", message: `${text}: allow script-src 'wasm-unsafe-eval'` });
  }
});

// what a package exports

/** The exports of a package whose module is where `own` says; how often it was asked is in `asked`. */
const packaged = (own, signatures = F) => {
  const found = { asked: 0 };
  const count = () => {
    found.asked++;
    return own();
  };
  return Object.assign(found, entryOf(functionsOf(signatures), count, signatures.name));
};

test("importing a package does nothing", () => {
  assert.equal(packaged(() => PLAIN).asked, 0);
});

test("the functions are loaded once, however often and wherever they are asked for", async () => {
  const made = packaged(() => PLAIN);
  const [a, b, module] = await Promise.all([made.init(), made.init(), made.load()]);
  assert.equal(a, b);
  assert.equal(a, await made.init());
  assert.equal(module, await made.load());
  assert.equal(a, await made.init(module));
  assert.equal(a, await made.init(made.load()));
  assert.equal(made.asked, 1);
  assert.equal(a.f(5, 3), 2);
});

test("each other place is loaded once, too", async () => {
  const made = packaged(() => assert.fail("the package's own is not asked for"));
  const url = `data:application/wasm;base64,${PLAIN_BASE64}`;
  const [a, b, c] = await Promise.all([made.init(url), made.init(new URL(url)), made.init(Promise.resolve(PLAIN))]);
  assert.equal(a, b);
  assert.notEqual(a, c);
  assert.deepEqual([a, b, c].map(({ f }) => f(5, 3)), [2, 2, 2]);
});

test("what failed is tried again", async () => {
  let there = false;
  const made = packaged(() => {
    if (!there) throw new RangeError("not yet");
    return PLAIN;
  });
  await assert.rejects(Promise.all([made.init(), made.init()]), { message: "not yet" });
  assert.equal(made.asked, 1);
  await assert.rejects(made.load(), RangeError);
  there = true;
  assert.equal((await made.init()).f(5, 3), 2);
  assert.equal(made.asked, 3);
});

test("with functions that the page supplies, the module is loaded once, and the functions are others", async () => {
  const made = packaged(() => HOSTED, signatures);
  const [yes, no] = await Promise.all([true, false].map((x) => made.init(undefined, { ...page, ask: () => x })));
  assert.deepEqual([yes.ask(1, true, 1), no.ask(1, true, 1)], [true, false]);
  assert.equal(made.asked, 1);
  await assert.rejects(made.init(), { message: /^no function ask: / });
  assert.equal(made.initSync(await made.load(), page).ask(1, true, 1), true);
});

test("without waiting: of a module, of bytes, or of the package's own, where they are at hand", async () => {
  const made = packaged(() => PLAIN);
  assert.equal(made.initSync().f(5, 3), 2);
  assert.equal(made.initSync(PLAIN).f(5, 3), 2);
  assert.equal(made.initSync(await made.load()).f(5, 3), 2);
  assert.notEqual(made.initSync(), made.initSync());
});

test("a module can be posted to a Worker, which calls its functions", async () => {
  const script = `
    const { parentPort, workerData } = require("node:worker_threads");
    import(workerData.url).then(({ functions }) => parentPort.postMessage(functions(workerData.module).f(5, 3)));`;
  const { Worker } = await import("node:worker_threads");
  const module = await packaged(() => PLAIN).load();
  writeFileSync(join(folder, "f.js"), `import { misfit, numeric } from "./rose.js";\nexport ${textOf(F)}`);
  const url = pathToFileURL(join(folder, "f.js")).href;
  const worker = new Worker(script, { eval: true, workerData: { url, module } });
  assert.equal(await new Promise((done) => worker.on("message", done)), 2);
});
