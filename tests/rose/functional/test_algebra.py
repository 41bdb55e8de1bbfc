"""Operators by name, and calls of functions with functions: what is composed, and what is refused."""

import pytest

import rose
from rose import Real
from rose import functional as F

from .functions import LINE, cube, kernel, product, sin, square, waves


def test_a_call_composes_functions_and_binds_values():
    assert waves(sin, cube)(0.7, 0.4) == pytest.approx(0.002459947453075749, rel=1e-12)
    assert waves(sin, 1.3)(0.7) == pytest.approx(1.0149685536372108, rel=1e-12)
    assert waves(0.7, cube)(0.4) == waves(0.7, cube(0.4))
    assert product(sin, square, share_inputs=True)(0.7) == sin(0.7) * square(0.7)


def test_a_call_with_numbers_is_as_before():
    assert sin(0.7) == rose.sin(0.7) and waves(x=0.7, y=1.3) == waves(0.7, 1.3)


def test_a_kernel_times_a_function_is_an_integral():
    want = sum([w * kernel(0.7, x) * sin(x) for x, w in zip(LINE.nodes, LINE.weights, strict=True)])
    assert (kernel.on(None, LINE) @ sin)(0.7) == pytest.approx(want, rel=1e-13)
    assert (kernel @ sin.on(LINE))(0.7) == pytest.approx(want, rel=1e-13)


def test_an_integral_over_all_arguments_is_a_number():
    assert isinstance(F.integrate(kernel, (LINE, LINE)), float)
    assert F.integrate(sin.on(LINE)) == F.integrate(sin, LINE)


def test_an_integral_of_a_large_grid_is_a_loop():
    def of(n: int) -> int:
        total = rose.fn([Real], Real)(lambda a: F.integrate(sin * a, F.Grid.trapezoid(0.0, 1.0, n)))
        return len(rose.compile(total).wasm)

    small, large = of(1_000), of(2_000)
    assert large - small < 1_000 * 16 + 50  # its nodes and weights


def test_a_module_of_a_derivative_has_one_export_of_its_arguments():
    @F.functional
    def length(y: F.Map[Real, Real]) -> Real:
        return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2), LINE)

    slope = rose.grad(length)(sin)
    assert rose.compile(slope)(0.7) == slope(0.7) and slope.types == (Real,)
