"""Singular values by the bidiagonal form: as exact as LAPACK's for all kinds of matrices, and of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matrices import matrix, random

import rose
from rose import Real, Vec, fn, linalg

SHAPES = [(2, 2), (5, 3), (7, 7), (17, 12)]


def orthonormal(m: int, n: int) -> Any:
    return np.linalg.qr(random(m, m, n))[0]


def of_values(m: int, s: Any) -> Any:
    return orthonormal(m, len(s)) * s @ orthonormal(len(s), len(s)).T


KINDS: dict[str, Callable[[int, int], Any]] = {
    "random": lambda m, n: random(m, m, n),
    "graded": lambda m, n: of_values(m, np.logspace(0, -20, n)),
    "graded from the left": lambda m, n: random(m, m, n) * np.logspace(0, -12, n),
    "graded from the right": lambda m, n: random(m, m, n) * np.logspace(-12, 0, n),
    "repeated, with zeros": lambda m, n: of_values(m, np.arange(n) % 3.0),
    "of rank 1": lambda m, n: np.outer(orthonormal(m, n)[:, 0], orthonormal(n, n)[0]),
    "with columns of zeros": lambda m, n: random(m, m, n) * (np.arange(n) % 3 > 0),
    "nilpotent": lambda m, n: np.eye(m, n, k=1),
    "bidiagonal, with zeros": lambda m, n: np.eye(m, n, k=1) + np.eye(m, n) * (np.arange(n) % 4 != 2),
    "near the identity": lambda m, n: np.eye(m, n) + 1e-200 * random(m, m, n),
    "of whole numbers": lambda m, n: random(m, m, n).round(),
    "of zeros": lambda m, n: np.zeros((m, n)),
    "large": lambda m, n: 1e300 * random(m, m, n),
    "small": lambda m, n: 1e-300 * random(m, m, n),
}


def reduced(m: Any, n: Any) -> Any:
    types = tuple[Vec[m, Vec[n]], Vec[n], Vec[n, Vec[n]]]
    return fn([Vec[m, Vec[n]]], types)(lambda a: tuple(linalg.svd(a, full_matrices=False)))


@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_as_exact_as_lapack(m: int, n: int):
    f = rose.compile(reduced(m, n))
    for kind, of in KINDS.items():
        a = of(m, n)
        u, s, vh = f(a)
        wanted = np.linalg.svd(a, compute_uv=False)
        size = wanted.max() or 1.0
        assert np.abs(s - wanted).max() <= 1e-14 * size, kind
        assert np.abs(u * (s / size) @ vh - a / size).max() <= 1e-14, kind
        assert np.abs(u.T @ u - np.eye(n)).max() <= 1e-14, kind
        assert np.abs(vh @ vh.T - np.eye(n)).max() <= 1e-14, kind


def test_few_steps_are_enough_for_what_is_singular_and_repeated():
    f, rng = rose.compile(reduced(12, 12)), np.random.default_rng(0)
    for _ in range(200):
        q, r = np.linalg.qr(rng.normal(size=(12, 12)))
        wanted = -np.sort(-rng.integers(0, 3, size=12).astype(float))
        assert np.abs(f(q * wanted @ np.linalg.qr(r.T)[0])[1] - wanted).max() <= 1e-14


def test_infinities_and_nan_end():
    a, f = np.eye(7), rose.compile(reduced(7, 7))
    for x in (np.inf, np.nan):
        a[2, 4] = x
        assert np.isnan(f(a)[1]).any()


def test_one_module_has_the_bits_of_each_size():
    def functions(n: Any) -> Any:
        slope = rose.grad(fn([Vec[n, Vec[n]]], Real)(lambda a: rose.sum(rose.sin(linalg.svdvals(a)))))
        return {"f": reduced(n, n), "slope": slope}

    every = rose.compile(functions(rose.dim("n")), dynamic=True)
    assert every.f(np.zeros((0, 0)))[1].tolist() == []
    for n in (1, 2, 9):
        one, a = rose.compile(functions(n), simd=True), random(n, n, n)
        assert [x.tobytes() for x in (*one.f(a), one.slope(a))] == [x.tobytes() for x in (*every.f(a), every.slope(a))]


def test_more_rows_than_columns_differentiated():
    m, n = 6, 4
    a, u, h = random(0, m, n), random(1, m, n), 1e-6
    f = fn([matrix(m, n)], Real)(lambda a: rose.sum(rose.sin(linalg.svd(a, full_matrices=False).U)))
    module = rose.compile({"f": f, "slope": rose.grad(f)})
    wanted = (module.f(a + h * u) - module.f(a - h * u)) / (2.0 * h)
    assert np.vdot(module.slope(a), u) == pytest.approx(wanted, rel=1e-6)
