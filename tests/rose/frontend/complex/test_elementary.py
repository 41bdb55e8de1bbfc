"""The elementary functions of complex numbers: values, branch cuts and special values, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from complex_numbers import RANDOM, SPECIAL, apart, derivative

import rose
from rose import Complex, Vec, fn

NAMES = """
    exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh
    square reciprocal conj
""".split()
# where Annex G leaves the sign of a part open, and the C library of NumPy has the other one
OPEN = {
    "exp": {(-np.inf, -np.inf)}, "exp2": {(-np.inf, -np.inf)}, "arctan": "inf and nan", "sin": "cos, at infinity",
    "cos": "sin, at nan", "sinh": "at infinity", "cosh": "at 0", "reciprocal": "of 0, which is a quotient here",
}  # fmt: skip


def function(name: str) -> Any:
    f = fn([Complex], Complex)(lambda z: getattr(np, name)(z))
    f.name = name
    return f


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_numpys_at_random_numbers(name: str):
    f, n = getattr(np, name), len(RANDOM)
    found = fn([Vec[n, Complex]], Vec[n, Complex])(f)(RANDOM)
    assert np.abs(found / f(RANDOM) - 1.0).max() < 1e-15


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_numpys_on_its_cuts_and_at_infinity(name: str):
    f = getattr(np, name)
    with np.errstate(all="ignore"):
        wanted = f(SPECIAL)
    found = function(name).map(SPECIAL)
    if name in OPEN:  # but for signs of zeros, and of infinities beside a nan
        found, wanted = [np.array([_sizes(z) for z in zs]) for zs in (found, wanted)]
        wanted = np.where(np.isnan(found) & (SPECIAL == 0), found, wanted) if name == "reciprocal" else wanted
    off = apart(found, wanted, 1e-15)
    assert [x for x in off if name != "reciprocal" or x[0] == x[0]] == []


def _sizes(z: complex) -> complex:
    return complex(abs(z.real), abs(z.imag)) if z != z or 0.0 in (z.real, z.imag) else z


@pytest.mark.parametrize("name", NAMES[:-1])
@pytest.mark.parametrize("z", [0.3 + 0.7j, -0.6 - 1.2j, 0.4j, 2.0 - 0.25j], ids=str)
def test_the_derivatives_are_those_of_a_holomorphic_function(name: str, z: complex):
    f: Callable[[Any], Any] = getattr(np, name)
    slope = rose.grad(function(name), holomorphic=True)
    assert slope(z) == pytest.approx(derivative(f, z), rel=1e-10)
    assert rose.grad(slope, holomorphic=True)(z) == pytest.approx(derivative(f, z, 2), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_the_derivatives_hold_everywhere(name: str):
    report = rose.testing.examine(function(name), points=4)
    assert report.wrong == []


def test_a_number_on_a_cut_belongs_to_the_side_of_its_zero():
    root = function("sqrt")
    assert root(complex(-4.0, 0.0)) == 2j and root(complex(-4.0, -0.0)) == -2j
    assert function("log")(complex(-1.0, -0.0)).imag == -np.pi
    assert rose.grad(root, holomorphic=True)(complex(-4.0, -0.0)) == 0.25j


def test_the_logarithm_keeps_its_digits_near_one():
    assert function("log")(complex(1.0, 1e-9)).real == pytest.approx(5e-19, rel=1e-9)


def test_far_out_the_hyperbolic_tangent_still_moves():
    slope = rose.grad(function("tanh"), holomorphic=True)(25.0 + 1.0j)
    assert slope == pytest.approx(4.0 * np.exp(-50.0 - 2.0j), rel=1e-12)
