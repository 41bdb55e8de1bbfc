"""Kinds of elements: `x.astype(int)`, by any of NumPy's names for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Real, TypeMismatch, Vec, dim, fn
from rose.frontend.arrays.kinds import kind_of

NUMBERS = np.array([-1.5, -0.0, 0.25, 2.0])


@pytest.mark.parametrize("name", ["float", float, np.float32, "f8", np.dtype(float), "<f4", "double"])
def test_a_number_has_one_width(name: Any):
    assert fn([Vec[4]], Vec[4])(lambda x: x.astype(name))(NUMBERS).tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("name", [int, "int", np.int64, np.intp, np.uint8, "i4", np.dtype("int16")])
def test_a_whole_number_is_towards_zero(name: Any):
    assert fn([Vec[4]], Vec[4])(lambda x: x.astype(name))(NUMBERS).tolist() == [-1.0, 0.0, 0.0, 2.0]


def test_conditions_are_numbers_and_numbers_conditions():
    assert fn([Vec[4]], Vec[4])(lambda x: (x > 0.0).astype(int))(NUMBERS).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert fn([Vec[4]], Vec[4, Bool])(lambda x: x.astype(bool))(NUMBERS).tolist() == [True, False, True, True]
    assert kind_of("?") == "b"


MADE = {
    "zeros": lambda of, dtype: of.zeros((2, 3), dtype=dtype),
    "ones": lambda of, dtype: of.ones((2, 3), dtype),
    "full": lambda of, dtype: of.full((2, 3), -1.5, dtype=dtype),
    "full of an array": lambda of, dtype: of.full((2, 2), NUMBERS[1:3], dtype=dtype),
    "eye": lambda of, dtype: of.eye(3, 2, dtype=dtype),
    "arange": lambda of, dtype: of.arange(-1.5, 2.0, 0.5, dtype=dtype),
    "linspace": lambda of, dtype: of.linspace(-1.5, 1.5, 5, dtype=dtype),
}


@pytest.mark.parametrize("dtype", [float, np.float64, int, "i8", bool, np.bool_])
@pytest.mark.parametrize("name", MADE)
def test_new_arrays_have_elements_of_the_kind_that_is_named(name: str, dtype: Any):
    if name == "arange" and kind_of(dtype) != "f":
        return  # NumPy steps by whole numbers there
    want = np.asarray(MADE[name](np, dtype))
    leaf = Bool if want.dtype == bool else Real
    want = want if leaf is Bool or name != "linspace" or kind_of(dtype) != "i" else np.trunc(np.linspace(-1.5, 1.5, 5))
    made = fn([Real], Vec[*want.shape, leaf])(lambda _: MADE[name](rose, dtype))(0.0)
    assert made.tolist() == want.tolist()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x, axis=0, dtype=float),
        lambda x: x.sum(dtype=int, axis=0),
        lambda x: np.prod(x > 0.0, axis=0, dtype=np.int32),
        lambda x: np.cumsum(x, 0, dtype="f8")[0] + np.cumprod(x, 0, dtype=int)[1],
        lambda x: np.mean(x, axis=0, dtype=np.float64) + np.var(x, axis=0, dtype=float) + x.std(dtype=float),
        lambda x: np.trace(x, dtype=int) * np.ones_like(x, dtype=bool)[0],
        lambda x: np.full_like(x, 2.5, dtype=int)[0] + np.zeros_like(x > 0.0, dtype=float)[0],
    ],
)
def test_reductions_take_elements_as_the_kind_that_is_named(f: Any):
    x = np.array([[-1.5, 2.25, 0.5], [3.75, -0.25, 1.0]])
    g = fn([Vec[2, 3]], Vec[3])(f)
    assert g(x).tolist() == pytest.approx(f(x).tolist(), rel=1e-15)


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda x: np.sum(x, dtype=complex), "complex is no type of elements"),
        (lambda x: rose.zeros(3, dtype=object), "object is no type of elements"),
        (lambda x: np.sum(x > 0.0, dtype=bool), "makes numbers, and no conditions"),
        (lambda x: np.mean(x, dtype=int), "its dtype is not"),
    ],
)
def test_a_kind_without_a_meaning_is_an_error(f: Any, what: str):
    with pytest.raises(TypeMismatch, match=what):
        _ = fn([Vec[3]], Real)(f).func


def test_new_arrays_of_a_size_that_a_call_decides_have_kinds_too():
    n = dim("n")
    f = fn([Vec[n]], Vec[n])(lambda x: np.where(rose.full(n, 1.5, dtype=bool), x, 0.0) * rose.ones(n, dtype=int))
    assert rose.compile(f, dynamic=True)(NUMBERS).tolist() == NUMBERS.tolist()


def test_what_is_of_the_kind_already_is_not_converted():
    text = rose.compile(fn([Vec[4]], Vec[4])(lambda x: np.floor(x).astype(int).astype(float))).pretty()
    assert "floor" in text
    assert "trunc" not in text


def test_a_mask_of_numbers_is_a_constant_to_a_derivative_at_any_size_in_single_precision_too():
    n = dim("n")
    f = fn([Vec[n]], Real)(lambda x: np.sum((x > 0.0).astype(float) * x**2))
    assert rose.grad(f)(NUMBERS).tolist() == [0.0, 0.0, 0.5, 4.0]
    assert rose.compile(rose.grad(f), dynamic=True)(NUMBERS).tolist() == [0.0, 0.0, 0.5, 4.0]
