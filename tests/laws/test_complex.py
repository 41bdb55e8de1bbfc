"""Complex numbers have the same bits everywhere: compiled, in the interpreter, in node, in batches and in packages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import node
from complex_numbers import RANDOM, SPECIAL
from same_bits import entry, in_node

import rose
from rose import Complex, Real, Vec, dim, fn, struct
from rose.ir.types import Complex as COMPLEX
from rose.ir.types import Tuple

POINTS = np.concatenate([RANDOM[:15], SPECIAL])
ROWS = np.stack([POINTS.real, POINTS.imag], 1)
FUNCTIONS = {
    **{name: getattr(np, name) for name in "exp log sqrt tan sinh arcsin arctanh sign".split()},
    "quotient": lambda z: (z + 1.0) / (z * z - 2j),
    "power": lambda z: z ** (0.5 - z),
}


def sweep(name: str) -> Any:
    """The values of a function, and its first and second derivatives, at rows of two numbers."""
    f: Any = fn([Complex], Complex)(lambda z: FUNCTIONS[name](z))
    slope = rose.grad(f, holomorphic=True)
    curvature = rose.grad(slope, holomorphic=True)

    def of(z: Any) -> Any:
        return rose.array([x for w in (f(z), slope(z), curvature(z)) for x in (w.real, w.imag)])

    n = len(ROWS)
    return fn([Vec[n, 2]], Vec[n, 6])(lambda rows: rose.vec(of(rows[i, 0] + 1j * rows[i, 1]) for i in rose.range(n)))


def bits(x: Any) -> bytes:
    """The bits of numbers; nan has no sign."""
    parts = np.ascontiguousarray(x).view("f8")
    return np.where(np.isnan(parts), np.nan, parts).tobytes()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_interpreter_has_the_bits_of_the_module(name: str):
    f = sweep(name)
    with rose.eager():
        wanted = f(ROWS)
    assert bits(f(ROWS)) == bits(wanted)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_has_them_too(tmp_path: Path):
    bundle = [entry(name, sweep(name), ROWS, sweep(name)(ROWS)) for name in FUNCTIONS]
    compared, apart = in_node(bundle, tmp_path)
    assert apart == [] and compared == [[name, len(ROWS)] for name in FUNCTIONS]


@pytest.mark.parametrize("simd", [False, True])
def test_a_batch_and_vectorised_loops_have_them(simd: bool):
    n = len(POINTS)
    f = fn([Complex], Complex)(lambda z: np.exp(z) * z / (z + 2.0))
    loop = fn([Vec[n, Complex]], Vec[n, Complex])(lambda z: np.exp(z) * z / (z + 2.0))
    one = np.array([f(z) for z in POINTS.tolist()])
    assert bits(f.map(POINTS)) == bits(one)
    assert bits(rose.compile(loop, simd=simd)(POINTS)) == bits(one)


@struct
class State:
    """A state."""

    z: Complex
    v: Vec[2, Complex]
    x: Real


n = dim("n")


@fn
def moved(s: State, m: Vec[2, 2, Complex]) -> State:
    return State(s.z * s.x, m @ s.v, abs(s.z))


@fn
def squares(z: Vec[n, Complex]) -> Vec[n, Complex]:
    return z * z


def test_arguments_and_results_are_complex_numbers():
    s = State(1j, np.array([1.0, 2j]), 2.0)
    for given in (s, {"z": 1j, "v": [1, 2j], "x": 2}, (1j, [1.0, 2j], 2.0)):
        made = moved(given, [[0.0, 1j], [1, 0]])
        assert (made.z, made.v.tolist(), made.x) == (2j, [-2.0, 1.0], 1.0)
        assert made.z.__class__ is complex and made.v.dtype == np.complex128
    assert squares(np.array([1j, 2], "c8")).tolist() == [-1.0, 4.0]
    out = np.zeros(2, complex)
    module = rose.compile(squares, n=2)
    assert module([1j, 2.0], out=out) is out and out.tolist() == [-1.0, 4.0]
    assert module([1j, 2], view=True).tolist() == [-1.0, 4.0]
    single = rose.compile(squares, n=2, dtype="f32")(np.array([1j, 2], "c8"))
    assert single.dtype == np.complex64 and single.tolist() == [-1.0, 4.0]


@pytest.mark.parametrize("x", ["a", [1.0, 2.0], None, {"real": 1.0}], ids=str)
def test_what_is_no_complex_number_is_refused(x: Any):
    with pytest.raises(rose.TypeMismatch, match="z must be a Complex, got"):
        fn([Complex], Complex)(lambda z: z)(x)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_package_takes_and_gives_interleaved_arrays(tmp_path: Path):
    rose.compile({"moved": moved, "squares": squares}, dynamic=True).save(tmp_path)
    (tmp_path / "run.mjs").write_text("""
import init from "./index.js";
const { moved, squares } = await init();
const plain = (_, v) => (v instanceof Float64Array ? Array.from(v) : v);
const s = moved({ z: [0, 1], v: new Float64Array([1, 0, 0, 2]), x: 2 }, [[0, 0, 0, 1], [1, 0, 0, 0]]);
const wrong = [];
for (const z of [3, [1, 2, 3]]) try { moved({ z, v: [1, 0, 0, 2], x: 2 }, []); } catch (e) { wrong.push(e.message); }
console.log(JSON.stringify([s, squares([0, 1, 2, 0]), squares([1, 1]), wrong], plain));
""")
    s, two, one, wrong = json.loads(node("run.mjs", cwd=tmp_path))
    assert s == {"z": [0, 2], "v": [-2, 0, 1, 0], "x": 1}
    assert (two, one) == ([-1, 0, 4, 0], [0, 2])
    assert wrong == ["moved: s.z must be an array, got 3", "moved: s.z.length must be 2, got 3"]
    types = (tmp_path / "index.d.ts").read_text()
    assert "readonly squares: Checked<(z: ArrayLike<number>) => Float64s>;" in types
    assert "z: Float64s;" in types and "readonly z: ArrayLike<number>;" in types


def test_the_text_form_has_them():
    f = rose.parse("def f(z: Complex): Complex = z\ntype Complex = {real: Real, imag: Real}")["f"]
    assert f(1j) == 1j and f.types == (COMPLEX,)
    assert isinstance(COMPLEX, Tuple) and repr(COMPLEX) == "Complex"
