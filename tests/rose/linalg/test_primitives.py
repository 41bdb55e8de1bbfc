"""Primitives: a function of a module for the types of its arguments, with a rule for its derivative."""

import pytest

import rose
from rose import NotLinear, Real, Vec, fn
from rose.ir.types import Real as Number
from rose.ir.types import Tuple
from rose.linalg.primitives import primitive


@primitive("scaled")
def scaled(x, y, *, by):
    return x * y * by


@scaled.jvp
def _(z, x, y, *, by):
    return (x.du * y.re + x.re * y.du) * by


@primitive("halves", lambda t: Tuple((t, t)))
def halves(x):
    return 0.5 * x, 2.0 * x


@halves.jvp
def _(halves, x):
    return 0.5 * x.du, None


@primitive("root")
def root(a, y):
    return y / a


@root.residual
def _(x, a, y):
    return y.du - a.du * x


def test_what_is_given_by_name_makes_another_function():
    assert scaled.of(Number, Number, by=2.0) is scaled.of(Number, Number, by=2.0)
    assert scaled.of(Number, Number, by=2.0) is not scaled.of(Number, Number, by=3.0)
    assert scaled.of(Number, Number, by=2.0).names == ("x", "y")


def test_a_primitive_has_its_own_derivatives():
    f = fn([Real, Real], Real)(lambda x, y: scaled(x, y, by=2.0) * scaled(x, y, by=1.0))
    assert f(2.0, 3.0) == 72.0 and rose.grad(f)(2.0, 3.0) == 72.0
    assert rose.grad(rose.grad(f))(2.0, 3.0) == 36.0


def test_a_part_without_a_tangent_does_not_move():
    assert rose.grad(fn([Real], Real)(lambda x: sum(halves(x))))(3.0) == 0.5


def test_a_solution_moves_as_another_solution_does():
    f = fn([Real, Real], Real)(lambda a, y: root(a, y))
    assert rose.grad(f, (0, 1))(2.0, 6.0) == (-1.5, 0.5)
    assert rose.grad(rose.grad(f))(2.0, 6.0) == 1.5


def test_a_rule_that_is_not_linear_is_refused():
    @primitive("wrong")
    def wrong(x):
        return x

    wrong.jvp(lambda y, x: x.du * x.du)
    with pytest.raises(NotLinear):
        fn([Vec[2]], Real)(lambda x: wrong(x[0]))([1.0, 2.0])
