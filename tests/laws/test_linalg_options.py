"""Linear algebra under each option that changes what is computed: derivatives are those of what was asked for.

An option of a function with a derivative rule may leave the rule behind: a value is then right, and its derivative not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matrices import close, differences, matrix, random

import rose
from rose import Real, fn, linalg

OPTIONS: dict[str, Callable[[Any], Any]] = {
    "pinv rcond": lambda a: linalg.pinv(a, 0.5),
    "pinv rtol": lambda a: linalg.pinv(a, rtol=0.5),
    "pinv hermitian": lambda a: linalg.pinv(a, hermitian=True),
    "pinv hermitian rcond": lambda a: linalg.pinv(a, 0.5, hermitian=True),
    "lstsq rcond": lambda a: linalg.lstsq(a, a[0], 0.5).x,
    "lstsq residuals": lambda a: linalg.lstsq(a, a[0], 0.5).residuals * a,
    "eigh U": lambda a: linalg.eigh(a, UPLO="U").eigenvectors ** 2,
    "eigvalsh U": lambda a: linalg.eigvalsh(a, UPLO="U") * a,
    "cholesky upper": lambda a: linalg.cholesky(a @ a.T, upper=True),
    "svd hermitian": lambda a: linalg.svd(a, hermitian=True).U ** 2,
    "svd reduced": lambda a: linalg.svd(a[:2], full_matrices=False).Vh[0] ** 2 * a,
    "qr r": lambda a: linalg.qr(a, mode="r") ** 2,
    "qr complete": lambda a: linalg.qr(a[:, :2], mode="complete").Q ** 2,
    "norm 2": lambda a: linalg.norm(a, 2) * a,
    "norm -2": lambda a: linalg.norm(a, -2) * a,
    "norm nuc": lambda a: linalg.norm(a, "nuc") * a,
    "norm 1": lambda a: linalg.norm(a, 1) * a,
    "norm inf of rows": lambda a: linalg.norm(a, np.inf, axis=1) * a,
    "cond 1": lambda a: linalg.cond(a + 4.0 * np.eye(4), 1) * a,
    "cond -2": lambda a: linalg.cond(a + 4.0 * np.eye(4), -2) * a,
    "cond fro": lambda a: linalg.cond(a + 4.0 * np.eye(4), "fro") * a,
    "solve_triangular lower": lambda a: linalg.solve_triangular(a, a, lower=True),
    "polar left": lambda a: linalg.polar(a, "left").P,
    "polyfit rcond": lambda a: np.polyfit(np.arange(4.0), a @ np.ones(4), 2, rcond=0.5)[0] * a,
    "polyfit of x rcond": lambda a: np.polyfit(a @ np.ones(4), np.arange(4.0), 2, rcond=0.5)[0] * a,
}


@pytest.mark.parametrize("name", OPTIONS)
def test_derivatives_are_those_of_what_an_option_asks_for(name: str):
    a = random(len(name), 4, 4)
    f = fn([matrix(4, 4)], Real)(lambda a: rose.sum(rose.sin(OPTIONS[name](a))))
    close(rose.grad(f)(a), differences(f, a))
    close(rose.jacfwd(f)(a), rose.grad(f)(a), 1e-10)
