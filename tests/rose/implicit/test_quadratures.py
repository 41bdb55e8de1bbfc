"""Integrals against closed forms: singular, infinite, of vectors; derivatives by limits and data, twice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold

import rose
from rose import Real, Vec, fn
from rose.implicit import Integral, quadrature

INTEGRALS: dict[str, tuple[Any, float, float, float]] = {
    "polynomial": (lambda x: 3.0 * x * x, -1.0, 2.0, 9.0),
    "backwards": (rose.exp, 1.0, 0.0, 1.0 - math.e),
    "odd": (rose.sin, -1.0, 1.0, 0.0),
    "nothing": (lambda x: 0.0 * x, 0.0, 1.0, 0.0),
    "no range": (rose.exp, 2.0, 2.0, 0.0),
    "root": (rose.sqrt, 0.0, 1.0, 2.0 / 3.0),
    "pole": (lambda x: 1.0 / rose.sqrt(x), 0.0, 1.0, 2.0),
    "logarithm": (rose.log, 0.0, 1.0, -1.0),
    "kink": (lambda x: abs(x - 0.3), 0.0, 1.0, 0.29),
    "peak": (lambda x: 1e-3 / (x * x + 1e-6), -1.0, 1.0, 2.0 * math.atan(1e3)),
    "waves": (lambda x: rose.cos(80.0 * x), 0.0, 1.0, math.sin(80.0) / 80.0),
    "to the right": (lambda x: rose.exp(-x), 1.0, math.inf, math.exp(-1.0)),
    "from the right": (lambda x: rose.exp(-x), math.inf, 1.0, -math.exp(-1.0)),
    "from the left": (rose.exp, -math.inf, 1.0, math.e),
    "everywhere": (lambda x: 1.0 / (1.0 + x * x), -math.inf, math.inf, math.pi),
    "small": (lambda x: 1e-30 * x, 0.0, 1.0, 5e-31),
}


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals_are_those_of_closed_forms(name: str):
    body, a, b, wanted = INTEGRALS[name]
    assert quadrature(fn([Real], Real)(body), a, b) == pytest.approx(
        wanted, rel=1e-9, abs=1e-12 if wanted == 0.0 else 0.0
    )


def test_an_error_is_at_most_what_was_estimated():
    for body, a, b, wanted in INTEGRALS.values():
        found = quadrature(fn([Real], Real)(body), a, b, full=True)
        assert found.converged and abs(found.value - wanted) <= found.error + 1e-14 * abs(wanted)


@pytest.mark.parametrize("body", [lambda x: 1.0 / x, lambda x: 1.0 / (x * x), lambda x: rose.log(x)])
def test_what_has_no_integral_is_nan(body: Any):
    f = fn([Real], Real)(body)
    assert math.isnan(quadrature(f, -1.0, 2.0)) and not quadrature(f, -1.0, 2.0, full=True).converged


def test_too_few_intervals_are_nan():
    f = fn([Real], Real)(lambda x: rose.cos(80.0 * x))
    assert math.isnan(quadrature(f, 0.0, 1.0, max_intervals=2))
    assert quadrature(f, 0.0, 1.0, max_intervals=2, full=True).intervals == 2.0


def test_vectors_and_structs():
    assert quadrature(fn([Real], Vec[2])(lambda x: [x, x * x]), 0.0, 1.0) == pytest.approx([1 / 2, 1 / 3])
    pair = quadrature(fn([Real], tuple[Real, Vec[1]])(lambda x: (x, [1.0])), 0.0, 2.0)
    assert pair[0] == pytest.approx(2.0) and pair[1] == pytest.approx([2.0])
    found = fn([Real], Integral[Vec[2]])(
        lambda b: quadrature(fn([Real], Vec[2])(lambda x: [x, 1.0]), 0.0, b, full=True)
    )
    assert found(2.0).value == pytest.approx([2.0, 2.0])


def limits_and_data(x: Any) -> Any:
    f = fn([Real, Vec[3]], Real)(lambda t, x: rose.sin(t * x[0]) * x[1] + t)
    return quadrature(f, x[0], x[1] * 2.0, x)


def captured(x: Any) -> Any:
    f = fn([Real], Real)(lambda t: rose.exp(t * x[0]) * x[2])
    return quadrature(f, 0.0, x[1]) + quadrature(f, -math.inf, x[0])


def within_an_integral(x: Any) -> Any:
    inner = fn([Real, Real], Real)(lambda s, t: s * t)
    return quadrature(fn([Real], Real)(lambda t: quadrature(inner, 0.0, t, x[1])), x[2], x[0])


@pytest.mark.parametrize(("body", "orders"), [(limits_and_data, 2), (captured, 1), (within_an_integral, 1)])
def test_derivatives_of_both_modes(body: Any, orders: int):
    derivatives_hold(body, np.array([0.4, 0.7, 0.3]), orders)


def test_the_derivative_by_a_limit_is_the_integrand_there():
    f = fn([Real], Real)(lambda x: rose.sqrt(x))
    area = fn([Real, Real], Real)(lambda a, b: quadrature(f, a, b))
    assert rose.grad(area, (0, 1))(0.0, 2.0) == (0.0, math.sqrt(2.0))
    assert rose.grad(rose.grad(area, 1), 1)(0.0, 2.0) == pytest.approx(0.5 / math.sqrt(2.0))


def test_limits_that_do_not_move_may_be_poles():
    f = fn([Real, Real], Real)(lambda x, k: k / rose.sqrt(x))
    area = fn([Real], Real)(lambda k: quadrature(f, 0.0, 1.0, k))
    assert rose.grad(area)(3.0) == pytest.approx(2.0) and rose.jacfwd(area)(3.0) == pytest.approx(2.0)


def test_any_size():
    n = rose.dim("n")
    f = fn([Real, Vec[n]], Real)(lambda t, c: rose.sum(c[i] * t for i in rose.range(n)))
    close(quadrature(f, 0.0, 2.0, [1.0, 2.0, 3.0]), 12.0)
    close(rose.grad(fn([Vec[2]], Real)(lambda c: quadrature(f, 0.0, 2.0, c)))([1.0, 2.0]), [2.0, 2.0])
