"""Collapsed Taylor mode: sums of second derivatives, against the Hessian; and what it multiplies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from curves import products

import rose
from rose import Dual, Real, Vec, fn
from tests.programs.test_inventory import both
from tests.rose.taylor_mode.test_jets import (
    branch,
    calls,
    choice,
    loop,
    matrix,
    polynomial,
    put,
    remainders,
    special,
    states,
    sums,
    until,
    vectors,
)

PROGRAMS = {f.name: f for f in (branch, calls, choice, loop, matrix, polynomial, put, remainders, special, states, sums,
                                until, vectors)}  # fmt: skip


def total(f: Any) -> Any:
    """A number of all numbers that a function gives."""
    if f.result is Real:
        return f
    if f is matrix:
        return rose.fn(f.types, Real)(lambda x: rose.sum(f(x)[i][j] ** 2 for i in rose.range(2) for j in rose.range(3)))
    return rose.fn(f.types, Real)(lambda x: rose.sum((i + 1.0) * f(x)[i] for i in rose.range(3)))


def flat(f: Any) -> Any:
    """A function of a matrix as one of a vector."""
    if f is not matrix:
        return total(f)
    return rose.fn([Vec[6]], Real)(lambda v: total(f)([[v[0], v[1], v[2]], [v[3], v[4], v[5]]]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_laplacian_is_the_trace_of_the_hessian(name: str):
    f = flat(PROGRAMS[name])
    scalar = f.types[0] is Real
    x: Any = 0.6 if scalar else np.linspace(0.6, 1.2, f.types[0].size)
    h = rose.grad(rose.grad(f))(x) if scalar else np.trace(rose.hessian(f)(x))
    assert both(rose.laplacian(f), x) == pytest.approx(h, rel=1e-12)


def ruled() -> Any:
    """A product of a struct's numbers, whose derivative, by its rule, is not its own."""
    f = rose.fn([Vec[2], Real], Vec[2])(lambda x, k: k * x)
    f.jvp(lambda x, k: [Dual(k.re * x[j].re, x[j].du * k.re**3 + k.du * x[0].re ** 2) for j in (0, 1)])
    return f


def test_the_rule_of_a_user_is_taken():
    r = ruled()
    f = rose.fn([Vec[3]], Real)(lambda x: rose.sum(r([x[0] * x[1], x[2]], rose.sin(x[2]))))
    x = np.array([0.6, 0.8, 1.2])
    assert both(rose.laplacian(f), x) == pytest.approx(np.trace(rose.hessian(f)(x)), rel=1e-13)


def test_a_laplacian_differentiates_again():
    f = total(loop)
    x, h = np.array([0.6, 0.8, 1.2]), 1e-5
    slope = rose.grad(rose.laplacian(f))(x)
    for k, unit in enumerate(np.eye(3)):
        up, down = rose.laplacian(f)(x + h * unit), rose.laplacian(f)(x - h * unit)
        assert slope[k] == pytest.approx((up - down) / (2.0 * h), rel=1e-7)


def network(n: int) -> Any:
    """A layer and a sum, with multiplications in the first layer's weights, which the derivatives share."""
    w = np.sin(np.arange(1.0, 10 * n + 1.0)).reshape(10, n)

    @fn
    def net(x: Vec[n], w: Vec[10, Vec[n]]) -> Real:
        return rose.sum(rose.tanh(rose.sum(w[i][j] * x[j] for j in rose.range(n))) for i in rose.range(10))

    return net, w


@pytest.mark.parametrize("n", [2, 4, 8, 16, 32])
def test_the_sum_costs_what_collapsing_promises(n: int):
    """Along each direction a jet of order 2 carries `2 n + 1` numbers with the value, and the sum `n + 2`."""
    net, w = network(n)
    x = np.linspace(0.1, 0.9, n)
    moved = np.stack([x, np.ones(n), np.zeros(n)], axis=-1)
    one, value = products(rose.jet(at_weights(net, w), 2), moved), products(net, x, w)
    assert products(rose.laplacian(net), x, w) <= 1.02 * (n + 2) / (2 * n + 1) * (value + n * (one - value))


def at_weights(net: Any, w: Any) -> Any:
    return rose.fn([net.types[0]], Real)(lambda x: net(x, [[float(z) for z in row] for row in w]))


def test_a_loop_is_not_unrolled():
    def size(n: int) -> int:
        f = rose.fn([Vec[n]], Real)(lambda x: rose.prod(rose.cos(x[i]) for i in rose.range(n)))
        return len(rose.compile({"f": rose.laplacian(f)}).wasm)

    assert abs(size(1000) - size(50)) <= 32
