"""Functions with a `rose.dim` in their types: instances, and the sizes that a call tells."""

from __future__ import annotations

from typing import Any, cast

import pytest

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn
from rose.frontend.any_size import AnySize

n, m = rose.dim("n"), rose.dim("m")


@fn
def total(x: Vec[n], y: Vec[m]) -> Real:
    return rose.sum(x) + rose.sum(y)


def test_there_is_one_instance_for_each_choice_of_sizes():
    f = cast("AnySize", total)
    assert f.dims == (n, m)
    assert f.at(n=2, m=3) is f.at(m=3, n=2)
    assert f.at(n=2, m=3).types == (Vec[2], Vec[3])
    assert f.at(n=2, m=2) is not f.at(n=2, m=3)


def test_a_call_finds_its_instance():
    f = cast("AnySize", total)
    assert f.fitting([[1.0], [2.0, 3.0]]) is f.at(n=1, m=2)
    assert total([1.0], [2.0, 3.0]) == 6.0


def test_a_transform_of_it_is_of_any_size_again():
    g = rose.grad(total)
    assert isinstance(g, AnySize)
    assert g.at(n=2, m=1).result is Vec[2]


@pytest.mark.parametrize("sizes", [{"n": 2}, {"n": 2, "m": 3, "k": 1}, {"n": 2.5, "m": 3}])
def test_wrong_sizes_are_refused(sizes: dict[str, Any]):
    with pytest.raises(TypeMismatch):
        total.at(**sizes)


def test_a_size_below_zero_is_out_of_range():
    with pytest.raises(rose.OutOfRange, match="the size n is an integer from 0, not -1"):
        total.at(n=-1, m=3)


def test_a_size_that_no_call_tells_is_refused():
    with pytest.raises(TypeMismatch, match="no call of f tells the size n: in i it is part of"):

        @fn
        def f(i: Fin[n]) -> Real:  # pyright: ignore[reportUnusedFunction]
            return 0.0
