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


@pytest.mark.parametrize("x", ["a", [1.0, "a"], None, {"real": 1.0}], ids=str)
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
    assert "readonly squares: Checked<Into<(z: ArrayLike<number>) => Float64s, Float64Array>>;" in types
    assert "z: Float64s & Of2;" in types and "readonly z: readonly [re: number, im: number] | Numbers;" in types


def test_the_text_form_has_them():
    f = rose.parse("def f(z: Complex): Complex = z\ntype Complex = {real: Real, imag: Real}")["f"]
    assert f(1j) == 1j and f.types == (COMPLEX,)
    assert isinstance(COMPLEX, Tuple) and repr(COMPLEX) == "Complex"


@fn(syntax=True)
def steps(c: Complex) -> Real:
    """The steps of Mandelbrot's iteration, 50 at most."""
    z = 0j
    n = 0.0
    while (abs(z) <= 2.0) & (n < 50.0):
        z = z * z + c
        n = n + 1.0
    return n


def test_loops_and_branches_carry_them():
    assert steps.map(np.array([0.0, 1.0, -1.0 + 0.3j, -0.7 + 0.2j])).tolist() == [50.0, 3.0, 35.0, 50.0]
    states = fn([Complex], Vec[4, Complex])(lambda c: rose.scan(lambda i, z: (z * z + c, z), 0j, 4)[1])
    assert states(1j).tolist() == [0.0, 1j, -1.0 + 1j, -1j]
    choice = fn([Complex], Complex)(lambda c: rose.cond(c.real > 0.0, lambda: c * c, lambda: c.conj()))
    assert (choice(1.0 + 1j), choice(-1.0 + 1j)) == (2j, -1.0 - 1j)
    grown = fn([Complex], Complex)(lambda c: rose.while_loop(lambda z: abs(z) < 10.0, lambda z: z * c, c))
    assert grown(1.0 + 1j) == (1.0 + 1j) ** 7 and rose.grad(grown, holomorphic=True)(1.0 + 1j) == -56j
    with pytest.raises(rose.TypeMismatch, match=r"the next state of rose.scan must be a Real, got a traced Complex"):
        _ = fn([Complex], Complex)(lambda c: rose.scan(lambda i, z: z * c, 1.0, 4)).func


def test_elements_are_mapped_and_updated_and_accumulated():
    z = np.array([1.0 + 1j, -1.0, 2j])
    each = rose.vmap(fn([Complex], Complex)(lambda z: z * z + 1.0))
    assert fn([Vec[3, Complex]], Vec[3, Complex])(lambda z: each(z))(z).tolist() == (z * z + 1.0).tolist()
    assert each(z).tolist() == (z * z + 1.0).tolist()
    updated = fn([Vec[3, Complex]], Vec[3, Complex])(lambda z: z.at[0].set(5.0).at[1].add(2j).at[2].multiply(1j))
    assert updated(z).tolist() == [5.0, -1.0 + 2j, -2.0]

    @fn
    def total(z: Vec[3, Complex]) -> Complex:
        sum_ = rose.accum(0j)
        for i in rose.range(3):
            sum_ += z[i] * z[i]
        return sum_.value

    assert total(z) == np.sum(z * z)


def test_a_circuit_of_two_gates():
    hadamard = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2.0)
    swapped = np.eye(4)[[0, 1, 3, 2]]

    @fn
    def entangled(angle: Real) -> Vec[4]:
        turn = rose.array([[np.exp(-0.5j * angle), 0.0], [0.0, np.exp(0.5j * angle)]])
        state = swapped @ (np.kron(turn @ hadamard, np.eye(2)) @ np.array([1.0, 0.0, 0.0, 0.0]))
        return abs(state) ** 2

    assert entangled(0.3) == pytest.approx([0.5, 0.0, 0.0, 0.5])


def test_what_is_not_there_is_refused_by_name():
    f = fn([Vec[2, Complex]], Real)(lambda z: np.sum(abs(z) ** 2))
    for of in (rose.sparsity, lambda f: rose.derivatives(f, 2), lambda f: rose.jet(f, 2)):
        with pytest.raises(rose.NotDifferentiable, match="takes functions of Reals to Reals, and z of"):
            of(f)
    with pytest.raises(rose.NotDifferentiable, match="hessian with sparse=True takes functions of Reals"):
        rose.hessian(f, sparse=True)
    with pytest.raises(rose.TypeMismatch, match=r"rose.print cannot write a Complex"):
        _ = fn([Complex], Complex)(lambda z: rose.print("{}", z) or z).func
