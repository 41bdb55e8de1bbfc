"""Functions of numbers, comparisons, choices and conversions."""

from typing import Any

import numpy as np
import pytest
from jax_programs import agrees, jax, jnp, lax, sample

import rose

x = sample(5)
special: Any = jax.scipy.special

FUNCTIONS = {
    "sin": lambda x: jnp.sin(x) * jnp.cos(x) * jnp.tan(x),
    "arcs": lambda x: jnp.arcsin(jnp.tanh(x)) + jnp.arccos(jnp.tanh(x)) + jnp.arctan(x) + jnp.arctan2(x, 2.0),
    "hyperbolic": lambda x: jnp.sinh(x) * jnp.cosh(x) + jnp.arcsinh(x) + jnp.arccosh(jnp.abs(x) + 1.5),
    "arctanh": lambda x: jnp.arctanh(jnp.sin(x)),
    "exponentials": lambda x: jnp.exp(x) + jnp.exp2(x) + jnp.expm1(x),
    "logarithms": lambda x: jnp.log(jnp.abs(x)) + jnp.log1p(x * x) + jnp.log2(jnp.abs(x)) + jnp.log10(jnp.abs(x)),
    "roots": lambda x: jnp.sqrt(jnp.abs(x)) + jnp.cbrt(x) + lax.rsqrt(jnp.abs(x)),
    "powers": lambda x: jnp.abs(x) ** 2.5 + x**3 + x**-1 + jnp.square(x) + jnp.power(2.0, x),
    "hypot": lambda x: jnp.hypot(x, 2.0),
    "division": lambda x: x / 3.0 + 2.0 / x + jnp.fmod(x, 0.7) + x % 0.7,
    "extremes": lambda x: jnp.maximum(x, 0.1) * jnp.minimum(x, 0.3) + jnp.clip(x, -0.5, 0.5),
    "signs": lambda x: jnp.abs(x) * jnp.sign(x) + jnp.copysign(x, -1.0),
    "whole parts": lambda x: jnp.floor(x) + jnp.ceil(x) + jnp.trunc(x) + x,
    "round": lambda x: jnp.round(3 * x) + lax.round(x) + x,
    "where": lambda x: jnp.where(x > 0, x, 0.1 * x),
    "several cases": lambda x: jnp.select([x > 0.5, x > 0.0], [x, 2 * x], 3 * x),
    "finite": lambda x: jnp.where(jnp.isfinite(1 / x), x, 0.0),
    "activations": lambda x: jax.nn.relu(x) + jax.nn.silu(x) + jax.nn.gelu(x) + jax.nn.softplus(x) + jax.nn.elu(x),
    "sigmoid": lambda x: jax.nn.sigmoid(x) + jax.nn.log_sigmoid(x),
    "errors": lambda x: special.erf(x) + special.erfc(x) + special.erfinv(jnp.tanh(x)),
    "gamma": lambda x: special.gammaln(jnp.abs(x) + 1) + special.digamma(jnp.abs(x) + 1),
    "polygamma": lambda x: special.polygamma(1, jnp.abs(x) + 1),
    "incomplete gamma": lambda x: special.gammainc(2.0, jnp.abs(x)) + special.gammaincc(2.0, jnp.abs(x)),
    "incomplete beta": lambda x: special.betainc(2.0, 3.0, jax.nn.sigmoid(x)),
    "Bessel": lambda x: special.i0e(x) + special.i1e(x) + special.i0(x) + special.i1(x),
    "normal quantile": lambda x: special.ndtri(jax.nn.sigmoid(x)),
    "xlogy": lambda x: special.xlogy(x, jnp.abs(x)) + special.entr(jnp.abs(x)),
    "stop_gradient": lambda x: x * lax.stop_gradient(x),
    "complex": lambda x: jnp.abs(jnp.exp(1j * x) + x) + jnp.real(1j * x * jnp.conj(x + 1j)) + jnp.angle(x + 2j),
    "conversions": lambda x: (x > 0).astype(float) * x + x.astype(int) * x + (x * 3).astype(jnp.int32).astype(float),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_numbers_is_jaxs(name: str):
    agrees(FUNCTIONS[name], x)


def test_comparisons_and_logic():
    agrees(lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b), x, x.at[1].set(3.0), gradient=False)
    agrees(lambda a, b: (a & b, a | b, a ^ b, ~a, a == b, a != b, a < b), x > 0, x > 0.3, gradient=False)


def test_a_number_that_is_half_way():
    agrees(lambda x: (lax.round(x), jnp.round(x)), jnp.array([0.5, 1.5, -0.5, 0.49999999999999994]), gradient=False)


def test_the_next_number():
    a, to = np.array([1.0, -3.3, 0.0, 1e300, 5.0]), np.array([2.0, -3.3, -1.0, 0.0, 4.0])
    f = lambda a, to: (jnp.nextafter(a, jnp.inf), jnp.nextafter(a, -jnp.inf), jnp.nextafter(a, to))
    for found, wanted in zip(rose.from_jax(f, a, to)(a, to), f(a, to), strict=True):
        assert np.array_equal(np.asarray(found), wanted)
