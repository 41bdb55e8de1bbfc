"""`select`, `stop_gradient`, `constant`, `abs`: over values of any type."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn
from rose.ir import building


@pytest.mark.parametrize(
    ("x", "y"), [(1.0, 2), ([1.0, 2.0], [3.0, 4.0]), ({"a": 1.0}, {"a": 2.0}), ((1.0, True), (2.0, False))]
)
def test_values_of_one_type_are_chosen(x: Any, y: Any):
    assert rose.select(True, x, y) is x
    with building("f") as b:
        assert rose.select(b.param(rose.Bool, "c"), x, y) is not None


def test_indices_of_two_ranges_are_chosen():
    with building("f") as b:
        v = rose.select(b.param(rose.Bool, "c"), b.param(Fin[2], "i"), b.param(Fin[5], "j"))
        assert v.type is Fin[5]


def test_two_types_cannot_be_chosen():
    with building("f") as b, pytest.raises(TypeMismatch, match=r"rose.select between a Vec\[2\] and a Vec\[3\]"):
        rose.select(b.param(rose.Bool, "c"), [1.0, 2.0], [1.0, 2.0, 3.0])


def test_a_stopped_value_is_a_constant_to_derivatives():
    f = fn([Real], Real)(lambda x: x * rose.stop_gradient(x))
    assert rose.grad(f)(3.0) == 3.0
    assert rose.stop_gradient(2.0) == 2.0


def test_a_traced_index_reads_a_constant():
    f = fn([Fin[3]], Real)(lambda i: rose.constant(Vec[3], [4.0, 5.0, 6.0])[i])
    assert f(2) == 6.0


def test_the_absolute_value_has_a_flat_kink():
    assert rose.grad(fn([Real], Real)(rose.abs))(0.0) == 0.0
