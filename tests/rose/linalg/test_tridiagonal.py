"""Eigenvalues by the tridiagonal form: as exact as LAPACK's for all kinds of matrices, and of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matrices import matrix, random, symmetric

import rose
from rose import Real, Vec, fn, linalg

SIZES = [2, 3, 7, 17]


def orthogonal(n: int) -> Any:
    return np.linalg.qr(random(n, n, n))[0]


def of_values(w: Any) -> Any:
    q = orthogonal(len(w))
    return q * w @ q.T


def beside(n: int) -> Any:
    return np.eye(n, k=1) + np.eye(n, k=-1)


KINDS: dict[str, Callable[[int], Any]] = {
    "random": lambda n: symmetric(n, n),
    "graded": lambda n: of_values(np.logspace(0, -14, n)),
    "graded from above": lambda n: symmetric(n, n) * np.outer(np.logspace(0, -9, n), np.logspace(0, -9, n)),
    "graded from below": lambda n: symmetric(n, n) * np.outer(np.logspace(-9, 0, n), np.logspace(-9, 0, n)),
    "repeated": lambda n: of_values(np.arange(n) // 3 + 1.0),
    "of rank 1": lambda n: np.outer(orthogonal(n)[0], orthogonal(n)[0]),
    "with values near each other": lambda n: np.diag(np.abs(np.arange(n) - n // 2.0)) + beside(n),
    "with zeros on its diagonal": beside,
    "of whole numbers": lambda n: np.sign(symmetric(n, n).round()),
    "diagonal but for little": lambda n: np.diag(np.arange(1.0 * n)) + 1e-200 * symmetric(n, n),
    "of zeros": lambda n: np.zeros((n, n)),
    "large": lambda n: 1e300 * symmetric(n, n),
    "small": lambda n: 1e-300 * symmetric(n, n),
}


def module(n: int) -> Any:
    return rose.compile(fn([matrix(n, n)], tuple[Vec[n], matrix(n, n)])(lambda a: tuple(linalg.eigh(a))))


@pytest.mark.parametrize("n", SIZES)
def test_as_exact_as_lapack(n: int):
    f = module(n)
    for kind, of in KINDS.items():
        a = of(n)
        a = np.tril(a) + np.tril(a, -1).T
        w, v = f(a)
        size = np.abs(np.linalg.eigvalsh(a)).max() or 1.0
        assert np.abs(w - np.linalg.eigvalsh(a)).max() <= 1e-14 * size, kind
        assert np.abs((a / size) @ v - v * (w / size)).max() <= 1e-14, kind
        assert np.abs(v.T @ v - np.eye(n)).max() <= 1e-14, kind


def test_what_is_diagonal_is_not_rounded():
    w, v = module(7)(np.diag([3.0, 0.1, -2.0, 0.1, 1e-9, 7.0, 0.3]))
    assert w.tolist() == [-2.0, 1e-9, 0.1, 0.1, 0.3, 3.0, 7.0]
    assert sorted(v.ravel().tolist()) == [0.0] * 42 + [1.0] * 7


def test_infinities_and_nan_end():
    a, f = np.eye(7), module(7)
    for x in (np.inf, np.nan):
        a[4, 2] = x
        assert np.isnan(f(a)[0]).any()


def test_one_module_has_the_bits_of_each_size():
    def functions(n: Any) -> Any:
        m = Vec[n, Vec[n]]
        f = fn([m], tuple[Vec[n], m])(lambda a: tuple(linalg.eigh(a)))
        return {"f": f, "slope": rose.grad(fn([m], Real)(lambda a: rose.sum(rose.sin(linalg.eigvalsh(a)))))}

    every = rose.compile(functions(rose.dim("n")), dynamic=True)
    assert every.f(np.zeros((0, 0)))[0].tolist() == []
    for n in (1, 4, 9):  # those of two and three rows are not reduced
        one, a = rose.compile(functions(n), simd=True), symmetric(n, n)
        assert [x.tobytes() for x in (*one.f(a), one.slope(a))] == [x.tobytes() for x in (*every.f(a), every.slope(a))]
