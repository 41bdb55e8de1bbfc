"""Norms of all magnitudes: values, derivatives to order 4."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import rose
from rose import Real, Vec

inf, nan = math.inf, math.nan
n = rose.dim("n")


def of(size: int, body: Any = rose.norm) -> Any:
    return rose.fn([Vec[size]], Real)(body)


def exact(x: list[float]) -> Any:
    mp = pytest.importorskip("mpmath").mp
    with mp.workprec(400):
        return mp.sqrt(mp.fsum([mp.mpf(y) ** 2 for y in x]))


SCALES = (1e-320, 1e-310, 1e-200, 1e-154, 1e-30, 1e-15, 1.0, 1e15, 1e100, 1e154, 1e200, 1e307)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 40])
def test_values_and_gradients_of_all_magnitudes(size: int, scale: float):
    rng, f = random.Random(size), of(size)
    value, gradient = rose.compile(f), rose.compile(rose.grad(f))
    for _ in range(5):
        x = [rng.gauss(0.0, 1.0) * scale for _ in range(size)]
        wanted = exact(x)
        assert value(x) == pytest.approx(float(wanted), rel=(3 + size / 4) * 2**-52, abs=5e-324)
        slopes, rounding = [float(y / wanted) for y in x], 5e-324 / float(wanted)  # of a norm that is subnormal
        assert gradient(x).tolist() == pytest.approx(slopes, rel=max(1e-14, rounding), abs=1e-15)


@pytest.mark.parametrize("scale", [s for s in SCALES if s > 1e-300])
def test_second_derivatives_of_all_magnitudes(scale: float):
    x = [0.6 * scale, 0.8 * scale]
    wanted = [[0.64 / scale, -0.48 / scale], [-0.48 / scale, 0.36 / scale]]
    for second in (rose.hessian(of(2)), rose.jacrev(rose.grad(of(2)))):
        for row, expected in zip(second(x).tolist(), wanted, strict=True):
            assert row == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e-90, 1e-20, 1.0, 1e20, 1e90])
def test_third_derivatives_of_many_magnitudes(scale: float):
    third = rose.grad(rose.grad(rose.grad(rose.fn([Real, Real], Real)(lambda x, y: rose.norm([x, y])))))
    assert third(0.6 * scale, 0.8 * scale) == pytest.approx(-3 * 0.6 * 0.64 / scale**2, rel=1e-12)


@pytest.mark.parametrize(("x", "value", "slopes"), [
    ([inf, 1.0, -2.0], inf, [nan, 0.0, 0.0]), ([nan, 1.0, 2.0], nan, [nan] * 3), ([inf, nan, 1.0], nan, [nan] * 3),
    ([0.0, -0.0, 0.0], 0.0, [0.0] * 3), ([5e-324, 0.0, 0.0], 5e-324, [1.0, 0.0, 0.0]),
    ([1e308] * 3, math.sqrt(3) * 1e308, [math.sqrt(1 / 3)] * 3), ([1.7e308] * 3, inf, [0.0] * 3),
    ([1e200, 1e-200, -1e200], math.sqrt(2) * 1e200, [math.sqrt(0.5), 0.0, -math.sqrt(0.5)]),
])  # fmt: skip
def test_the_edges(x: list[float], value: float, slopes: list[float]):
    assert of(3)(x) == pytest.approx(value, rel=1e-15, nan_ok=True)
    assert rose.grad(of(3))(x).tolist() == pytest.approx(slopes, rel=1e-15, abs=1e-300, nan_ok=True)


def test_ordinary_norms_are_the_root_of_the_sum_of_squares():
    rng, f = random.Random(0), of(5)
    for _ in range(100):
        x = [rng.gauss(0.0, 1.0) * 10.0 ** rng.randint(-14, 14) for _ in range(5)]
        total = 0.0
        for y in x:
            total += y * y
        assert f(x) == math.sqrt(total)


@pytest.mark.parametrize("size", [0, 1, 7, 30])
def test_any_size_matrices_single_precision_and_simd_agree(size: int):
    of_any = rose.fn([Vec[n]], Real)(rose.norm)
    of_rows = rose.fn([Vec[size, Vec[1]]], Real)(rose.norm)
    for x in ([1.5] * size, [1e-19] * size, [1e25] * size):
        assert of_any(x) == of(size)(x) == of_rows([[y] for y in x]) == rose.compile(of(size), simd=True)(x)
        short = rose.compile({"f": of(size), "g": rose.grad(of(size))}, dtype="f32")
        assert short.f(x) == pytest.approx(of(size)(x), rel=1e-6)
        assert short.g(x).tolist() == pytest.approx(rose.grad(of(size))(x).tolist(), rel=1e-6)


def test_only_lengths_are_squared():
    f = rose.fn([Real, Real], Real)(lambda x, y: rose.norm([x, y]))
    second = rose.grad(rose.grad(f))
    for scale in (1e-60, 1e-20, 1.0, 1e20, 1e60):  # where the norm is scaled, and where it is not
        third, fourth = rose.grad(second), rose.grad(rose.grad(second))
        x, y = 0.6 * scale, 0.8 * scale
        assert third(x, y) == pytest.approx(-3 * 0.6 * 0.64 / scale**2, rel=1e-12)
        assert fourth(x, y) == pytest.approx(-3 * 0.64 * (1.0 - 5 * 0.36) / scale**3, rel=1e-12)
