"""Eigenvalues of two and three rows by rotations: digits, order, equal ones, extremes, derivatives, what is left."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from matrices import bits_hold, close, derivatives_hold, differences, matrix, random, symmetric

import rose
from rose import Real, Vec, fn, linalg
from rose.ir import FOR, While
from rose.ir.callgraph import instructions, reachable
from rose.linalg.jacobi import ROWS, is_few
from rose.optimise.pipeline import optimised

PARTS = {
    n: rose.compile(fn([matrix(n, n)], tuple[Vec[n], matrix(n, n)])(lambda a: tuple(linalg.eigh(a)))) for n in ROWS
}


def test_rotations_are_for_two_and_three_rows():
    assert [n for n in range(9) if is_few(n)] == [2, 3]
    assert not is_few(rose.dim("n"))


def exact(a: Any) -> Any:
    """The eigenvalues, by 40 digits."""
    with mpmath.workdps(40):
        return np.array([float(x) for x in mpmath.eigsy(mpmath.matrix(a.tolist()), eigvals_only=True)])


def holds(a: Any, ulps: float = 8.0) -> None:
    """The eigenvalues are exact beside the largest, in order, and the vectors are theirs."""
    n = len(a)
    w, v = PARTS[n](a)
    size = np.abs(a).max()
    assert np.abs(w - exact(a)).max() <= ulps * np.spacing(size)
    assert np.abs(a @ v - v * w).max() <= ulps * np.spacing(size)
    close(v.T @ v, np.eye(n), 2e-15)
    assert (np.diff(w) >= 0.0).all()


@pytest.mark.parametrize("n", ROWS)
def test_digits(n: int):
    for seed in range(60):
        a = np.random.default_rng(seed).normal(size=(n, n))
        holds(a + a.T)
        holds(a @ a.T)
        graded = 10.0 ** -np.arange(0.0, 12.0 * n, 12.0)
        holds((a + a.T) * np.sqrt(np.outer(graded, graded)))


@pytest.mark.parametrize("n", ROWS)
def test_equal_eigenvalues_and_small_whole_numbers(n: int):
    for a in (np.zeros((n, n)), np.eye(n), np.ones((n, n)), np.diag([2.0, -1.0, 2.0][:n])):
        holds(a, 1.0)
    for seed in range(40):
        a = np.random.default_rng(seed).integers(-1, 2, size=(n, n)).astype(float)
        holds(a + a.T, 4.0)


@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_matrices_of_all_magnitudes(n: int, scale: float):
    for seed in range(10):
        w, v = PARTS[n](symmetric(seed, n) * scale)
        exact_w, exact_v = PARTS[n](symmetric(seed, n))
        assert w == pytest.approx(exact_w * scale, rel=1e-13, abs=1e-13 * scale)
        close(v, exact_v, 1e-12)


def test_what_is_nearly_diagonal():
    for small in (1e-320, 1e-200, 1e-17, 1e-9):
        w, v = PARTS[2]([[1.0, small], [small, 2.0]])
        assert w.tolist() == pytest.approx([1.0, 2.0], rel=1e-15) and v[0, 1] == pytest.approx(small, rel=1e-12)


@pytest.mark.parametrize("n", ROWS)
def test_nan_is_in_all_that_it_touches_and_the_steps_end(n: int):
    assert np.isnan(PARTS[n](np.full((n, n), np.nan))[0]).all()
    for i in range(n):
        for j in range(i):
            a = symmetric(0, n)
            a[i, j] = np.nan
            assert np.isnan(PARTS[n](a)[0]).all()
        a = symmetric(0, n)
        a[i, i] = np.nan
        assert np.isnan(PARTS[n](a)[0]).all()


def test_nan_beside_a_diagonal():
    a = np.diag([1.0, 2.0, 3.0])
    a[1, 0] = np.nan
    assert np.isnan(PARTS[2](a[:2, :2])[0]).all() and np.isnan(PARTS[3](a)[0]).all()


def test_a_difference_that_is_too_large():
    a = 1e308 * np.array([[1.2, 1.0], [1.0, -1.2]])
    assert PARTS[2](a)[0] / 1e308 == pytest.approx([-np.hypot(1.2, 1.0), np.hypot(1.2, 1.0)], rel=1e-15)


def test_infinite_eigenvalues_of_a_diagonal():
    assert PARTS[2](np.diag([np.inf, 1.0]))[0].tolist() == [1.0, np.inf]
    assert PARTS[3](np.diag([np.inf, 1.0, -np.inf]))[0].tolist() == [-np.inf, 1.0, np.inf]


def spectral(a: Any) -> Any:
    w, v = linalg.eigh(a)
    return rose.sum(rose.sin(w)) + rose.sum(v[0] * v[0] * w * w * w)


@pytest.mark.parametrize("n", ROWS)
def test_derivatives_of_both_modes_to_second_order(n: int):
    derivatives_hold(spectral, symmetric(n, n))


@pytest.mark.parametrize("n", ROWS)
def test_what_does_not_depend_on_the_choice_of_vectors_has_its_derivative_at_equal_eigenvalues(n: int):
    trace = fn([matrix(n, n)], Real)(lambda a: rose.sum(linalg.eigvalsh(a) ** 2))
    assert np.array_equal(rose.grad(trace)(2.0 * np.eye(n)), 4.0 * np.eye(n))
    a = np.diag([2.0, 2.0, 5.0][:n])
    close(rose.grad(trace)(a), differences(trace, a))


# programs of different fields


def ellipse(p: Any) -> Any:
    """The axes of an ellipse, and how it is turned."""
    w, v = linalg.eigh([[p[0], p[1]], [p[1], p[2]]])
    return np.sqrt(w[0] / w[1]) + v[0, 0] ** 2


def stress(p: Any) -> Any:
    """The largest difference of principal stresses, after Tresca."""
    w = linalg.eigvalsh([[p[0], p[1], p[3]], [p[1], p[2], p[4]], [p[3], p[4], p[5]]])
    return w[2] - w[0]


def axis(p: Any) -> Any:
    """The first principal axis of points in space, along which they are spread."""
    x = np.stack([p[0:3], p[2:5], p[3:6], p[4:7]])
    x = x - np.mean(x, axis=0)
    w, v = linalg.eigh(x.T @ x)
    return w[2] * v[0, 2] ** 2


def corners(p: Any) -> Any:
    """The corners of an image, by the smaller eigenvalue of a structure tensor at each place."""
    dx, dy = p[:7], p[1:8]
    tensors = np.stack([np.stack([dx * dx + 1.0, dx * dy], axis=1), np.stack([dx * dy, dy * dy], axis=1)], axis=2)
    return rose.sum(linalg.eigvalsh(tensors)[:, 0])


def levels(p: Any) -> Any:
    """The energy of a system of two levels at some temperature."""
    w = linalg.eigvalsh([[p[0], p[1]], [p[1], -p[0]]])
    return rose.sum(w * np.exp(-w)) / rose.sum(np.exp(-w))


def strain(p: Any) -> Any:
    """The energy of Hencky's strain: by logarithms of the eigenvalues of a deformation."""
    f = rose.array([[p[0], 0.1, 0.2], [0.3, p[2], p[1]], [0.1, 0.2, p[3]]])
    return rose.sum(np.log(linalg.eigvalsh(f.T @ f)) ** 2)


PROGRAMS = {f.__name__: f for f in (ellipse, stress, axis, corners, levels, strain)}
POINT = np.array([1.3, 0.4, 2.2, 1.7, 0.9, 3.1, 0.6, 1.1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_same_bits_compiled_as_interpreted(name: str):
    bits_hold(PROGRAMS[name], POINT)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_right_derivatives(name: str):
    derivatives_hold(PROGRAMS[name], POINT)


@pytest.mark.parametrize("name", ["ellipse", "levels", "corners"])
def test_of_two_rows_nothing_is_iterated(name: str):
    made = optimised({"f": fn([Vec[8]], Real)(PROGRAMS[name]).func})["f"]
    assert not [f for f in reachable(made) if isinstance(f.kind, While)]
    assert sum([v.op is FOR for v in instructions(made.body)]) == (name == "corners")


def test_nothing_is_linked():
    assert len(rose.compile(fn([matrix(2, 2)], Vec[2])(linalg.eigvalsh)).wasm) < 400
    assert len(rose.compile(fn([matrix(3, 3)], Vec[3])(linalg.eigvalsh)).wasm) < 2_000


def test_single_precision():
    a = symmetric(1, 3)
    w = rose.compile(fn([matrix(3, 3)], Vec[3])(linalg.eigvalsh), dtype="f32")(a.astype(np.float32))
    close(w, np.linalg.eigvalsh(a), 1e-6)


def test_stacks():
    a = random(0, 5, 3, 3)
    a = a + a.swapaxes(1, 2)
    close(fn([matrix(5, 3, 3)], matrix(5, 3))(linalg.eigvalsh)(a), np.linalg.eigvalsh(a), 1e-14)
