"""What stands after the dot of an array."""

from __future__ import annotations

import pytest

import rose
from rose import Real, Vec, fn


def test_an_array_has_a_shape():
    seen = list[object]()
    fn([Vec[2, 3], Real], Real)(lambda x, y: seen.extend([x.shape, x.ndim, x.size, y.shape, x.T.shape]) or y).func  # noqa: B018
    assert seen == [(2, 3), 2, 6, (), (3, 2)]


def test_the_transpose_of_a_vector_is_the_vector():
    f = fn([Vec[3]], Vec[3])(lambda x: x.T)
    assert list(f([1.0, 2.0, 3.0])) == [1.0, 2.0, 3.0]


def test_what_an_array_does_not_have_is_an_error():
    with pytest.raises(rose.RoseError, match="has no nothing"):
        _ = fn([Vec[3]], Real)(lambda x: x.nothing).func
