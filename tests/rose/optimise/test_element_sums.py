"""Sums of elements that the iterations of one loop make, and another loop reads, are values, and no accumulators."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from optimising import fast, func

from rose import Vec
from rose.ir import ACCUM, ADD_TO, AT, FOR, Builder, Func, Value
from rose.ir.callgraph import instructions
from rose.ir.ops import ifrom, sin
from rose.ir.types import Fin
from rose.optimise.element_sums import sum_elements

N = 5
X = ((0.5, -1.0, 2.0, -0.0, 3.0),)
Step = Callable[[Builder, Value, Value, Value], None]


def summed(add: Step, *, before: Step | None = None, after: Step | None = None, size: int = N) -> Func:
    """A sum over a loop that adds by `add(b, ref, x, i)`; then the sum of what another loop makes of its elements."""

    @func(Vec[N])
    def f(b: Builder, x: Value) -> Value:
        ref = b.accum(b.zero(x.type))
        if before is not None:
            before(b, ref, x, x)

        def first(i: Value) -> tuple[list[Value], list[Value]]:
            add(b, ref, x, i)
            return [], []

        b.loop(size, first)
        if after is not None:
            after(b, ref, x, x)
        total, y = b.accum(b.lift(0.0)), b.freeze(ref)

        def second(i: Value) -> tuple[list[Value], list[Value]]:
            b.add_to(total, sin(b.index(y, i)))
            return [], []

        b.loop(N, second)
        return b.freeze(total)

    return f


def own(b: Builder, ref: Value, x: Value, i: Value) -> None:
    b.add_to(b.at(ref, i), b.index(x, i))


def twice(b: Builder, ref: Value, x: Value, i: Value) -> None:
    own(b, ref, x, i)
    b.add_to(b.at(ref, i), b.index(x, i) * b.index(x, i))


def whole(b: Builder, ref: Value, x: Value, _: Value) -> None:
    b.add_to(ref, x)


def opened(f: Func) -> int:
    """The accumulators of vectors."""
    return sum([v.op is ACCUM and not v.args[0].type.scalar for v in instructions(f.body)])


@pytest.mark.parametrize("f", [summed(own), summed(twice), summed(twice, before=whole)], ids=["own", "twice", "whole"])
def test_a_sum_of_elements_is_a_value_and_both_loops_are_one(f: Func):
    made = fast(f, X)  # which checks the bits
    assert opened(f) == 1 and opened(made) == 0
    assert sum([v.op is FOR for v in instructions(made.body)]) <= 1


def last_first(b: Builder, ref: Value, x: Value, i: Value) -> None:
    t = i.type
    assert isinstance(t, Fin)
    b.add_to(b.at(ref, ifrom(i, b.const(N - 1, t))), b.index(x, i))


def in_a_loop(b: Builder, ref: Value, x: Value, i: Value) -> None:
    def inner(j: Value) -> tuple[list[Value], list[Value]]:
        b.add_to(b.at(ref, i), b.index(x, j))
        return [], []

    b.loop(N, inner)


KEPT = {
    "of another index": summed(last_first),
    "in an inner loop": summed(in_a_loop),
    "over a part of the range": summed(own, size=N - 1),
    "added to after the loop": summed(own, after=whole),
    "an element is added to outside": summed(own, before=lambda b, ref, x, _: own(b, ref, x, b.const(0, Fin(N)))),
}


@pytest.mark.parametrize("f", KEPT.values(), ids=KEPT)
def test_what_is_not_known_at_the_end_of_an_iteration_stays_an_accumulator(f: Func):
    assert sum_elements(f) is f
    fast(f, X)


def test_a_sum_that_no_loop_reads_stays_an_accumulator():
    @func(Vec[N])
    def f(b: Builder, x: Value) -> Value:
        ref = b.accum(b.zero(x.type))

        def first(i: Value) -> tuple[list[Value], list[Value]]:
            own(b, ref, x, i)
            return [], []

        b.loop(N, first)
        return b.freeze(ref)

    assert sum_elements(f) is f
    assert [v.op for v in instructions(f.body) if v.op in (AT, ADD_TO)] == [AT, ADD_TO]
