"""Factorisations of complex matrices, beside NumPy's and SciPy's, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import rose
from rose import Complex, Real, Vec, fn, linalg

_draw = np.random.default_rng(5)
SHAPES = ((1, 1), (2, 2), (4, 1), (3, 5), (9, 6), (40, 40))


def drawn(*shape: int) -> Any:
    return _draw.normal(size=shape) + 1j * _draw.normal(size=shape)


def of(*shape: int) -> Any:
    return Vec[(*shape, Complex)]


def near(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr_is_numpys(shape: tuple[int, int], mode: str):
    (m, n), a = shape, drawn(*shape)
    k = m if mode == "complete" else min(m, n)
    q, r = fn([of(m, n)], tuple[of(m, k), of(k, n)])(lambda a: tuple(np.linalg.qr(a, mode)))(a)
    wanted = np.linalg.qr(a, mode)
    near(q, wanted[0])
    near(r, wanted[1])
    l, q = fn([of(m, n)], tuple[of(m, min(m, n)), of(min(m, n), n)])(lambda a: tuple(linalg.lq(a)))(a)
    near(l @ q, a)
    near(q @ q.conj().T, np.eye(min(m, n)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("full", [False, True])
def test_singular_vectors_are_unitary(shape: tuple[int, int], full: bool):
    (m, n), a, k = shape, drawn(*shape), min(shape)
    rows, columns = (m, n) if full else (k, k)
    u, s, vh = fn([of(m, n)], tuple[of(m, rows), Vec[k], of(columns, n)])(lambda a: tuple(np.linalg.svd(a, full)))(a)
    near(s, np.linalg.svd(a)[1])
    near((u[:, :k] * s) @ vh[:k], a)
    near(u.conj().T @ u, np.eye(rows))
    near(vh @ vh.conj().T, np.eye(columns))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("leaf", [Real, Complex])
def test_lu_of_any_shape_is_scipys(shape: tuple[int, int], leaf: Any):
    (m, n), k = shape, min(shape)
    a = drawn(*shape) if leaf is Complex else drawn(*shape).real
    types = tuple[Vec[m, m], Vec[m, k, leaf], Vec[k, n, leaf]]
    for got, wanted in zip(
        fn([Vec[m, n, leaf]], types)(lambda a: tuple(linalg.lu(a)))(a), scipy.linalg.lu(a), strict=True
    ):
        near(got, wanted)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "pinv": lambda a, b: np.linalg.pinv(a) @ b,
    "lstsq": lambda a, b: np.linalg.lstsq(a, b)[0],
    "polar": lambda a, b: np.conj(np.transpose(linalg.polar(a)[0])) @ b,
    "rank": lambda a, b: np.linalg.matrix_rank(a) + 0j * b[0],
    **{f"norm {k}": lambda a, b, k=k: np.linalg.norm(a, k) + 0j * b[0] for k in (2, -2, "nuc", "fro", 1, np.inf)},
}
POLAR = lambda a, b: scipy.linalg.polar(a)[0].conj().T @ b


@pytest.mark.parametrize("shape", SHAPES[:-1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_made_of_singular_values_is_numpys(name: str, shape: tuple[int, int]):
    (m, n), a, b, f = shape, drawn(*shape), drawn(shape[0]), FUNCTIONS[name]
    wanted = (POLAR if name == "polar" else f)(a, b)
    near(
        fn([of(m, n), of(m)], of(*np.shape(wanted)) if np.shape(wanted) else Complex)(lambda a, b: f(a, b))(a, b),
        wanted,
    )


@pytest.mark.parametrize("p", [None, 2, -2, 1, "fro"])
def test_condition_numbers_are_numpys(p: Any):
    for n in (1, 3, 6):
        a = drawn(n, n)
        near(fn([of(n, n)], Real)(lambda a: np.linalg.cond(a, p))(a), np.linalg.cond(a, p))


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [1, 3, 8, 40])
def test_cholesky_reads_one_half(n: int, upper: bool):
    a, other = drawn(n, n), drawn(n, n)
    a = a @ a.conj().T + np.eye(n)
    given = np.triu(a) + np.tril(other, -1) if upper else np.tril(a) + np.triu(other, 1)
    f = fn([of(n, n)], of(n, n))(lambda a: np.linalg.cholesky(a, upper=upper))
    near(f(given + 1j * np.eye(n)), np.linalg.cholesky(a, upper=upper))
    assert np.isnan(f(-given).real).all()


@pytest.mark.parametrize("n", [2, 40])
def test_triangles(n: int):
    a, b = drawn(n, n) + 2 * n * np.eye(n), drawn(n).real
    for trans in (0, 1, 2, "C"):
        f = fn([of(n, n), Vec[n]], of(n))(lambda a, b, t=trans: linalg.solve_triangular(a, b, trans=t))
        near(f(a, b), scipy.linalg.solve_triangular(a, b, trans=trans))
    s = a @ a.conj().T
    for lower in (False, True):
        factor = scipy.linalg.cho_factor(s, lower=lower)
        g = fn([of(n, n), Vec[n]], of(n))(lambda c, b, lower=lower: linalg.cho_solve((c, lower), b))
        near(g(factor[0], b), scipy.linalg.cho_solve(factor, b))


RIGHT, WEIGHTS = drawn(3), [drawn(4, 4) for _ in range(3)]


def total(*parts: Any) -> Any:
    """A number of all parts."""
    s: Any = 0.0
    for x, weights in zip(parts, WEIGHTS, strict=False):
        z = x * (weights[: x.shape[0], : x.shape[1]] if len(x.shape) == 2 else weights[0, : x.shape[0]])
        s = s + np.sum(np.sin(z.real)) + np.sum(np.cos(z.imag))
    return s


def _svd(a: Any) -> Any:
    """What does not depend on phases."""
    u, s, vh = linalg.svd(a, full_matrices=False)
    return total(s, u @ (s[:, None] ** 1.5 * vh))


def _positive(a: Any) -> Any:
    return a @ np.conj(np.transpose(a)) + np.eye(3)


DERIVED: dict[str, tuple[tuple[int, int], Callable[[Any], Any]]] = {
    "qr": ((3, 3), lambda a: total(*linalg.qr(a))),
    "complete qr": ((3, 2), lambda a: total(*linalg.qr(a, "complete"))),
    "lq": ((3, 2), lambda a: total(*linalg.lq(a))),
    "svd": ((2, 3), _svd),
    "lu": ((3, 3), lambda a: total(*linalg.lu(a)[1:])),
    "lu of more rows": ((3, 2), lambda a: total(*linalg.lu(a)[1:])),
    "lu of more columns": ((2, 3), lambda a: total(*linalg.lu(a)[1:])),
    "pinv": ((3, 2), lambda a: total(linalg.pinv(a))),
    "lstsq": ((3, 2), lambda a: total(linalg.lstsq(a, RIGHT)[0])),
    "polar": ((3, 2), lambda a: total(*linalg.polar(a))),
    "cholesky": ((3, 3), lambda a: total(linalg.cholesky(_positive(a)))),
    "cholesky of a half": ((3, 3), lambda a: total(linalg.cholesky(a + 10.0 * np.eye(3), upper=True))),
    "solve_triangular": ((3, 3), lambda a: total(linalg.solve_triangular(a, RIGHT, trans="C"))),
    "cond": ((2, 2), np.linalg.cond),
}


@pytest.mark.parametrize("name", DERIVED)
def test_derivatives_are_those_of_differences(name: str):
    (m, n), body = DERIVED[name]
    f = fn([of(m, n)], Real)(lambda a: body(a))
    report = rose.testing.examine(f, points=1)
    assert report.ok, report


@pytest.mark.parametrize("name", ["complete qr", "lu of more rows", "cholesky"])
def test_gradients_have_derivatives(name: str):
    (m, n), body = DERIVED[name]
    f = fn([of(m, n)], Real)(lambda a: body(a))
    report = rose.testing.examine(fn([of(m, n)], of(m, n))(rose.grad(f)), points=1)
    assert report.ok, report


@pytest.mark.parametrize("name", [name for name in DERIVED if name.startswith("lu")])
def test_derivatives_of_lu_of_real_matrices(name: str):
    (m, n), body = DERIVED[name]
    f = fn([Vec[m, n]], Real)(lambda a: body(a))
    for g in (f, fn([Vec[m, n]], Vec[m, n])(rose.grad(f))):
        report = rose.testing.examine(g, points=1)
        assert report.ok, report


def test_sizes_of_lu_are_any_where_the_longer_side_is_known():
    n = rose.dim("n")
    tall = fn([Vec[n + 1, n]], Vec[n, n])(lambda a: linalg.lu(a).U)
    wide = fn([Vec[n, n + 1, Complex]], Vec[n, n, Complex])(lambda a: linalg.lu(a).L)
    module = rose.compile({"tall": tall, "wide": wide}, dynamic=True)
    for size in (1, 5):
        a, b = drawn(size, size + 1), drawn(size + 1, size).real
        near(module.wide(a), scipy.linalg.lu(a)[1])
        near(module.tall(b), scipy.linalg.lu(b)[2])
    m = rose.dim("m")
    with pytest.raises(rose.TypeMismatch, match="of which the longer side is known"):
        _ = rose.compile(fn([Vec[m, n]], Vec[m, m])(lambda a: linalg.lu(a).P), dynamic=True)
