"""`@functional`: what it takes and gives, its transforms, and what is refused."""

import pytest

import rose
from rose import NotDifferentiable, NotLinear, Real, TypeMismatch, fn
from rose import functional as F

from .functions import LINE, Curve, Surface, cos, exp, kernel, sin


@F.functional
def energy(y: Curve) -> Real:
    return F.integrate(y**2 + F.nabla(y) ** 2, LINE)


@F.functional
def squared(y: Curve) -> Real:
    return F.integrate(y**2, LINE)


@F.functional
def smoothed(y: Curve, k: Surface) -> Curve:
    return k.on(None, LINE) @ y


def test_of_functions_that_are_known_a_number_is_computed():
    assert energy(sin) == pytest.approx(1.0, rel=1e-12)
    assert energy(lambda x: rose.sin(x)) == energy(sin)


def test_a_functional_of_a_functional_is_composed():
    @F.functional
    def twice(y: Curve) -> Real:
        return squared(smoothed(y, kernel)) * squared(y)

    ends = [twice(sin + s * exp) for s in (1e-6, -1e-6)]
    assert F.integrate(rose.grad(twice)(sin) * exp, LINE) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7)
    assert rose.jvp(twice)(sin, exp).du == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7)


def test_a_parameter_may_be_a_number():
    @F.functional
    def scaled(a: Real, y: Curve) -> Real:
        return a**2 * F.integrate(y, LINE)

    value, (da, dy) = rose.value_and_grad(scaled, (0, 1))(3.0, sin)
    assert da == pytest.approx(2.0 * value / 3.0) and dy(0.2) == pytest.approx(9.0)


def test_a_functional_is_called_in_a_program_and_differentiated_through():
    @fn
    def of(a: Real) -> Real:
        return energy(rose.fn([Real], Real)(lambda x: a * rose.sin(x)))

    assert rose.grad(of)(3.0) == pytest.approx(6.0 * energy(sin), rel=1e-12)


def test_gradients_descend_as_functions():
    """Three steps on f -> |f - sin|^2, each a function of the one before."""

    @F.functional
    def far(y: Curve) -> Real:
        return F.integrate((y - sin) ** 2, LINE)

    y = cos
    for _ in range(3):
        y = y - 0.25 * rose.grad(far)(y)
    assert y(0.3) == pytest.approx(rose.sin(0.3) + (rose.cos(0.3) - rose.sin(0.3)) / 8.0, rel=1e-12)


def test_what_is_not_linear_has_no_transpose():
    with pytest.raises(NotLinear, match="energy is not linear"):
        rose.linear_transpose(energy)(1.0)


def test_a_functional_to_a_function_has_no_gradient():
    with pytest.raises(NotDifferentiable, match=r"smoothed gives a Map\[Real, Real\]"):
        rose.grad(smoothed)(sin, kernel)


def test_another_transform_is_refused_by_name():
    with pytest.raises(TypeMismatch, match=r"rose\.hessian takes an @fn function, not the functional energy"):
        rose.hessian(energy)
