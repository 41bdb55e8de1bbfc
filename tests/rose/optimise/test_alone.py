"""Functions of the IR that are run alone: inputs of every type, accumulators and stacks as plain values."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rose.host.interpreter import run
from rose.ir import Func, building
from rose.ir.check import check
from rose.ir.ops import add, real
from rose.ir.stacks import PUSH, pop
from rose.ir.types import Bool, Fin, Real, Ref, Single, Stack, Type, Unit, Vec, tuple_of
from rose.optimise.alone import alone, inputs, why_not


def test_inputs_are_of_all_kinds_and_always_the_same():
    types = [Vec(9, Real), Bool, Fin(3), Vec(0, Real), Unit, tuple_of(Real, Vec(2, Single))]
    drawn = [*inputs(types)]
    assert repr(drawn) == repr([*inputs(types)])
    numbers = [x for xs in drawn for x in xs[0]]
    assert {math.inf, -math.inf} <= {*numbers} and any([x != x for x in numbers])
    assert {"0.0", "-0.0"} <= {*map(repr, numbers)}
    assert {xs[1] for xs in drawn} <= {True, False} and {xs[2] for xs in drawn} <= {0, 1, 2}
    assert {xs[3:5] for xs in map(tuple, drawn)} == {((), None)}


def test_matrices_are_symmetric_and_have_large_diagonals_once():
    (a,) = next(inputs([Vec(3, Vec(3, Real))]))
    assert all([a[i][j] == a[j][i] for i in range(3) for j in range(3)])
    assert all([a[i][i] > sum(a[i]) - a[i][i] for i in range(3)])


def adds(t: Type) -> Func:
    with building("adds") as b:
        ref, x = b.param(Ref(t), "ref"), b.param(t, "x")
        b.add_to(ref, x)
        return b.func(b.unit())


def test_an_accumulator_is_given_and_read():
    assert run(check(alone(adds(Vec(2, Real)))), (1.0, 2.0), (0.5, 0.25)) == (
        None,
        ((1.5, 2.25)),
    )


def test_a_stack_is_given_and_read_as_its_items():
    with building("more") as b:
        s, k = b.param(Stack(tuple_of(Real, Bool)), "s"), b.param(Fin(5), "k")
        item, _ = pop(b, s)
        pair = b.tuple([b.emit(add, (b.get(item, 0), b.emit(real, (k,)))), b.get(item, 1)])
        f = b.func(b.tuple([b.emit(PUSH, (s, pair)), k]))
    given = ((1.0, True), (2.0, False))
    assert run(check(alone(f)), given, 4) == ((True, (6.0, False), True, (2.0, False)), 4)


@pytest.mark.parametrize(
    ("t", "why"),
    [
        (Vec(0, Real), None), (Fin(0), "have an index of nothing"), (Vec(100, Vec(300, Real)), "have many numbers"),
        (Stack(Real), "add up stacks"), (Real, None),
    ],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_run_alone_has_a_reason(t: Any, why: str | None):
    assert why_not(adds(t)) == why
