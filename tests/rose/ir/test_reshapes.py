"""Reshapes: a merge of axes is no loop, in no direction; and gives what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.errors import RoseError
from rose.host.interpreter import run
from rose.ir import CONST, FOR, INDEX, PACK, Builder, types
from rose.ir.builder import building
from rose.ir.callgraph import instructions, reachable
from rose.ir.check import check
from rose.ir.ops import idiv, imod
from rose.ir.reshapes import RESHAPE, apart, axes_of, reshape, reshaped_type
from rose.ir.sizes import dim
from rose.ir.text.printer import show
from rose.ir.types import Tan
from rose.testing import examine


def merged(x: Any, w: Any) -> Any:
    """Of two axes one."""
    return np.sum(np.sin(x).reshape(-1) * w)


def halves(x: Any, w: Any) -> Any:
    """Rotated pairs of amplitudes, as a circuit has them."""
    for k in range(3):
        pairs = w.reshape(2**k, 2, -1)
        down, up = pairs[:, 0], pairs[:, 1]
        w = np.stack([up * x[0, k] - down, down + up], axis=1).reshape(-1)
    return np.sum(w[:5] ** 3)


def heads(x: Any, w: Any) -> Any:
    """Axes that are split, exchanged and merged."""
    split = x.reshape(4, 3, 2).transpose(1, 0, 2)
    return np.sum(np.tanh(split * w.reshape(3, 4, 2)).transpose(1, 0, 2).reshape(4, 6) ** 2)


def inner(x: Any, w: Any) -> Any:
    """The inner axes of three."""
    y = (x[:, :, None] * np.arange(4.0)).reshape(4, 24)
    return np.sum(np.exp(0.1 * y) @ w)


def there_and_back(x: Any, w: Any) -> Any:
    y = (x + 1.0).reshape(-1).reshape(3, 8).reshape(4, 6)
    return np.sum(y * y) + y.ravel() @ w


TABLE = np.arange(24.0).reshape(2, 3, 4)


def of_a_table(x: Any, w: Any) -> Any:
    """A literal that is reshaped is another literal."""
    table = rose.array(TABLE)
    return np.sum((x * table.reshape(4, 6)).reshape(-1) * w * table.reshape(-1))


def without_axes_of_one(x: Any, w: Any) -> Any:
    """Axes of one element that come and go around a merge."""
    y = np.sin(x).reshape(1, 8, 3).reshape(-1).reshape(1, 8, 3)
    step = lambda i, s: rose.array(s.reshape(-1)).at[i].set(w[i]).reshape(1, 8, 3)
    return np.sum(rose.scan(step, y, 5) ** 2) + np.sum(y.reshape(8, 3).reshape(-1) * w)


def in_loops(x: Any, w: Any) -> Any:
    def step(k: Any, s: Any) -> Any:
        return np.outer(s[:4], s[:6]).reshape(-1) * 0.1 + x.ravel() * w[k]

    return np.sum(rose.scan(step, w, 5) ** 2)


PROGRAMS: list[Callable[..., Any]] = [
    merged,
    halves,
    heads,
    inner,
    there_and_back,
    of_a_table,
    without_axes_of_one,
    in_loops,
]


def of(body: Callable[..., Any]) -> Any:
    return fn([Vec[4, 6], Vec[24]], Real)(body)


def arguments() -> tuple[Any, Any]:
    r = np.random.default_rng(0)
    return r.uniform(-1, 1, (4, 6)), r.uniform(-1, 1, 24)


@pytest.mark.parametrize("body", PROGRAMS, ids=lambda f: f.__name__)
def test_a_merge_of_axes_divides_nothing(body: Any):
    """Neither a value nor a gradient has a remainder, or a loop for each."""
    f = of(body)
    for g in (f, rose.grad(f, (0, 1))):
        found = {v.op for h in reachable(g.func) if h.has_body for v in instructions(h.body)}
        assert RESHAPE in found and (body is without_axes_of_one or not found & {idiv, imod})  # it puts at an index
        check(g.func)


@pytest.mark.parametrize("body", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives_of_two_orders(body: Any):
    f, xs = of(body), arguments()
    if body not in (in_loops, of_a_table, without_axes_of_one):
        assert rose.compile(f)(*xs) == pytest.approx(float(body(*xs)), rel=1e-13)
    assert examine(f, points=1).ok
    for g in (f, rose.grad(f, (0, 1)), rose.grad(fn(f.types, Real)(lambda x, w: np.sum(rose.grad(f)(x, w) ** 3)))):
        with rose.eager():
            want = g(*xs)
        for simd in (False, True):
            assert same(rose.compile(g, simd=simd)(*xs), want)


def same(x: Any, y: Any) -> bool:
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    return np.asarray(x, float).tobytes() == np.asarray(y, float).tobytes()


@pytest.mark.parametrize("shape", [(1, 5), (3, 4), (2, 1), (6, 6)])
def test_a_module_for_all_sizes_has_the_bits_of_one_for_some(shape: tuple[int, int]):
    def body(x: Any, w: Any) -> Any:
        return np.sum(np.sin(x * 2.0).reshape(-1) ** 3) * np.sum(w) + np.sum(x.T.ravel() * np.cos(x).ravel())

    n, m = dim("n"), dim("m")
    of_all = rose.compile(rose.grad(fn([Vec[n, m], Vec[n]], Real)(body), (0, 1)), dynamic=True)
    x, w = np.random.default_rng(1).normal(size=shape), np.arange(1.0, shape[0] + 1)
    rows, columns = shape
    of_one = rose.compile(rose.grad(fn([Vec[rows, columns], Vec[rows]], Real)(body), (0, 1)))
    assert same(of_all(x, w), of_one(x, w))


def test_one_element_that_is_put_leaves_the_array_that_was_reshaped():
    """They are the same memory, so the other is copied first."""

    def body(x: Any) -> Any:
        y = np.sin(x)
        flat = y.reshape(-1).at[3].set(5.0)
        return flat.reshape(2, 12), y, flat

    x, _ = arguments()
    put, kept, flat = rose.compile(fn([Vec[4, 6]], tuple[Vec[2, 12], Vec[4, 6], Vec[24]])(body))(x)
    want = np.sin(x).ravel()
    want[3] = 5.0
    assert np.allclose(kept, np.sin(x)) and np.allclose(flat, want) and np.allclose(put, want.reshape(2, 12))


def test_states_that_are_reshaped_in_a_scan():
    def body(x: Any) -> Any:
        step = lambda _, s: (s.T.ravel() * 0.5 + 1.0).reshape(4, 6)
        return rose.scan(step, x, 3)

    x, _ = arguments()
    want = x
    for _ in range(3):
        want = (want.T.ravel() * 0.5 + 1.0).reshape(4, 6)
    assert np.allclose(rose.compile(fn([Vec[4, 6]], Vec[4, 6])(body))(x), want, rtol=1e-14)


def test_structs_truths_and_complex_numbers_are_reshaped():
    @rose.struct
    class Point:
        x: Real
        y: Real

    def places(ps: Any) -> Any:
        flat = ps.reshape(-1) if hasattr(ps, "reshape") else rose.reshape(ps, -1)
        return rose.vec(flat[i].x - flat[i].y for i in rose.range(6))

    f = rose.compile(fn([Vec[2, 3, Point]], Vec[6])(places))
    rows = [[Point(float(3 * i + j), 0.5) for j in range(3)] for i in range(2)]
    assert np.array_equal(f(rows), np.arange(6) - 0.5)
    truths = fn([Vec[2, 3]], Real)(lambda x: np.sum(np.where((x > 0.0).reshape(-1), np.arange(6.0), 0.0)))
    assert rose.compile(truths)(np.array([[1.0, -1, 1], [-1, 1, 1]])) == 0 + 2 + 4 + 5
    turned = fn([Vec[2, 3, rose.Complex]], Vec[6, rose.Complex])(lambda z: (z * 1j).ravel())
    z = np.arange(6).reshape(2, 3) + 1j
    assert np.array_equal(rose.compile(turned)(z), (z * 1j).ravel())


def test_what_nobody_reads_has_no_derivative():
    """A root at 0 has an infinite derivative, which meets no zero if its element is cut off."""
    f = fn([Vec[2, 3]], Real)(lambda x: np.sum(np.sqrt(x).reshape(-1)[1:]) + 0.0 * np.sum(x))
    x = np.array([[0.0, 1.0, 4.0], [1.0, 1.0, 1.0]])
    assert np.array_equal(rose.compile(rose.grad(f))(x).ravel(), [0.0, 0.5, 0.25, 0.5, 0.5, 0.5])


def test_jacobians_sparse_and_dense():
    f = fn([Vec[3, 4]], Vec[12])(lambda x: (x**2).reshape(-1) + np.sin(x.T).ravel()[::-1] * 0.0)
    x = arguments()[0][:3, :4]
    assert np.allclose(rose.jacobian(f)(x), rose.compile(rose.jacobian(f))(x))
    diagonal = rose.jacobian(fn([Vec[48]], Vec[48])(lambda x: (x.reshape(6, 8) ** 2).ravel()), sparse=True)
    at = np.linspace(0.0, 1.0, 48)
    for found in (diagonal(at), rose.compile(diagonal)(at)):
        assert found.nnz == 48 and np.allclose(found.data, 2.0 * at)


def test_texts_are_read_again():
    f = rose.grad(of(merged))
    text = show(check(f.func))
    assert show(rose.parse(text)["grad_merged"].func) == text
    for wrong, words in (
        ("def f(x: [2][3]Real): [5]Real = let y: [5]Real = reshape(x) in y", "is not reshaped to"),
        ("def f(x: [2][3]Real): Real = let y = reshape(x) in y[0]", "a type that is not known"),
    ):
        with pytest.raises(RoseError, match=words):
            rose.parse(wrong)["f"]


def built(make: Callable[[Builder], Any]) -> Any:
    with building("f") as b:
        return make(b)


def test_the_simplest_reshape():
    """Of a reshape, a literal, a zero and a pack there is none."""

    def make(b: Builder) -> Any:
        x = b.param(types.Vec(2, types.Vec(3, types.Vec(4, types.Real))), "x")
        once = reshape(b, x, 3, (6, 4))
        assert once.op is RESHAPE and once.attr == (2, (6,))
        assert reshape(b, once, 1, (2, 3)) is x and reshape(b, x, 2, (2, 3)) is x
        assert reshape(b, once, 2, (24,)).args == (x,)
        literal = b.const(((1.0, 2.0), (3.0, 4.0)), types.Vec(2, types.Vec(2, types.Real)))
        flat = reshape(b, literal, 2, (4,))
        assert flat.op is CONST and tuple(flat.attr) == (1.0, 2.0, 3.0, 4.0)
        assert reshape(b, b.zero(types.Vec(2, types.Vec(2, Tan))), 2, (4,)) is b.zero(types.Vec(4, Tan))
        rows = [b.index(b.index(x, 0), k) for k in range(3)]
        pairs = b.pack([b.pack(rows[:2], types.Vec(2, rows[0].type))] * 2, types.Vec(2, types.Vec(2, rows[0].type)))
        packed = reshape(b, pairs, 2, (4,))
        assert packed.op is PACK and [v.op for v in packed.args] == [INDEX] * 4
        return None

    built(make)


def test_one_axis_of_one_element_is_taken_away_or_added():
    """What is left of the axes that differ may be none, on either side."""

    def make(b: Builder) -> Any:
        x = b.param(types.Vec(1, types.Vec(2, types.Vec(3, types.Real))), "x")
        less = reshape(b, x, 3, (2, 3))
        more = reshape(b, less, 2, (2, 1, 3))
        assert less.attr == (1, ()) and more.args == (x,) and more.attr == (2, (2, 1))
        one = b.const(((1.0, 2.0),), types.Vec(1, types.Vec(2, types.Real)))
        assert tuple(reshape(b, one, 2, (2,)).attr) == (1.0, 2.0)
        assert reshape(b, reshape(b, one, 2, (2,)), 1, (1, 2)).attr == one.attr
        return b.func(b.tuple([less, reshape(b, x, 1, (1, 1)), more]))

    rows = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    f = built(make)
    assert run(check(f), (rows,)) == (rows, ((rows,),), ((rows[0],), (rows[1],)))


def test_shapes_and_types():
    t = types.Vec(2, types.Vec(3, types.Vec(4, types.Real)))
    assert axes_of(t) == (2, 3, 4) and axes_of(t, 2) == (2, 3) and axes_of(types.Real) == ()
    assert apart((2, 3, 4), (6, 4)) == ((2, 3), (6,))
    assert reshaped_type(t, 2, (6,)) is types.Vec(6, types.Vec(4, types.Real))
    assert reshaped_type(t, 2, (5,)) is None and reshaped_type(types.Real, 1, (1,)) is None


def test_no_elements():
    f = fn([Vec[0, 3]], Vec[0])(lambda x: np.sin(x).reshape(-1))
    assert np.asarray(rose.compile(f)(np.zeros((0, 3)))).size == 0


def test_a_reshape_makes_no_code():
    """The module of a sum over a flattened matrix is as large as that over a vector."""
    flat = rose.compile(fn([Vec[24]], Real)(lambda x: np.sum(x * x)))
    of_rows = rose.compile(fn([Vec[4, 6]], Real)(lambda x: np.sum(x.ravel() * x.ravel())))
    assert len(of_rows.wasm) <= len(flat.wasm) + 2
    assert [v.op for v in instructions(fn([Vec[4, 6]], Real)(lambda x: np.sum(x.ravel())).func.body)].count(FOR) == 1
