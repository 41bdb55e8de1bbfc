"""Batches: leading axes, which are broadcast; functions of several results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, matrix, random

import rose
from rose import Real, Vec, fn, linalg
from rose.linalg import matrices


@pytest.mark.parametrize(
    ("left", "right"), [((2,), (2,)), ((2,), (1,)), ((1,), (3,)), ((2, 3), (3,)), ((), (2,)), ((0,), ())]
)
def test_leading_axes_are_broadcast(left: tuple[int, ...], right: tuple[int, ...]):
    a, b = random(0, *left, 3, 3), np.random.default_rng(1).normal(size=(*right, 3, 2))
    shape = np.broadcast_shapes(left, right)
    f = fn([matrix(*a.shape), matrix(*b.shape)], matrix(*shape, 3, 2))(linalg.solve)
    close(f(a, b), np.linalg.solve(a, b), 1e-12)


def test_a_matrix_of_entries():
    f = fn([Real], Vec[2, Vec[3]])(lambda x: matrices.filled(2, 3, lambda i, j: x * i + j))
    assert f(10.0).tolist() == [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 3), (3, 2), (0, 2)])
def test_an_identity_matrix_of_any_shape(m: int, n: int):
    f = fn([Real], matrix(m, n))(lambda x: x * matrices.identity(m, n))
    assert np.array_equal(f(2.0), 2.0 * np.eye(m, n))


def test_lists_and_arrays_of_numpys_are_matrices():
    assert fn([Real], Real)(lambda x: linalg.det([[x, 1.0], [2.0, x]]))(3.0) == 7.0
    assert fn([Real], Real)(lambda x: x * linalg.det(np.diag([1.0, 2.0])))(3.0) == 6.0
    assert rose.fn([Real], Real)(lambda x: linalg.solve(np.diag([1.0, 2.0]), [x, x])[1])(3.0) == 1.5


def total(x: Any) -> Any:
    return rose.sum(rose.sin(x))


BODIES: dict[str, Any] = {
    "solve": lambda a: total(linalg.solve(a, a[0])),
    "inv": lambda a: total(linalg.inv(a)),
    "det": lambda a: linalg.det(a),
    "logdet": lambda a: linalg.logdet(a @ a.T),
    "cholesky": lambda a: total(linalg.cholesky(a @ a.T)),
    "solve_triangular": lambda a: total(linalg.solve_triangular(a, a[0])),
    "solve_banded": lambda a: total(linalg.solve_banded((1, 1), a[:3], a[0])),
    "solve_toeplitz": lambda a: total(linalg.solve_toeplitz((a[0], a[1]), a[2])),
    "qr": lambda a: total(linalg.qr(a).Q) + total(linalg.qr(a).R),
    "eigh": lambda a: total(linalg.eigh(a).eigenvalues),
    "svd": lambda a: total(linalg.svdvals(a)),
    "pinv": lambda a: total(linalg.pinv(a[:3])),
    "expm": lambda a: total(linalg.expm(0.3 * a)),
    "sqrtm": lambda a: total(linalg.sqrtm(a @ a.T)),
    "solve_sylvester": lambda a: total(linalg.solve_sylvester(a @ a.T, a.T @ a, a)),
}


@pytest.mark.parametrize("name", BODIES)
def test_lanes_have_the_same_bits_and_single_precision_its_digits(name: str):
    f, a = fn([matrix(5, 5)], Real)(BODIES[name]), random(3, 5, 5)
    a[0, 0] += 3.0
    both: Any = {"f": f, "g": rose.grad(f)}
    plain, lanes, single = rose.compile(both), rose.compile(both, simd=True), rose.compile(both, dtype="f32")
    assert lanes.f(a) == plain.f(a)
    assert np.array_equal(lanes.g(a), plain.g(a))
    close(single.f(a.astype(np.float32)), plain.f(a), 2e-4)
    close(single.g(a.astype(np.float32)), plain.g(a), 2e-3)
