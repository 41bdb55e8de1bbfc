"""Sums of contributions: by value, in accumulators, item by item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rose import Real, ir
from rose.autodiff.cotangents import Cotangent, Sums, by_value
from rose.errors import here
from rose.host.interpreter import run
from rose.ir import Builder, Value
from rose.ir.types import Bool, Stack, Type, Unit, Vec, tuple_of

R2 = Vec(2, Real)


def summed(t: Type, add: Callable[[Builder, Cotangent, Value], Any], x: Any) -> Any:
    """The sum, after contributions that are made of a parameter."""
    with ir.building("f") as b:
        b.loc = here()
        total = Cotangent(t)
        add(b, total, b.param(t, "x"))
        made = total.close(b)
        assert made is not None
        return run(b.func(made), x)


@pytest.mark.parametrize(("t", "yes"), [(Real, True), (Stack(Real), True), (R2, False), (Unit, False)])
def test_numbers_and_stacks_are_summed_by_value(t: Type, yes: bool):
    assert by_value(t) is yes


def test_numbers_are_added_in_order():
    assert summed(Real, lambda b, total, x: [total.add(b, y) for y in (x, x, b.const(1.0, Real))], 3.0) == 7.0


def test_vectors_are_added_element_by_element():
    assert summed(R2, lambda b, total, x: [total.add(b, x) for _ in range(3)], (1.0, 2.0)) == (3.0, 6.0)


def test_one_contribution_is_the_sum_itself():
    with ir.building("f") as b:
        b.loc = here()
        total, x = Cotangent(R2), b.param(R2, "x")
        total.add(b, x)
        assert total.close(b) is x and not b.root.code


def test_without_contributions_there_is_no_sum():
    with ir.building("f") as b:
        total = Cotangent(tuple_of(Real, R2, Bool))
        assert total.close(b) is None


def test_the_items_of_a_tuple_are_summed_by_themselves():
    t = tuple_of(Real, Unit, R2)
    assert [leaf.type for leaf in Cotangent(t).leaves()] == [Real, R2]

    def add(b: Builder, total: Cotangent, x: Value) -> None:
        total.add(b, x)
        assert total.items is not None
        total.items[0].add(b, b.const(10.0, Real))

    assert summed(t, add, (1.0, None, (2.0, 3.0))) == (11.0, None, (2.0, 3.0))


def test_the_sum_of_a_loop_comes_after_what_was_there():
    """1e16 + (1 + 1), and not (1e16 + 1) + 1, which rounds."""

    def add(b: Builder, total: Cotangent, x: Value) -> None:
        total.add(b, x)
        sums = Sums(b, [total])

        def body(i: Value) -> tuple[list[Value], list[Value]]:
            total.add(b, b.const(1.0, Real))
            sums.end_iteration(b)
            return [], []

        b.loop(2, body)
        sums.leave()
        sums.end(b)

    assert summed(Real, add, 1e16) == 1e16 + 2.0


def test_a_vector_with_a_place_is_summed_there_and_a_number_is_not():
    with ir.building("f") as b:
        b.loc = here()
        whole = b.accum(b.zero(tuple_of(Real, R2)))
        total = Cotangent(tuple_of(Real, R2), place=lambda b: whole)
        x = b.param(tuple_of(Real, R2), "x")
        total.add(b, x)
        total.add(b, x)
        left = [leaf.close(b) for leaf in total.leaves()]
        assert left[0] is not None and left[1] is None
        f = b.func(b.freeze(whole))
    assert run(f, (1.0, (2.0, 3.0))) == (0.0, (4.0, 6.0))
