"""Singular values, pseudo-inverses and least squares: values, derivatives of both modes, degenerate matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, differences, matrix, random

import rose
from rose import Real, Vec, fn, linalg

SHAPES = [(1, 1), (3, 2), (2, 3), (4, 4), (8, 8), (20, 12)]


def parts(m: int, n: int) -> Any:
    k = min(m, n)
    types = tuple[matrix(m, k), Vec[k], matrix(k, n)]
    return fn([matrix(m, n)], types)(lambda a: tuple(linalg.svd(a, full_matrices=False)))


@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_values_and_vectors(m: int, n: int):
    a = random(m, m, n)
    u, s, vh = parts(m, n)(a)
    close(s, np.linalg.svd(a, compute_uv=False), 1e-13)
    close(u * s @ vh, a, 1e-13)
    close(u.T @ u, np.eye(len(s)), 1e-13)
    close(vh @ vh.T, np.eye(len(s)), 1e-13)


@pytest.mark.parametrize("n", [20, 60])
def test_graded_matrices_and_many_rows(n: int):
    for a in (random(0, n, n), 1.0 / (1.0 + np.add.outer(np.arange(n), np.arange(n))), np.ones((n, n))):
        u, s, vh = parts(n, n)(a)
        close(s, np.linalg.svd(a, compute_uv=False), 1e-14)
        close(u * s @ vh, a, 1e-13)


@pytest.mark.parametrize("scale", [0.0, 1e-200, 1.0, 1e200])
def test_singular_matrices_have_orthonormal_vectors(scale: float):
    a = scale * np.outer([1.0, 2.0, 3.0], [1.0, 1.0, 0.0])
    u, s, vh = parts(3, 3)(a)
    assert s == pytest.approx(scale * np.sqrt([28.0, 0.0, 0.0]), rel=1e-14, abs=1e-15 * scale)
    close(u.T @ u, np.eye(3), 1e-14)
    close(vh @ vh.T, np.eye(3), 1e-14)


@pytest.mark.parametrize(("m", "n"), SHAPES[:4])
def test_derivatives_of_both_modes_to_second_order(m: int, n: int):
    weights = np.random.default_rng(0).normal(size=(m, min(m, n)))

    def body(a: Any) -> Any:
        u, s, vh = linalg.svd(a, full_matrices=False)
        return rose.sum(rose.sin(s)) + rose.sum(weights * u * u * s) + rose.sum(vh * vh * vh * vh)

    derivatives_hold(body, random(m + n, m, n))


def all_parts(m: int, n: int) -> Any:
    types = tuple[matrix(m, m), Vec[min(m, n)], matrix(n, n)]
    return fn([matrix(m, n)], types)(lambda a: tuple(linalg.svd(a)))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 2), (2, 3), (3, 3), (2, 0), (0, 2), (0, 0)])
def test_all_singular_vectors(m: int, n: int):
    a = random(m, m, n)
    u, s, vh = all_parts(m, n)(a)
    close(u[:, : len(s)] * s @ vh[: len(s)], a, 1e-13)
    close(u.T @ u, np.eye(m), 1e-13)
    close(vh @ vh.T, np.eye(n), 1e-13)


def test_all_singular_vectors_of_matrices_of_zeros_and_of_batches():
    for u in (all_parts(3, 2)(np.zeros((3, 2)))[0], all_parts(3, 2)([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])[0]):
        close(u.T @ u, np.eye(3), 1e-14)
    a = random(0, 2, 4, 3)
    u = fn([matrix(2, 4, 3)], matrix(2, 4, 4))(lambda a: np.linalg.svd(a).U)(a)
    close(u @ u.swapaxes(1, 2), np.broadcast_to(np.eye(4), (2, 4, 4)), 1e-13)


@pytest.mark.parametrize(("m", "n"), [(3, 2), (1, 3)])
def test_derivatives_of_all_singular_vectors(m: int, n: int):
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.svd(a).U)) + linalg.svd(a).Vh[-1, 0], random(m + n, m, n))


@pytest.mark.parametrize(("m", "n"), SHAPES[1:4])
def test_derivatives_of_pseudo_inverses(m: int, n: int):
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.pinv(a))), random(m + n, m, n))


def test_a_pseudo_inverse_has_derivatives_among_matrices_of_its_rank():
    u, v = np.array([1.0, 2.0, 3.0]), np.array([2.0, -1.0, 0.5])
    of_rank_one = fn([Vec[3]], Real)(lambda u: rose.sum(rose.sin(linalg.pinv(rose.outer(u, v), rcond=1e-10))))
    close(rose.grad(of_rank_one)(u), differences(of_rank_one, u))
    close(fn([matrix(3, 3)], matrix(3, 3))(linalg.pinv)(np.outer(u, v)), np.linalg.pinv(np.outer(u, v)), 1e-14)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (4, 6), (5, 3)])
def test_derivatives_of_pseudo_inverses_that_leave_out_singular_values(m: int, n: int):
    a = random(m, m, n)
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.pinv(a, 0.4))), a)
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.lstsq(a, np.arange(m + 0.0), 0.4).x)), a, orders=1)


@pytest.mark.parametrize("s", [[2.0, 2.0, 0.5, 0.5], [2.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.3, 0.0]])
def test_equal_singular_values_that_are_kept_or_left_out_are_of_no_concern(s: list[float]):
    q, r = [np.linalg.qr(random(k, 4, 4))[0] for k in (1, 2)]
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.pinv(a, 0.4) @ np.arange(4.0))), q * s @ r)


def test_a_share_that_is_a_parameter_has_no_derivative_and_that_of_the_matrix_is_the_same():
    a = random(0, 4, 3)
    f = fn([matrix(4, 3), Real], Real)(lambda a, share: rose.sum(linalg.pinv(a, share)))
    g = fn([matrix(4, 3)], Real)(lambda a: rose.sum(linalg.pinv(a, 0.4)))
    of_matrix, of_share = rose.grad(f, argnums=(0, 1))(a, 0.4)
    assert np.array_equal(of_matrix, rose.grad(g)(a)) and of_share == 0.0


def test_pseudo_inverses_that_leave_out_singular_values_of_batches_and_any_size():
    batch = random(0, 2, 4, 3)
    f = fn([matrix(2, 4, 3)], Real)(lambda a: rose.sum(rose.sin(linalg.pinv(a, 0.4))))
    close(rose.grad(f)(batch), differences(f, batch))
    n = rose.dim("n")
    g = fn([Vec[n, Vec[n]]], Real)(lambda a: rose.sum(rose.sin(linalg.pinv(a, 0.4))))
    for size in (0, 1, 4):
        a = random(1, size, size)
        of_size = fn([matrix(size, size)], Real)(lambda a: rose.sum(rose.sin(linalg.pinv(a, 0.4))))
        assert np.array_equal(rose.grad(g)(a), rose.grad(of_size)(a))


def test_derivatives_of_complex_pseudo_inverses_that_leave_out_singular_values():
    a, w = [random(k, 5, 4) + 1j * random(k + 1, 5, 4) for k in (0, 2)]
    f = fn([Vec[5, 4, rose.Complex]], Real)(lambda x: np.sum(np.abs(linalg.pinv(x, 0.5) - w.T) ** 2))
    g = fn([Vec[5, 4, rose.Complex]], Real)(lambda x: np.sum(np.abs(rose.grad(f)(x)) ** 2))
    d, h = random(7, 5, 4) + 1j * random(8, 5, 4), 1e-6
    for value in (f, g):
        at = rose.compile(value)
        slope = (at(a + h * d) - at(a - h * d)) / (2 * h)
        assert np.sum(rose.compile(rose.grad(value))(a) * d).real == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("m", "n"), [(3, 3), (5, 2), (2, 4)])
def test_least_squares_are_numpys(m: int, n: int):
    a, b = random(m, m, n), random(n, m, 2)
    types = tuple[matrix(n, 2), Vec[2], Real, Vec[min(m, n)]]
    x, residuals, rank, s = fn([matrix(m, n), matrix(m, 2)], types)(lambda a, b: tuple(linalg.lstsq(a, b)))(a, b)
    wanted = np.linalg.lstsq(a, b)
    close(x, wanted[0], 1e-12)
    close(residuals, ((a @ x - b) ** 2).sum(axis=0), 1e-12)
    assert rank == wanted[2]
    close(s, wanted[3], 1e-13)


def test_derivatives_of_least_squares_and_condition_numbers():
    b = np.arange(4.0)
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.lstsq(a, b).x)) + linalg.lstsq(a, b).residuals, random(0, 4, 2))
    derivatives_hold(linalg.cond, random(1, 3, 3))


def test_nuclear_norms_have_gradients_at_equal_singular_values():
    f = fn([matrix(3, 3)], Real)(lambda a: rose.sum(linalg.svdvals(a)))
    close(rose.grad(f)(2.0 * np.eye(3)), np.eye(3), 1e-14)


def test_batches_and_any_size():
    a = random(0, 2, 4, 3)
    close(fn([matrix(2, 4, 3)], matrix(2, 3, 4))(linalg.pinv)(a), np.linalg.pinv(a), 1e-13)
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]]], Vec[n])(linalg.svdvals)
    for size in (0, 1, 5):
        close(f(random(0, size, size)), np.linalg.svd(random(0, size, size), compute_uv=False), 1e-13)


def test_at_singular_values_of_0_the_slope_is_that_of_a_choice_of_vectors():
    for of in (lambda a: rose.linalg.norm(a, "nuc"), lambda a: rose.sum(rose.linalg.svdvals(a))):
        slope = rose.grad(fn([Vec[3, 3]], Real)(of))
        for a in (np.diag([3.0, 2.0, 0.0]), np.zeros((3, 3))):
            np.testing.assert_allclose(slope(a) @ slope(a).T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
@pytest.mark.parametrize("side", ["right", "left"])
def test_a_polar_decomposition_is_scipys(shape: Any, side: str):
    x = np.random.default_rng(3).normal(size=shape)
    parts = [scipy.linalg.polar(m, side) for m in x.reshape(-1, *shape[-2:])]
    wants = [np.stack(p).reshape(*shape[:-2], *p[0].shape) for p in zip(*parts, strict=True)]
    for k, want in enumerate(wants):
        f = fn([Vec[shape]], Vec[want.shape])(lambda x, k=k: rose.linalg.polar(x, side)[k])
        np.testing.assert_allclose(f(x), want, atol=1e-12)


HALVES = [lambda a: np.linalg.svd(a, compute_uv=False), lambda a: np.linalg.svd(a, hermitian=True)[1],
          lambda a: np.linalg.pinv(a, hermitian=True), lambda a: np.linalg.pinv(a, rtol=0.3),
          lambda a: np.linalg.pinv(a, rtol=None), lambda a: np.linalg.eigvalsh(a, "U"),
          lambda a: np.linalg.eigh(a, UPLO="l")[0],
          lambda a: np.linalg.cholesky(a @ a.T + np.eye(3), upper=True), lambda a: np.linalg.lstsq(a[:2], a[:2, 0])[1],
          lambda a: np.linalg.lstsq(a[:, :2], a[:, 2])[1]]  # fmt: skip


@pytest.mark.parametrize("k", range(len(HALVES)))
def test_arguments_of_numpys_say_which_half_and_what_is_computed(k: int):
    of, a = HALVES[k], np.random.default_rng(4).normal(size=(3, 3))
    want = of(a)
    np.testing.assert_allclose(fn([Vec[3, 3]], Vec[want.shape])(lambda a: of(a))(a), want, atol=1e-12)
