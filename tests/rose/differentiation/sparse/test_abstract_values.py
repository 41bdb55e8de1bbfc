"""The abstract domain: zeros, joins, and what grows."""

from __future__ import annotations

from rose.differentiation.sparse.abstract_values import (
    NOTHING,
    Row,
    Several,
    Sum,
    added,
    is_nothing,
    join,
    leaves,
    loose,
    mapped,
    of_leaves,
    zero,
)
from rose.differentiation.sparse.index_sets import EMPTY, Settled, listed, single
from rose.ir.types import Bool, Fin, Real, Stack, Tan, Vec, tuple_of

T = tuple_of(Tan, Real, Vec(2, Tan))


def test_the_zero_of_a_type_depends_on_nothing():
    assert zero(T) == (EMPTY, 0.0, [EMPTY, EMPTY]) and zero(Bool) is False and zero(Fin(3)) == 0


def test_the_leaves_are_the_tangents_in_order():
    sets = iter([single(0), single(1), single(2)])
    x = of_leaves(T, lambda: next(sets))
    found = [*leaves(T, x)]
    Settled(3).settle(found)
    assert [[*listed(s)] for s in found] == [[0], [1], [2]] and x[1] is None


def test_either_of_two_tangents_depends_on_what_both_do():
    made = join(Tan, single(0), single(2))
    Settled(3).settle([made])
    assert [*listed(made)] == [0, 2]


def test_of_two_known_numbers_only_equal_ones_stay_known():
    assert join(Real, 2.0, 2.0) == 2.0 and join(Real, 2.0, 3.0) is None


def test_a_computed_zero_is_nothing():
    assert is_nothing(NOTHING) and is_nothing(0.0) and not is_nothing(1.0)


def test_tangents_are_replaced_and_the_rest_stays():
    assert mapped(T, (EMPTY, 5.0, Row([EMPTY, EMPTY])), lambda s: "t") == ("t", 5.0, ["t", "t"])


TAPE = Stack(tuple_of(Vec(2, Stack(Tan)), Stack(Real)))


def test_a_stack_of_any_height_has_such_stacks_inside():
    height_2 = ((Row([(), (single(1), ())]), ()), ((Row([(), ()]), ()), ()))
    for stack in ((), height_2):
        found = loose(TAPE, stack)
        vector, numbers = found.item
        assert all([x.__class__ is Several for x in (found, *vector, numbers)])
        assert len([*leaves(TAPE, found)]) == 2


def test_one_of_two_stacks_may_be_one_of_which_nothing_is_known():
    assert join(Stack(Real), None, (1.0, ())) is None and join(Stack(Real), (), ()) == ()


def test_a_sum_of_known_numbers_is_not_known_unless_it_is_zero():
    total = Sum(Real, 1.0)
    total.add(total.value)
    assert total.read() is None and added(Real, 1.0, 1.0) is None and added(Real, NOTHING, 0.0) is NOTHING
