"""Choices of which both arms are short: both are evaluated, and the bits are those of the one that is taken."""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import Branch
from rose.ir.callgraph import callees, reachable
from rose.ir.check import check
from rose.optimise.pipeline import Instruments, optimise, optimised


@rose.struct
class Pair:
    x: Real
    v: Vec[3]


def compiled(f: rose.Fn[..., Any], *points: tuple[Any, ...]) -> Any:
    """What is compiled for `f`, which has its bits at some points."""
    optimise([f.func])
    made = check(optimised({"f": f.func}, asked=Instruments(without=("branch",)))["f"])
    module = Module({"f": made})
    for x in points:
        want = run(f.func, *x)
        assert same(run(made, *x), want)
        assert same(module["f"](*x), want)
    return made


POINTS = [(x,) for x in (-2.0, -0.0, 0.0, 3.0, math.inf, math.nan)]
SHORT = {
    "a number": lambda x: rose.cond(x > 0, lambda: rose.sqrt(x), lambda: 1 / x),
    "of an arm that is 0": lambda x: rose.cond(x > 0, lambda: 0.0, lambda: -x),
    "one in the other": lambda x: rose.cond(
        x > 0, lambda: rose.cond(x > 1, lambda: x * x, lambda: x), lambda: rose.cond(x < -1, lambda: -x, lambda: 2.0)
    ),
    "a short loop": lambda x: rose.cond(x > 0, lambda: rose.sum(x * i for i in rose.range(3)), lambda: x),
}


@pytest.mark.parametrize("body", SHORT.values(), ids=SHORT)
def test_both_arms_of_a_short_choice_are_evaluated(body: Any):
    f = fn([Real], Real)(body)
    for g in (f, rose.grad(f), rose.jacfwd(rose.grad(f))):
        assert not list(callees(compiled(g, *POINTS)))
    compiled(rose.grad(rose.grad(f)), *POINTS)  # of which one side may be too long, with its marks


def test_the_items_of_what_is_chosen_are_chosen():
    @fn
    def f(x: Real, v: Vec[3]) -> Pair:
        return rose.cond(
            x > 0, lambda: Pair(x, v), lambda: Pair(-x, rose.vec(2 * v[i] for i in rose.range(3)))
        )  # fmt: skip

    assert not list(callees(compiled(f, *[(x, (1.0, -0.0, math.inf)) for x in (-1.0, 0.0, 1.0)])))


@rose.opaque
def told(x: Real) -> Real:
    return x + 1.0


LONG = {
    "mathematics": lambda x: rose.cond(x > 0, lambda: rose.exp(x), lambda: x),
    "a function of the host": lambda x: rose.cond(x > 0, lambda: told(x), lambda: x),
    "a long loop": lambda x: rose.cond(x > 0, lambda: rose.sum(x * i for i in rose.range(100)), lambda: x),
    "many steps": lambda x: rose.cond(x > 0, lambda: sum((x + k) * k for k in range(40)), lambda: x),
    "a loop of unknown length": lambda x: rose.cond(
        x > 0, lambda: rose.while_loop(lambda y: y < 9, lambda y: y * 2, x), lambda: x
    ),
}


@pytest.mark.parametrize("body", LONG.values(), ids=LONG)
def test_of_one_that_is_not_short_only_the_arm_that_is_taken(body: Any):
    f = fn([Real], Real)(body)
    made = compiled(f, (-2.0,), (0.0,), (3.0,))
    assert [isinstance(g.kind, Branch) for g in callees(made)] == [True]


def test_an_assertion_of_an_arm_that_is_not_taken_is_not_made():
    def checked(x: Any) -> Any:
        rose.assert_(x > 1, "x is large")
        return x

    f = fn([Real], Real)(lambda x: rose.cond(x > 0, lambda: checked(x), lambda: -x))
    assert rose.compile(f)(-2.0) == 2.0
    with pytest.raises(rose.RoseError, match="x is large"):
        rose.compile(f)(0.5)


def test_a_forward_half_is_evaluated_with_both_arms_whatever_its_tape_has():
    power = lambda r: 1.0 / (r * r * r * r * r * r)
    near = lambda r: rose.cond(r > 0.5, lambda: power(r) * power(r) - power(r), lambda: 0.0)
    f = fn([Vec[4]], Real)(lambda x: rose.sum(near(x[i] - x[j]) for i in rose.range(4) for j in rose.range(4)))
    made = compiled(rose.grad(f), ((0.5, 1.25, 2.0, 4.0),))
    assert not [g for g in reachable(made) if any(o.origin and o.origin.by == "fwd" for o in g.history)]


def of_roots(count: int) -> rose.Fn[..., Any]:
    """One side is a chain of square roots, which cost five simple instructions each."""

    def chain(x: Any) -> Any:
        for _ in range(count):
            x = rose.sqrt(x * x + 1.0)
        return x

    return fn([Real], Real)(lambda x: rose.cond(x > 0.0, lambda: chain(x), lambda: x))


@pytest.mark.parametrize(("count", "stays"), [(3, False), (5, True)])
def test_a_costly_side_is_computed_only_where_it_is_taken(count: int, stays: bool):
    f = of_roots(count)
    assert bool(list(callees(compiled(f, *POINTS)))) is stays


@pytest.mark.parametrize("derived", [rose.grad, rose.jacfwd])
def test_in_a_derivative_instructions_are_counted(derived: Any):
    assert not list(callees(compiled(derived(of_roots(4)), *POINTS)))
