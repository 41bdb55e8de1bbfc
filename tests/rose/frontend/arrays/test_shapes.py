"""Shapes: what is an array, and what arrays are broadcast to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rose import Bool, Fin, Real, TypeMismatch, Vec, dim
from rose.frontend.arrays.shapes import array_type, as_array, broadcast, leaf_of, shape_of
from rose.ir import building


@pytest.mark.parametrize(
    ("t", "shape", "leaf"),
    [(Real, (), Real), (Vec[3], (3,), Real), (Vec[2, Vec[0, Bool]], (2, 0), Bool), (Vec[4, Fin[3]], (4,), Fin[3])],
)
def test_a_type_has_a_shape_and_a_leaf(t: Any, shape: tuple[int, ...], leaf: Any):
    assert (shape_of(t), leaf_of(t)) == (shape, leaf)
    assert array_type(shape, leaf) is t


@pytest.mark.parametrize(
    "shapes", [[(3,), (3,)], [(2, 3), (3,)], [(2, 1), (1, 3)], [(0,), (1,)], [(), (4,)], [(2, 1, 4), (3, 1), (1,)], []]
)
def test_shapes_are_broadcast_as_numpys_are(shapes: list[tuple[int, ...]]):
    assert broadcast(shapes) == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("shapes", [[(3,), (4,)], [(2, 3), (2,)], [(0,), (2,)]])
def test_what_numpy_does_not_broadcast_is_an_error(shapes: list[tuple[int, ...]]):
    with pytest.raises(TypeMismatch, match="do not broadcast: axis -1"):
        broadcast(shapes)


def test_sizes_that_are_not_known_are_one_if_they_are_equal():
    n, m = dim("n"), dim("m")
    assert broadcast([(n,), (1,), (n,)]) == (n,)
    with pytest.raises(TypeMismatch, match="axis -1 has n and m elements"):
        broadcast([(n,), (m,)])


@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.ones((2, 0)), np.eye(2) > 0, [[1, 2], [3, 4]], np.arange(3)])
def test_an_array_of_numpys_keeps_its_shape(x: Any):
    with building("f"):
        assert shape_of(as_array(x).type) == np.shape(x)
