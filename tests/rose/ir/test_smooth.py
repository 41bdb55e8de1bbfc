"""Compositions of lengths that are smooth at 0: values to the bit, derivatives to order 4, of numbers and arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import same

import rose
from rose import Real, Vec

n = rose.dim("n")


def of(size: int, body: Any) -> Any:
    return rose.fn([Vec[size]], Real)(body)


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
    ("pow", lambda x: rose.pow(abs(x), 2.0) + rose.pow(rose.norm([x, x]), 6.0), lambda x: x * x + 8 * x**6),
    ("softplus by hand", lambda x: rose.max(x, 0.0) + rose.log1p(rose.exp(-abs(x))), rose.softplus),
    ("softplus by hand, by log", lambda x: rose.max(x, 0.0) + rose.log(1 + rose.exp(-abs(x))), rose.softplus),
    ("log sigmoid", lambda x: rose.min(x, 0.0) - rose.log(rose.exp(-abs(x)) + 1), lambda x: -rose.softplus(-x)),
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


ARRAYS: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("abs squared", lambda x: np.sum(np.abs(x) ** 2), lambda x: np.sum(x * x)),
    ("squares of differences", lambda x: np.sum(np.abs(x - x[0]) ** 2), lambda x: np.sum((x - x[0]) * (x - x[0]))),
    ("by NumPy's power", lambda x: np.sum(np.power(np.abs(x), 2.0)), lambda x: np.sum(x * x)),
    ("two arrays of the same", lambda x: np.sum(np.abs(x) * np.abs(x)), lambda x: np.sum(x * x)),
    ("factors", lambda x: np.sum(3.0 * np.abs(x) / 2.0 * -np.abs(x)), lambda x: np.sum(-1.5 * x * x)),
    ("an index as a factor", lambda x: np.sum(abs_by_index(x) * np.abs(x)), lambda x: np.sum(x * x * np.arange(3.0))),
    ("outer", lambda x: np.sum(np.abs(np.outer(x, x)) ** 2), lambda x: np.sum(x * x) ** 2),
    ("softplus", lambda x: np.sum(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))), lambda x: np.sum(rose.softplus(x))),
    ("softplus, by log", lambda x: np.sum(np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x)))),
     lambda x: np.sum(rose.softplus(x))),
    ("norms of rows", lambda x: np.sum(np.linalg.norm(np.outer(x, x), axis=1) ** 2), lambda x: np.sum(x * x) ** 2),
    ("in a loop", lambda x: rose.sum(abs(x[i] - x[j]) ** 2 for i in rose.range(3) for j in rose.range(3)),
     lambda x: rose.sum((x[i] - x[j]) * (x[i] - x[j]) for i in rose.range(3) for j in rose.range(3))),
]  # fmt: skip


def abs_by_index(x: Any) -> Any:
    return rose.vec(abs(x[i]) * i for i in rose.range(3))


@pytest.mark.parametrize(("name", "body", "smooth"), ARRAYS, ids=[row[0] for row in ARRAYS])
def test_lengths_are_seen_through_the_loops_that_make_arrays(name: str, body: Any, smooth: Any):
    for x in ([0.0, 0.0, 0.0], [0.0, -0.5, 0.5], [0.3, 0.0, -0.7]):
        for order in (lambda f: f, rose.grad, rose.hessian, lambda f: rose.jacrev(rose.hessian(f))):
            got, wanted = order(of(3, body))(x), order(of(3, smooth))(x)
            assert np.asarray(got) == pytest.approx(np.asarray(wanted), rel=1e-12, abs=1e-12)
            assert np.array_equal(rose.compile(order(of(3, body)))(x), got)


def test_arrays_of_any_size_are_seen_through():
    f = rose.fn([Vec[n]], Real)(lambda x: np.sum(np.abs(x) ** 2))
    assert rose.hessian(f)([0.0, 0.0]).tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_a_softplus_by_hand_has_the_bits_that_are_written():
    written = rose.fn([Real], Real)(lambda x: rose.log1p(rose.exp(-abs(x))))
    parts = rose.fn([Real], Real)(lambda x: rose.exp(-abs(x)))
    log1p = rose.fn([Real], Real)(rose.log1p)
    for x in (0.0, -0.0, 3.7, -41.5, 800.0, float("inf"), float("nan")):
        assert same(written(x), log1p(parts(x)))
        assert same(rose.compile(written)(x), written(x))


@pytest.mark.parametrize("x", [0.0, 5.0, -5.0, 40.0, -40.0, 700.0])
def test_a_softplus_by_hand_is_as_exact_far_out_as_softplus(x: float):
    by_hand = rose.fn([Real], Real)(lambda x: rose.log1p(rose.exp(-abs(x))))
    tail = 1.0 / (2.0 + np.exp(x) + np.exp(-x))
    assert rose.grad(rose.grad(by_hand))(x) == pytest.approx(tail, rel=1e-12)
    assert rose.grad(by_hand)(x) == pytest.approx(-np.sign(x) / (1.0 + np.exp(abs(x))), rel=1e-12)
