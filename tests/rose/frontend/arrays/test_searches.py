"""Where numbers stand among sorted ones, and lines through points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn

Of = Callable[..., Any]
HARD = [math.nan, 9.0, -9.0, math.inf, -math.inf]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
def test_equal_numbers_and_nan_stand_where_numpy_has_them(n: int, side: str):
    a = np.sort(np.round(np.random.default_rng(n).normal(size=n) * 2))
    v = np.concatenate([a, a + 0.5, HARD])
    of: Of = lambda a, v: rose.searchsorted(a, v, side) * 1.0
    assert fn([Vec[n], Vec[len(v)]], Vec[len(v)])(of)(a, v).tolist() == np.searchsorted(a, v, side).tolist()


def test_a_size_that_a_call_decides_is_searched():
    of: Of = lambda a, x: rose.searchsorted(a, x) * 1.0
    f = rose.compile(fn([Vec[dim("n")], Real], Real)(of), dynamic=True)
    assert [f([1.0, 2.0, 3.0], x) for x in (0.0, 1.0, 2.5, 4.0)] == [0.0, 0.0, 2.0, 3.0]
    assert f([], 1.0) == 0.0


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_line_through_points_has_the_bits_of_numpys(n: int):
    rng = np.random.default_rng(n)
    xp, fp = np.cumsum(rng.random(n) + 0.1), rng.normal(size=n)
    x = np.concatenate([xp, xp + 0.05, HARD])
    of: Of = lambda x, xp, fp: np.interp(x, xp, fp)
    f = fn([Vec[len(x)], Vec[n], Vec[n]], Vec[len(x)])(of)
    want = np.where(np.isnan(x), np.nan, np.interp(x, xp, fp))  # of one point NumPy's line has no nan
    assert np.array_equal(f(x, xp, fp), want, equal_nan=True)


def test_the_slope_of_a_line_through_points_is_that_of_the_next_one_and_none_beyond():
    of: Of = lambda x: rose.interp(x, [0.0, 1.0, 3.0], [0.0, 2.0, 0.0])
    f = fn([Real], Real)(of)
    assert [rose.grad(f)(x) for x in (-1.0, 0.5, 1.0, 2.0, 4.0)] == [0.0, 2.0, -1.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("xp", "fp"),
    [
        ([0.0, 1.0, 2.0], [0.0, math.inf, 5.0]),
        ([0.0, 1.0, 2.0], [-math.inf, 1.0, math.inf]),
        ([0.0, 1.0, 2.0], [math.inf, math.inf, -math.inf]),
        ([0.0, 1.0, 2.0], [0.0, math.nan, 5.0]),
        ([0.0, 1.0, math.inf], [0.0, 1.0, 2.0]),
        ([-math.inf, 0.0, 1.0], [0.0, 1.0, 2.0]),
    ],
)
def test_a_line_to_an_infinite_neighbour_is_that_of_numpys(xp: list[float], fp: list[float]):
    x = np.array([-math.inf, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf, math.nan])
    f = fn([Vec[10]], Vec[10])(lambda x: np.interp(x, np.array(xp), np.array(fp)))
    assert np.array_equal(f(x), np.interp(x, xp, fp), equal_nan=True)


WRONG: list[tuple[Of, type[RoseError], str]] = [
    (lambda x: rose.searchsorted(x, 1.0, side="middle"), TypeMismatch, "no side 'middle'"),
    (lambda x: rose.searchsorted([x, x], 1.0), TypeMismatch, "goes through a vector"),
    (lambda x: rose.interp(0.5, x, [1.0, 2.0]), TypeMismatch, "given 3 places and 2 numbers"),
    (lambda x: rose.interp(0.5, [], []), OutOfRange, "through 0 points"),
]


@pytest.mark.parametrize(("of", "error", "words"), WRONG)
def test_what_cannot_be_searched_is_an_error_that_names_it(of: Of, error: type[RoseError], words: str):
    with pytest.raises(error, match=words):
        fn([Vec[3]], Vec[3])(of).func  # noqa: B018
