"""Calls in JavaScript: which are direct, what may be given flat, and results in `out`."""

import subprocess
from pathlib import Path

import pytest

import rose
from rose import Bool, Fin, Real, Vec, fn
from tests.js.test_packages import no_node
from wasm_backend.package.calls import functions, is_direct

REAL = {"kind": "real"}
POINT = {"kind": "struct", "name": "P", "fields": [["x", 0, REAL], ["y", 8, REAL]]}


def test_a_function_of_numbers_is_direct_unless_it_calls_the_page():
    export = {"name": "f", "params": [{"name": "x", "type": REAL, "at": None}], "result": {"type": POINT, "at": 16}}
    assert is_direct(export)
    assert not is_direct({**export, "calls": True})
    text, uses = functions({"exports": [export], "imports": []})
    assert uses == ["misfit", "both"]
    assert "busy" not in text


@rose.struct
class P:
    x: Real
    y: Real


@fn
def turned(ps: Vec[3, P]) -> Vec[3, P]:
    return [P(-ps[k].y, ps[k].x) for k in range(3)]


@fn
def transposed(m: Vec[2, Vec[3]]) -> Vec[3, Vec[2]]:
    return [[m[i][j] for i in range(2)] for j in range(3)]


n = rose.dim("n")


@fn
def scaled(ps: Vec[n, P], m: Vec[n, Vec[2]], v: Vec[n]) -> Vec[n]:
    return rose.vec(ps[i].x * v[i] + m[i][1] for i in rose.range(n))


@fn
def mixed(k: Fin[3], b: Bool, v: Vec[3]) -> Vec[3]:
    return [rose.select(b, v[k], -v[k]), v[1], v[2]]


PAGE = """
import assert from "node:assert/strict";
import init from "./made/index.js";
const { turned, transposed, scaled, mixed } = await init();
const f = (...xs) => Float64Array.from(xs);
const points = [{ x: 1, y: 2 }, { x: 3, y: 4 }, { x: 5, y: 6 }];
const flat = f(1, 2, 3, 4, 5, 6);
assert.deepEqual(turned(flat), turned(points));
assert.deepEqual(turned(Int16Array.from(flat)), turned(points));
assert.deepEqual(transposed(flat), transposed([[1, 2, 3], [4, 5, 6]]));
assert.throws(() => turned(f(1, 2, 3)), { name: "TypeError", message: "turned: ps.length must be 6, got 3" });
assert.deepEqual(scaled(points, [[1, 2], [3, 4], [5, 6]], [1, 2, 3]), f(3, 10, 21));
assert.deepEqual(scaled(flat, flat, [1, 2, 3]), f(3, 10, 21));
assert.deepEqual(scaled(flat.slice(0, 4), flat.slice(0, 4), [1, 2]), f(3, 10));
assert.throws(() => scaled(flat, flat, [1, 2]), /scaled: v.length must be 3, got 2|ps.length must be/);
// the result of numbers goes into `out`, which is returned
const out = new Float64Array(6);
assert.equal(turned(points, { out }), out);
assert.deepEqual(out, f(-2, 1, -4, 3, -6, 5));
assert.equal(transposed.unchecked(flat, { out }), out);
assert.deepEqual(out, f(1, 4, 2, 5, 3, 6));
assert.equal(mixed(1, true, [1, 2, 3], { out: out.subarray(0, 3) }).length, 3);
assert.deepEqual(out, f(2, 2, 3, 5, 3, 6));
const wrong = [[[1], "a Float64Array, got object"], [new Float32Array(6), "a Float64Array, got object"]];
for (const [out, what] of wrong)
  assert.throws(() => turned(flat, { out }), { name: "TypeError", message: `turned: out must be ${what}` });
assert.throws(() => turned(flat, { out: new Float64Array(5) }), { message: "turned: out.length must be 6, got 5" });
assert.throws(() => turned(flat, {}), { message: "the argument count of turned must be 1, got 2" });
"""


def test_flat_arguments_and_results_in_an_array_of_the_page(tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    functions = {"turned": turned, "transposed": transposed, "scaled": scaled, "mixed": mixed}
    rose.compile(functions, dynamic=True).save(tmp_path / "made")
    (tmp_path / "page.mjs").write_text(PAGE)
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@rose.struct
class Settings:
    rate: Real
    limit: Real = float("inf")
    start: Vec[2] = (0.5, -0.25)
    fast: Bool = True


@fn
def given(s: Settings) -> Settings:
    return s


@fn
def last(ss: Vec[2, Settings]) -> Settings:
    return ss[1]


@rose.struct
class Level:
    rate: Real
    limit: Real = float("inf")
    start: Vec[2] = (0.5, -0.25)


@fn
def level(s: Level) -> Real:
    return s.rate + s.limit + s.start[0]


LEFT_OUT = """
import assert from "node:assert/strict";
import init from "./made/index.js";
const { given, last, level } = await init();
const whole = { rate: 1, limit: Infinity, start: Float64Array.of(0.5, -0.25), fast: true };
assert.deepEqual(given({ rate: 1 }), whole);
assert.deepEqual(given.unchecked({ rate: 1, limit: undefined }), whole);
assert.deepEqual(last([{ rate: 2 }, { rate: 1, limit: 5 }]), { ...whole, limit: 5 });
const columns = { rate: Float64Array.of(1, 2), limit: [3, 4] };
assert.deepEqual(level.map(columns), Float64Array.of(1 + 3 + 0.5, 2 + 4 + 0.5));
assert.throws(() => level.map({ limit: [1] }), /rate must be an array, got undefined/);
assert.throws(() => given({}), { message: "given: s.rate must be a number, got undefined" });
assert.throws(() => given({ rate: 1, limit: null }), { message: "given: s.limit must be a number, got null" });
"""


def test_fields_that_are_left_out(tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    rose.compile({"given": given, "last": last, "level": level}).save(tmp_path / "made", map=True)
    (tmp_path / "page.mjs").write_text(LEFT_OUT)
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
