"""Rules: derivatives by hand, of functions and of opaque functions."""

import math
from typing import Any

import pytest
from derivative_programs import (
    R2,
    R3,
    Mixed,
    Point,
    along,
    everywhere,
    pulled,
    sin,
    times,
)

import rose
from rose import Bool, Dual, Fin, Real
from tests.programs.test_inventory import both

# rules: derivatives by hand


def ruled() -> Any:
    """A function whose derivative, by its rule, is not its own: x ** 3."""
    f = rose.fn([Real], Real)(lambda x: x + 1)
    f.jvp(lambda x: Dual(f(x.re), x.du * x.re**3))
    return f


def test_a_rule_replaces_the_derivative_in_all_modes():
    f = ruled()
    assert both(f, 2) == 3
    assert everywhere(rose.jvp(f), Dual(2, 10)) == Dual(3, 80)
    assert pulled(f, [2], 1, 10) == (3, 8, 80)
    assert everywhere(rose.value_and_grad(f), 2) == (3, 8)
    assert everywhere(rose.jacfwd(f), 2) == everywhere(rose.jacrev(f), 2) == 8
    assert along(f, [2], [10]) == (3, 80)


def test_a_rule_has_derivatives_of_all_orders():
    d = rose.grad(ruled())
    assert everywhere(rose.grad(d), 2) == 12
    assert everywhere(rose.jacfwd(rose.grad(d)), 2) == 12
    assert everywhere(rose.hessian(ruled()), 2) == 12
    assert everywhere(rose.hvp(ruled()), 2, 10) == 120
    assert everywhere(rose.grad(rose.grad(rose.grad(d))), 2) == 6


def test_a_rule_holds_where_the_function_is_called():
    f = ruled()
    g = rose.fn([R3], Real)(lambda v: rose.sum(v[i] * f(v[i]) for i in rose.range(3)))
    assert everywhere(rose.grad(g), [1, 2, 3]) == [2 + 1, 3 + 2 * 8, 4 + 3 * 27]
    assert everywhere(rose.hessian(g), [1, 2, 3])[2] == [0, 0, 27 + 27 + 3 * 27]


def test_a_rule_may_be_an_fn():
    f = rose.fn([Real], Real)(lambda x: x)
    f.jvp(rose.fn([Dual], Dual)(lambda x: Dual(x.re, 10 * x.du)))
    assert everywhere(rose.grad(f), 2) == 10


def test_a_rule_over_several_parameters_has_a_dual_for_each():
    f = rose.fn([Real, Real], Real)(lambda x, y: x * y)
    f.jvp(lambda x, y: Dual(x.re * y.re, 10 * x.du * y.re**2 + 100 * y.du * x.re))
    assert pulled(f, [2, 3], 1) == (6, (90, 200))
    assert everywhere(rose.grad(rose.grad(f, 0), 1), 2, 3) == 60
    assert everywhere(rose.grad(rose.grad(f, 1), 0), 2, 3) == 100


def test_a_rule_over_vectors_has_duals_for_elements():
    f = rose.fn([R3], R3)(lambda v: v)
    f.jvp(lambda v: [Dual(v[0].re, v[2].du), Dual(v[1].re, 10 * v[0].du), Dual(v[2].re, v[1].du * v[1].re)])
    assert everywhere(rose.jacobian(f), [1, 2, 3]) == [[0, 0, 1], [10, 0, 0], [0, 2, 0]]
    assert pulled(f, [[1, 2, 3]], [1, 1, 1]) == ([1, 2, 3], [10, 2, 1])
    assert everywhere(rose.jacobian(rose.jacobian(f)), [1, 2, 3])[2] == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_a_rule_may_loop():
    f = rose.fn([R3], Real)(lambda v: rose.sum(v))
    f.jvp(lambda v: Dual(f([v[i].re for i in range(3)]), rose.sum(v[i].du * (i + 1) * v[i].re for i in rose.range(3))))
    assert everywhere(rose.grad(f), [1, 2, 3]) == [1, 4, 9]
    assert everywhere(rose.hessian(f), [1, 2, 3]) == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]


def test_a_rule_may_sum_into_an_accumulator():
    f = rose.fn([R3], Real)(lambda v: rose.sum(v))

    @f.jvp
    def _(v):
        y, dy = rose.accum(0.0), rose.accum(0.0)
        for i in rose.range(3):
            y += v[i].re
            dy += 10 * v[i].du
        return Dual(y.value, dy.value)

    assert everywhere(rose.value_and_grad(f), [1, 2, 3]) == (6, [10, 10, 10])


def test_a_rule_over_structs_has_structs_of_duals():
    f = rose.fn([Point, Real], Point)(lambda p, x: Point(p.x * x, p.y))
    f.jvp(lambda p, x: Point(Dual(p.x.re * x.re, 10 * p.x.du * x.re), Dual(p.y.re, p.x.du + 100 * x.du)))
    assert everywhere(rose.jacobian(f), Point(2, 3), 5) == Point(Point(50, 0), Point(1, 0))
    assert everywhere(rose.jacobian(f, 1), Point(2, 3), 5) == Point(0, 100)
    assert pulled(f, [Point(2, 3), 5], Point(1, 1)) == (Point(10, 3), (Point(51, 0), 100))


def test_a_rule_is_given_what_has_no_derivative_as_it_is():
    f = rose.fn([Bool, R3, Fin[3], Mixed], Real)(lambda on, v, i, s: v[i])
    f.jvp(lambda on, v, i, s: Dual(v[i].re, rose.select(on, 10 * v[i].du, s.v[0].du)))
    s = Mixed(True, [4, 5], 2, None)
    none = Mixed(True, [0, 0], 2, None)
    assert pulled(f, [True, [1, 2, 3], 1, s], 1) == (2, (None, [0, 10, 0], None, none))
    assert pulled(f, [False, [1, 2, 3], 1, s], 1) == (2, (None, [0, 0, 0], None, Mixed(True, [1, 0], 2, None)))


def test_a_rule_may_call_the_function_and_other_functions_with_rules():
    f, g = ruled(), rose.fn([Real], Real)(lambda x: x)
    g.jvp(lambda x: Dual(g(x.re), rose.jvp(f)(x).du * f(x.re)))
    assert everywhere(rose.grad(g), 2) == 8 * 3
    assert everywhere(rose.grad(rose.grad(g)), 2) == 12 * 3 + 8 * 8


def test_a_rule_of_a_closure_is_refused():
    @rose.fn
    def f(a: Real, x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: a * y)
        inner.jvp(lambda y: Dual(y.re, 10 * y.du))
        return inner(x)

    with pytest.raises(rose.RoseError, match="parameter"):
        rose.compile(rose.grad(f))


@rose.opaque(pure=True)
def blend(on: Bool, p: Point, v: R2, i: Fin[2]) -> Point:
    return Point(p.x * v[i], p.y if on else v[0])


@blend.jvp
def _(on, p, v, i):
    y = blend(on, Point(p.x.re, p.y.re), [v[0].re, v[1].re], i)
    dy = rose.select(on, p.y.du, v[0].du)
    return Point(Dual(y.x, p.x.du * v[i].re + v[i].du * p.x.re), Dual(y.y, dy))


def test_an_opaque_function_of_any_signature_has_a_rule():
    given = [True, Point(2, 3), [5, 7], 1]
    assert pulled(blend, given, Point(1, 10)) == (Point(14, 3), (None, Point(7, 10), [0, 2], None))
    given = [False, Point(2, 3), [5, 7], 0]
    assert pulled(blend, given, Point(1, 10)) == (Point(10, 5), (None, Point(5, 0), [12, 0], None))


def test_an_opaque_function_of_any_signature_has_all_derivatives():
    f = rose.fn([Point, R2], Real)(lambda p, v: blend(True, p, v, 1).x ** 2)
    assert everywhere(rose.grad(f, (0, 1)), Point(2, 3), [5, 7]) == (Point(196, 0), [0, 56])
    assert everywhere(rose.jacfwd(rose.grad(f)), Point(2, 3), [5, 7]) == Point(Point(98, 0), Point(0, 0))
    assert everywhere(rose.hessian(f), Point(2, 3), [5, 7]) == Point(Point(98, 0), Point(0, 0))


def test_opaque_functions_are_the_derivatives_of_each_other_to_any_order():
    derivatives, f = [], rose.fn([Real], Real)(lambda x: sin(x))
    for _ in range(4):
        f = rose.grad(f)
        derivatives.append(both(f, 0.5))
    assert derivatives == [math.cos(0.5), -math.sin(0.5), -math.cos(0.5), math.sin(0.5)]


@pytest.mark.parametrize(
    "rule",
    [
        lambda x: Dual(x.re, x.du * x.du),
        lambda x: Dual(x.re, x.du + 1.0),
        lambda x: Dual(x.re, 1.0),
        lambda x: Dual(x.re, x.re),
        lambda x: Dual(x.re, x.re / x.du),
        lambda x: Dual(x.re, rose.abs(x.du)),
        lambda x: Dual(x.re, rose.max(x.du, 0.0)),
        lambda x: Dual(x.du, x.du),
        lambda x: Dual(x.re, sin(x.du)),
        lambda x: Dual(x.re, rose.select(x.du > 0, x.du, 0.0)),
    ],
)
def test_a_rule_that_is_not_linear_is_refused_where_it_is_written(rule: Any):
    f = rose.fn([Real], Real)(lambda x: x)
    with pytest.raises(rose.RoseError) as e:
        f.jvp(rule)
    assert e.value.loc is not None
    assert "test_jvp.py" in str(e.value)


def test_a_rule_of_the_wrong_shape_is_refused():
    f = rose.fn([Real, Real], Real)(times)
    with pytest.raises(rose.TypeMismatch, match="Dual"):
        f.jvp(lambda x: x)
    with pytest.raises(rose.TypeMismatch, match="Dual"):
        f.jvp(lambda x, y: x.re * y.re)
