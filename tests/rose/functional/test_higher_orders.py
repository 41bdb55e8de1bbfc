"""Derivatives of derivatives: the numbers of the mathematics, and modules that hardly grow with the order."""

from collections.abc import Callable
from typing import Any

import mpmath
import pytest

import rose
from rose import Real, RoseError, Vec, fn, opaque
from rose import functional as F

from .functions import Curve

LINE = F.Grid.gauss_legendre(0.0, 1.0, 5)


@rose.struct
class Place:
    at: Vec[2]
    x: Real


def of_math(m: Any) -> Callable[[Any], Any]:
    return lambda x: x * m.tanh(x * m.sin(x))


curve = fn([Real], Real)(of_math(rose))
surface = fn([Real, Real], Real)(lambda x, y: x * rose.tanh(x * rose.sin(x * y)))
solid = fn([Real] * 3, Real)(lambda x, y, z: rose.sin(x * y) * rose.exp(y * z) + x * z)
place = fn([Real], Place)(lambda x: Place([rose.sin(x), x**9], curve(x)))
held = fn([Real, Vec[2]], Vec[2])(lambda x, v: [rose.exp(x * v[0]), rose.sin(x) * v[1]])


def nabla(f: Any, n: int, *ks: int) -> Any:
    for j in range(n):
        f = F.nabla(f, (ks or (0,))[j % len(ks or (0,))])
    return f


def bent(n: int) -> Any:
    @F.functional
    def bend(y: Curve) -> Real:
        return F.integrate(nabla(y, n) ** 2, LINE)

    return bend


PROGRAMS: dict[str, tuple[Callable[[int], Any], tuple[int, int], float]] = {  # of so many orders, with such a growth
    "along a number": (lambda n: nabla(curve, n), (4, 16), 1.04),
    "along two": (lambda n: nabla(surface, n, 0, 1), (4, 8), 1.12),
    "along three": (lambda n: nabla(solid, n, 0, 1, 2), (4, 12), 1.05),
    "of a struct": (lambda n: nabla(place, n), (4, 8), 1.05),
    "beside a vector": (lambda n: nabla(held, n), (4, 8), 1.04),
    "all orders at once": (lambda n: F.zip_functions(*[nabla(curve, k) for k in range(n + 1)]), (4, 8), 1.05),
    "under an integral": (lambda n: fn([], Real)(lambda: bent(n)(curve)), (4, 8), 1.04),
    "in a derivative": (lambda n: rose.grad(nabla(curve, n)), (4, 8), 1.08),
    "in a functional derivative": (lambda n: rose.grad(bent(n // 2))(curve), (8, 12), 1.18),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_module_hardly_grows_with_the_order(name: str):
    program, (low, high), growth = PROGRAMS[name]
    small, large = [len(rose.compile(program(n)).wasm) for n in (low, high)]
    assert large < small * growth ** (high - low)  # nested forward mode: 2.5 with each order


@pytest.mark.parametrize("order", range(13))
def test_a_derivative_of_each_order_is_that_of_mpmath(order: int):
    with mpmath.workdps(40):
        wanted = float(mpmath.diff(of_math(mpmath), mpmath.mpf(0.7), order))
    assert nabla(curve, order)(0.7) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("ks", [(0, 1), (1, 0), (0, 0, 1), (1, 1, 1, 0)])
@pytest.mark.parametrize("order", [3, 4, 7])
def test_mixed_derivatives_are_those_of_mpmath_in_any_order(order: int, ks: tuple[int, ...]):
    of = [ks[j % len(ks)] for j in range(order)]
    with mpmath.workdps(60):
        f = lambda x, y: x * mpmath.tanh(x * mpmath.sin(x * y))
        wanted = float(mpmath.diff(f, (mpmath.mpf(0.7), mpmath.mpf(0.3)), (of.count(0), of.count(1))))
    assert nabla(surface, order, *ks)(0.7, 0.3) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("ks", [(0, 1, 2), (2, 1, 0, 0, 1, 2), (0, 0, 0, 1, 1, 2, 2), (0, 1, 2) * 3])
def test_mixed_derivatives_in_three_numbers_are_those_of_mpmath_in_the_module_and_the_interpreter(ks: tuple[int, ...]):
    with mpmath.workdps(60):
        f = lambda x, y, z: mpmath.sin(x * y) * mpmath.exp(y * z) + x * z
        at = tuple(map(mpmath.mpf, (0.7, 0.3, 0.4)))
        wanted = float(mpmath.diff(f, at, tuple([ks.count(k) for k in range(3)])))
    g = nabla(solid, len(ks), *ks)
    assert g(0.7, 0.3, 0.4) == pytest.approx(wanted, rel=1e-13)
    with rose.eager():
        assert g(0.7, 0.3, 0.4) == rose.compile(g)(0.7, 0.3, 0.4)


@opaque
def outside(x: Real) -> Real:
    return x


@fn
def ruled(x: Real) -> Real:
    return x**7 + x


@ruled.jvp
def _(x: Any) -> Any:
    return rose.Dual(ruled(x.re), 7.0 * x.re**6 * x.du)  # not of the term x, so that the rule is seen


NESTED: dict[str, tuple[Any, Any]] = {
    "a loop": (Real, lambda x: rose.sum(rose.sin(x * (i + 1.0)) for i in rose.range(3))),
    "a while loop": (Real, lambda x: rose.while_loop(lambda s: s < 9.0, lambda s: s * s + x, x + 1.0)),
    "a branch": (Real, lambda x: rose.cond(x > 0.0, lambda: x**6, lambda: -x)),
    "a kink": (Real, lambda x: rose.abs(x - 0.7) * x**3),
    "a rule of the user's": (Real, lambda x: ruled(x) * x),
    "a power": (Real, lambda x: x**x),
    "a constant": (Real, lambda x: 2.0 + 0.0 * rose.floor(x)),
    "a struct": (Place, lambda x: Place([x**5, x**6], rose.exp(x))),
    "vectors in a vector": (Vec[2, 2], lambda x: [[x**5, rose.sin(x)], [x, 1.0]]),
    "nothing": (Vec[0], lambda x: rose.zeros(0) * x),
}


@pytest.mark.parametrize("name", NESTED)
def test_orders_above_those_of_jets_are_as_nested_ones(name: str):
    result, body = NESTED[name]
    f = fn([Real], result)(body)
    nested = rose.jacfwd(nabla(f, 3))  # of order 3 forward mode is nested
    for order, g in ((4, nested), (5, rose.jacfwd(nested))):
        got, wanted = [rose.compile(h)(0.7) for h in (nabla(f, order), g)]
        assert numbers(got) == pytest.approx(numbers(wanted), rel=1e-12), order


def numbers(x: Any) -> list[float]:
    parts = [x.x, *x.at] if isinstance(x, Place) else x
    return [x] if isinstance(x, float) else [y for part in parts for y in numbers(part)]


def test_a_gradient_of_a_gradient_of_a_jet_is_a_derivative_of_two_orders_more():
    assert rose.grad(rose.grad(nabla(curve, 5)))(0.7) == pytest.approx(nabla(curve, 7)(0.7), rel=1e-11)


def test_what_has_no_jet_is_nested_and_what_has_no_derivative_is_an_error_at_the_expression():
    with pytest.raises(RoseError, match=r"outside is opaque and has no derivative[\s\S]*outside\(x\)"):
        nabla(fn([Real], Real)(lambda x: outside(x)), 5)(1.0)


def test_a_functional_derivative_of_high_order_is_that_of_euler_and_poisson():
    power = fn([Real], Real)(lambda x: x**9)
    for n in (2, 3, 4):  # of the integral of the square of the derivative of order n
        wanted = (-1) ** n * 2.0 * nabla(power, 2 * n)(0.7)
        assert rose.grad(bent(n))(power)(0.7) == pytest.approx(wanted, rel=1e-13)
