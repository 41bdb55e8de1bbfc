"""Forward mode over a graph, and its transpose: reverse mode is the adjoint of forward mode."""

import random
from typing import Any

import pytest

import rose
from rose import Real
from rose import functional as F

from .functions import LINE, Curve, Surface, cos, exp, kernel, sin, square

NEAR = kernel.on(LINE, LINE)


@F.functional
def mixed(f: Curve, g: Curve) -> Curve:
    h = rose.tanh(f * g) + NEAR @ (f + g * g)
    return rose.exp(-h) * F.integrate(h * f, LINE) + sin(h)


@F.functional
def surface(f: Curve, g: Curve) -> Surface:
    return F.broadcast_arg(f, NEAR, 0) * NEAR * F.broadcast_arg(g, NEAR, 1)


def paired(f: Any, g: Any) -> float:
    """The integral of a product over the grid."""
    return F.integrate(f * g, LINE if len(f.types) == 1 else (LINE, LINE))


@pytest.mark.parametrize("of", [mixed, surface], ids=["a curve", "a surface"])
def test_reverse_mode_is_the_adjoint_of_forward_mode(of: Any):
    directions = (exp, square)
    out = rose.jvp(of)(sin, cos, *directions)
    ct = cos if of is mixed else NEAR
    back = rose.vjp(of)(sin, cos).grad(ct)
    assert paired(out.du, ct) == pytest.approx(sum(map(paired, back, directions)), rel=1e-12)


def test_forward_mode_is_the_limit_of_differences():
    du = rose.jvp(mixed)(sin, cos, exp, square).du(0.4)
    h, draw = 1e-6, random.Random(1).random()
    for x in (0.4, draw):
        ends = [mixed(sin + s * exp, cos + s * square)(x) for s in (h, -h)]
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(rose.jvp(mixed)(sin, cos, exp, square).du(x), rel=1e-8)
    assert du == rose.jvp(mixed)(rose.Dual(sin, exp), rose.Dual(cos, square)).du(0.4)


def test_what_does_not_depend_on_a_function_has_a_derivative_of_zero():
    @F.functional
    def nothing(f: Curve) -> Real:
        return F.integrate(exp, LINE)

    assert rose.grad(nothing)(sin)(0.3) == 0.0 and rose.jvp(nothing)(sin, cos).du == 0.0
