"""Numbers as indices, by what is certain of them: NumPy's ways of making whole numbers in a range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn
from rose.host.interpreter import run

n = 5
X = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
POINTS = [-7.75, -5.0, -1.5, -0.0, 0.5, 2.25, 4.0, 4.5, 13.5]
OFFSETS = np.array([-1, 0, 1])
IN_RANGE = {  # of a number, or of each of an array
    "wrapped": lambda t: np.floor(t).astype(int) % n,
    "wrapped by a function": lambda t: np.mod(np.ceil(t), n),
    "wrapped, shifted and wrapped": lambda t: (np.trunc(t).astype(int) % n + 1) % n,
    "clipped": lambda t: np.clip(np.floor(t).astype(int), 0, n - 1),
    "clipped, then whole": lambda t: np.floor(np.clip(t, 0.5, n - 1)).astype(int),
    "between two": lambda t: np.minimum(np.maximum(np.round(t) + 1, 0), n - 1),
    "chosen": lambda t: np.where(t > 2, np.floor(t) % 2, np.ceil(t) % 3 + 2),
    "absolute": lambda t: abs(np.clip(np.trunc(t), -4, 3)),
    "a remainder": lambda t: abs(np.fmod(np.floor(t), n)),
    "reversed": lambda t: n - 1 - np.clip(np.floor(t), 0, n - 1),
    "scaled": lambda t: 2 * np.clip(np.floor(t), 0, 2),
    "a product": lambda t: np.clip(np.floor(t), 0, 2) * np.clip(np.ceil(t), -2, -1) + 4,
    "of a sign": lambda t: np.sign(t) + 1,
    "of a condition": lambda t: (t > 1).astype(int),
}


@pytest.mark.parametrize("name", IN_RANGE)
def test_a_whole_number_in_a_range_is_an_index_as_numpys_is(name: str):
    f = fn([Vec[n], Real], Real)(lambda x, t: x[IN_RANGE[name](t)])
    want = [X[int(IN_RANGE[name](np.float64(t)))] for t in POINTS]
    assert [f(X, t) for t in POINTS] == [run(f.func, tuple(X), t) for t in POINTS] == want


@pytest.mark.parametrize("name", IN_RANGE)
def test_so_are_those_of_an_array(name: str):
    f = fn([Vec[n], Vec[3, 3]], Vec[3, 3])(lambda x, t: x[IN_RANGE[name](t)])
    points = np.array(POINTS).reshape(3, 3)
    want = X[IN_RANGE[name](points).astype(int)]
    assert f(X, points).tolist() == want.tolist()
    with rose.eager():
        assert np.array(f(X, points)).tolist() == want.tolist()


@pytest.mark.parametrize("name", IN_RANGE)
def test_their_derivatives_are_constant_in_them(name: str):
    f = fn([Vec[n], Vec[3]], Real)(lambda x, t: rose.sum(x[IN_RANGE[name](t)] ** 3 * t))
    t = np.array([-1.25, 0.75, 3.5])
    want = np.zeros(n)
    np.add.at(want, i := IN_RANGE[name](t).astype(int), 3.0 * X[i] ** 2 * t)
    by_x, by_t = rose.grad(f, (0, 1))(X, t)
    assert (by_x.tolist(), by_t.tolist()) == (want.tolist(), (X[i] ** 3).tolist())
    assert np.array_equal(*[np.array(of(rose.grad(f))(X, t)) for of in (rose.jacfwd, rose.jacrev)])


def test_a_nan_is_the_index_0_and_what_is_far_away_the_nearest():
    f = fn([Vec[n], Real], Real)(lambda x, t: x[np.clip(np.floor(t), 0, n - 1)])
    assert [f(X, t) for t in (np.nan, -np.inf, -1e300, 1e300, np.inf)] == [1.0, 1.0, 1.0, 16.0, 16.0]


def test_single_precision_has_the_same_indices():
    f = fn([Vec[n], Vec[9]], Vec[9])(lambda x, t: x[np.floor(t).astype(int) % n])
    got = rose.compile(f, dtype="f32")(X.astype(np.float32), np.array(POINTS, np.float32))
    assert got.tolist() == X[np.floor(POINTS).astype(int) % n].tolist()


def test_a_table_of_offsets_is_in_a_range():
    f = fn([Vec[n], Fin[n]], Vec[3])(lambda x, i: x[(i + OFFSETS) % n])
    assert f(X, 0).tolist() == X[(0 + OFFSETS) % n].tolist()


m = dim("n")


@pytest.mark.parametrize(
    "index",
    [
        lambda x, t: np.floor(t).astype(int) % m,
        lambda x, t: np.clip(np.floor(t).astype(int), 0, m - 1),
        lambda x, t: np.clip(np.floor(t + 1), 0, x.shape[0] - 1),
        lambda x, t: m - 1 - rose.min(np.maximum(np.ceil(t), 0), m - 1),
    ],
)
def test_a_range_may_end_at_a_size_that_a_call_decides(index: Any):
    f = fn([Vec[m], Vec[3]], Vec[3])(lambda x, t: x[index(x, t)])
    g = rose.compile(f, dynamic=True)
    for size in (1, 3, 5):
        assert g(X[:size], POINTS[1:4]).tolist() == f(X[:size], POINTS[1:4]).tolist()
    with pytest.raises(RoseError, match="array with elements"):
        g([], POINTS[1:4])


def test_an_axis_without_elements_is_not_read_in_a_loop_without_iterations():
    f = fn([Vec[m], Vec[m]], Real)(lambda x, t: rose.sum(x[np.clip(np.floor(t), 0, m - 1)]))
    assert rose.compile(f, dynamic=True)([], []) == 0.0


@pytest.mark.parametrize(
    "index",
    [
        lambda t: np.floor(t),
        lambda t: t % n,
        lambda t: np.floor(t % n),  # of a number just below zero it is n
        lambda t: np.clip(np.floor(t), 0, n),
        lambda t: np.clip(np.floor(t), -1, n - 1),
        lambda t: np.floor(t) % n - 1,
        lambda t: np.floor(t) % -n,
        lambda t: rose.select(np.fmod(np.floor(t), n) == 0, t, np.floor(t) % n),
        lambda t: np.clip(np.floor(t), 0, n - 1) * t,
    ],
)
def test_what_may_be_out_of_range_is_an_error(index: Any):
    for t in (Real, Vec[2]):
        with pytest.raises((OutOfRange, TypeMismatch), match="index"):
            _ = fn([Vec[n], t], t)(lambda x, t: x[index(t)]).func
