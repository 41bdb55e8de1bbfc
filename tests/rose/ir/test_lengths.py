"""Norms of all magnitudes, and products of lengths, which are smooth at 0: values, derivatives to order 4."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from harness import same

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


# magnitudes

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


# products

x_and_y = [Real, Real]
SMOOTH: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("abs squared", lambda x: abs(x) ** 2, lambda x: x * x),
    ("abs twice", lambda x: abs(x) * abs(x), lambda x: x * x),
    ("abs, sixth power", lambda x: abs(x) ** 6, lambda x: x**6),
    ("abs, power of a float", lambda x: abs(x) ** 4.0, lambda x: x**4),
    ("norm squared", lambda x: rose.norm([x, 2 * x]) ** 2, lambda x: 5 * x * x),
    ("norm, fourth power", lambda x: rose.norm([x, 2 * x]) ** 4, lambda x: 25 * x**4),
    ("norm twice", lambda x: 0.5 * rose.norm([x]) * rose.norm([x]), lambda x: 0.5 * x * x),
    ("norm twice, behind a factor", lambda x: rose.norm([x]) * (3.0 * rose.norm([x])), lambda x: 3 * x * x),
    ("hypot squared", lambda x: rose.hypot(x, 2 * x) ** 2, lambda x: 5 * x * x),
    ("minus", lambda x: -rose.hypot(x, x) * rose.hypot(x, x), lambda x: -2 * x * x),
    ("a quotient squared", lambda x: rose.exp(-((rose.norm([x]) / 3.0) ** 2)), lambda x: rose.exp(-x * x / 9.0)),
    ("factors everywhere", lambda x: (2 * abs(x) / 3) * (abs(x) * 6), lambda x: 4 * x * x),
    ("below a fraction line", lambda x: 1.0 / (1.0 + rose.norm([x]) ** 2), lambda x: 1.0 / (1.0 + x * x)),
    ("in a loop", lambda x: rose.sum(rose.norm([x, i + 0.0]) ** 2 for i in rose.range(3)), lambda x: 3 * x * x + 5),
    ("in a function", lambda x: rose.fn([Real], Real)(lambda y: abs(y) * abs(y))(x), lambda x: x * x),
]  # fmt: skip


def slope(f: Any) -> Any:
    return rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)


def derivatives(body: Any, x: float) -> list[float]:
    f = rose.fn([Real], Real)(body)
    orders = f, rose.grad(f), slope(rose.grad(f)), rose.grad(slope(rose.grad(f))), slope(slope(slope(slope(f))))
    return [g(x) for g in orders]


@pytest.mark.parametrize(("name", "body", "power"), SMOOTH, ids=[row[0] for row in SMOOTH])
def test_a_product_of_lengths_is_smooth_to_every_order(name: str, body: Any, power: Any):
    for x in (0.0, -0.0, 1e-9, -0.7):
        assert derivatives(body, x) == pytest.approx(derivatives(power, x), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("size", [0, 1, 3, 20])
def test_the_hessian_of_half_a_squared_norm_is_the_identity(size: int):
    identity = [[float(i == j) for j in range(size)] for i in range(size)]
    for f in (lambda v: 0.5 * rose.norm(v) ** 2, lambda v: rose.norm(v) * rose.norm(v) / 2):
        for of_size in (of(size, f), rose.fn([Vec[n]], Real)(f)):
            assert rose.hessian(of_size)([0.0] * size).tolist() == identity
    syntax = rose.fn([Vec[size]], Real, syntax=True)(lambda v: 0.5 * rose.norm(v) ** 2)
    assert rose.hessian(syntax)([0.0] * size).tolist() == identity


def test_a_norm_that_is_also_used_alone():
    def f(v: Any) -> Any:
        length = rose.norm(v)
        return length**2 + 3.0 * length

    assert rose.grad(of(2, f))([0.0, 0.0]).tolist() == [0.0, 0.0]
    assert rose.hessian(of(2, f))([0.0, 0.0]).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert rose.grad(of(2, f))([3.0, 4.0]).tolist() == pytest.approx([7.8, 10.4])


PRODUCTS = {
    "hypot": (rose.hypot, lambda n: n**2, lambda n: n * n),
    "norm": (lambda x, y: rose.norm([x, y]), lambda n: 0.3 * n * n, lambda n: 0.3 * n * n),
    "quotient": (rose.hypot, lambda n: (n / 7.0) ** 3, lambda n: (n / 7.0) * ((n / 7.0) * (n / 7.0))),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_value_of_a_product_is_that_of_its_factors_to_the_bit(name: str):
    length, product, of_numbers = PRODUCTS[name]
    alone = rose.fn(x_and_y, Real)(length)
    made = rose.fn(x_and_y, Real)(lambda x, y: product(length(x, y)))
    rng = random.Random(1)
    for _ in range(50):
        p = rng.gauss(0.0, 1.0), rng.gauss(0.0, 1e3)
        with rose.eager():
            assert same(made(*p), of_numbers(alone(*p)))
        assert same(made(*p), of_numbers(alone(*p)))


def test_a_product_of_two_lengths_is_no_square():
    f = rose.fn(x_and_y, Real)(lambda x, y: rose.norm([x]) * rose.norm([y]))
    assert rose.grad(f, argnums=(0, 1))(2.0, -3.0) == (3.0, -2.0)
    assert rose.hessian(rose.fn([Real], Real)(lambda x: abs(x) * x))(0.0) == 0.0


def test_products_of_lengths_in_text():
    source = "def f(x: Real): Real = let n: Real = {} in n * n"
    for length, factor in (("abs x", 2.0), ("hypot(x, x)", 4.0)):
        f = rose.parse(source.format(length))["f"]
        assert rose.grad(rose.grad(f))(0.0) == factor


def test_only_lengths_are_squared():
    f = rose.fn([Real, Real], Real)(lambda x, y: rose.norm([x, y]))
    second = rose.grad(rose.grad(f))
    for scale in (1e-60, 1e-20, 1.0, 1e20, 1e60):  # where the norm is scaled, and where it is not
        third, fourth = rose.grad(second), rose.grad(rose.grad(second))
        x, y = 0.6 * scale, 0.8 * scale
        assert third(x, y) == pytest.approx(-3 * 0.6 * 0.64 / scale**2, rel=1e-12)
        assert fourth(x, y) == pytest.approx(-3 * 0.64 * (1.0 - 5 * 0.36) / scale**3, rel=1e-12)
