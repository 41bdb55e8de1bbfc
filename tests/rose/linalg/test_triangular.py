"""Triangular equations of all eight kinds, and the Cholesky pair."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, matrix, positive, random

import rose
from rose import fn, linalg


@pytest.mark.parametrize(("trans", "lower", "unit"), [*product((False, True), repeat=3)])
def test_all_kinds(trans: bool, lower: bool, unit: bool):
    named: Any = {"trans": trans, "lower": lower, "unit_diagonal": unit}
    a, b = random(0, 4, 4), random(1, 4, 2)
    f = fn([matrix(4, 4), matrix(4, 2)], matrix(4, 2))(lambda a, b: linalg.solve_triangular(a, b, **named))
    close(f(a, b), scipy.linalg.solve_triangular(a, b, **named), 1e-13)
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.solve_triangular(a, b, **named))), a)
    derivatives_hold(lambda b: rose.sum(rose.sin(linalg.solve_triangular(a, b, **named))), b, orders=1)


@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
def test_scipys_values_of_trans(trans: Any):
    a, b = random(0, 3, 3), random(1, 3, 2)
    types: Any = [matrix(3, 3), matrix(3, 2)]
    wanted = scipy.linalg.solve_triangular(a, b, trans=trans)
    close(fn(types, matrix(3, 2))(lambda a, b: linalg.solve_triangular(a, b, trans))(a, b), wanted, 1e-13)
    close(fn(types, matrix(3, 2))(lambda a, b: linalg.linsolve(a, b, trans, "u"))(a, b), wanted, 1e-13)
    whole = np.linalg.solve(a if trans in (0, "N") else a.T, b)
    close(fn(types, matrix(3, 2))(lambda a, b: linalg.linsolve(a, b, trans=trans))(a, b), whole, 1e-12)


@pytest.mark.parametrize("lower", [False, True])
def test_equations_with_a_factor_that_is_there(lower: bool):
    a, b = positive(0, 4), random(1, 4, 2)
    factor = np.linalg.cholesky(a) if lower else np.linalg.cholesky(a).T
    f = fn([matrix(4, 4), matrix(4, 2)], matrix(4, 2))(lambda c, b: linalg.cho_solve((c, lower), b))
    close(f(factor, b), np.linalg.solve(a, b), 1e-12)
