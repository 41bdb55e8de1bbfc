"""Elements by their indices along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, OutOfRange, Real, TypeMismatch, Vec, fn


def test_a_gradient_adds_up_where_an_element_is_taken_twice():
    f = fn([Vec[3], Vec[4, Fin[3]]], Real)(lambda x, at: np.sum(rose.take(x, at)))
    assert rose.grad(f)([1.0, 2.0, 3.0], [0, 2, 2, 2]).tolist() == [1.0, 0.0, 3.0]


def test_conditions_and_vectors_are_taken_too():
    f = fn([Vec[2, 3, Bool]], Vec[2, 2, Bool])(lambda x: x.take([2, 0], axis=1))
    assert np.asarray(f([[True, False, False], [False, False, True]])).tolist() == [[False, True], [True, False]]


def test_what_is_not_finite_has_slope_zero():
    f = fn([Vec[4]], Real)(lambda x: rose.sum(rose.nan_to_num(x, posinf=1.0, neginf=-2.0)))
    x = [np.nan, np.inf, -np.inf, 3.0]
    assert f(x) == 2.0
    assert rose.grad(f)(x).tolist() == [0.0, 0.0, 0.0, 1.0]


def test_slopes_along_all_axes_are_a_tuple_as_numpys():
    of: Any = np.gradient
    f = fn([Vec[3, 4]], Vec[3, 4])(lambda x: of(x, 0.5)[0] + of(x, 0.5)[1])
    x = np.arange(12.0).reshape(3, 4) ** 2
    assert f(x).tolist() == sum(of(x, 0.5)).tolist()
    assert fn([Vec[3, 4]], Vec[3, 4])(lambda x: of(x, axis=(1,)))(x).tolist() == of(x, axis=1).tolist()
    assert fn([Vec[3, 4]], Real)(lambda x: float(len(of(x, axis=()))))(x) == 0.0


def test_a_quantile_of_a_nan_is_nan_and_its_slopes_are_those_of_its_neighbours():
    f = fn([Vec[4]], Real)(lambda x: rose.quantile(x, 0.5))
    assert np.isnan(f([1.0, np.nan, 2.0, 3.0])) and f([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert rose.grad(f)([4.0, 1.0, 2.0, 3.0]).tolist() == [0.0, 0.0, 0.5, 0.5]


WRONG: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: rose.take(x, 0, axis=2), OutOfRange, "no axis 2"),
    (lambda x: rose.take(x, 3, axis=1), OutOfRange, "index 3"),
    (lambda x: rose.quantile(x, 1.5), OutOfRange, "a share from 0 to 1, not 1.5"),
    (lambda x: rose.median(x[:0]), OutOfRange, "of 0 elements"),
    (lambda x: rose.take(x, x, axis=1), TypeMismatch, "cannot index"),
    (lambda x: rose.take_along_axis(x, [0], 1), TypeMismatch, r"have the shape \(1,\)"),
    (lambda x: rose.take_along_axis(x, [[0]], -3), OutOfRange, "no axis -3"),
    (lambda x: rose.gradient(x, axis=2), OutOfRange, "no axis 2"),
    (lambda x: rose.gradient(x[:1], axis=0), OutOfRange, "of 1 samples"),
    (lambda x: rose.gradient(x, 1.0, 2.0, 3.0), TypeMismatch, "given 3 spacings"),
    (lambda x: rose.gradient(x, [1.0], axis=0), TypeMismatch, "coordinates along axis 0"),
]


@pytest.mark.parametrize(("of", "error", "said"), WRONG)
def test_what_does_not_fit_is_an_error(of: Any, error: type[Exception], said: str):
    with pytest.raises(error, match=said):
        _ = fn([Vec[2, 3]], Vec[2, 3])(of).func
