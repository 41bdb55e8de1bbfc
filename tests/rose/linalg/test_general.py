"""Eigenvalues of any matrices: NumPy's values, exact zeros, matrices on which iterations stand still, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Real, Vec, fn, linalg


def values(a: Any) -> Any:
    """The eigenvalues as complex numbers, in order."""
    n = len(a)
    re, im = fn([matrix(n, n)], tuple[Vec[n], Vec[n]])(lambda a: tuple(linalg.eigvals(a)))(a)
    return re + 1j * im


def ordered(z: Any) -> Any:
    return sorted(z, key=lambda x: (round(x.real, 6), round(x.imag, 6)))


rng = np.random.default_rng(0)
MATRICES: dict[str, Any] = {
    **{f"random, {n} rows": rng.normal(size=(n, n)) for n in (1, 2, 3, 5, 10, 20)},
    "a cycle of three, which a double shift does not move": np.roll(np.eye(3), 1, 0),
    "a cycle of six": np.roll(np.eye(6), 1, 0),
    "a rotation": [[0.0, 1.0], [-1.0, 0.0]],
    "zero": np.zeros((3, 3)),
    "a diagonal": np.diag([3.0, 1.0, 2.0]),
    "upper triangular": np.triu(rng.normal(size=(4, 4))),
    "lower triangular": np.tril(rng.normal(size=(4, 4))),
    "symmetric": (x := rng.normal(size=(5, 5))) + x.T,
    "two equal blocks": np.kron(np.eye(2), rng.normal(size=(3, 3))),
    "large numbers": 1e200 * rng.normal(size=(3, 3)),
    "small numbers": 1e-200 * rng.normal(size=(3, 3)),
    "graded": rng.normal(size=(4, 4)) * 10.0 ** np.array([6, 3, 0, -3]),
    "a companion": np.vstack([[10.0, -35.0, 50.0, -24.0], np.eye(3, 4)]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_values_are_those_of_numpy(name: str):
    a = np.array(MATRICES[name])
    size = np.abs(a).max(initial=1e-300)
    got, wanted = ordered(values(a) / size), ordered(np.linalg.eigvals(a) / size)
    close(np.real(got), np.real(wanted), 1e-12)
    close(np.imag(got), np.imag(wanted), 1e-12)


def test_real_eigenvalues_have_no_imaginary_part_and_pairs_are_conjugate():
    z = values(MATRICES["random, 10 rows"])
    assert np.count_nonzero(z.imag) == np.count_nonzero(np.linalg.eigvals(MATRICES["random, 10 rows"]).imag)
    first = np.flatnonzero(z.imag > 0.0)
    assert np.array_equal(z[first].conj(), z[first + 1])


def test_a_block_that_is_defective_has_its_value_twice():
    assert values(np.array([[1.0, 1.0], [0.0, 1.0]])).tolist() == [1.0, 1.0]


BODIES: dict[str, Any] = {
    "real": (lambda e: rose.sum(rose.sin(e.re)), np.array([[4.0, 1.0, 0.5], [0.3, 2.0, -0.4], [0.2, 0.1, -1.0]])),
    "a pair": (lambda e: rose.sum(e.im * e.im * rose.cos(e.re)), np.array([[0.3, 1.0], [-2.0, 0.5]])),
    "both": (lambda e: rose.sum(rose.sin(e.re) + e.im**2), random(3, 4, 4)),
    "a triangle": (lambda e: rose.sum(e.re**3), np.array([[1.0, 2.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 4.0]])),
}


@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str):
    body, a = BODIES[name]
    derivatives_hold(lambda a: body(linalg.eigvals(a)), a)


def test_the_sum_and_the_squares_are_traces():
    a = random(5, 6, 6)
    f = fn([matrix(6, 6)], Real)(lambda a: rose.sum(linalg.eigvals(a).re ** 2 - linalg.eigvals(a).im ** 2))
    assert f(a) == pytest.approx(np.trace(a @ a), rel=1e-13)
    close(rose.grad(f)(a), 2.0 * a.T, 1e-11)


def test_what_is_there_twice_has_no_derivative():
    f = fn([matrix(3, 3)], Vec[3])(lambda a: linalg.eigvals(a).re)
    assert not np.isfinite(rose.jacfwd(f)(np.eye(3))).any()


def test_nan_gives_nan_and_sizes_are_any():
    assert np.isnan(values(np.array([[np.nan, 1.0], [2.0, 3.0]]))).all()
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]]], Vec[n])(lambda a: linalg.eigvals(a).re)
    module = rose.compile(f, rose.grad(fn([Vec[n, Vec[n]]], Real)(lambda a: rose.sum(f(a) ** 3))), dynamic=True)
    for size in (0, 1, 4):
        a = np.diag(np.arange(1.0, size + 1)) + np.diag(np.ones(max(size - 1, 0)), 1)[:size, :size]
        close(np.sort(module(a)), np.arange(1.0, size + 1), 1e-12)


def test_batches():
    a = random(0, 2, 3, 3)
    f = fn([matrix(2, 3, 3)], matrix(2, 3))(lambda a: linalg.eigvals(a).re)
    close(np.sort(f(a)), np.sort(np.linalg.eigvals(a).real), 1e-13)
