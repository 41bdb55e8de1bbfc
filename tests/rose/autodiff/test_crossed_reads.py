"""Arrays that are read along different indices at once: in reverse a sum for each, and the same gradient."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.frontend.function import Fn
from rose.ir import ACCUM, ADD_TO, FOR, Func
from rose.ir.accumulators import base
from rose.ir.callgraph import instructions, reachable
from rose.ir.text.printer import show
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments
from rose.testing import examine

N = 16
ROW, MATRIX, POINTS = Vec[N], Vec[N, N], Vec[3 * N, 3]

AnyFn = Fn[..., Any]


def squared(x: Any) -> Any:
    """A matrix times itself."""
    return np.sum((x @ x) ** 2)


def similarity(x: Any) -> Any:
    """The entropy of the similarities of rows."""
    return np.sum(np.tanh(x @ x.T) * 0.1)


def correlation(x: Any) -> Any:
    """How far columns are from being orthonormal."""
    return np.sum((x.T @ x - np.eye(N)) ** 2)


def triangles(a: Any) -> Any:
    """The weight of all triangles of a graph."""
    return np.einsum("ij,jk,ki->", a, a, a)


def chain(p: Any, start: Any) -> Any:
    """What a Markov chain of three steps brings, by the third power of its matrix."""
    return np.sum(np.log(2.0 + start @ (p @ p @ p)))


def inverse(x: Any, a: Any) -> Any:
    """What a step of Newton and Schulz leaves of an inverse."""
    return np.sum((a @ (2.0 * x - x @ a @ x) - np.eye(N)) ** 2)


def variance(w: Any, covariance: Any) -> Any:
    """A portfolio's variance, by row."""
    return np.sqrt(np.sum((w @ covariance) * w) + 100.0)


def centred(x: Any) -> Any:
    """The covariances of columns whose means are taken off in the loops."""
    m = np.sum(x, axis=0) / N
    at = lambda i, j: rose.sum((x[k][i] - m[i]) * (x[k][j] - m[j]) for k in rose.range(N))
    return rose.sum(at(i, j) ** 2 for i in rose.range(N) for j in rose.range(N))


def with_its_own(x: Any) -> Any:
    """A product, and the matrix itself, in one loop."""
    at = lambda i, j: rose.sum(x[i][k] * x[k][j] for k in rose.range(N)) + 3.0 * x[i][j]
    return rose.sum(at(i, j) ** 2 for i in rose.range(N) for j in rose.range(N))


def cooled(x: Any, conductance: Any) -> Any:
    """Heat between all pairs of places, down the columns."""
    flow = rose.vec(rose.sum(conductance[i][j] * (x[i] - x[j]) for i in rose.range(N)) for j in rose.range(N))
    return np.sum(flow**2)


def quadratic(v: Any, a: Any) -> Any:
    """A form, and a number itself among its terms."""
    return rose.sum(a[i][j] * v[i] * v[j] + v[j] for i in rose.range(N) for j in rose.range(N))


PROGRAMS: dict[Callable[..., Any], list[Any]] = {
    squared: [MATRIX],
    similarity: [MATRIX],
    correlation: [MATRIX],
    triangles: [MATRIX],
    chain: [MATRIX, ROW],
    inverse: [MATRIX, MATRIX],
    variance: [ROW, MATRIX],
    centred: [MATRIX],
    with_its_own: [MATRIX],
    cooled: [ROW, MATRIX],
    quadratic: [ROW, MATRIX],
}


def bells(x: Any) -> Any:
    """An estimate of a density, at its own points."""
    return rose.sum(rose.exp(-((x[i] - x[j]) ** 2)) for i in rose.range(N) for j in rose.range(N))


def charges(p: Any) -> Any:
    """The energy of bodies that repel one another."""

    def energy(i: Any, j: Any) -> Any:
        return 1.0 / np.sqrt(1.0 + rose.sum((p[i][k] - p[j][k]) ** 2 for k in rose.range(3)))

    return rose.sum(energy(i, j) for i in rose.range(3 * N) for j in rose.range(3 * N))


def cells(w: Any, seen: Any) -> Any:
    """Biases and weights, which are parts of one vector."""
    drive = seen[:, :3] @ w[3:12].reshape(3, 3) + w[:3]
    return np.sum(np.log(1.0 + np.exp(drive)))


def pairs_of_neighbours(x: Any) -> Any:
    return rose.sum((x[i + 1] - x[i]) ** 2 * x[i] for i in rose.range(N - 1))


def moments(p: Any) -> Any:
    return rose.sum(p[i][0] * p[i][1] + p[i][2] for _ in rose.range(40) for i in rose.range(3 * N))


def symmetric(x: Any) -> Any:
    return np.sum(x * x.T)


def by_two_arrays(x: Any, a: Any) -> Any:
    return np.sum((x @ a) ** 2)


def in_turn(x: Any) -> Any:
    """Two nests, each with its own order."""
    return rose.sum(rose.sum(x[i] * x[i] for i in rose.range(N)) for _ in rose.range(N)) + rose.sum(
        rose.sum(x[j] * 2.0 for j in rose.range(N)) for _ in rose.range(N)
    )


KEPT: dict[Callable[..., Any], list[Any]] = {
    bells: [ROW],
    charges: [POINTS],
    cells: [ROW, MATRIX],
    pairs_of_neighbours: [ROW],
    moments: [POINTS],
    symmetric: [MATRIX],
    by_two_arrays: [MATRIX, MATRIX],
    in_turn: [ROW],
}


def of(body: Callable[..., Any]) -> tuple[AnyFn, list[Any]]:
    """A program, made anew, and its arguments."""
    types = (PROGRAMS | KEPT)[body]
    r, shapes = np.random.default_rng(len(body.__name__)), {ROW: (N,), MATRIX: (N, N), POINTS: (3 * N, 3)}
    return fn(types, Real)(body), [r.uniform(-0.5, 0.5, shapes[t]) for t in types]


def one_sum() -> AbstractContextManager[None]:
    return instrumented(Instruments(("crossed-reads",)))


def gradient(f: AnyFn) -> AnyFn:
    return rose.grad(f, tuple(range(len(f.types))))


def by_turns(f: Func) -> int:
    """The arrays that a loop adds to at more than one place, those in it included."""
    found = 0
    for v in [v for g in reachable(f) if g.has_body for v in g.body.code if v.op is FOR]:
        refs = [base(x.args[0]) for x in instructions(v.attr) if x.op is ADD_TO]
        refs = [ref for ref in refs if ref.op is ACCUM and not ref.type.inner.scalar and ref.block is v.block]
        found += len(refs) - len({*refs})
    return found


def same(x: Any, y: Any) -> bool:
    """True if two results agree to the bit."""
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    return np.asarray(x, float).tobytes() == np.asarray(y, float).tobytes()


def close(x: Any, y: Any) -> bool:
    return all([np.allclose(a, b, rtol=1e-11, atol=1e-12) for a, b in zip(x, y, strict=True)])


@pytest.mark.parametrize("body", PROGRAMS, ids=lambda f: f.__name__)
def test_no_array_is_added_to_by_turns(body: Any):
    with one_sum():
        assert by_turns(gradient(of(body)[0]).func) > 0
    shared = body in (
        inverse,
        centred,
        with_its_own,
    )  # two nests in one loop share a sum; what a nest summed is added around it
    assert by_turns(gradient(of(body)[0]).func) == shared


@pytest.mark.parametrize("body", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_and_their_derivatives_are_those_of_one_sum(body: Any):
    for make in (gradient, twice):
        f, args = of(body)
        with rose.eager():
            want = make(f)(*args)
        for simd in (False, True):
            assert same(rose.compile(make(f), simd=simd)(*args), want)
        with one_sum():
            assert close(rose.compile(make(of(body)[0]))(*args), want)


def twice(f: AnyFn) -> AnyFn:
    """The gradient of the square of the gradient."""
    return gradient(fn(f.types, Real)(lambda *x: sum([np.sum(d * d) for d in gradient(f)(*x)])))


@pytest.mark.parametrize("body", [squared, centred, bells, cooled], ids=lambda f: f.__name__)
def test_derivatives_of_both_orders_are_right(body: Any):
    assert examine(of(body)[0], points=1).ok


@pytest.mark.parametrize("body", KEPT, ids=lambda f: f.__name__)
def test_what_is_read_along_one_index_or_once_or_unscaled_has_one_sum(body: Any):
    with one_sum():
        one = show(gradient(of(body)[0]).func)
    assert show(gradient(of(body)[0]).func) == one


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_a_module_for_all_sizes_has_the_bits_of_one_for_some(n: int):
    d = rose.dim("n")
    of_all = rose.compile(rose.grad(fn([Vec[d, d]], Real)(squared)), dynamic=True)
    x = np.random.default_rng(n).normal(size=(n, n))
    assert same(of_all(x), rose.compile(rose.grad(fn([Vec[n, n]], Real)(squared)))(x))


@pytest.mark.parametrize("options", [{"checkpoint": "sqrt"}, {"checkpoint": "binomial", "snapshots": 2}])
def test_checkpoints_keep_the_bits(options: dict[str, Any]):
    def steps(**how: Any) -> AnyFn:
        def step(i: Any, s: Any) -> Any:
            small = s * x[0] + 0.1 * x[i % 4]
            return small + 0.01 * rose.sum(x[j % 4] * x[k % 4] for j in rose.range(N) for k in rose.range(N))

        def body(v: Any) -> Any:
            nonlocal x
            x = v
            return rose.scan(step, v[1], 80, **how)

        x: Any = None
        return rose.grad(fn([Vec[4]], Real)(body))

    at = np.array([0.3, -0.2, 0.5, 0.1])
    assert same(rose.compile(steps(**options))(at), rose.compile(steps())(at))


def test_branches_that_are_not_taken_add_nothing():
    """A square root of what is not there has no derivative, and its row is not read."""

    def body(x: Any) -> Any:
        far = lambda i, j: rose.select(x[i] > x[j], rose.sqrt(x[i] - x[j]), 0.0)
        return rose.sum(far(i, j) for i in rose.range(N) for j in rose.range(N))

    x = np.linspace(0.0, 1.0, N)
    found = rose.compile(rose.grad(fn([ROW], Real)(body)))(x)
    with one_sum():
        one = rose.compile(rose.grad(fn([ROW], Real)(body)))(x)
    assert np.isfinite(found).all() and np.allclose(found, one, rtol=1e-12)


def test_empty_arrays_and_structs_have_their_gradients():
    empty = fn([Vec[0, 0]], Real)(squared)
    assert np.asarray(rose.compile(rose.grad(empty))(np.zeros((0, 0)))).size == 0
    pair = fn([tuple[MATRIX, ROW]], Real)(lambda p: np.sum((p[0] @ p[0]) @ p[1] * p[1]))
    x, y = np.eye(N) * 0.5, np.arange(N) / N
    dx, dy = rose.compile(rose.grad(pair))((x, y))
    assert np.allclose(dx, np.outer(y, y)) and np.allclose(dy, 0.5 * y)
