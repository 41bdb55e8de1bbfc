"""The numbers of a value as one vector, and back."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.differentiation.flatten import Flat
from rose.frontend.annotations import as_type


@rose.struct
class Ball:
    at: Vec[2]
    mass: Real


CASES: list[tuple[Any, Any, list[float]]] = [
    (Real, 3.0, [3]),
    (Vec[3], [1.0, 2.0, 3.0], [1, 2, 3]),
    (Vec[2, Vec[3]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1, 2, 3, 4, 5, 6]),
    (Ball, Ball([1.0, 2.0], 3.0), [1, 2, 3]),
    (Vec[2, Ball], [Ball([1.0, 2.0], 3.0), Ball([4.0, 5.0], 6.0)], [1, 2, 3, 4, 5, 6]),
    (tuple[Real, Vec[0], Vec[2, Vec[1, Vec[2]]]], (7.0, [], [[[1.0, 2.0]], [[3.0, 4.0]]]), [7, 1, 2, 3, 4]),
    (Vec[0, Ball], [], []),
    (Vec[2, Vec[0]], [[], []], []),
    ({"a": Real, "b": Real}, {"a": 1.0, "b": 2.0}, [1, 2]),
]


@pytest.mark.parametrize(("t", "x", "numbers"), CASES, ids=[repr(t) for t, _, _ in CASES])
def test_values_have_their_numbers_in_order(t: Any, x: Any, numbers: list[float]):
    flat = Flat(as_type(t))
    assert fn([t], flat.vec)(flat.vector)(x).tolist() == numbers
    squared = fn([t], Real)(lambda y: rose.dot(flat.vector(flat.value(flat.vector(y))), flat.vector(y)))
    assert squared(x) == sum(k * k for k in numbers)
    if numbers:  # and the same ones in the gradient
        gradient = fn([t], flat.vec)(lambda y: flat.vector(rose.grad(squared)(y)))
        assert gradient(x).tolist() == [2 * k for k in numbers]
