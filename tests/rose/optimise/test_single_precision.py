"""Single precision: the interpreter and the module agree to the bit, nothing is computed in more, and no number
is rounded that did not have to be. What is refused is in `wrong/single.py`.
"""

from __future__ import annotations

import itertools
import json
import math
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from harness import Module, same
from paths import ROOT
from random_programs import Program

import rose
from rose import Bool, Fin, Real, Vec, fn, opaque
from rose.autodiff.jvp import full_mask, jvp
from rose.frontend.annotations import as_type
from rose.host.interpreter import run
from rose.ir import Func, Op
from rose.ir.check import check
from rose.ir.libm import SINGLE, nearest
from rose.ir.libm.library import library
from rose.ir.single_ops import TWINS
from rose.ir.text.printer import show
from rose.ir.types import Single, Type, double, single, tangent
from rose.optimise.pipeline import optimised
from rose.optimise.single_precision import to_single
from tests.fuzz.derivatives import mixed, pulled_back
from tests.fuzz.laws import taken
from tests.laws.test_fuzz import for_programs
from tests.laws.test_table import LITERAL_SECOND, REGULAR, ROWS, row_func, signatures
from wasm_backend.abi.layout import align, offsets, size

AnyFn = Any
LARGEST = float(np.finfo(np.float32).max)
TINY, NORMAL = float(np.float32(1e-45)), float(np.finfo(np.float32).tiny)
NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, nearest(0.1), nearest(-88.7), TINY, -TINY, NORMAL - TINY,
    NORMAL, 16777217.0 - 2, 1e30, -1e30, LARGEST, -LARGEST, math.inf, -math.inf, math.nan,
]  # fmt: skip
NUMBERS = [nearest(x) for x in NUMBERS]


def of(params: Sequence[Any], result: Any, body: Callable[..., Any]) -> AnyFn:
    return rose.fn(params, result)(body)


def singles(funcs: dict[str, Func]) -> dict[str, Func]:
    """The functions in single precision, optimised and checked."""
    return {k: check(f) for k, f in optimised({k: to_single(f) for k, f in funcs.items()}).items()}


def agree(fs: dict[str, AnyFn], *args: Any) -> dict[str, Any]:
    """What functions give in single precision: the same bits interpreted, as a module, and through the front door."""
    made = singles({k: f.func for k, f in fs.items()})
    module, door = Module(made, single=True), rose.compile(fs, dtype="f32")
    out: dict[str, Any] = {}
    for k, f in made.items():
        out[k] = run(f, *args)
        assert same(module[k](*args), out[k]), k
        through = door[k](*args)
        if isinstance(through, np.ndarray):
            assert through.dtype == np.float32
            assert same(nested(through.tolist()), out[k]), k
        elif isinstance(through, float):
            assert same(through, out[k]), k
    return out


def nested(x: Any) -> Any:
    return tuple(map(nested, x)) if isinstance(x, list) else x


# the table


def values(t: Type) -> list[Any]:
    return [False, True] if t is Bool else [0, 1, 2, 5] if isinstance(t, types_fin) else NUMBERS


types_fin = type(Fin[2])


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_each_row_gives_the_bits_of_its_meaning(op: Op):
    for types in signatures(op):
        f = row_func(op, types)
        made = singles({"f": f})["f"]
        module = Module({"f": made}, single=True)["f"]
        columns = [[5] if k and op.name in LITERAL_SECOND else values(t) for k, t in enumerate(types)]
        for xs in itertools.product(*columns):
            assert same(module(*xs), run(made, *xs)), (op, xs)


@pytest.mark.parametrize("op", TWINS, ids=repr)
def test_a_twin_computes_in_single_precision_only(op: Op):
    twin = TWINS[op]
    assert "f64" not in twin.wasm
    assert not twin.wasm.startswith("call ") or twin.wasm.split()[1] in SINGLE
    assert twin.name == op.name


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_is_that_of_numpy(name: str):
    module = Module(singles({"f": row_func(rose.ir.OPS[name], (Real, Real))}), single=True)["f"]
    numpy = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    rng = np.random.default_rng(7)
    xs = np.concatenate([np.float32(NUMBERS), rng.uniform(-3, 3, 40).astype(np.float32)])
    with np.errstate(all="ignore"):
        for x, y in itertools.product(xs, xs):
            assert same(module(float(x), float(y)), float(numpy(x, y))), (x, y)


def test_an_index_as_a_number_is_rounded():
    n = 2**24 + 2
    f = of([Fin[n]], Real, lambda i: i * 1.0)
    assert agree({"f": f}, 2**24 + 1) == {"f": 2.0**24}


# types


class Spot(NamedTuple):
    on: Bool
    x: Real
    at: Fin[3]
    v: Vec[3]


def test_types_are_half_as_large():
    t = single(as_type(Spot))
    assert repr(t) == "Spot"
    assert (size(t), align(t), offsets(t)) == (24, 4, (0, 4, 8, 12))
    assert repr(single(Vec[3])) == "Vec[3, Single]"
    assert single(tangent(Vec[2])) is single(Vec[2])
    assert double(single(Vec[2, Vec[3]])) is Vec[2, Vec[3]]
    assert double(Vec[2, Bool]) is Vec[2, Bool]
    assert pickle.loads(pickle.dumps(single(Vec[3]))) is single(Vec[3])


# programs


def law(p: Program) -> None:
    """A random program and its pullback: the same bits, and the same effects, interpreted and compiled."""
    scope = p.run()
    funcs = {"main": scope["main"].func}
    if p.result.real and any([t.real for t in p.types]):
        funcs["back"] = pulled_back(scope["main"]).func
    made = singles(funcs)
    module = Module(made, single=True)
    for xs in p.args:
        for k, f in made.items():
            args = xs if k == "main" else (*xs, mixed(xs, p.result))
            taken(scope["LOG"])
            wanted, log = run(f, *args), taken(scope["LOG"])
            assert same(module[k](*args), wanted), k
            assert same(taken(scope["LOG"]), log), k


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_random_programs_give_the_same_bits(part: int):
    for_programs(law, 30, part + 100)


def smooth(v: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(4):
        total += rose.sin(v[i]) * rose.exp(v[(i + 1) % 4] * 0.3) / (1.5 + v[i] * v[i])
    return total.value + rose.log(1.0 + v[0] * v[0]) * rose.tanh(v[1]) + rose.sqrt(2.0 + rose.dot(v, v))


def test_derivatives_are_close_to_those_in_double_precision():
    f = of([Vec[4]], Real, smooth)
    fs = {
        "f": f, "grad": rose.grad(f), "jvp": rose.jacfwd(f), "hessian": rose.hessian(f),
        "reverse": rose.jacrev(rose.grad(f)),
    }  # fmt: skip
    for v in ([0.3, -1.1, 0.7, 2.0], [1.0, 1.0, -1.0, 0.0]):
        made = agree(fs, v)
        for k, g in fs.items():
            assert made[k] == approx(g(v)), k


@pytest.mark.parametrize("op", [op for op in ROWS if op.jvp is not None], ids=repr)
def test_the_derivative_of_each_row_is_close_to_that_in_double_precision(op: Op):
    for types in [t for t in signatures(op) if set(t) == {Real}]:
        f = row_func(op, types)
        d = jvp(f, full_mask(f)).func
        made = singles({"d": d})["d"]
        for xs in itertools.product(REGULAR, repeat=len(types)):
            for k in range(len(xs)):
                pairs = [z for j, x in enumerate(xs) for z in (nearest(x), float(j == k))]
                wanted = run(d, *pairs)
                assert wanted[0] != wanted[0] or run(made, *pairs) == pytest.approx(wanted, rel=1e-4, abs=1e-5), pairs


def approx(x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.ndim > 1:
        return tuple([approx(y) for y in x])
    return pytest.approx(x.tolist() if isinstance(x, np.ndarray) else x, rel=1e-4, abs=1e-5)


def test_a_loop_with_state():
    def body(x: Any, v: Any) -> Any:
        b = rose.ir.current_builder()
        (y, w), (ys,) = b.loop(
            5, lambda i, y, w: ([y * 1.1 + w[0], b.pack([w[1] / 3.0, w[0] + y], Vec[2])], [y]), [x, v]
        )
        return rose.sum(ys[i] for i in rose.range(5)) + y + w[0] * w[1]

    f = of([Real, Vec[2]], Real, body)
    agree({"f": f, "grad": rose.grad(f, (0, 1))}, 0.1, [0.2, 0.3])


def test_accumulators_of_all_shapes():
    def body(v: Any, m: Any, i: Any) -> Any:
        row, total, both = rose.accum([0.1, 0.2, 0.3]), rose.accum(0.1), rose.accum({"a": 0.1, "b": [0.0, 0.0, 0.1]})
        for k in rose.range(3):
            row[k] += v[k] / 3.0
            row += m[k]
            total += v[k] * m[k][i]
            both.a += v[k] * 0.7
            both.b[i] += v[k]
        return {"row": row.value, "total": total.value, "both": both.value}

    t = {"row": Vec[3], "total": Real, "both": {"a": Real, "b": Vec[3]}}
    f = of([Vec[3], Vec[3, Vec[3]], Fin[3]], t, body)
    m = [[0.1, 0.2, 0.3], [1.1, 1.2, -1.3], [2.1, 2.2, 2.3]]
    g = of([Vec[3], Vec[3, Vec[3]], Fin[3]], Real, lambda *xs: rose.sum(f(*xs)["row"][k] ** 2 for k in rose.range(3)))
    agree({"f": f, "grad": rose.grad(g, (0, 1))}, [0.1, 0.7, -0.3], m, 1)
    one = of([], Real, lambda: rose.sum(rose.constant(Vec[3], [2.0**24, 1.0, 1.0])[k] for k in rose.range(3)))
    assert agree({"one": one}) == {"one": 2.0**24}  # each sum is rounded, as 2**24 + 1 is no f32


def test_a_choice_between_aggregates_and_structs_of_all_kinds():
    f = of([Spot, Spot, Bool], Spot, lambda s, t, c: rose.select(c, s, t))
    g = of([Spot], Real, lambda s: rose.select(s.on, s.v[s.at] * s.x, s.x))
    spots = (True, 0.1, 2, (0.1, 0.2, 0.3)), (False, math.nan, 0, (1.0, -0.0, math.inf))
    for c in (True, False):
        agree({"f": f}, *spots, c)
    agree({"g": g, "grad": rose.grad(g)}, spots[0])
    made = rose.compile(f, dtype="f32")(*spots, True)
    assert (made.on, made.x, made.at) == (True, nearest(0.1), 2)
    assert made.v.dtype == np.float32


def test_large_structs_and_vectors_of_them_are_copied_whole():
    n = 19  # more numbers than are kept in locals, and an odd number of them
    large = {f"m{k}": Real if k % 5 else Bool for k in range(n)}
    f = of([Vec[3, large], Fin[3]], large, lambda v, i: v[i])
    row = {f"m{k}": k * 0.1 if k % 5 else k % 2 == 0 for k in range(n)}
    agree({"f": f}, [row, {k: x if isinstance(x, bool) else -x for k, x in row.items()}, row], 1)
    for size_ in range(1, 20):
        g = of([Vec[2, Vec[size_]], Fin[2]], Vec[2, Vec[size_]], lambda a, i: [a[i], a[0]])
        agree({"g": g}, [[k * 0.1 for k in range(size_)], [k * 0.3 for k in range(size_)]], 1)


def test_constants_as_data():
    rows = [[0.1, 0.2, 1e-60], [-0.0, math.inf, math.nan]]
    f = of([Fin[2]], Vec[3], lambda i: rose.constant(Vec[2, Vec[3]], rows)[i])
    for i in (0, 1):
        assert same(agree({"f": f}, i)["f"], tuple([nearest(x) for x in rows[i]]))
    flags = of([Fin[3]], Bool, lambda i: rose.constant(Vec[3, Bool], [True, False, True])[i])
    assert agree({"f": flags}, 1) == {"f": False}


@pytest.mark.parametrize("n", [199, 201, 300])
def test_hundreds_of_parameters(n: int):
    inner = of([Real] * n, Real, lambda *xs: rose.sum([x / (k + 1) for k, x in enumerate(xs)]))
    outer = of([Real] * n, Real, lambda *xs: inner(*xs) * inner(*reversed(xs)))
    agree({"f": outer, "grad": rose.grad(outer, [0, n - 1])}, *[math.sqrt(k) for k in range(n)])
    kinds = [Bool if k % 3 == 0 else Fin[5] if k % 3 == 1 else Real for k in range(n)]
    mixed_ = of(kinds, Real, lambda *xs: rose.sum([rose.select(x, 1.0, 0.3) if k % 3 == 0 else x * 0.1
                                                   for k, x in enumerate(xs)]))  # fmt: skip
    agree({"f": mixed_}, *[k % 2 == 0 if k % 3 == 0 else k % 5 if k % 3 == 1 else k * 0.7 for k in range(n)])


def test_vectors_of_nothing():
    f = of([Vec[0], Vec[2, Vec[0]]], Vec[0], lambda v, a: v)
    assert agree({"f": f}, [], [[], []]) == {"f": ()}
    assert rose.compile(f, dtype="f32")([], [[], []]).dtype == np.float32


def after(g: AnyFn) -> AnyFn:
    return of([Real], Real, lambda x: g(x) + 0.1)


@pytest.mark.slow
def test_long_functions_and_deep_calls():
    def long(x: Any) -> Any:
        y = x
        for k in range(3000):
            y = rose.sqrt(y * y + 0.1) - x / (k + 1)
        return y

    f = of([Real], Real, long)
    agree({"f": f, "grad": rose.grad(f)}, 0.3)
    g = of([Real], Real, lambda x: x * 1.1)
    for _ in range(300):
        g = after(g)
    agree({"g": g}, 0.3)


# what the module is made of


def functions(text: str) -> Iterator[tuple[str, str]]:
    """Name and instructions of each function in a disassembly."""
    for part in text.split("\n\nfunc ")[1:]:
        name, _, code = part.partition("\n")
        yield name.split(" ")[0], name + code


def test_nothing_of_ours_computes_in_double_precision():
    f = of([Vec[4]], Real, smooth)
    g = of([Spot, Vec[9, Spot]], Spot, lambda s, v: rose.select(s.on, v[3], s))
    h = of([Vec[3], Fin[7]], Vec[3], lambda v, i: rose.vec(rose.copysign(v[k], i * 1.0) % 0.7 for k in rose.range(3)))
    fs = {"f": f, "grad": rose.grad(f), "hessian": rose.hessian(f), "g": g, "h": h}
    made = rose.compile(fs, dtype="f32")
    seen = dict(functions(made.disassemble()))
    ours = {k: code for k, code in seen.items() if k not in library().functions}
    assert set(fs) <= set(ours)
    assert {"sinf", "expf", "logf", "tanhf", "fmodf"} <= seen.keys()
    assert not [k for k, code in ours.items() if "f64" in code]
    assert any(["f32.add" in code for code in ours.values()])
    assert re.search(r"f32\.const", made.disassemble())


def test_modules_of_both_kinds_come_from_one_function():
    f = of([Real, Vec[3]], Real, lambda x, v: x / 3.0 + v[0])
    before = rose.compile(f).wasm
    half = rose.compile(f, dtype="f32")
    assert rose.compile(f).wasm == before == rose.compile(f, dtype="f64").wasm
    assert half.wasm == rose.compile(f, dtype="f32").wasm != before
    assert half(1.0, [0.0] * 3) == nearest(nearest(1.0) / nearest(3.0))
    assert f(1.0, [0.0] * 3) == 1 / 3
    assert to_single(f.func) is to_single(f.func)


def test_the_ir_can_be_shown():
    f = of([Vec[2]], Real, lambda v: -v[0] + 0.1)
    assert "v: [2]Single" in show(to_single(f.func))
    assert repr(nearest(0.1)) in show(to_single(f.func))


# the front door


@fn
def scaled(x: Real, v: Vec[3]) -> Vec[3]:
    return rose.vec(v[i] * x for i in rose.range(3))


HALF = rose.compile(scaled, dtype="f32")


def test_numbers_of_python_are_rounded_and_results_are_float32():
    got = HALF(0.1, [0.1, 1, 16777217])
    assert got.dtype == np.float32
    assert got.tolist() == (np.float32(0.1) * np.float32([0.1, 1, 16777216])).tolist()
    total = rose.compile(of([Real], Real, lambda x: x), dtype="f32")
    for x in NUMBERS:
        assert same(total(x), x)
    assert total(0.1).__class__ is float
    assert total(0.1) == nearest(0.1)
    assert total(LARGEST * 1.00000001) == LARGEST  # it rounds to what is there
    assert total(True + 1) == 2.0
    # above 2**53, where a float would round first: an integer is rounded once
    assert total(2**60 + 2**36 + 1) == float(2**60 + 2**37)
    assert total(-(2**60 + 2**36 + 1)) == -float(2**60 + 2**37)
    assert total(2**60 + 2**36) == float(2**60)
    assert HALF(1, [2**60 + 2**36 + 1, 0, 0])[0] == np.float32(2**60 + 2**37)


def test_arrays_that_lose_nothing_are_taken():
    for dtype in ("f4", ">f4", "f2", "i1", "u2", "i4", "i8", "u8"):
        v = np.array([1, 2, 100], dtype)
        assert HALF(2.0, v).tolist() == [2.0, 4.0, 200.0]
        assert HALF(v[1], v[::-1]).tolist() == [200.0, 4.0, 2.0]
    assert HALF(np.float32(0.5), [np.float32(2), np.float16(4), np.int64(8)]).tolist() == [1, 2, 4]
    assert HALF(1.0, np.array([0.1, 2, 3], object)).tolist() == np.float32([0.1, 2, 3]).tolist()
    assert HALF(1.0, [math.inf, -math.inf, 0.0]).tolist() == [math.inf, -math.inf, 0.0]


def test_arrays_of_any_layout_that_would_lose_something_are_refused():
    pairs = rose.compile(of([Vec[2, {"x": Real, "y": Real}]], Real, lambda v: v[0]["x"]), dtype="f32")
    assert pairs([(1.0, 2.0), (3.0, 4.0)]) == 1.0
    assert pairs(np.array([(1.0, 2.0), (3.0, 4.0)], [("x", "f4"), ("y", "f4")])) == 1.0
    for wide in (
        np.array([(1.0, 2.0), (3.0, 4.0)], [("x", "f4"), ("y", "f8")]),
        [{"x": 1.0, "y": np.float64(2.0)}, (3.0, 4.0)],
    ):
        with pytest.raises(rose.TypeMismatch, match="of float64"):
            pairs(wide)
    for wide in (np.array([0.0, 1.0, 2.0], np.longdouble), np.array([1.0, np.float64(2.0), 3.0], object)):
        with pytest.raises(rose.TypeMismatch, match="float"):
            HALF(1.0, wide)


def test_a_module_in_double_precision_takes_single_precision():
    v = np.float32([0.1, 0.2, 0.3])
    assert scaled(np.float32(2.0), v).tolist() == [2.0 * float(x) for x in v]


def test_results_go_into_arrays_of_float32_and_can_be_viewed():
    out = np.empty(3, np.float32)
    assert HALF.call([2.0, [1, 2, 3]], out=out) is out
    assert out.tolist() == [2.0, 4.0, 6.0]
    seen = HALF.call([2.0, [1, 2, 3]], view=True)
    assert seen.dtype == np.float32
    assert not seen.flags.writeable


def test_it_can_be_pickled_and_says_what_it_takes():
    again = pickle.loads(pickle.dumps(HALF))
    assert same(again(0.1, [1, 2, 3]).tolist(), HALF(0.1, [1, 2, 3]).tolist())
    assert again.wasm == HALF.wasm
    assert str(HALF.signature) == "(x: Single, v: Vec[3, Single]) -> Vec[3, Single]"
    assert HALF.signature.parameters["x"].annotation is Single
    assert repr(HALF).startswith("<compiled scaled(x: Single, v: Vec[3, Single]) -> Vec[3, Single]: ")


SEEN: list[Any] = []


@opaque
def noted(x: Real, v: Vec[2], on: Bool) -> Real:
    SEEN.append((x, v, on))
    return np.float64(0.1) if on else 1e-60


@opaque
def spread(x: Real) -> Vec[2]:
    return np.array([x / 3.0, 1e-60])


def test_host_functions_get_floats_and_their_results_are_rounded():
    f = of([Real, Vec[2], Bool], Real, lambda x, v, on: noted(x, v, on))
    made = rose.compile(f, dtype="f32")
    assert made(0.1, [0.1, 0.2], True) == nearest(0.1)
    assert made(0.1, [0.1, 0.2], False) == 0.0
    x, v, on = SEEN[0]
    assert (x, on, x.__class__) == (nearest(0.1), True, float)
    assert v.dtype == np.float32
    g = of([Real], Vec[2], lambda x: spread(x))
    assert agree({"g": g}, 0.1) == {"g": (nearest(nearest(0.1) / 3.0), 0.0)}
    assert pickle.loads(pickle.dumps(made))(0.1, [0.1, 0.2], True) == nearest(0.1)
    assert rose.compile(noted, dtype="f32")(0.1, [0.1, 0.2], True) == nearest(0.1)


def test_a_literal_that_nothing_needs_is_no_matter():
    def body(x: Any) -> Any:
        _ = x * 1e300
        return x

    assert rose.compile(of([Real], Real, body), dtype="f32")(2.0) == 2.0


def test_calls_without_the_private_interface_of_wasmtime(monkeypatch: pytest.MonkeyPatch):
    from wasm_backend.runtime import raw_call

    monkeypatch.setattr(raw_call, "private", None)
    f = of([Real, Bool, Real, Vec[2]], Real, lambda x, c, y, v: rose.select(c, noted(x, v, c), y / 3.0))
    made = rose.compile(f, dtype="f32")
    assert made(0.1, True, 2.0, [1.0, 2.0]) == nearest(0.1)
    assert made(0.1, False, 2.0, [1.0, 2.0]) == nearest(2.0 / 3.0)


# for the web

PAGE = """
import init from "./index.js";
const { scaled, slope, half } = await init();
const told = (f) => { try { return String(f()); } catch (e) { return `${e.name}: ${e.message}`; } };
console.log(JSON.stringify([
  scaled(0.1, [1, 2, 3]) instanceof Float32Array,
  Array.from(scaled(0.1, new Float32Array([1, 2, 3]))),
  half(0.1), half(Infinity), half(NaN) !== half(NaN),
  told(() => half(1e39)), told(() => scaled(-1e39, [1, 2, 3])), told(() => scaled(1, [1, 3.5e38, 3])),
  told(() => scaled(1, new Float64Array(3))), told(() => half("1")), half(3.4028235e38),
]));
"""


def test_a_package_rounds_and_refuses_what_is_too_large(tmp_path: Path):
    half = of([Real], Real, lambda x: x)
    slope = rose.grad(of([Vec[3]], Real, lambda v: v[0] * v[1]))
    made = rose.compile({"scaled": scaled, "slope": slope, "half": half}, dtype="f32")
    made.save(tmp_path, "made")
    types = (tmp_path / "index.d.ts").read_text()
    v = "v: readonly [number, number, number] | Float32Array"
    assert f"readonly scaled: Checked<Into<(x: number, {v}) => Float32s & Of3, Float32Array>>;" in types
    assert "type Float32s = ReturnType<typeof Float32Array.from>;" in types
    assert "Float64Array" not in types
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    (tmp_path / "page.mjs").write_text(PAGE)
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        True,
        HALF(0.1, [1, 2, 3]).tolist(),
        nearest(0.1), None, True,
        "TypeError: half: x must be at most 3.4e38 in size, got 1e+39",
        "TypeError: scaled: x must be at most 3.4e38 in size, got -1e+39",
        "TypeError: scaled: v[1] must be at most 3.4e38 in size, got 3.5e+38",
        "TypeError: scaled: v must be a Float32Array, or an array, got object",
        "TypeError: half: x must be a number, got string",
        LARGEST,
    ]  # fmt: skip


def test_compiling_needs_the_standard_library_only():
    code = """
import sys
sys.modules["numpy"] = sys.modules["wasmtime"] = None
import rose
f = rose.fn([rose.Real], rose.Real)(lambda x: rose.sin(x) * 2.0)
print(len(rose.compile(rose.grad(f), dtype="f32").wasm) > 100)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
