"""What takes complex numbers, and what refuses them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Complex, NotLinear, Real, TypeMismatch, Vec, fn


@pytest.mark.parametrize("of", [lambda z, w: z < w, lambda z, w: z >= 1.0, lambda z, w: rose.max(z, w)])
def test_complex_numbers_have_no_order(of: Callable[[Any, Any], Any]):
    with pytest.raises(TypeMismatch, match="complex numbers have no order") as e:
        _ = fn([Complex, Complex], Bool)(of).func
    assert e.value.hint == "compare their .real, their .imag or their abs"


@pytest.mark.parametrize("of", [rose.floor, rose.erf, lambda z: z % 2.0, lambda z: rose.atan2(z, 1.0), np.cbrt])
def test_a_function_of_reals_says_so(of: Callable[[Any], Any]):
    with pytest.raises(TypeMismatch, match="takes Reals, and got a complex number") as e:
        _ = fn([Complex], Real)(of).func
    assert e.value.hint == "take its .real, its .imag or its abs"


def test_a_complex_argument_of_a_real_parameter_is_refused():
    square = fn([Real], Real)(lambda x: x * x)
    with pytest.raises(TypeMismatch, match="must be a Real, got a traced Complex"):
        _ = fn([Complex], Real)(lambda z: square(z)).func
    with pytest.raises(TypeMismatch, match="x must be a Real, got 1j"):
        square(1j)


def test_a_rule_multiplies_tangents_and_nothing_else():
    @fn
    def cube(z: Complex) -> Complex:
        return z * z * z

    @cube.jvp
    def _(z: Any) -> Any:
        return rose.Dual(z.re**3, 3.0 * z.re**2 * z.du)

    assert rose.grad(cube, holomorphic=True)(1.0 + 1.0j) == 6j
    assert rose.grad(rose.grad(cube, holomorphic=True), holomorphic=True)(1.0 + 1.0j) == 6.0 + 6.0j
    with pytest.raises(NotLinear, match="exp does not accept a tangent"):
        fn([Complex], Complex)(lambda z: z).jvp(lambda z: rose.Dual(z.re, rose.exp(z.du)))


def test_constants_are_complex_numbers_of_python_and_numpy():
    z = np.array([1.0 + 2.0j, 3.0])
    for one in (2j, np.complex128(2j), np.complex64(2j)):
        assert fn([Vec[2]], Vec[2, Complex])(lambda x, c=one: c * x + z)([1.0, 2.0]).tolist() == [1 + 4j, 3 + 4j]
        assert fn([Complex], Complex)(lambda w, c=one: c - w)(1.0) == 2j - 1.0


def test_without_compiling_the_bits_are_the_same():
    f = fn([Complex, Complex], Complex)(lambda z, w: np.exp(z) / w + np.sqrt(z * w) - abs(w) ** 0.5)
    with rose.eager():
        found = f(0.3 + 0.7j, -2.0 + 1.0j)
    assert found == f(0.3 + 0.7j, -2.0 + 1.0j)
