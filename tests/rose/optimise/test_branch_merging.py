"""Two branches that one condition decides are one, with the same bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from optimising import fast, func

import rose
from rose import Real, Vec, fn
from rose.ir import Branch, Builder, Func, Value
from rose.ir.callgraph import calls, make_branch
from rose.ir.types import Bool
from rose.optimise.branch_merging import merge_branches
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments, optimised

Item = Callable[[Any, Any], Any]
N = 9000  # whose tape is larger than a cache


def huber(c: Any, x: Any) -> Any:
    """Statistics: a robust loss, by pieces."""
    e = x - c[0]
    return rose.cond(abs(e) < 0.5, lambda: 0.5 * e * e, lambda: abs(e) * rose.sqrt(abs(e)))


def tax(c: Any, x: Any) -> Any:
    """Economics: two brackets."""
    return rose.cond(x > c[1], lambda: x * c[0] + rose.log(1.0 + x * x), lambda: rose.exp(x) * c[2])


def contact(c: Any, x: Any) -> Any:
    """Mechanics: a force only where bodies touch."""
    return rose.cond(x < c[0], lambda: rose.exp(c[1] * (c[0] - x)) * (c[0] - x), lambda: 0.0)


def diode(c: Any, x: Any) -> Any:
    """Electronics: a current that is exponential, and then straight."""
    return rose.cond(x < c[2], lambda: c[0] * rose.exp(x), lambda: c[0] * (1.0 + x) + c[1] * x * x) ** 2


def growth(c: Any, x: Any) -> Any:
    """Biology: growth that stops."""
    rate = rose.cond(x < 1.0, lambda: c[0] * x * rose.exp(-x), lambda: c[1] / (x * x))
    return rate * rate + x * rate


def fade(c: Any, x: Any) -> Any:
    """Graphics: a soft edge, of which one side is the constant 1."""
    return rose.cond(x > c[0], lambda: 1.0, lambda: rose.exp(x - c[0]) * rose.cos(x)) * 0.7


ITEMS = [huber, tax, contact, diode, growth, fade]


def branches(f: Func) -> int:
    """The calls of branches in a function, not in what it calls."""
    return sum([isinstance(v.attr.kind, Branch) for v in calls(f)])


def gradient(item: Item, n: int = N) -> Func:
    f = fn([Vec[3], Vec[n]], Real)(lambda c, x: rose.sum(item(c, x[i]) for i in rose.range(n)))
    return rose.value_and_grad(f, (0, 1)).func


def point(n: int) -> tuple[Any, ...]:
    return (0.4, 0.9, 0.3), tuple([math.sin(k * k + 0.5) for k in range(n)])


@pytest.mark.parametrize("item", ITEMS, ids=lambda f: f.__name__)
def test_both_halves_of_a_cond_in_a_sum_are_one_branch(item: Item):
    made = fast(gradient(item), point(N))
    assert branches(made) == 1
    with instrumented(Instruments(("merge-branches",))):
        assert branches(optimised({"f": gradient(item)})["f"]) >= 1


@pytest.mark.parametrize("item", ITEMS, ids=lambda f: f.__name__)
def test_second_derivatives_keep_their_bits(item: Item):
    f = fn([Vec[3], Vec[40]], Real)(lambda c, x: rose.sum(item(c, x[i]) ** 2 for i in rose.range(40)))
    twice = fn([Vec[3], Vec[40]], Real)(lambda c, x: rose.sum(rose.grad(f)(c, x)[k] ** 2 for k in range(3)))
    fast(rose.grad(twice, (0, 1)).func, point(40))


def test_a_mark_decides_the_next_branch():
    """Of pairs that are too far from each other nothing is added, and nothing asked."""

    def pair(p: Any, i: Any, j: Any) -> Any:
        d = p[i] - p[j]
        q = d * d
        return rose.select(q < 0.3, 1.0 / (q + 0.1) ** 3 - 1.0 / (q + 0.1), 0.0)

    f = fn([Vec[3], Vec[9]], Real)(
        lambda c, p: rose.sum(pair(p, i, j) * c[0] for i in rose.range(9) for j in rose.range(9))
    )
    made = fast(rose.grad(f, 1).func, point(9))
    with instrumented(Instruments(("merge-branches",))):
        apart = optimised({"f": rose.grad(f, 1).func})["f"]
    assert branches(made) <= branches(apart)


def test_what_must_come_between_keeps_two_branches_apart():
    @rose.fn
    def f(c: Vec[3], x: Vec[9]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(9):
            y = rose.cond(x[i] > 0.0, lambda i=i: x[i] * c[0], lambda i=i: rose.exp(x[i]))
            total += y
            z = rose.sum(rose.sin(y * k) for k in rose.range(20))
            total += rose.cond(x[i] > 0.0, lambda z=z: z * c[1], lambda z=z: z * z)
        return total.value

    made = optimised({"f": f.func})["f"]
    fast(f.func, point(9))
    assert merge_branches(made) is made


def test_what_is_added_between_two_branches_to_what_the_second_adds_to_keeps_its_turn():
    def item(c: Any, x: Any) -> Any:
        return (
            rose.cond(x > c[0], lambda: rose.log(1.0 + x) * c[1], lambda: rose.exp(x - c[1]) * rose.cos(x))
            * (x + c[1])
            * c[1]
        )

    fast(gradient(item), point(N))  # which compares the bits of the sum by c[1]


def test_a_part_of_the_first_that_is_read_after_the_second_comes_out_of_both():
    sides = [of_two(k) for k in (2.0, 3.0)]
    one = make_branch("one", *sides)

    @func(Bool, Real)
    def f(b: Builder, c: Value, x: Value) -> Value:
        first = b.call(one, [c, x])
        second = b.call(one, [c, b.get(first, 0)])
        y = b.get(second, 1)
        return b.tuple([y, b.get(first, 1) * y])  # read here for the first time

    made = fast(f, (True, 0.5), (False, -1.5), by=lambda funcs: {"f": merge_branches(funcs["f"])})
    assert branches(made) == 1


def of_two(k: float) -> Func:
    @func(Real)
    def side(b: Builder, x: Value) -> Value:
        return b.tuple([x * k, x + k])

    return side
