"""The abstract domain: zeros, joins, and what grows."""

from __future__ import annotations

from rose.derivatives.sparse.abstract_values import NOTHING, Row, is_nothing, join, leaves, mapped, of_leaves, zero
from rose.derivatives.sparse.index_sets import EMPTY, Settled, listed, single
from rose.ir.types import Bool, Fin, Real, Tan, Vec, tuple_of

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
