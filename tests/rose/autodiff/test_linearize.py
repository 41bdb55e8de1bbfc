"""The linear half: it is linear in the tangents, and reads the tape of the forward half."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import transpose
from rose.host.interpreter import run
from rose.ir import Func
from rose.ir.check import check


@rose.fn
def f(v: Vec[2], x: Real) -> Real:
    return rose.cond(x > 0.0, lambda: rose.sum(rose.sin(v[i] * x) for i in rose.range(2)), lambda: v[0])


def derivative(g: Any) -> Func:
    return jvp(g.func, full_mask(g.func)).func


def pushed(v: Any, x: float, dv: Any, dx: float) -> float:
    fwd, lin, signature = linearize(derivative(f))
    _, tape = run(fwd, v, x)
    primals = {0: v, 2: x}
    return run(check(lin), dv, dx, *[primals[k] for k in signature.residuals], tape)[1]


@pytest.mark.parametrize("x", [0.7, -0.7])
def test_it_gives_the_tangent_of_forward_mode(x: float):
    d = derivative(f)
    assert pushed((0.3, 0.4), x, (1.0, -2.0), 0.5) == run(d, (0.3, 0.4), (1.0, -2.0), x, 0.5)[1]


def test_it_is_linear_in_the_tangents():
    one, two = pushed((0.3, 0.4), 0.7, (1.0, 0.0), 0.0), pushed((0.3, 0.4), 0.7, (0.0, 1.0), 1.0)
    assert pushed((0.3, 0.4), 0.7, (2.0, 3.0), 3.0) == pytest.approx(2.0 * one + 3.0 * two)


def test_the_forward_half_is_that_of_reverse_mode():
    d = derivative(f)
    assert linearize(d).fwd is transpose(d).fwd
