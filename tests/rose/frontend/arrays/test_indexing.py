"""Parts of arrays: every kind of key gives what NumPy gives, traced and at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, OutOfRange, Real, TypeMismatch, Vec, dim, fn
from rose.frontend.arrays.shapes import array_type

X = np.random.default_rng(0).normal(size=(2, 3, 4))
KEYS = """0,1 | :,0 | ...,0 | 0,...,-1 | :,None | None,...,None | :,::2 | ::-1,1:,::-2 | :,[0,2] | [1,0],:,[0,2] | 1:1 |
    0,[[0,1],[2,0]] | 0,:,[0,2] | -1,-1,-1 | np.array([1,0,1]) | :,[[0],[1]],[1,2] | 0,1,[0,1,1] | [0,-1],1 | ... | 3: |
    :,[0],None,1: | [[0,1]],[2],[3] | ::-2 | None | [] | 1,:,::3 |
    [True,False] | np.array([True,False]) | [True,False],1: | ...,[False,True,True,False] | X[...,0] > 0 | X > 0 |
    X[...,0] > 0,::2 | [False,True],[True,False,True] | [False,True],[0,2],3 | 0,[True,False,True],None | X > 9 |
    (X[0] > 0).tolist() if False else ([True,False],...,[True,True,False,True])"""


def cut(x: Any, key: str) -> Any:
    return eval(f"x[{key}]", {"x": x, "np": np, "X": X})


@pytest.mark.parametrize("key", [key.strip() for key in KEYS.split("|")])
def test_a_part_is_numpys(key: str):
    want = np.asarray(cut(X, key))
    f = fn([Vec[2, 3, 4]], array_type(want.shape, Real))(lambda x: cut(x, key))
    assert np.array_equal(np.reshape(f(X), want.shape), want)
    with rose.eager():
        assert np.array_equal(np.reshape(f(X), want.shape), want)


def test_traced_indices_stand_in_any_place():
    f = fn([Vec[2, 3], Fin[2], Vec[4, Fin[3]]], Real)(
        lambda x, i, rows: x[i, 2] + rose.sum(x[i, rows]) + rose.sum(x[1 - i][rows[::-1]] * [1, 2, 3, 4])
    )
    x, rows = X[0, :2, :3], np.array([2, 0, 1, 2])
    assert f(x, 1, rows) == pytest.approx(x[1, 2] + x[1, rows].sum() + (x[0][rows[::-1]] * [1, 2, 3, 4]).sum())


def test_a_gather_has_a_gradient():
    f = fn([Vec[3], Vec[4, Fin[3]]], Real)(lambda x, i: rose.sum(x[i] ** 2))
    assert list(rose.grad(f)([1.0, 2.0, 3.0], [0, 2, 2, 2])) == [2.0, 0.0, 18.0]


def test_slices_of_a_size_that_is_not_known_yet():
    n = dim("n")
    f = fn([Vec[n + 1], Vec[n]], Real)(lambda x, _: rose.sum((x[1:] - x[:-1]) * x[::-1][:-1]))
    x = X[0, 0]
    want = ((x[1:] - x[:-1]) * x[::-1][:-1]).sum()
    assert rose.compile(f, dynamic=True)(x, x[1:]) == pytest.approx(want, rel=1e-15)


def test_short_vectors_are_unpacked_and_iterated():
    f = fn([Vec[3]], Real)(lambda x: rose.norm([*x]) + sum(v * v for v in x))
    assert f([2.0, 3.0, 6.0]) == 7.0 + 49.0


def test_a_transpose_of_many_axes_has_them_in_reversed_order():
    f = fn([Vec[2, 3, 4]], Vec[4, 3, 2])(lambda x: x.T)
    assert np.array_equal(f(X), X.T)


@pytest.mark.parametrize(
    ("key", "error", "match"),
    [
        ("0, 0, 0, 0", TypeMismatch, "has 3 axes, and 4 are indexed"),
        ("..., 0, ...", TypeMismatch, "several"),
        ("[0, 5]", OutOfRange, "index 5 is out of range for an axis of 2"),
        ("[0.5]", TypeMismatch, "cannot index an array"),
        ("[True, 0]", TypeMismatch, "must be a Bool"),
        ("[True, False, True]", TypeMismatch, r"conditions of the shape \(3,\) are no key of axes of the shape \(2,\)"),
        ("X[0] > 0", TypeMismatch, r"no key of axes of the shape \(2, 3\)"),
        ("..., X[0] > 0, 1", TypeMismatch, r"no key of axes of the shape \(2, 3\)"),
        ("X > 0, 1", TypeMismatch, "has 3 axes, and 4 are indexed"),
        ("x[:, 0, 0] > 0", TypeMismatch, "array of conditions"),
        ("0, 0.5", TypeMismatch, "cannot index a vector"),
    ],
)
def test_a_key_that_does_not_fit_is_an_error(key: str, error: type[Exception], match: str):
    with pytest.raises(error, match=match):
        _ = fn([Vec[2, 3, 4]], Real)(lambda x: cut(x, key)).func
