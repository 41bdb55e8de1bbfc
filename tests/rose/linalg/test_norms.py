"""Norms of matrices, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pairs import rest_in_fuzz, rotated

import rose
from rose import Real, TypeMismatch, Vec, fn

NORMS: list[dict[str, Any]] = [
    {"ord": 2},
    {"ord": -2},
    {"ord": "nuc"},
    {"ord": "fro"},
    {"ord": 1},
    {},
    {"ord": 2, "keepdims": True},
    {"ord": "nuc", "axis": (1, 0)},
    {"ord": 2, "axis": 0},
    {"axis": -1},
]


SHAPES = [(3, 3), (4, 2), (1, 3)]
ALL = [(shape, named) for shape in SHAPES for named in NORMS]


@pytest.mark.parametrize(("named", "shape"), rest_in_fuzz([(n, s) for s, n in ALL], rotated(NORMS, SHAPES)))
def test_a_norm_is_numpys_and_has_its_derivatives(shape: tuple[int, int], named: dict[str, Any]):
    of: Any = np.linalg.norm
    x = np.random.default_rng(0).normal(size=shape)
    want = of(x, **named)
    type_ = Vec[want.shape] if want.ndim else Real
    f = fn([Vec[shape]], type_)(lambda x: of(x, **named))
    np.testing.assert_allclose(f(x), want, rtol=1e-14)
    report = rose.testing.examine(fn([Vec[shape]], Real)(lambda x: rose.sum(rose.ravel(of(x, **named)) ** 2)), points=2)
    assert report.ok, report


def test_a_norm_of_a_batch_lies_along_a_pair_of_axes():
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    f = fn([Vec[2, 3, 4]], Vec[3])(lambda x: rose.linalg.norm(x, "nuc", (0, 2)))
    np.testing.assert_allclose(f(x), np.linalg.norm(x, "nuc", (0, 2)), rtol=1e-14)


def test_a_norm_of_numbers_of_which_there_are_none():
    f = fn([Vec[0, 3]], Real)(lambda x: rose.linalg.norm(x, "nuc"))
    assert f(np.zeros((0, 3))) == 0.0


def test_a_norm_of_a_name_that_it_does_not_have():
    with pytest.raises(TypeMismatch, match=r"rose.norm has no ord 'max' \(str\) along 2 axes"):
        _ = fn([Vec[2, 2]], Real)(lambda x: rose.linalg.norm(x, "max")).func
