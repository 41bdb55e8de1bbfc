"""Eigenvalues and eigenvectors of any matrices: what they solve, NumPy's values, derivatives, what stands still."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random
from scipy.optimize import linear_sum_assignment

import rose
from rose import Complex, Real, Vec, fn, linalg


@cache
def module(leaf: Any) -> Any:
    """The module of the eigenvalues and eigenvectors, for any size."""
    n = rose.dim("n")
    f = fn([Vec[n, n, leaf]], tuple[Vec[n, Complex], Vec[n, n, Complex]])(lambda a: tuple(np.linalg.eig(a)))
    return rose.compile(f, dynamic=True)


def decomposed(a: Any) -> Any:
    return module(Complex if np.iscomplexobj(a) else Real)(a)


rng = np.random.default_rng(0)
MATRICES: dict[str, Any] = {
    **{f"random, {n} rows": rng.normal(size=(n, n)) for n in (1, 2, 3, 5, 10, 20, 64)},
    "a cycle of three, which a double shift does not move": np.roll(np.eye(3), 1, 0),
    "a cycle of six": np.roll(np.eye(6), 1, 0),
    "a rotation": np.array([[0.0, 1.0], [-1.0, 0.0]]),
    "zero": np.zeros((3, 3)),
    "a diagonal": np.diag([3.0, 1.0, 2.0]),
    "the identity": np.eye(5),
    "upper triangular": np.triu(rng.normal(size=(4, 4))),
    "lower triangular": np.tril(rng.normal(size=(4, 4))),
    "symmetric": (x := rng.normal(size=(5, 5))) + x.T,
    "orthogonal": np.linalg.qr(rng.normal(size=(8, 8)))[0],
    "one vector alone": 2.0 * np.eye(6) + np.eye(6, k=1),
    "nilpotent": np.eye(7, k=-1),
    "two equal blocks": np.kron(np.eye(2), rng.normal(size=(3, 3))),
    "of rank one": np.ones((9, 9)),
    "large numbers": 1e200 * rng.normal(size=(3, 3)),
    "small numbers": 1e-200 * rng.normal(size=(3, 3)),
    "graded": rng.normal(size=(4, 4)) * 10.0 ** np.array([6, 3, 0, -3]),
    "a companion": np.vstack([[10.0, -35.0, 50.0, -24.0], np.eye(3, 4)]),
    "a companion of Wilkinson's": np.vstack([-np.poly(np.arange(1, 13))[1:], np.eye(11, 12)]),
}


def test_singular_matrices_with_many_zeros():
    """Their eigenvalues meet: rounding makes pairs real, and the numbers of the diagonal are rounding."""
    draw = np.random.default_rng(4)
    for k in range(4000):
        n = 3 + k % 9
        a = draw.integers(-1, 2, size=(n, n)) * 1.0 if k % 2 else draw.normal(size=(n, n)) * (draw.random((n, n)) < 0.2)
        w, v = decomposed(a)
        assert np.abs(a @ v - v * w).max() < 1e-13 * (3 + n)


@pytest.mark.parametrize("imaginary", [None, 0.0, 1.0])
@pytest.mark.parametrize("name", MATRICES)
def test_vectors_are_eigenvectors_and_values_those_of_numpy(name: str, imaginary: float | None):
    a = MATRICES[name]
    if imaginary is not None:
        a = a + 1j * imaginary * np.rot90(a)
    w, v = decomposed(a)
    size = np.abs(a).max(initial=1e-300)
    close(a / size @ v, v * (w / size), 1e-14 * (3 + len(a)))
    close(np.linalg.norm(v, axis=0), np.ones(len(a)), 1e-15)
    top = np.take_along_axis(v, np.abs(v).argmax(0)[None], 0)[0]
    assert np.abs(np.angle(top)).max() < np.pi / 2 or name in ("a rotation", "a cycle of six")
    apart = np.abs(w[:, None] - np.linalg.eigvals(a)) / size
    assert apart[linear_sum_assignment(apart)].max() < 1e-12


def test_real_eigenvalues_have_real_vectors_and_pairs_are_conjugate():
    w, v = decomposed(MATRICES["random, 10 rows"])
    assert np.count_nonzero(w.imag) == np.count_nonzero(np.linalg.eigvals(MATRICES["random, 10 rows"]).imag)
    assert not v[:, w.imag == 0.0].imag.any()
    first = np.flatnonzero(w.imag > 0.0)
    assert np.array_equal(w[first].conj(), w[first + 1])
    assert np.array_equal(v[:, first].conj(), v[:, first + 1])


SUMS: dict[str, Any] = {
    "of values": lambda w, v: np.sum(np.sin(w.real) + np.cos(w.imag)),
    "of vectors": lambda w, v: np.sum(np.abs(w + 2.0) * (np.cos(v.real) + np.sin(v.imag))),
}
AT: dict[str, Any] = {
    "one row": np.array([[0.7]]),
    "real values": np.array([[4.0, 1.0, 0.5], [0.3, 2.0, -0.4], [0.2, 0.1, -1.0]]),
    "a pair": np.array([[0.3, 1.0], [-2.0, 0.5]]),
    "both": random(3, 4, 4),
    "a triangle": np.array([[1.0, 2.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 4.0]]),
}


@pytest.mark.parametrize("name", AT)
@pytest.mark.parametrize("of", SUMS)
def test_derivatives_of_both_modes_to_second_order(of: str, name: str):
    derivatives_hold(lambda a: SUMS[of](*np.linalg.eig(a)), AT[name])


@pytest.mark.parametrize("of", SUMS)
def test_derivatives_of_complex_matrices(of: str):
    f, small = [fn([Vec[n, n, Complex]], Real)(lambda a: SUMS[of](*linalg.eig(a))) for n in (3, 2)]
    for g in (f, fn([Vec[2, 2, Complex]], Vec[2, 2, Complex])(rose.grad(small))):
        report = rose.testing.examine(g, points=1)
        assert report.ok, report


def test_the_sum_of_squares_is_a_trace():
    a = random(5, 6, 6)
    f = fn([matrix(6, 6)], Real)(lambda a: np.sum(np.linalg.eigvals(a) ** 2).real)
    assert f(a) == pytest.approx(np.trace(a @ a), rel=1e-13)
    close(rose.grad(f)(a), 2.0 * a.T, 1e-11)


def test_what_is_there_twice_has_no_derivative():
    f = fn([matrix(3, 3)], Vec[3])(lambda a: linalg.eigvals(a).real)
    assert np.isnan(rose.grad(fn([matrix(3, 3)], Real)(lambda a: np.sum(f(a) ** 2)))(np.eye(3))).all()
    slopes = rose.jacrev(f)(np.diag([1.0, 1.0, 2.0]))
    assert np.isnan(slopes[:2]).all()
    close(slopes[2], np.diag([0.0, 0.0, 1.0]))


def test_interpreter_and_modules_have_the_same_bits():
    for leaf in (Real, Complex):
        f = fn([Vec[4, 4, leaf]], tuple[Vec[4, Complex], Vec[4, 4, Complex]])(lambda a: tuple(linalg.eig(a)))
        a = random(2, 4, 4) + (1j * random(7, 4, 4) if leaf is Complex else 0.0)
        with rose.eager():
            wanted = [np.asarray(x).tobytes() for x in f(a)]
        for module in (rose.compile(f), rose.compile(f, simd=True)):
            assert [np.asarray(x).tobytes() for x in module(a)] == wanted


def test_nan_gives_nan_and_sizes_are_any():
    assert np.isnan(decomposed(np.array([[np.nan, 1.0], [2.0, 3.0]]))[0]).all()
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]]], Vec[n])(lambda a: linalg.eigvals(a).real)
    module = rose.compile(f, rose.grad(fn([Vec[n, Vec[n]]], Real)(lambda a: rose.sum(f(a) ** 3))), dynamic=True)
    for size in (0, 1, 4):
        a = np.diag(np.arange(1.0, size + 1)) + np.diag(np.ones(max(size - 1, 0)), 1)[:size, :size]
        close(np.sort(module(a)), np.arange(1.0, size + 1), 1e-12)


def test_single_precision():
    parts = fn([matrix(6, 6)], tuple[Vec[6, Complex], Vec[6, 6, Complex]])(lambda a: tuple(np.linalg.eig(a)))
    of = rose.compile(parts, dtype="f32")
    sizes = fn([matrix(6, 6)], Real)(lambda a: np.sum(np.abs(np.linalg.eigvals(a))))
    slope = rose.compile(rose.grad(sizes), dtype="f32")
    b = np.random.default_rng(1).normal(size=(6, 6)).astype(np.float32)
    for a in (b, 1e-12 * b, 1e12 * b, np.roll(np.eye(6, dtype=np.float32), 1, 0), np.eye(6, k=1, dtype=np.float32)):
        w, v = of(a.astype(np.float32))
        assert abs(a @ v - v * w).max() < 1e-5 * abs(a).max()
        assert np.linalg.norm(v, axis=0) == pytest.approx(1.0, rel=1e-5)
    np.testing.assert_allclose(slope(b), rose.grad(sizes)(b), atol=1e-4)


def test_batches():
    a = random(0, 2, 3, 3)
    f = fn([matrix(2, 3, 3)], Vec[2, 3, Complex])(lambda a: linalg.eigvals(a))
    close(np.sort_complex(f(a)), np.sort_complex(np.linalg.eigvals(a)), 1e-13)
    g = fn([matrix(2, 3, 3)], Vec[2, 3, Complex])(rose.vmap(lambda a: linalg.eigvals(a)))
    assert np.array_equal(f(a), g(a))
