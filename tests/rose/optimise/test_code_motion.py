"""Loop-invariant code motion before derivation: the same bits, and no tape of what is the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from harness import Module, same
from optimising import code

import rose
from rose import Real, Vec, fn
from rose.autodiff.jvp import jvp
from rose.autodiff.transpose import transpose
from rose.host.interpreter import run
from rose.ir import FOR, INDEX
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.ops import exp
from rose.ir.types import Tuple, Type
from rose.ir.types import Vec as VecType
from rose.optimise.code_motion import hoisted
from rose.optimise.pipeline import optimised
from rose.testing import examine

AnyFn = Any


@rose.struct
class Wave:
    size: Real
    rate: Real


def bell(a: Any, b: Any) -> Any:
    """It has a part that follows from `a` alone."""
    return rose.exp(-a * a) * rose.tanh(a) * rose.sin(b) + b * rose.log(1.0 + a * a)


def twice(n: int, item: Callable[..., Any]) -> AnyFn:
    return fn([Vec[n], Real], Real)(
        lambda x, c: rose.sum(rose.sum(item(x, c, i, j) for j in rose.range(n)) for i in rose.range(n))
    )


def called(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(bell)
    return twice(n, lambda x, c, i, j: kernel(x[i], x[j]))


def called_by_another(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(bell)
    outer = fn([Real, Real, Real], Real)(lambda a, b, c: kernel(a, b) * c + kernel(2.0 * a, c))
    return twice(n, lambda x, c, i, j: outer(x[i], x[j], c))


def chosen_by_what_is_the_same(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(lambda a, b: rose.cond(a > 0.4, lambda: bell(a, b), lambda: rose.exp(a) * b))
    return twice(n, lambda x, c, i, j: kernel(x[i], x[j]))


def chosen_by_what_varies(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(lambda a, b: rose.cond(b > 0.4, lambda: rose.sqrt(a) * b, lambda: rose.exp(a) * b))
    return twice(n, lambda x, c, i, j: kernel(x[i], x[j]))


def masked(n: int) -> AnyFn:
    return twice(n, lambda x, c, i, j: rose.select(x[j] > c, rose.sqrt(x[i]) * x[j], x[j]))


def a_whole_call(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(bell)
    return twice(n, lambda x, c, i, j: kernel(x[i], c) * x[j])


def with_a_struct(n: int) -> AnyFn:
    kernel = fn([Wave, Real], Real)(lambda w, t: w.size * rose.exp(-w.rate) * rose.sin(t * rose.exp(w.rate)))
    return twice(n, lambda x, c, i, j: kernel(Wave(c, x[i]), x[j]))


def with_vectors(n: int) -> AnyFn:
    def weighted(x: Any, b: Any) -> Any:
        e = rose.vec(rose.exp(x[k]) for k in rose.range(n))
        return rose.sum(e[k] * rose.sin(b * x[k]) for k in rose.range(n)) / rose.sum(e[k] for k in rose.range(n))

    kernel = fn([Vec[n], Real], Real)(weighted)
    return fn([Vec[n], Real], Real)(lambda x, c: rose.sum(kernel(x, c * x[i]) for i in rose.range(n)))


def with_a_sum(n: int) -> AnyFn:
    return fn([Vec[n], Real], Real)(
        lambda x, c: rose.sum(
            rose.log(rose.exp(x[i]) / rose.sum(rose.exp(c * x[k]) for k in rose.range(n))) for i in rose.range(n)
        )
    )


def with_a_while_loop(n: int) -> AnyFn:
    halved = fn([Real, Real], Real)(
        lambda a, b: rose.while_loop(lambda s: s > b, lambda s: s * rose.exp(-a * a) * 0.5, 1.0 + a)
    )
    return twice(n, lambda x, c, i, j: halved(x[i], 0.3) * x[j] + halved(x[i], x[j] + 0.1))


def carried(n: int) -> AnyFn:
    kernel = fn([Real, Real], Real)(bell)
    row = lambda a, c: rose.scan(lambda _, y: kernel(a, y), c, n)
    return fn([Vec[n], Real], Real)(lambda x, c: rose.sum(row(x[i], c) for i in rose.range(n)))


PROGRAMS: dict[str, Callable[[int], AnyFn]] = {
    f.__name__: f
    for f in (
        called, called_by_another, chosen_by_what_is_the_same, chosen_by_what_varies, masked, a_whole_call,
        with_a_struct, with_vectors, with_a_sum, with_a_while_loop, carried,
    )
}  # fmt: skip
X = (0.25, 0.5, -0.0, 0.75, 1.5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_value_keeps_its_bits(name: str):
    f = PROGRAMS[name](5).func
    made = check(hoisted(f))
    assert same(run(made, X, 0.4), run(f, X, 0.4))
    assert same(Module({"f": optimised({"f": f})["f"]})["f"](X, 0.4), run(f, X, 0.4))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_are_right(name: str, order: int):
    f = PROGRAMS[name](3)
    along = fn([Vec[3], Real], Real)(lambda x, c: rose.sum(rose.grad(f)(x, c)[k] for k in rose.range(3)))
    report = examine(f if order == 1 else along, points=2)
    assert report.ok, str(report)


# the numbers of a tape for each pair of an outer and an inner iteration
PAIRS = {"called": 0, "a_whole_call": 0, "with_a_sum": 0, "with_a_struct": 2, "masked": 0, "called_by_another": 1}


@pytest.mark.parametrize("name", PAIRS)
def test_a_tape_has_nothing_for_each_pair_but_what_differs(name: str):
    halves = transpose(jvp(PROGRAMS[name](5).func, (True, True)).func)
    assert for_each_pair(halves.fwd.result) == PAIRS[name]


def for_each_pair(t: Type, depth: int = 0) -> int:
    if isinstance(t, Tuple):
        return sum([for_each_pair(x, depth) for x in t.items])
    return for_each_pair(t.elem, depth + 1) if isinstance(t, VecType) else depth == 2 and not t.empty


def test_what_is_moved_is_computed_once():
    made = hoisted(twice(5, lambda x, c, i, j: rose.exp(c) * x[i] * x[j]).func)
    assert [v.block is made.body for v in code(made) if v.op is exp] == [True]


def test_it_is_done_once():
    f = fn([Vec[5]], Real)(lambda x: rose.sum(rose.exp(x[i]) for i in rose.range(5))).func
    made = hoisted(called(5).func)
    assert hoisted(f) is f and hoisted(made) is made


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_moves_out_of_a_loop_that_may_not_run(n: int):
    """A nan that no iteration makes would be in the derivative: of the root at 0 it is infinite."""
    f = fn([Vec[2], Real], Real)(lambda x, a: rose.sum(rose.sqrt(a) * x[i] for i in rose.range(n)))
    assert rose.grad(f, argnums=1)([1.0, 2.0], 0.0) == (0.0 if n == 0 else float("inf"))


def test_nothing_moves_out_of_an_empty_row():
    f = fn([Vec[4]], Real)(
        lambda x: rose.sum(rose.sum(rose.sqrt(x[i]) * x[j] for j in rose.range(i)) for i in rose.range(4))
    )
    assert all(map(math.isfinite, rose.grad(f)([0.0, 1.0, 2.0, 3.0])))


def test_nothing_moves_out_of_a_loop_over_a_size_of_the_call():
    n = rose.dim("n")
    f = fn([Vec[n], Real], Real)(lambda x, a: rose.sum(rose.sqrt(a) * x[i] for i in rose.range(n)))
    g = rose.compile(rose.grad(f, argnums=1), dynamic=True)
    assert g([], 0.0) == 0.0 and g([1.0, 3.0], 4.0) == 1.0


def test_what_is_printed_stays_where_it_is(capfd: pytest.CaptureFixture[str]):
    noisy = fn([Real, Real], Real)(lambda a, b: rose.print("{}", b) or rose.exp(a * a) * rose.tanh(a) * b)
    f = fn([Vec[3], Real], Real)(lambda x, a: rose.sum(noisy(a, x[i]) for i in rose.range(3))).func
    assert same(run(hoisted(f), (1.0, 2.0, 3.0), 0.5), run(f, (1.0, 2.0, 3.0), 0.5))
    assert capfd.readouterr().out.split() == ["1.0", "2.0", "3.0"] * 2


def test_a_derivative_of_the_users_own_is_kept():
    own = fn([Real, Real], Real)(bell)
    own.jvp(lambda a, b: rose.Dual(a.re * b.re, 7.0 * a.du))
    f = fn([Vec[3], Real], Real)(lambda x, a: rose.sum(own(a, x[i]) for i in rose.range(3)))
    assert rose.grad(f, argnums=1)([1.0, 2.0, 3.0], 0.5) == 21.0


@pytest.mark.parametrize("last", [lambda i: i, lambda i: 4, lambda i: 0])
def test_a_row_moves_out_of_any_loop(last: Callable[[Any], Any]):
    f = fn([Vec[4, Vec[4]]], Real)(
        lambda x: rose.sum(rose.sum(rose.exp(x[i][j]) * x[i][0] for j in rose.range(last(i))) for i in rose.range(4))
    )
    (outer,) = [v.attr for v in hoisted(f.func).body.code if v.op is FOR]
    rows = [v for v in instructions(outer) if v.op is INDEX and not v.type.scalar]
    assert rows and all([v.block is outer for v in rows])
