"""Eigenvalues of symmetric matrices: values, derivatives of both modes, equal eigenvalues, sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, differences, matrix, random, symmetric

import rose
from rose import Real, Vec, fn, linalg

SIZES = [1, 2, 3, 4, 5, 8, 30]


def parts(n: int) -> Any:
    return fn([matrix(n, n)], tuple[Vec[n], matrix(n, n)])(lambda a: tuple(linalg.eigh(a)))


@pytest.mark.parametrize("n", SIZES)
def test_values_and_vectors(n: int):
    a = symmetric(n, n)
    w, v = parts(n)(a)
    close(w, np.linalg.eigvalsh(a), 1e-14 * n)
    close(a @ v, v * w, 1e-14 * n)
    close(v.T @ v, np.eye(n), 1e-14 * n)


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_matrices_of_all_magnitudes(scale: float):
    a = symmetric(0, 4)
    assert parts(4)(a * scale)[0] == pytest.approx(np.linalg.eigvalsh(a) * scale, rel=1e-13)


@pytest.mark.parametrize(
    "a", [np.zeros((3, 3)), np.eye(3), np.diag([2.0, -1.0, 2.0]), np.ones((4, 4)), np.full((2, 2), np.nan)]
)
def test_equal_eigenvalues_zeros_and_nan(a: Any):
    w, v = parts(len(a))(a)
    if np.isnan(a).any():
        assert np.isnan(w).all()
    else:
        close(w, np.linalg.eigvalsh(a), 1e-14)
        close(a @ v, v * w, 1e-14)


@pytest.mark.parametrize("n", [40, 100])
def test_graded_matrices_and_many_rows(n: int):
    hilbert = 1.0 / (1.0 + np.add.outer(np.arange(n), np.arange(n)))
    for a in (symmetric(0, n), hilbert, np.ones((n, n)), np.diag(np.arange(1.0 * n))):
        w, v = parts(n)(a)
        scale = np.abs(a).sum(axis=0).max()
        assert np.abs(a @ v - v * w).max() < 1e-14 * scale
        assert np.abs(w - np.linalg.eigvalsh(a)).max() < 1e-14 * scale


def test_only_the_lower_half_is_read():
    a = symmetric(3, 4)
    assert np.array_equal(fn([matrix(4, 4)], Vec[4])(linalg.eigvalsh)(np.tril(a)), parts(4)(a)[0])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_derivatives_of_both_modes_to_second_order(n: int):
    def body(a: Any) -> Any:
        w, v = linalg.eigh(a)
        return rose.sum(rose.sin(w)) + rose.sum(v[0] * v[0] * w * w * w)

    derivatives_hold(body, symmetric(n, n))


def test_what_does_not_depend_on_the_choice_of_vectors_has_its_derivative_at_equal_eigenvalues():
    trace = fn([matrix(3, 3)], Real)(lambda a: rose.sum(linalg.eigvalsh(a) * linalg.eigvalsh(a)))
    assert np.array_equal(rose.grad(trace)(2.0 * np.eye(3)), 4.0 * np.eye(3))
    a = np.diag([2.0, 2.0, 5.0])
    close(rose.grad(trace)(a), differences(trace, a))


def test_batches_dynamic_sizes_and_none():
    a = random(0, 2, 3, 3) @ random(1, 2, 3, 3)
    a = a + a.swapaxes(1, 2)
    close(fn([matrix(2, 3, 3)], matrix(2, 3))(linalg.eigvalsh)(a), np.linalg.eigvalsh(a), 1e-13)
    n = rose.dim("n")
    module = rose.compile(fn([Vec[n, Vec[n]]], Vec[n])(linalg.eigvalsh), dynamic=True)
    for size in (1, 4):
        close(module(symmetric(0, size)), np.linalg.eigvalsh(symmetric(0, size)), 1e-13)
    assert fn([matrix(0, 0)], Vec[0])(linalg.eigvalsh)([]).tolist() == []
