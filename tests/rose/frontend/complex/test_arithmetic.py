"""Arithmetic of complex numbers, beside NumPy's, at random and at special numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from complex_numbers import RANDOM, SPECIAL, apart

import rose
from rose import Bool, Complex, Real, Vec, fn

BOTH = np.concatenate([RANDOM[:20], SPECIAL])
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv")
}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_numpys(name: str):
    of = OPERATORS[name]
    z, w = [x.ravel() for x in np.meshgrid(BOTH, BOTH)]
    with np.errstate(all="ignore"):
        theirs = of(z, w)
    assert apart(fn([Complex, Complex], Complex)(of).map(z, w), theirs, 1e-13) == []


@pytest.mark.parametrize("name", OPERATORS)
def test_a_real_operand_stays_real(name: str):
    of, inf = OPERATORS[name], np.inf
    right, left = fn([Complex, Real], Complex)(of), fn([Real, Complex], Complex)(of)
    for z, x in [(1.5 - 2.0j, 4.0), (3.0j, -0.5)]:
        assert right(z, x) == of(z, x) and left(x, z) == of(x, z)
    if name in ("mul", "truediv"):
        assert right(complex(inf, 1.0), 2.0) == complex(inf, of(1.0, 2.0))


def test_powers_are_products_of_a_literal_and_exponentials_of_any_other():
    literal = fn([Complex], Vec[3, Complex])(lambda z: [z**2, z**-1, z**0])
    assert literal(1.0 + 2.0j).tolist() == [-3.0 + 4.0j, 1.0 / (1.0 + 2.0j), 1.0]
    z, w = [x.ravel() for x in np.meshgrid(RANDOM[:20], RANDOM[:20])]
    found = fn([Complex, Complex], Complex)(operator.pow).map(z, w)
    assert np.abs(found / z**w - 1.0).max() < 1e-13
    at_zero = fn([Complex, Complex], Complex)(operator.pow)
    assert at_zero(0.0, 0.0) == 1.0 and at_zero(0.0, 2.0) == 0.0 and np.isnan(at_zero(0.0, 1j))


def test_the_length_does_not_overflow():
    size = fn([Complex], Real)(abs)
    assert size(3.0 - 4.0j) == 5.0 and size(complex(3e200, 4e200)) == pytest.approx(5e200)
    assert rose.grad(size)(3.0 - 4.0j) == 0.6 + 0.8j  # the conjugate of the direction in which it grows
    assert rose.grad(size)(0.0) == 0.0


def test_equal_numbers_have_equal_parts():
    equal = fn([Complex, Complex], Vec[2, Bool])(lambda z, w: [z == w, z != w])
    assert equal(1.0 + 2.0j, 1.0 + 2.0j).tolist() == [True, False]
    assert equal(1.0 + 2.0j, 1.0 - 2.0j).tolist() == equal(np.nan, np.nan).tolist() == [False, True]
    assert fn([Complex], Bool)(lambda z: z == 2)(2.0)


def test_the_sign_is_the_direction():
    assert fn([Complex], Complex)(np.sign)(3.0 - 4.0j) == 0.6 - 0.8j
    assert fn([Complex], Complex)(np.sign)(0.0) == 0.0


@pytest.mark.parametrize("z", [1j, complex(np.inf, 1.0), 0j], ids=str)
def test_a_zero_that_is_known_is_a_number_like_any_other(z: complex):
    def of(zero: Any, z: Any, x: Any) -> list[Any]:
        return [zero * z, zero + z, zero - z, -zero, zero / z, zero + x]

    def body(z: Any, x: Any) -> Any:
        return rose.array(of(rose.zeros(2, dtype=complex)[0], z, x))

    with np.errstate(all="ignore"):
        wanted = of(np.complex128(0.0), np.complex128(z), np.float64(2.0))
    assert apart(fn([Complex, Real], Vec[6, Complex])(body)(z, 2.0), wanted, 0.0) == []
