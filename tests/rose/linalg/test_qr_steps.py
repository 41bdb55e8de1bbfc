"""Schur's form, of real and of complex matrices, on which iterations may stand still; it has no derivative."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from matrices import close, matrix, random

import rose
from rose import Complex, NotDifferentiable, OutOfRange, Real, Vec, fn, linalg

rng = np.random.default_rng(0)
MATRICES: dict[str, Any] = {
    **{f"random, {n} rows": rng.normal(size=(n, n)) for n in (1, 2, 3, 5, 10, 40)},
    "a cycle": np.roll(np.eye(6), 1, 0),
    "zero": np.zeros((3, 3)),
    "a triangle": np.triu(rng.normal(size=(4, 4))),
    "one vector alone": 2.0 * np.eye(6) + np.eye(6, k=-1),
    "skew": (x := rng.normal(size=(7, 7))) - x.T,
    "large numbers": 1e200 * rng.normal(size=(3, 3)),
    "small numbers": 1e-200 * rng.normal(size=(4, 4)),
    "complex": rng.normal(size=(6, 6)) + 1j * rng.normal(size=(6, 6)),
    "Hermitian": np.array([[2.0, 1j, 0.0], [-1j, 3.0, 1.0], [0.0, 1.0, 0.5]]),
}


@cache
def module(leaf: Any, result: Any, output: str) -> Any:
    """The module of the form, for any size."""
    n = rose.dim("n")
    both = tuple[Vec[n, n, result], Vec[n, n, result]]
    return rose.compile(fn([Vec[n, n, leaf]], both)(lambda a: tuple(linalg.schur(a, output))), dynamic=True)


@pytest.mark.parametrize("output", ["real", "complex"])
@pytest.mark.parametrize("name", MATRICES)
def test_it_is_a_triangle_between_unitary_matrices(name: str, output: str):
    a = MATRICES[name]
    leaf, n, size = Complex if np.iscomplexobj(a) else Real, len(a), np.abs(a).max(initial=1e-300)
    result = Complex if output == "complex" else leaf
    t, z = module(leaf, result, output)(a)
    close(z @ (t / size) @ z.conj().T, a / size, 1e-14 * (3 + n))
    close(z @ z.conj().T, np.eye(n), 1e-14 * (3 + n))
    if result is Complex:
        assert not np.tril(t, -1).any()
    else:
        below, k = np.diag(t, -1), np.flatnonzero(np.diag(t, -1))
        assert not np.tril(t, -2).any()
        assert not ((below[1:] != 0.0) & (below[:-1] != 0.0)).any()
        assert (t[k, k] == t[k + 1, k + 1]).all()
        assert (np.sign(t[k, k + 1]) == -np.sign(t[k + 1, k])).all()


def test_there_is_no_derivative_but_of_what_does_not_move():
    f = fn([matrix(3, 3)], Real)(lambda a: linalg.schur(a).T[0, 1])
    with pytest.raises(NotDifferentiable, match=r"rose.linalg.schur has no derivative: what is above"):
        rose.grad(f)(np.eye(3))
    g = fn([matrix(3, 3), Real], Real)(lambda a, x: linalg.schur(a).T[0, 1] * x)
    a = random(0, 3, 3)
    assert rose.grad(g, 1)(a, 2.0) == f(a)


def test_an_output_that_is_none_is_an_error():
    with pytest.raises(OutOfRange, match=r"rose.linalg.schur has no output 'both'"):
        _ = fn([matrix(2, 2)], matrix(2, 2))(lambda a: linalg.schur(a, "both").T).func


def test_sizes_are_any_and_bits_those_of_the_interpreter():
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]]], Vec[n, Vec[n]])(lambda a: linalg.schur(a).T)
    module = rose.compile(f, dynamic=True)
    for size in (0, 1, 5):
        a = random(3, size, size)
        with rose.eager():
            assert np.array_equal(np.reshape(f(a), (size, size)), module(a))
