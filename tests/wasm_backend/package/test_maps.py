"""`f.map` in JavaScript: columns, what is the same for all rows, errors, and the bits of single calls."""

import subprocess
from pathlib import Path

import pytest
from mapped import asked, moved, root, slope, total, wave

import rose
from rose import Real, Vec, fn
from tests.js.test_packages import no_node
from wasm_backend.package.maps import Column, column, why_not

REAL = {"kind": "real"}
POINT = {"kind": "struct", "name": "P", "fields": [["x", 0, REAL], ["y", 8, REAL]]}


@fn
def long(v: Vec[20]) -> Vec[20]:
    return rose.vec(2.0 * v[19 - i] for i in rose.range(20))


@fn
def halves(x: Real) -> Real:
    return rose.while_loop(lambda s: s[1] > 0.0, lambda s: (s[0] / 2, s[1] - 1.0), (x, x))[0]


grown = rose.grad(halves)


PAGE = """
import assert from "node:assert/strict";
import init from "./made/index.js";
const inner = [];
const all = await init(undefined, { seen: (x) => (inner.push(...all.asked.map([x, x])), x) });
const { wave, slope, moved, root, long, asked, grown, total } = all;
const f = (...xs) => Float64Array.from(xs);
const v = Float64Array.from({ length: 30 }, (_, k) => Math.sin(k) * 3);
const rows = (x, n) => Array.from({ length: x.length / n }, (_, k) => x.slice(n * k, n * k + n));
const bits = (x) => new BigUint64Array(x.buffer);
assert.deepEqual(bits(wave.map(v)), bits(f(...rows(v, 3).map((x) => wave(x)))));
assert.deepEqual(bits(slope.map(v)), bits(f(...rows(v, 3).flatMap((x) => [...slope(x)]))));
const out = new Float64Array(30);
assert.equal(slope.map([...v], { out }), out);
assert.deepEqual(out, slope.map(v));
const twice = Float64Array.from({ length: 40 }, (_, k) => k);
assert.deepEqual(long.map(twice), f(...rows(twice, 20).flatMap((x) => [...long(x)])));
assert.deepEqual(slope.map([]), f());
// what is given once is the same for all rows
assert.deepEqual(root.map([4, 9], 1), f(3, 4));
assert.deepEqual(root.map(4, [1, 2, 3]), f(3, 4, 5));
assert.deepEqual(root.map(4, 1), f(3));
// structs: flat, or an object of columns
const want = f(2, 20, 10, 3, 40, 40, 4, 60, 50);
assert.deepEqual(moved.map([1, 10, 20, 3, 40, 50, 3, 50, 60], [1, 0, 1], [true, false, true], 1), want);
assert.deepEqual(moved.map({ x: [1, 3, 3], v: [10, 20, 40, 50, 50, 60] }, [1, 0, 1], [true, false, true], 1), want);
assert.deepEqual(moved.map({ x: 1, v: [10, 20, 40, 50] }, 0, true, 0), f(1, 10, 10, 1, 40, 40));
// memory that grows, and calls from within
assert.deepEqual(grown.map([3, 30000, 5]), f(grown(3), grown(30000), grown(5)));
let depth = 0;
const nested = await init(undefined, { seen: (x) => (depth++ ? x : nested.asked.map([x, 2 * x])[1]) });
assert.deepEqual(nested.asked.map([5, 7]), f(12, 8));
// errors
const refuses = (call, message) => assert.throws(call, (e) => {
  assert.equal(e.message, message);
  assert.match(e.stack.split("\\n")[1], /page.mjs/);
  return true;
});
refuses(() => slope.map([1, 2]), "slope.map: v.length must be a multiple of 3, got 2");
refuses(() => slope.map([1, 2, null]), "slope.map: v[2] must be a number, got null");
refuses(() => slope.map(1), "slope.map: v must be an array, got 1");
refuses(() => slope.map(), "the argument count of slope.map must be 1, got 0");
refuses(() => root.map([1, 2], [1, 2, 3]), "root.map: y.length must be 2, got 3");
refuses(() => moved.map({ x: [1, 2] }, 0, true, 0), "moved.map: p.v must be an array, got undefined");
refuses(() => moved.map([1, 2, 3], 2, true, 0), "moved.map: k[0] must be an integer from 0 to 1, got 2");
refuses(() => moved.map([1, 2, 3], 0, 1, 0), "moved.map: up[0] must be a boolean, got 1");
refuses(() => root.map([1, 2], 0, { out: [] }), "root.map: out must be a Float64Array, got object");
refuses(() => root.map([1, 2], 0, { out: f(1) }), "root.map: out.length must be 2, got 1");
assert.throws(() => root.map([4, 9, -1], 0), (e) => e.row === 2 && /^x is not negative/.test(e.message));
assert.throws(() => total.map([1, 2]), {
  message: "total has no map, as its sizes are those of a call: call total for each row",
});
"""


AT_ONCE = """
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { initSync } from "./made/index.js";
const load = async (file) => initSync(await readFile(new URL("./made/" + file, import.meta.url)));
const [several, one] = await Promise.all(["made.simd.wasm", "made.wasm"].map(load));
const numbers = (n) => Float64Array.from({ length: n }, (_, k) => ((k * 7919) % 211) / 50 + 0.25);
const same = (name, ...args) => {
  const [x, y] = [several, one].map((m) => m[name].map(...args));
  assert.deepEqual(new Uint8Array(x.buffer), new Uint8Array(y.buffer));
};
for (const n of [0, 1, 2, 3, 4, 5, 9, 70]) {
  for (const name of ["wave", "slope"]) same(name, numbers(3 * n));
  same("root", numbers(n), numbers(n));
  same("long", numbers(20 * n));
}
same("root", numbers(9), 2);
same("root", 2, numbers(9));
const wrong = numbers(9);
for (const k of [8, 5, 4, 0]) {
  wrong[k] = -1;
  for (const m of [several, one])
    assert.throws(() => m.root.map(wrong, 1), (e) => e.row === k && /^x is not negative/.test(e.message));
}
same("root", numbers(9), 2);
"""


@pytest.mark.parametrize("simd", [False, True])
def test_a_map_gives_the_bits_of_single_calls(tmp_path: Path, simd: bool):
    if why := no_node():
        pytest.skip(why)
    functions = {"wave": wave, "slope": slope, "moved": moved, "root": root, "long": long}
    functions |= {"asked": asked, "grown": grown, "total": total}
    rose.compile(functions, dynamic=True, simd=simd).save(tmp_path / "made", map=True)
    (tmp_path / "page.mjs").write_text(PAGE)
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "made" / "index.d.ts").read_text()
    assert "readonly map: (v: ArrayLike<number>, options?: { readonly out?: Float64Array }) => Float64Array" in said
    assert said.count("readonly map:") == len(functions) - 1  # not of total


def test_a_package_has_no_map_unless_it_is_asked_for(tmp_path: Path):
    files = rose.compile(wave).files("made")
    assert b"columns" not in files["core.js"] + files["index.d.ts"]


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_several_rows_at_once_have_the_same_bits(tmp_path: Path, dtype: str):
    if why := no_node():
        pytest.skip(why)
    made = rose.compile({"wave": wave, "slope": slope, "root": root, "long": long}, dtype=dtype, simd=True)
    files = made.files("made", map=True)
    assert files["core.js"].count(b'x["##') == 4 and b"##wave" not in made.wasm
    made.save(tmp_path / "made", "made", map=True)
    (tmp_path / "page.mjs").write_text(AT_ONCE.replace("Float64Array", f"Float{dtype[1:]}Array"))
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_in_a_package_without_maps_there_is_nothing_of_several_rows():
    for files in (rose.compile(wave, simd=True).files("made"), rose.compile(wave).files("made", map=True)):
        assert not [file for file, text in files.items() if b"##wave" in text and file.endswith((".wasm", "core.js"))]


def test_what_has_a_column():
    vec = {"kind": "vec", "size": 4, "stride": 16, "elem": POINT}
    assert column(REAL) == Column("real", 1)
    assert column(vec) == Column("real", 8)
    assert column({**vec, "size": {"#": "n"}}) is None
    assert column({"kind": "tuple", "items": [[0, REAL], [8, {"kind": "bool"}]]}) is None
    export = {"params": [{"name": "p", "type": POINT}], "result": {"type": {"kind": "unit"}}}
    assert why_not(export) == "its result is not a number, or numbers of one kind"
