"""The derivative of the largest of some numbers is that of one of them, found by its index; those that tie share it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from benchmarks.passes import counting
from rose import Fin, Real, Vec, fn
from rose.autodiff.extremes import extreme_of
from rose.ir import FOR, Func, Loop, loop_of, loops_around
from rose.ir.callgraph import instructions, reachable
from rose.ir.types import Bool, Span
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments
from rose.testing import examine

AnyFn = Any
N = 12


@rose.struct
class Point:
    at: Vec[2]
    weight: Real


def peak() -> AnyFn:
    """Signal processing: the largest sample."""
    return fn([Vec[N]], Real)(lambda x: np.max(x))


def margins() -> AnyFn:
    """Classification: of each row the best score over the first."""
    return fn([Vec[4, N]], Real)(lambda s: rose.sum((np.max(s, axis=1) - s[:, 0]) ** 2))


def scaled() -> AnyFn:
    """Graphics: an image over its brightest pixel, and the darkest of each column."""
    return fn([Vec[4, N]], Real)(lambda x: rose.sum((x / np.max(x)) ** 2) + rose.sum(np.min(x, axis=0, keepdims=True)))


def misfit() -> AnyFn:
    """Approximation: the largest error of a line, by a generator that computes each."""
    return fn([Vec[2]], Real)(lambda c: rose.max(abs(c[0] + c[1] * i / N - rose.sin(1.0 * i)) for i in rose.range(N)))


def norm() -> AnyFn:
    """Linear algebra: the largest sum of a row, which is a sum in the loop, through a call."""
    size = fn([Real], Real)(lambda x: rose.sqrt(x * x + 0.5))
    row = lambda a, i: rose.sum(size(a[i, j]) for j in rose.range(3))
    return fn([Vec[N, 3]], Real)(lambda a: rose.max(row(a, i) for i in rose.range(N)) ** 2)


def farthest() -> AnyFn:
    """Geometry: of all pairs of points the largest distance, in two loops."""

    def f(p: Any) -> Any:
        apart = lambda i, j: p[i].weight * (p[i].at[0] - p[j].at[0]) ** 2 + abs(p[i].at[1] - p[j].at[1])
        return rose.max(apart(i, j) for i in rose.range(N) for j in rose.range(N))

    return fn([Vec[N, Point]], Real)(f)


def batched() -> AnyFn:
    """Scheduling: the makespan of each plan, by vmap."""
    return fn([Vec[3, N], Vec[N]], Real)(lambda t, c: rose.sum(rose.vmap(lambda x: np.max(x * c) ** 2)(t)))


PROGRAMS = [peak, margins, scaled, misfit, norm, farthest, batched]
programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)


def shaped(t: Any, draw: Callable[[], float]) -> Any:
    if hasattr(t, "elem"):
        return [shaped(t.elem, draw) for _ in range(t.size)]
    return draw() if t is rose.Real else Point([draw(), draw()], draw())


def points(f: AnyFn) -> list[list[Any]]:
    """Ordinary numbers, and whole ones, of which many tie."""
    r = np.random.default_rng(3)
    draws = [lambda: float(r.normal()), lambda: float(r.integers(-2, 3)), lambda: 1.0]
    return [[shaped(t, draw) for t in f.types] for draw in draws]


def numbers(x: Any) -> list[float]:
    if isinstance(x, (tuple, list)):
        return [y for item in x for y in numbers(item)]
    return [*numbers([*x.at]), x.weight] if isinstance(x, Point) else np.ravel(np.asarray(x)).tolist()


@programs
def test_derivatives_of_both_orders_are_right_and_equal_in_the_interpreter(program: Callable[[], AnyFn]):
    assert examine(program(), points=6).ok


def gradients(f: AnyFn, order: int) -> list[list[float]]:
    """The gradient, or that of its squared length, at all points, by a module."""
    every = tuple(range(len(f.types)))
    g = rose.grad(f, argnums=every)
    if order == 2:
        first = g
        g = rose.grad(fn(f.types, Real)(lambda *xs: rose.sum(np.ravel(first(*xs)[0]) ** 2)), argnums=every)
    return [[x + 0.0 for x in numbers(rose.compile(g)(*xs))] for xs in points(f)]  # zeros may differ in their signs


@programs
def test_the_gradient_has_the_bits_of_a_mask_for_each_item(program: Callable[[], AnyFn]):
    indexed = gradients(program(), 1)
    with instrumented(Instruments(("index-extremes",))):
        assert gradients(program(), 1) == indexed


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not farthest], ids=lambda p: p.__name__)
def test_second_derivatives_are_those_of_a_mask_for_each_item(program: Callable[[], AnyFn]):
    """Sums of derivatives have other orders there."""
    indexed = gradients(program(), 2)
    with instrumented(Instruments(("index-extremes",))):
        for got, wanted in zip(indexed, gradients(program(), 2), strict=True):
            assert got == pytest.approx(wanted, rel=1e-13, abs=0.0)


@programs
def test_no_loop_that_runs_keeps_a_condition_for_each_item(program: Callable[[], AnyFn]):
    loops = [loop for f in reachable(rose.grad(program()).func) for loop in running(f)]
    assert loops and not [r for loop in loops for r in loop.elements if r.type is Bool]


def running(f: Func) -> list[Loop]:
    """The loops of a function that run without a tie."""
    loops = [loop_of(v) for v in instructions(f.body) if v.op is FOR]
    spans = {loop for loop in loops if loop.states and isinstance(loop.states[0].type, Span)}
    return [loop for loop in loops if spans.isdisjoint([loop, *loops_around(loop, f.body)])]


def test_the_reverse_of_a_maximum_is_one_addition():
    """Without a tie the gradient takes, for each number, what the search for its index does, and a zero."""

    def taken(n: int) -> int:
        return counted(rose.grad(fn([Vec[n]], Real)(lambda x: np.max(x))))

    indexed = taken(1100) - taken(100)
    with instrumented(Instruments(("index-extremes",))):
        assert indexed < 0.55 * (taken(1100) - taken(100))


def counted(f: AnyFn) -> int:
    """The instructions that the module of a function of distinct numbers executes."""
    with counting() as total:
        module = rose.compile(f)
        x = np.random.default_rng(1).normal(size=f.types[0].size)
        module(x)
        before = total()
        module(x)
        return total() - before


@pytest.mark.parametrize("worst", [math.inf, -math.inf, math.nan, 0.0])
def test_numbers_that_are_not_finite_have_the_derivative_of_a_mask(worst: float):
    xs = [[worst, 1.0, 2.0], [1.0, worst, worst, 2.0], [2.0, -0.0, worst, 0.0]]

    def found() -> list[list[float]]:
        fs = [fn([Vec[len(x)]], Real)(lambda x: np.max(x) - 2.0 * np.min(x)) for x in xs]
        return [(rose.grad(f)(x) + 0.0).tolist() for f, x in zip(fs, xs, strict=True)]

    indexed = found()
    with instrumented(Instruments(("index-extremes",))):
        assert str(found()) == str(indexed)


def test_numbers_that_are_as_bad_as_the_start_share_the_whole_derivative():
    for worst in (math.inf, -math.inf, math.nan):
        for f in (np.max, np.min):
            shares = rose.grad(fn([Vec[3]], Real)(lambda x, f=f: f(x)))([worst] * 3).tolist()
            assert shares == ([0.0, 0.0, 1.0] if worst != worst else [0.25, 0.25, 0.5])


def test_what_is_not_certain_to_have_an_item_keeps_the_rule_for_all_loops():
    n = rose.dim("n")
    for f in (
        fn([Vec[5], Fin[6]], Real)(lambda x, k: rose.scan(lambda i, s: rose.max(s, x[i]), 0.0, rose.range(k))),
        fn([Vec[5]], Real)(lambda x: np.max(x, initial=0.0)),
        fn([Vec[n]], Real)(lambda x: np.max(x, initial=-1.0)).at(n=5),
    ):
        loops = [v for v in instructions(f.func.body) if v.op is FOR]
        assert loops and not any([extreme_of(v) for v in loops])
    assert rose.grad(fn([Vec[3]], Real)(lambda x: np.max(x, initial=0.0)))([-1.0, -2.0, 0.0]).tolist() == [0, 0, 0.5]


def test_a_vector_of_a_few_that_is_made_beside_it_stays_in_registers():
    nearest = fn([Vec[3, 2], Vec[2]], Real)(lambda c, x: np.min(np.sum((c - x) ** 2, axis=1)))
    (loop,) = [v for v in instructions(nearest.func.body) if v.op is FOR and extreme_of(v)]
    assert extreme_of(loop).is_short


def test_what_an_item_prints_is_printed_once(capsys: pytest.CaptureFixture[str]):
    def item(x: Any, i: Any) -> Any:
        rose.print("item {}", x[i])
        return x[i] * x[i]

    f = fn([Vec[12]], Real)(lambda x: rose.max(item(x, i) for i in rose.range(12)))
    rose.compile(rose.grad(f))([float(k) for k in range(12)])
    assert capsys.readouterr().out.splitlines() == [f"item {float(k)}" for k in range(12)]
