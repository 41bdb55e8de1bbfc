"""Norms of matrices, against NumPy's."""

from __future__ import annotations

import math
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


NUMBERS: list[tuple[str, dict[str, Any], tuple[int, ...]]] = [
    ("cond", {}, (3, 3)),
    *[("cond", {"p": p}, (3, 3)) for p in (2, -2, 1, -1, math.inf, -math.inf, "fro", "nuc")],
    ("cond", {"p": -2}, (4, 2)),
    ("cond", {"p": 1}, (2, 2, 2)),
    ("matrix_norm", {}, (2, 3)),
    ("matrix_norm", {"ord": "nuc", "keepdims": True}, (2, 3, 2)),
    ("vector_norm", {}, (2, 3)),
    ("vector_norm", {"axis": (0, 2), "ord": 1}, (2, 3, 2)),
    ("vector_norm", {"axis": 1, "ord": 3, "keepdims": True}, (2, 3)),
]


@pytest.mark.parametrize(("name", "named", "shape"), NUMBERS)
def test_condition_numbers_and_norms_of_numpys_names(name: str, named: dict[str, Any], shape: tuple[int, ...]):
    of: Any = getattr(np.linalg, name)
    x = np.random.default_rng(2).normal(size=shape)
    want = np.asarray(of(x, **named))
    f = fn([Vec[shape]], Vec[want.shape] if want.ndim else Real)(lambda x: of(x, **named))
    np.testing.assert_allclose(f(x), want, rtol=1e-12)
    with rose.eager():
        np.testing.assert_allclose(f(x), want, rtol=1e-12)
    report = rose.testing.examine(fn([Vec[shape]], Real)(lambda x: np.sum(np.log(of(x, **named)))), points=1)
    assert report.ok, report


def test_the_condition_of_a_singular_matrix_is_infinite_and_of_nan_nan():
    for p in (None, 2, 1, "fro"):
        f = fn([Vec[2, 2]], Real)(lambda x, p=p: np.linalg.cond(x, p))
        assert f([[0.0, 0.0], [0.0, 0.0]]) == math.inf
        assert math.isnan(f([[math.nan, 0.0], [0.0, 1.0]]))


RANKS = [np.eye(3), np.ones((3, 2)), np.zeros((2, 2)), np.zeros((0, 2)), np.diag([1.0, 1e-18, 2.0]), np.ones((2, 2, 2))]


@pytest.mark.parametrize("a", RANKS, ids=lambda a: str(a.shape))
@pytest.mark.parametrize("named", [{}, {"tol": 1e-8}, {"rtol": 0.6}])
def test_a_rank_is_numpys(a: Any, named: dict[str, Any]):
    want = np.asarray(np.linalg.matrix_rank(a, **named), float)
    f = fn([Vec[a.shape]], Vec[want.shape] if want.ndim else Real)(lambda x: np.linalg.matrix_rank(x, **named))
    np.testing.assert_array_equal(f(a), want)


def test_the_rank_of_a_vector_and_of_a_symmetric_matrix():
    assert fn([Vec[2]], Real)(lambda x: np.linalg.matrix_rank(x))([0.0, 0.0]) == 0.0
    with pytest.raises(TypeMismatch, match="takes a tol or an rtol, not both"):
        _ = fn([Vec[2, 2]], Real)(lambda x: np.linalg.matrix_rank(x, tol=0.1, rtol=0.1)).func


def test_norms_of_nothing_are_0():
    for shape in ((0, 2), (2, 0), (0, 0)):
        for ord in ("fro", "nuc", 1, 2, np.inf):
            assert fn([Vec[shape]], Real)(lambda x, ord=ord: np.linalg.matrix_norm(x, ord=ord))(np.zeros(shape)) == 0.0
    for ord in (1, 2, np.inf):
        assert fn([Vec[0]], Real)(lambda x, ord=ord: np.linalg.vector_norm(x, ord=ord))([]) == 0.0
    f = fn([Vec[2, 2]], Real)(lambda x: np.linalg.matrix_rank(x, hermitian=True))
    assert f([[1.0, 5.0], [1.0, 1.0]]) == 1.0  # the lower half is read


def test_a_norm_of_a_name_that_it_does_not_have():
    with pytest.raises(TypeMismatch, match=r"rose.norm has no ord 'max' \(str\) along 2 axes"):
        _ = fn([Vec[2, 2]], Real)(lambda x: rose.linalg.norm(x, "max")).func
