"""Derivatives, as a user takes them: every mode, over every type, in any order, inside of traces and outside.

Each value is the same compiled and interpreted, to the bit. Answers are known in closed form; where one is
not, modes agree with one another and with differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from derivative_programs import (
    MIX,
    R2,
    R3,
    Mixed,
    Point,
    along,
    close,
    cos,
    cube,
    everywhere,
    mirror,
    mix,
    norm2,
    pick,
    pulled,
    sin,
    square,
    squares,
    times,
    weigh,
)

import rose
from rose import Bool, Dual, Fin, Real, Unit, Vec
from rose.host.marshal import plain
from tests.programs.test_inventory import both


# forward mode
def test_jvp_of_a_function_of_numbers():
    assert everywhere(rose.jvp(square), Dual(3, 10)) == Dual(9, 60)
    assert everywhere(rose.jvp(times), Dual(3, 10), Dual(5, 100)) == Dual(15, 350)


def test_jvp_over_vectors_has_a_dual_for_each_element():
    given = [Dual(1, 1), Dual(2, 10), Dual(3, 100)]
    assert everywhere(rose.jvp(squares), given) == [Dual(1, 2), Dual(4, 40), Dual(9, 600)]
    assert everywhere(rose.jvp(norm2), given) == Dual(14, 642)


def test_jvp_over_structs_has_a_dual_for_each_real():
    assert everywhere(rose.jvp(mirror), Point(Dual(3, 1), Dual(5, 10))) == Point(Dual(15, 35), Dual(-2, -9))
    given = Mixed(True, [Dual(2, 1), Dual(3, 10)], 2, None)
    expected = Mixed(False, [Dual(10, 205), Dual(9, 60)], 2, None)
    assert everywhere(rose.jvp(weigh), given, Dual(5, 100)) == expected


def test_jvp_takes_what_has_no_derivative_as_it_is():
    v = [Dual(1, 1), Dual(2, 10), Dual(3, 100)]
    assert everywhere(rose.jvp(pick), v, 1, True, Dual(5, 1000)) == Dual(10, 2050)
    assert everywhere(rose.jvp(pick), v, 1, False, Dual(5, 1000)) == Dual(0, 0)


def test_jvp_of_what_does_not_depend_on_its_parameters_is_zero():
    assert everywhere(rose.jvp(rose.fn([Real], Real)(lambda x: 5.0)), Dual(1, 1)) == Dual(5, 0)
    assert everywhere(rose.jvp(rose.fn([Real], Real)(rose.floor)), Dual(1.5, 1)) == Dual(1, 0)
    assert everywhere(rose.jvp(rose.fn([Real], Bool)(lambda x: x < 2)), Dual(1, 1)) is True


def test_jvp_of_jvp_has_duals_of_duals():
    second = rose.jvp(rose.jvp(cube))
    assert everywhere(second, Dual(Dual(2, 1), Dual(1, 0))) == Dual(Dual(8, 12), Dual(12, 12))
    nested = rose.fn([Real], Real)(lambda x: rose.jvp(rose.jvp(cube))(Dual(Dual(x, 1), Dual(1, 0))).du.du)
    assert everywhere(rose.jvp(nested), Dual(2, 1)) == Dual(12, 6)


def test_a_tangent_is_a_number_outside_of_a_rule():
    @rose.fn
    def f(x: Real, dx: Real) -> Real:
        d = rose.jvp(square)(Dual(x, dx)).du
        return d * d + 1.0

    assert both(f, 3, 10) == 3601
    assert everywhere(rose.grad(f, (0, 1)), 3, 10) == (2400, 720)


# reverse mode


def test_vjp_has_the_value_and_pulls_back_many_cotangents():
    assert pulled(square, [3], 1, 10, 100) == (9, 6, 60, 600)
    assert pulled(squares, [[1, 2, 3]], [1, 0, 0], [0, 10, 100]) == ([1, 4, 9], [2, 0, 0], [0, 40, 600])


def test_vjp_of_a_function_of_several_parameters_has_a_gradient_for_each():
    assert pulled(times, [3, 5], 1, 10) == (15, (5, 3), (50, 30))


def test_vjp_gives_none_for_a_parameter_without_a_derivative():
    assert pulled(pick, [[1, 2, 3], 1, True, 5], 1) == (10, ([0, 5, 0], None, None, 2))
    assert pulled(pick, [[1, 2, 3], 1, False, 5], 1) == (0, ([0, 0, 0], None, None, 0))


def test_vjp_gives_members_without_a_derivative_back_as_they_were():
    s, ct = Mixed(True, [2, 3], 2, None), Mixed(False, [1, 10], 0, None)
    assert pulled(weigh, [s, 5], ct) == (Mixed(False, [10, 9], 2, None), (Mixed(True, [5, 60], 2, None), 2))


def test_vjp_of_a_struct_takes_a_struct_as_cotangent():
    assert pulled(mirror, [Point(3, 5)], Point(1, 0), Point(0, 1)) == (Point(15, -2), Point(5, 3), Point(1, -1))
    assert pulled(mirror, [{"x": 3, "y": 5}], [1, 10]) == (Point(15, -2), Point(15, -7))


def test_vjp_unpacks_and_takes_arguments_by_name():
    y, pullback = rose.vjp(times)(y=5, x=3)
    assert (y, pullback(1)) == (15, (5, 3))
    named = rose.fn([Real], tuple[Real, Real])(lambda x: rose.vjp(times)(y=5, x=x).grad(1))
    assert both(named, 3) == (5, 3)


NOTHING: list[tuple[Any, Any]] = [
    (Unit, None),
    (Vec[2, Unit], [None] * 2),
    (Vec[0], []),
    (tuple[Unit, Vec[0]], (None, [])),
]


@pytest.mark.parametrize(("t", "nothing"), NOTHING)
def test_parameters_that_hold_nothing_stand_beside_others(t: Any, nothing: Any):
    inner = rose.fn([t, Real, t], Real)(lambda a, x, b: x * x)
    f = rose.fn([t, Real, t], Real)(lambda a, x, b: inner(a, inner(b, x, a), b))
    given = nothing, 3, nothing
    assert both(rose.jvp(f), nothing, Dual(3, 1), nothing) == Dual(81, 108)
    assert everywhere(rose.value_and_grad(f, 1), *given) == (81, 108)
    assert everywhere(rose.hessian(f, 1), *given) == 108
    assert rose.vjp(f)(*given).grad(1)[1] == 108


def test_vjp_of_what_has_no_derivative_has_a_value():
    assert pulled(rose.fn([Bool, Fin[3]], Bool)(lambda p, i: p & (i < 2)), [True, 1]) == (True,)
    assert pulled(rose.fn([Real], Bool)(lambda x: x < 2), [1], True) == (True, 0)
    assert pulled(rose.fn([R3], Unit)(lambda v: None), [[1, 2, 3]], None) == (None, [0, 0, 0])


def test_a_tape_is_pulled_back_in_a_loop():
    @rose.fn
    def rows(v: R3) -> Vec[3, R3]:
        _, pullback = rose.vjp(squares)(v)
        return rose.vec(pullback(rose.vec(rose.select(i == j, 1.0, 0.0) for j in rose.range(3))) for i in rose.range(3))

    assert everywhere(rows, [1, 2, 3]) == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert everywhere(rose.jacobian(rows), [1, 2, 3])[1] == [[0, 0, 0], [0, 2, 0], [0, 0, 0]]


def test_a_tape_is_made_in_each_turn_of_a_loop():
    slopes = rose.fn([R3], Real)(lambda v: rose.sum(rose.vjp(cube)(v[i]).grad(v[i]) for i in rose.range(3)))
    assert everywhere(slopes, [1, 2, 3]) == 3 * (1 + 8 + 27)
    assert everywhere(rose.grad(slopes), [1, 2, 3]) == [9, 36, 81]


# gradients


DX, DV, DP = 7 + 66, [0, 3], Point(9, -1)


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [
        (0, DX),
        (1, DV),
        (3, DP),
        (-1, DP),
        (-4, DX),
        ((0,), (DX,)),
        ((3, 1), (DP, DV)),
        ((0, 1, -1), (DX, DV, DP)),
        ([1, 0], (DV, DX)),
    ],
)
def test_grad_in_the_parameters_of_argnums(argnums: Any, expected: Any):
    assert everywhere(rose.grad(mix, argnums), *MIX) == expected
    assert everywhere(rose.value_and_grad(mix, argnums), *MIX) == (21 + 99 - 13, expected)
    assert everywhere(rose.jacfwd(mix, argnums), *MIX) == expected
    assert everywhere(rose.jacrev(mix, argnums), *MIX) == expected
    assert everywhere(rose.jacobian(mix, argnums), *MIX) == expected


def test_grad_is_in_the_first_parameter_unless_told():
    assert everywhere(rose.grad(times), 3, 5) == 5
    assert rose.grad(times)(y=5, x=3) == 5
    assert everywhere(rose.value_and_grad(times), 3, 5) == (15, 5)


def test_grad_in_a_struct_has_its_other_members_as_they_were():
    f = rose.fn([Mixed], Real)(lambda s: rose.select(s.on, s.v[0] * s.v[1], 0.0))
    assert everywhere(rose.grad(f), Mixed(True, [2, 3], 2, None)) == Mixed(True, [3, 2], 2, None)
    assert everywhere(rose.grad(f), Mixed(False, [2, 3], 1, None)) == Mixed(False, [0, 0], 1, None)


def test_grad_of_what_does_not_depend_on_a_parameter_is_zero():
    assert everywhere(rose.grad(rose.fn([R3], Real)(lambda v: 5.0)), [1, 2, 3]) == [0, 0, 0]
    assert everywhere(
        rose.grad(rose.fn([Real, Mixed], Real)(lambda x, s: x), 1), 1, Mixed(True, [1, 2], 2, None)
    ) == Mixed(True, [0, 0], 2, None)


def test_a_hessian_times_a_vector():
    f = rose.fn([R3], Real)(lambda v: v[0] ** 2 * v[1] + v[2])
    assert everywhere(rose.hvp(f), [1, 2, 3], [1, 0, 0]) == [4, 2, 0]
    assert everywhere(rose.hvp(f), [1, 2, 3], [0, 10, 100]) == [20, 0, 0]
    assert everywhere(rose.hvp(times, 1), 3, 5, 1) == 0
    assert everywhere(rose.hvp(rose.fn([Real, Real], Real)(lambda x, y: x * y**2), -1), 3, 5, 10) == 60


def test_a_hessian_times_a_struct():
    f = rose.fn([Point], Real)(lambda p: p.x**2 * p.y)
    assert everywhere(rose.hvp(f), Point(3, 5), Point(1, 10)) == Point(70, 6)
    g = rose.fn([Mixed], Real)(lambda s: s.v[0] * s.v[1])
    given, v = Mixed(True, [2, 3], 2, None), Mixed(False, [1, 10], 0, None)
    assert everywhere(rose.hvp(g), given, v) == Mixed(True, [10, 1], 2, None)


def test_linearize_gives_the_value_and_the_derivative_along_tangents():
    assert along(square, [3], [1], [10]) == (9, 6, 60)
    assert along(times, [3, 5], [1, 0], [10, 100]) == (15, 5, 350)
    assert along(squares, [[1, 2, 3]], [[1, 10, 100]]) == ([1, 4, 9], [2, 40, 600])
    assert along(mirror, [Point(3, 5)], [Point(1, 10)]) == (Point(15, -2), Point(35, -9))


def test_linearize_takes_tangents_of_what_has_a_derivative_only():
    assert along(pick, [[1, 2, 3], 1, True, 5], [[1, 10, 100], 1000]) == (10, 2050)
    given, d = Mixed(True, [2, 3], 2, None), Mixed(True, [1, 10], 2, None)
    assert along(weigh, [given, 5], [d, 100]) == (Mixed(False, [10, 9], 2, None), Mixed(False, [205, 60], 2, None))


# orders


DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "jvp": lambda f: rose.fn([Real], Real)(lambda x: rose.jvp(f)(Dual(x, 1)).du),
    "vjp": lambda f: rose.fn([Real], Real)(lambda x: rose.vjp(f)(x).grad(1)),
    "grad": rose.grad,
    "jacfwd": rose.jacfwd,
}


def fifth_power(x: Any) -> Any:
    """x ** 5, by way of a loop, an accumulator, a call, a division and a vector."""
    total = rose.accum(0.0)
    v = rose.vec(square(x) for _ in rose.range(2))
    for i in rose.range(2):
        total += v[i] * v[i] / 2
    return total.value * cube(x) / square(x)


@pytest.mark.parametrize("third", DERIVATIVES)
@pytest.mark.parametrize("second", DERIVATIVES)
@pytest.mark.parametrize("first", DERIVATIVES)
def test_derivatives_of_derivatives_in_any_modes_to_third_order(first: str, second: str, third: str):
    f = rose.fn([Real], Real)(fifth_power)
    d = DERIVATIVES[first](f)
    dd = DERIVATIVES[second](d)
    ddd = DERIVATIVES[third](dd)
    assert [both(g, 2) for g in (f, d, dd, ddd)] == pytest.approx([32, 80, 160, 240], rel=1e-12)


def test_linearize_composes_with_all_modes_to_third_order():
    lin = lambda f: rose.fn([Real], Real)(lambda x: rose.linearize(f)(x)[1](1))
    f = rose.fn([Real], Real)(fifth_power)
    for d in DERIVATIVES.values():
        for g in (d(lin(f)), lin(d(f))):
            assert both(g, 2) == pytest.approx(160, rel=1e-12)
        for g in (d(lin(lin(f))), lin(d(lin(f))), lin(lin(d(f)))):
            assert both(g, 2) == pytest.approx(240, rel=1e-12)
    assert both(lin(lin(lin(f))), 2) == pytest.approx(240, rel=1e-12)


@rose.fn
def rosenbrock(v: R3) -> Real:
    return rose.sum((1 - v[i]) ** 2 + 100 * (v[i + 1] - v[i] ** 2) ** 2 for i in rose.range(2))


@rose.fn
def closures(v: R3) -> Real:
    @rose.fn
    def pull(x: Real, i: Fin[3]) -> Real:
        return x * v[i] / (1 + x * x)

    return rose.sum(pull(v[0] * v[2], i) for i in rose.range(3))


@rose.fn
def branches(v: R3) -> Real:
    near = rose.select(v[0] < v[1], [v[0], v[1] * v[2]], [v[2] ** 3, v[0]])
    return near[0] * near[1] + rose.max(v[1], v[2]) * abs(v[0]) + rose.prod(v[i] for i in rose.range(3))


@rose.fn
def structs(v: R3) -> Real:
    def turn(p: Point) -> Point:
        return Point(p.x * v[2] - p.y, p.x + p.y * v[2])

    p = turn(turn(Point(v[0], v[1])))
    return p.x**2 / (1 + p.y**2)


@rose.fn
def opaques(v: R3) -> Real:
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += sin(v[i] * v[0]) * cos(v[i])
    return total.value


@rose.fn
def matrices(v: R3) -> Real:
    m = rose.vec(rose.vec(v[i] * v[j] / (1 + i + j) for j in rose.range(3)) for i in rose.range(3))
    mv = rose.vec(rose.dot(m[i], v) for i in rose.range(3))
    return rose.sqrt(rose.dot(mv, mv))


@rose.fn
def scattered(v: R3) -> Real:
    w = rose.accum([0.0, 0.0, 0.0])
    for i in rose.range(3):
        w[i] += v[i] ** 2
        w[(i + 1) % 3] += v[i] * v[0]
    u = w.value
    return rose.sum(u[i] * u[(i + 2) % 3] for i in rose.range(3)) / (1 + norm2(v))


PROGRAMS = [rosenbrock, closures, branches, structs, opaques, matrices, scattered]
AT, ALONG = [0.7, 1.3, -0.4], [0.3, -1.1, 0.6]


def by_differences(f: Any, x: list[float], h: float = 1e-5) -> list[Any]:
    """The derivative of `f` in each element of `x`, by central differences: of numbers and of nested lists."""
    g = rose.compile(f)

    def slope(a: Any, b: Any) -> Any:
        return (a - b) / (2 * h) if isinstance(a, float) else [slope(p, q) for p, q in zip(a, b, strict=True)]

    at = lambda k, d: plain(g([y + d * (j == k) for j, y in enumerate(x)]), f.result)
    return [slope(at(k, h), at(k, -h)) for k in range(len(x))]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.name)
def test_all_modes_agree_with_differences(f: Any):
    expected = by_differences(f, AT)
    for g in (rose.grad(f), rose.jacfwd(f), rose.jacrev(f)):
        assert close(everywhere(g, AT), expected, 1e-8)
    slope = sum(d * e for d, e in zip(ALONG, expected, strict=True))
    assert close(everywhere(rose.jvp(f), [Dual(*d) for d in zip(AT, ALONG, strict=True)]).du, slope, 1e-8)
    assert close(along(f, [AT], [ALONG])[1], slope, 1e-8)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.name)
def test_second_derivatives_agree_in_all_modes_and_with_differences(f: Any):
    expected = by_differences(rose.grad(f), AT)
    modes = rose.jacfwd, rose.jacrev
    for h in (rose.hessian(f), *[outer(inner(f)) for outer in modes for inner in modes]):
        assert close(both(h, AT), expected, 1e-7)
    times_v = [sum(e * d for e, d in zip(row, ALONG, strict=True)) for row in expected]
    assert close(everywhere(rose.hvp(f), AT, ALONG), times_v, 1e-7)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.name)
def test_third_derivatives_agree_in_all_modes_and_with_differences(f: Any):
    expected = by_differences(rose.hessian(f), AT)
    modes = rose.jacfwd, rose.jacrev
    for d in [a(b(c(f))) for a in modes for b in modes for c in modes]:
        assert close(both(d, AT), expected, 1e-6)


def test_derived_functions_are_differentiated_as_any_other():
    y, pullback = rose.vjp(rose.jvp(cube))(Dual(2, 1))
    assert (y, pullback(Dual(1, 0)), pullback(Dual(0, 1))) == (Dual(8, 12), Dual(12, 0), Dual(12, 12))
    inside = rose.fn([Real, Real], Real)(lambda x, dx: rose.vjp(rose.jvp(cube))(Dual(x, dx)).grad(Dual(0, 1)).re)
    assert both(inside, 2, 1) == 12
    assert pulled(rose.jacrev(squares), [[1, 2, 3]], [[1, 0, 0], [9, 10, 9], [0, 0, 100]])[1] == [2, 20, 200]
    assert pulled(rose.value_and_grad(norm2), [[1, 2, 3]], (10, [1, 1, 1])) == ((14, [2, 4, 6]), [22, 42, 62])
    v = [Dual(1, 1), Dual(2, 0), Dual(3, 0)]
    assert everywhere(rose.jvp(rose.grad(norm2)), v) == [Dual(2, 2), Dual(4, 0), Dual(6, 0)]


def test_a_pullback_is_used_in_a_function_inside():
    @rose.fn
    def f(x: Real) -> Real:
        pullback = rose.vjp(cube)(x).grad
        inner = rose.fn([Real], Real)(lambda y: pullback(y) * y)
        return rose.grad(inner)(x)

    assert everywhere(f, 2) == 6 * 2**3
    assert everywhere(rose.grad(f), 2) == 18 * 2**2


def test_a_pullback_has_no_meaning_outside_of_where_it_was_made():
    kept = []
    both(rose.fn([Real], Real)(lambda x: kept.append(rose.vjp(cube)(x).grad) or x), 2)
    for use in (lambda: rose.compile(rose.fn([Real], Real)(lambda x: kept[0](x))), lambda: kept[0](1.0)):
        with pytest.raises(rose.EscapedValue):
            use()


@pytest.mark.parametrize("ct", [[1, 2], 1.0, "a", None])
def test_a_cotangent_has_the_type_of_the_result(ct: Any):
    with pytest.raises(rose.TypeMismatch):
        rose.vjp(squares)([1, 2, 3]).grad(ct)
    with pytest.raises(rose.TypeMismatch):
        rose.compile(rose.fn([R3], R3)(lambda v: rose.vjp(squares)(v).grad(ct)))


# closures: functions inside of functions, which use values of the function around them


def test_a_closure_over_a_number_is_differentiated_in_its_parameter_and_in_what_it_uses():
    @rose.fn
    def f(a: Real, x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: a * y**3)
        return rose.grad(inner)(x)

    assert everywhere(f, 2, 3) == 54
    assert everywhere(rose.grad(f, (0, 1)), 2, 3) == (27, 36)
    assert everywhere(rose.hessian(f, (0, 1)), 2, 3) == ((0, 18), (18, 12))


def test_a_closure_over_a_vector_is_differentiated_in_both():
    @rose.fn
    def f(v: R3, x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: rose.sum(v[i] * y**2 for i in rose.range(3)))
        return rose.vjp(inner)(x).grad(x)

    assert everywhere(f, [1, 2, 3], 5) == 300
    assert everywhere(rose.grad(f, (0, 1)), [1, 2, 3], 5) == ([50, 50, 50], 120)


def test_a_closure_over_a_struct_is_differentiated_in_both():
    @rose.fn
    def f(p: Point, x: Real) -> Real:
        inner = rose.fn([Real], Point)(lambda y: Point(p.x * y, p.y * y**2))
        d = rose.jvp(inner)(Dual(x, 1))
        return d.x.du * d.y.du

    assert everywhere(f, Point(2, 3), 5) == 60
    assert everywhere(rose.grad(f, (0, 1)), Point(2, 3), 5) == (Point(30, 20), 12)


def test_a_closure_over_the_index_of_a_loop():
    @rose.fn
    def f(v: R3) -> Real:
        term = lambda i: rose.fn([Real], Real)(lambda y: y**2 * v[i] * i)
        return rose.sum(rose.grad(term(i))(v[i]) for i in rose.range(3))

    assert everywhere(f, [1, 2, 3]) == 2 * (4 * 1 + 9 * 2)
    assert everywhere(rose.grad(f), [1, 2, 3]) == [0, 8, 24]


def test_a_closure_over_truth_values_and_over_results():
    @rose.fn
    def f(x: Real, on: Bool) -> Real:
        y = x * x
        inner = rose.fn([Real], Real)(lambda z: rose.select(on & (y > 1), y * z, z))
        return inner(x) + rose.grad(inner)(x)

    assert everywhere(rose.value_and_grad(f), 3, True) == (27 + 9, 27 + 6)
    assert everywhere(rose.value_and_grad(f), 3, False) == (3 + 1, 1)


def test_a_closure_in_a_closure():
    @rose.fn
    def f(x: Real) -> Real:
        @rose.fn
        def g(y: Real) -> Real:
            h = rose.fn([Real], Real)(lambda z: x * y**2 * z**3)
            return rose.grad(h)(y)

        return rose.grad(g)(x)

    assert everywhere(f, 2) == 3 * 4 * 2**4  # g(y) is 3 x y ** 4
    assert everywhere(rose.grad(f), 2) == 12 * 4 * 2**3


def test_the_derivatives_of_two_levels_are_kept_apart():
    @rose.fn
    def f(x: Real) -> Real:
        inner = rose.fn([Real], Real)(lambda y: x * y)
        return x * rose.jvp(inner)(Dual(x, 1)).du

    assert everywhere(rose.jvp(f), Dual(3, 1)) == Dual(9, 6)


def test_the_second_derivatives_of_a_closure():
    f = rose.fn([Real, R2], R2)(lambda a, x: rose.hvp(rose.fn([R2], Real)(lambda y: a * y[0] ** 2 * y[1]))(x, x))
    assert everywhere(f, 2, [3, 5]) == [2 * (10 * 3 + 6 * 5), 2 * 6 * 3]
    g = rose.fn([Real, R2], Vec[2, R2])(
        lambda a, x: rose.hessian(rose.fn([R2], Real)(lambda y: a * y[0] ** 2 * y[1]))(x)
    )
    assert everywhere(g, 2, [3, 5]) == [[20, 12], [12, 0]]
    assert everywhere(rose.jacfwd(g), 2, [3, 5]) == [[10, 6], [6, 0]]


def test_linearize_of_a_closure():
    f = rose.fn([Real, Real], Real)(lambda a, x: rose.linearize(rose.fn([Real], Real)(lambda y: a * y**2))(x)[1](a))
    assert everywhere(f, 2, 3) == 24
    assert everywhere(rose.grad(f, (0, 1)), 2, 3) == (24, 8)


# what has no derivative


def test_stop_gradient_makes_a_constant_of_anything():
    f = rose.fn([Real], Real)(lambda x: x**2 * rose.stop_gradient(x**2))
    assert everywhere(rose.value_and_grad(f), 3) == (81, 54)
    assert everywhere(rose.grad(rose.grad(f)), 3) == 18
    g = rose.fn([Point, R2], Real)(lambda p, v: rose.stop_gradient(p).x * p.y + rose.stop_gradient(v)[0] * v[1])
    assert everywhere(rose.grad(g, (0, 1)), Point(2, 3), [5, 7]) == (Point(0, 2), [0, 5])
    assert everywhere(rose.jvp(rose.fn([Real], Real)(rose.stop_gradient)), Dual(3, 1)) == Dual(3, 0)


@pytest.mark.parametrize(
    "d", [rose.grad, rose.value_and_grad, rose.jacfwd, rose.jacrev, rose.jacobian, rose.hessian, rose.hvp]
)
def test_integers_and_truth_values_have_no_derivative(d: Callable[..., Any]):
    for k, name in ((1, "Fin"), (2, "Bool")):
        with pytest.raises(rose.NotDifferentiable, match=name):
            d(pick, k)
    for k in (4, -5, 1.5, None):
        with pytest.raises(rose.NotDifferentiable, match="pick"):
            d(pick, k)


@pytest.mark.parametrize("d", [rose.grad, rose.value_and_grad, rose.hessian, rose.hvp])
def test_only_a_number_has_a_gradient(d: Callable[..., Any]):
    for f in (
        *([squares, mirror] if d is not rose.hessian else []),
        rose.fn([Real], Bool)(lambda x: x < 0),
        rose.fn([R3], Fin[3])(lambda v: rose.constant(Fin[3], 1)),
    ):
        with pytest.raises(rose.NotDifferentiable, match="Real"):
            d(f)


def test_more_results_than_the_one_that_is_differentiated():
    @rose.fn
    def f(x: Vec[3], k: Real) -> tuple[Real, tuple[Vec[3], Bool, Fin[4]]]:
        return rose.sum(x * x) * k, (np.sqrt(x), x[0] > 0.0, rose.constant(Fin[4], 2))

    x = np.array([0.0, 1.0, 4.0])
    for g in (rose.value_and_grad(f, (0, 1), has_aux=True), rose.compile(rose.value_and_grad(f, (0, 1), has_aux=True))):
        (y, (roots, positive, index)), (dx, dk) = g(x, 2.0)
        assert (y, positive, index, dk) == (34.0, False, 2, 17.0)
        assert roots.tolist() == [0.0, 1.0, 2.0]
        assert dx.tolist() == [0.0, 4.0, 16.0]  # not nan, though the derivative of the root of 0 is infinite
    assert rose.grad(f, has_aux=True)(x, 2.0)[1][1] == False  # noqa: E712
    h = rose.fn([Vec[3]], Real)(lambda x: rose.dot(*[rose.grad(f, has_aux=True)(x, 1.0)[0]] * 2))
    assert rose.grad(h)(x).tolist() == [0.0, 8.0, 32.0]
    with rose.eager():
        assert rose.grad(f, has_aux=True)(x, 2.0)[0].tolist() == [0.0, 4.0, 16.0]


def test_what_is_not_a_pair_of_a_number_and_more_is_refused():
    with pytest.raises(rose.NotDifferentiable, match="has_aux=True takes a function to a pair of a Real and more"):
        rose.grad(squares, has_aux=True)
    with pytest.raises(rose.TypeMismatch, match=r"has_aux is True or False, not 1"):
        rose.grad(squares, has_aux=1)  # pyright: ignore


def test_a_function_without_parameters_has_no_gradient():
    with pytest.raises(rose.NotDifferentiable, match="parameter"):
        rose.grad(rose.fn([], Real)(lambda: 1.0))


@pytest.mark.parametrize(
    "d", [rose.jvp, rose.vjp, rose.grad, rose.jacobian, rose.hessian, rose.hvp, rose.linearize, rose.value_and_grad]
)
def test_only_an_fn_is_differentiated(d: Callable[..., Any]):
    with pytest.raises(rose.TypeMismatch, match="fn"):
        d(lambda x: x)


def test_an_opaque_function_without_a_rule_has_no_derivative():
    log = rose.opaque(pure=True)(_untold)
    with pytest.raises(rose.NotDifferentiable, match="_untold"):
        rose.compile(rose.grad(rose.fn([Real], Real)(lambda x: log(x))))


def _untold(x: Real) -> Real:
    return x


def test_vectors_and_structs_are_taken_off_an_accumulator():
    @rose.fn
    def f(v: Vec[3, Point], x: Real) -> tuple[Vec[2, Point], Point, Vec[0]]:
        each, first = rose.accum([Point(0.0, 1.0)] * 2), rose.accum(Point(0.0, 0.0))
        none: Any = rose.accum([])
        for i in rose.range(3):
            each[i % 2] -= v[i]
            each[0].x -= 1
            first -= Point(v[i].x * x, 2)
            none -= []
        return each.value, first.value, none.value

    points = [Point(1.0, 2.0), Point(3.0, 4.0), Point(5.0, 6.0)]
    assert everywhere(f, points, 10.0)[:2] == ([Point(-9, -7), Point(-3, -3)], Point(-90, -6))
    slopes, slope = pulled(f, [points, 10.0], ([Point(1.0, 10.0), Point(100.0, 1000.0)], Point(1.0, 0.0), []))[1]
    assert slopes == [Point(-11, -10), Point(-110, -1000), Point(-11, -10)] and slope == -9


def test_only_reals_are_transposed():
    """A member that has no derivative would have to be given, and come back."""
    with pytest.raises(rose.RoseError, match="holds more than Reals"):
        rose.linear_transpose(rose.fn([Mixed], Real)(lambda s: 2.0 * s.x))
