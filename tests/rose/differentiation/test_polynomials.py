"""Taylor polynomials: their numbers, and their arithmetic against NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rose
from rose import Real, fn
from rose.differentiation.polynomials import Polynomial

P, Q = [2.0, -1.0, 0.5, 3.0], [1.5, 4.0, -2.0, 1.0]


@fn
def wave(x: Real) -> Real:
    return rose.exp(rose.sin(x))


def test_a_taylor_polynomial_is_near_its_function():
    p = rose.taylor(wave, 12)(0.5)
    assert p.degree == 12 and p.center == 0.5 and all([type(c) is float for c in p.coefficients])
    assert p(0.6) == pytest.approx(math.exp(math.sin(0.6)), rel=1e-13)
    assert p.derivative()(0.6) == pytest.approx(rose.grad(wave)(0.6), rel=1e-11)
    assert list(p(np.array([0.5, 0.6]))) == [p(0.5), p(0.6)]


def test_it_is_one_of_traced_numbers_in_a_function():
    f = rose.fn([Real, Real], Real)(lambda a, x: rose.taylor(wave, 2)(a)(x))
    first, second = rose.jet(wave, 3)([0.5, 1.0, 0.0, 0.0])[2:]
    assert f(0.5, 0.6) == rose.taylor(wave, 2)(0.5)(0.6)
    assert rose.grad(f)(0.5, 0.5) == pytest.approx(0.0, abs=1e-15)
    assert rose.grad(f)(0.5, 0.6) == pytest.approx(second * 0.1**2 / 2.0, rel=1e-12) and first != 0.0


def test_the_derivative_and_the_integral():
    p, want = Polynomial(P, 0.3), np.polynomial.Polynomial(P)
    assert p.derivative().coefficients == want.deriv().coef.tolist()
    assert p.integral(7.0).coefficients == want.integ(k=7.0).coef.tolist()
    assert p.integral(7.0)(0.3) == 7.0 and p.integral().derivative().coefficients == P
    assert Polynomial([3.0]).derivative()(2.0) == 0.0


def test_a_composition_is_that_of_the_polynomials_cut_off():
    p, q = Polynomial(P, 0.3), Polynomial(Q, 1.0)
    want = np.polynomial.Polynomial(P)(np.polynomial.Polynomial(Q) - 0.3)
    assert p.compose(q).coefficients == pytest.approx(want.coef[:4]) and p.compose(q).center == 1.0
    assert p.compose(Polynomial([1.0, 2.0])).degree == 1


def test_a_composition_of_taylor_polynomials_is_that_of_the_functions():
    inner = rose.taylor(wave, 6)(0.2)
    outer = rose.taylor(wave, 6)(inner(0.2))
    both = rose.taylor(rose.fn([Real], Real)(lambda x: wave(wave(x))), 6)(0.2)
    assert outer.compose(inner).coefficients == pytest.approx(both.coefficients, rel=1e-12)


def test_a_reciprocal_times_its_polynomial_is_1():
    q = Polynomial(Q, 0.3).reciprocal()
    assert np.convolve(q.coefficients, Q)[:4] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-15)
    assert q.center == 0.3 and "center=0.3" in repr(q)
