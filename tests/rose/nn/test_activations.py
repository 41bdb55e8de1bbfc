"""Activations against mpmath, far from 0 too, and their derivatives."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from matrices import close, derivatives_hold, random

import rose
from rose import Real, Vec, fn, nn

EXACT: dict[str, Any] = {
    "gelu": lambda x: x * mp.ncdf(x),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "softsign": lambda x: x / (1 + abs(x)),
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "relu": lambda x: max(x, mp.mpf(0)),
    "tanh": mp.tanh,
}
POINTS = [-30.0, -6.0, -1.3, -1e-9, 0.0, 0.4, 2.0, 9.0, 700.0]


@pytest.mark.parametrize("name", EXACT)
def test_values_are_exact_everywhere(name: str):
    f = fn([Vec[9]], Vec[9])(getattr(nn, name))
    with mp.workdps(40):
        wanted = [float(EXACT[name](mp.mpf(x))) for x in POINTS]
    assert f(POINTS) == pytest.approx(wanted, rel=1e-13, abs=0.0)


def dawson(x: Any) -> list[Any]:
    """Dawson's function and its first three derivatives."""
    y = mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
    first = 1 - 2 * x * y
    second = -2 * y - 2 * x * first
    return [y, first, second, -4 * first - 2 * x * second]


@pytest.mark.parametrize("x", [-50.0, -10.1, -5.2, -1.01, -0.99, -1e-9, 0.0, 0.6, 1.5, 3.3, 6.7, 10.01, 100.0])
def test_dawsons_function_and_three_derivatives(x: float):
    f = fn([Real], Real)(nn.dawsn)
    orders = [f, rose.grad(f), rose.grad(rose.grad(f)), rose.grad(rose.grad(rose.grad(f)))]
    with mp.workdps(6000 if abs(x) > 20 else 100):
        wanted = [float(y) for y in dawson(mp.mpf(x))]
    for g, y, rel in zip(orders, wanted, (5e-16, 5e-14, 5e-12, 1e-10), strict=True):
        assert g(x) == pytest.approx(y, rel=rel, abs=1e-300)


def test_dawsons_function_far_out_and_of_owls_row():
    f = fn([Vec[4]], Vec[4])(nn.dawsn)
    assert f([np.inf, -1e300, 1e16, 1e-300]).tolist() == [0.0, -5e-301, 5e-17, 1e-300]
    g = fn([Real], Real)(nn.dawsn)
    assert np.isnan(g(np.nan))
    row = [g(0.6), rose.grad(g)(0.6), rose.grad(rose.grad(g))(0.6)]
    assert row == pytest.approx([0.474763203662978, 0.430284155604427, -1.46586739405127], rel=1e-14)


@pytest.mark.parametrize("name", ["gelu", "silu", "softsign", "dawsn", "log_softmax", "softmax"])
def test_derivatives_of_both_modes(name: str):
    derivatives_hold(lambda x: rose.sum(rose.sin(getattr(nn, name)(x)) * x), random(1, 2, 3))


def test_softsign_is_smooth_at_zero():
    f = fn([Real], Real)(nn.softsign)
    assert rose.grad(f)(0.0) == 1.0


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_log_softmax_overflows_nowhere(axis: int):
    x = np.array([[1e3, -1e3, 0.0], [1e300, -1e300, 3.0]])
    f = fn([Vec[2, 3]], Vec[2, 3])(lambda x: nn.log_softmax(x, axis))
    with np.errstate(over="ignore"):
        shifted = x - x.max(axis, keepdims=True)
        close(f(x) / 1e300, (shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))) / 1e300, 1e-15)


def test_elu_and_leaky_relu_at_both_sides():
    x = np.array([-1e3, -1.0, -1e-9, 0.0, 2.0, 1e3])
    elu, leaky = rose.fn([Vec[6]], Vec[6])(lambda x: nn.elu(x, 0.5)), rose.fn([Vec[6]], Vec[6])(nn.leaky_relu)
    assert np.allclose(elu(x), np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0.0))), rtol=1e-15)
    assert leaky(x).tolist() == np.where(x > 0, x, 0.01 * x).tolist()
    slopes = rose.grad(rose.fn([Vec[6]], Real)(lambda x: rose.sum(nn.elu(x) + nn.leaky_relu(x))))(x)
    assert np.allclose(slopes, np.where(x > 0, 2.0, np.exp(np.minimum(x, 0.0)) + 0.01))
