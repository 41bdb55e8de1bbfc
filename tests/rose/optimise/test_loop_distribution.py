"""Loop distribution: what depends on the index of an inner loop alone is computed once for each index."""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness import Module, same
from nests import NESTS, double_sum, executed, point
from optimising import code, loops

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir.check import check
from rose.ir.ops import exp
from rose.optimise import loop_distribution
from rose.optimise.code_motion import hoisted
from rose.optimise.pipeline import optimised
from rose.testing import examine

AnyFn = Any


@pytest.mark.parametrize("name", NESTS)
def test_the_value_keeps_its_bits(name: str):
    f, xs = NESTS[name](5, 6).func, point(5, 6)
    want = run(f, *xs)
    assert same(run(check(hoisted(f)), *xs), want)
    assert same(Module({"f": optimised({"f": f})["f"]})["f"](*xs), want)


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("simd", [False, True])
def test_a_compiled_gradient_has_the_bits_of_the_interpreter(name: str, simd: bool):
    g, xs = rose.grad(NESTS[name](5, 6), (0, 1)).func, point(5, 6)
    made = Module({"g": optimised({"g": g}, simd=simd)["g"]}, simd=simd)
    assert same(made["g"](*xs), run(g, *xs))


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_are_right(name: str, order: int):
    f = NESTS[name](2, 3)
    along = fn([Vec[2], Vec[3]], Real)(lambda x, y: rose.sum(rose.grad(f, 1)(x, y)) + rose.sum(rose.grad(f)(x, y)))
    report = examine(f if order == 1 else along, points=2)
    assert report.ok, str(report)


@pytest.mark.parametrize(("n", "m"), [(0, 3), (1, 3), (3, 0), (3, 1), (0, 0)])
def test_loops_of_few_iterations_or_none(n: int, m: int):
    f = NESTS["called"](n, m)
    assert same(run(hoisted(f.func), *point(n, m)), run(f.func, *point(n, m)))
    assert all([math.isfinite(s) for s in rose.grad(f, 1)(*point(n, m))])


@pytest.mark.parametrize("guard", [lambda x, i: x[i] > 0.0, lambda x, i: (x[i] > 0.0) & (i > 9)], ids=["x", "i"])
def test_what_no_iteration_takes_has_no_derivative(guard: Any):
    """The root at 0 has an infinite one."""
    f = double_sum(lambda x, y, i, j: rose.select(guard(x, i), rose.sqrt(y[j]) * x[i], x[i]))(2, 3)
    for g in (f, rose.compile({"f": rose.grad(f, 1)})["f"]):
        found = rose.grad(f, 1)([-1.0, -2.0], [0.0, 1.0, 4.0]) if g is f else g([-1.0, -2.0], [0.0, 1.0, 4.0])
        assert [*found] == [0.0, 0.0, 0.0]


def triangular(x: Any, y: Any) -> Any:
    return rose.sum(rose.sum(x[i] * rose.sqrt(y[j]) for j in rose.range(i)) for i in rose.range(9))


def test_rows_of_dependent_length_stay_whole():
    """Of the last element no row reads the root: at 0 it has an infinite derivative."""
    f = fn([Vec[9], Vec[9]], Real)(triangular)
    assert rose.grad(f, 1)([1.0] * 9, [1.0] * 8 + [0.0])[8] == 0.0


def is_in_both_loops(f: AnyFn) -> list[bool]:
    """Of each `exp` in a function."""
    made = hoisted(f.func)
    return [v.block.parent is not made.body for v in code(made) if v.op is exp]


def test_a_vector_that_is_too_long_is_not_made(monkeypatch: pytest.MonkeyPatch):
    f = lambda: double_sum(lambda x, y, i, j: x[i] * rose.exp(y[j]))(3, 10)
    assert is_in_both_loops(f()) == [False]
    monkeypatch.setattr(loop_distribution.distribute, "__defaults__", (9,))
    assert is_in_both_loops(f()) == [True]


def test_what_is_cheap_is_computed_again():
    f = double_sum(lambda x, y, i, j: x[i] * (y[j] * y[j] + 1.0))(6, 7)
    assert len(loops(hoisted(f.func))) == 2


def test_what_is_printed_stays_where_it_is(capfd: pytest.CaptureFixture[str]):
    noisy = fn([Real], Real)(lambda b: rose.print("{}", b) or rose.exp(b))
    f = double_sum(lambda x, y, i, j: x[i] * noisy(y[j]))(2, 2)
    assert same(run(hoisted(f.func), (1.0, 2.0), (3.0, 4.0)), run(f.func, (1.0, 2.0), (3.0, 4.0)))
    assert capfd.readouterr().out.split() == ["3.0", "4.0"] * 4


def test_a_vector_of_a_size_of_the_call_is_made():
    """That of the loop around is known."""
    n = rose.dim("n")
    f = fn([Vec[6], Vec[n]], Real)(
        lambda x, y: rose.sum(rose.sum(x[i] * rose.exp(y[j]) for j in rose.range(n)) for i in rose.range(6))
    )
    module = rose.compile(f, dynamic=True)
    for m in (0, 1, 5):
        xs = point(6, m)
        assert module(*xs) == double_sum(lambda x, y, i, j: x[i] * rose.exp(y[j]))(6, m)(*xs)


def test_a_tape_has_a_vector_in_the_place_of_a_matrix():
    f = double_sum(lambda x, y, i, j: rose.sin(x[i]) * rose.exp(y[j]))
    grad = lambda n, m: executed(rose.grad(f(n, m), (0, 1)).func, *point(n, m))
    assert [grad(n, m) for n, m in ((5, 6), (50, 60))] == [2 * 5 + 6, 2 * 50 + 60]


def test_in_single_precision():
    f = NESTS["called"](5, 6)
    x, y = point(5, 6)
    assert rose.compile(f, dtype="f32")(x, y) == pytest.approx(f(x, y), rel=1e-5)
