"""Derivatives, as a user takes them: every mode, over every type, in any order, inside of traces and outside.

Each value is the same compiled and interpreted, to the bit. Answers are known in closed form; where one is
not, modes agree with one another and with differences.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from harness import same

import rose
from rose import Bool, Dual, Fin, Real, Unit, Vec
from rose.host.marshal import plain
from rose.ir.types import tuple_of
from tests.programs.test_inventory import both

R2, R3 = Vec[2], Vec[3]
R23 = Vec[2, R3]


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Mixed:
    """A struct of which some members have no derivative."""

    on: Bool
    v: R2
    k: Fin[3]
    note: Unit


class Pair(NamedTuple):
    first: Point
    second: R2


def everywhere(g: Any, *args: Any) -> Any:
    """The value of `g`: outside of a trace, compiled, interpreted, and in a trace of another function."""
    value = both(g, *args)
    t = g.result
    inside = rose.fn(g.types, t)(lambda *xs: g(*xs))
    for other in (g(*args), both(inside, *args)):
        assert same(plain(other, t), plain(value, t))
    return value


def gradients(f: Any) -> Any:
    """The type of what `vjp(f)(...).grad` gives."""
    each = [t if t.real else Unit for t in f.types]
    return each[0] if len(each) == 1 else tuple_of(*each)


def pulled(f: Any, xs: Sequence[Any], *cts: Any) -> Any:
    """The value of `f`, and what each cotangent is pulled back to, on one tape: outside of a trace, and in one."""
    n, t = len(f.types), tuple_of(f.result, *[gradients(f)] * len(cts))

    def body(*given: Any) -> Any:
        y, pullback = rose.vjp(f)(*given[:n])
        return y, *[pullback(ct) for ct in given[n:]]

    inside = both(rose.fn([*f.types, *[f.result] * len(cts)], t)(body), *xs, *cts)
    outside = rose.vjp(f)(*xs)
    assert same(plain((outside.ret, *[outside.grad(ct) for ct in cts]), t), plain(inside, t))
    return inside


def close(x: Any, y: Any, tolerance: float) -> bool:
    """Do two numbers agree, or two lists of numbers, or of lists?"""
    if isinstance(x, float):
        return math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance)
    return all(close(a, b, tolerance) for a, b in zip(x, y, strict=True))


# forward mode


@rose.fn
def square(x: Real) -> Real:
    return x * x


@rose.fn
def cube(x: Real) -> Real:
    return x * x * x


@rose.fn
def times(x: Real, y: Real) -> Real:
    return x * y


@rose.fn
def squares(v: R3) -> R3:
    return rose.vec(v[i] ** 2 for i in rose.range(3))


@rose.fn
def norm2(v: R3) -> Real:
    return rose.sum(v[i] ** 2 for i in rose.range(3))


@rose.fn
def mirror(p: Point) -> Point:
    return Point(p.x * p.y, p.x - p.y)


@rose.fn
def weigh(s: Mixed, w: Real) -> Mixed:
    return Mixed(~s.on, [w * s.v[0], s.v[1] ** 2], s.k, s.note)


@rose.fn
def pick(v: R3, i: Fin[3], on: Bool, w: Real) -> Real:
    return rose.select(on, v[i] * w, 0.0)


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


@rose.fn
def mix(x: Real, v: R2, i: Fin[2], p: Point) -> Real:
    return x * v[i] + x**2 * p.x - p.y


MIX = 3, [5, 7], 1, Point(11, 13)
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


@rose.fn
def swapped(p: Point) -> Point:
    return Point(p.y, p.x)


# matrices: (function, argument, expected Jacobian)

M = [[1, 2, 3], [4, 5, 6]]

JACOBIANS: dict[str, tuple[Any, Any, Any]] = {
    "a number in a number": (cube, 2, 12),
    "a vector in a number": (rose.fn([Real], R3)(lambda x: [x, x**2, 5.0]), 3, [1, 6, 0]),
    "a number in a vector": (norm2, [1, 2, 3], [2, 4, 6]),
    "a vector in a vector": (squares, [1, 2, 3], [[2, 0, 0], [0, 4, 0], [0, 0, 6]]),
    "a short vector in a long one": (
        rose.fn([R3], R2)(lambda v: [v[0] * v[1], v[2]]), [1, 2, 3], [[2, 1, 0], [0, 0, 1]]
    ),
    "a long vector in a short one": (
        rose.fn([R2], R3)(lambda v: [v[0] * v[1], v[0], v[1]]), [2, 3], [[3, 2], [1, 0], [0, 1]]
    ),
    "a vector in a matrix": (
        rose.fn([R23], R2)(lambda m: rose.vec(rose.dot(m[i], [1, 2, 3]) for i in rose.range(2))),
        M, [[[1, 2, 3], [0, 0, 0]], [[0, 0, 0], [1, 2, 3]]],
    ),
    "a matrix in a vector": (
        rose.fn([R2], Vec[2, R2])(lambda v: rose.vec([v[i] * v[0], v[i] * v[1]] for i in rose.range(2))),
        [2, 3], [[[4, 0], [3, 2]], [[3, 2], [0, 6]]],
    ),
    "a number in a matrix": (
        rose.fn([R23], Real)(lambda m: rose.sum(rose.dot(m[i], m[i]) for i in rose.range(2))),
        M, [[2, 4, 6], [8, 10, 12]],
    ),
    "a number in a struct": (rose.fn([Point], Real)(lambda p: p.x * p.y), Point(3, 5), Point(5, 3)),
    "a struct in a number": (rose.fn([Real], Point)(lambda x: Point(x, x**2)), 3, Point(1, 6)),
    "a struct in a struct": (mirror, Point(3, 5), Point(Point(5, 3), Point(1, -1))),
    "a struct in a vector": (rose.fn([R2], Point)(lambda v: Point(v[0], v[0] * v[1])), [2, 3], Point([1, 0], [3, 2])),
    "a vector in a struct": (
        rose.fn([Point], R3)(lambda p: [p.x, p.y, p.x * p.y]), Point(3, 5), [Point(1, 0), Point(0, 1), Point(5, 3)]
    ),
    "a nested struct in a nested struct": (
        rose.fn([Pair], Pair)(lambda p: Pair(Point(p.second[0], p.first.y**2), [p.first.x, 0.0])),
        Pair(Point(1, 2), [3, 4]),
        Pair(
            Point(Pair(Point(0, 0), [1, 0]), Pair(Point(0, 4), [0, 0])),
            [Pair(Point(1, 0), [0, 0]), Pair(Point(0, 0), [0, 0])],
        ),
    ),
    "a tuple in a dict": (
        rose.fn([{"a": Real, "b": R2}], tuple[Real, R2])(lambda d: (d["a"], [d["b"][1], d["a"]])),
        {"a": 1, "b": [2, 3]}, ({"a": 1, "b": [0, 0]}, [{"a": 0, "b": [0, 1]}, {"a": 1, "b": [0, 0]}]),
    ),
    "a vector of structs in a vector of structs": (
        rose.fn([Vec[2, Point]], Vec[2, Point])(lambda ps: [swapped(ps[1]), swapped(ps[0])]),
        [Point(1, 2), Point(3, 4)],
        [
            Point([Point(0, 0), Point(0, 1)], [Point(0, 0), Point(1, 0)]),
            Point([Point(0, 1), Point(0, 0)], [Point(1, 0), Point(0, 0)]),
        ],
    ),
    "nothing in a vector": (rose.fn([R2], Vec[0])(lambda v: []), [1, 2], []),
    "a vector in nothing": (rose.fn([Vec[0]], R2)(lambda v: [1.0, 2.0]), [], [[], []]),
    "a number in nothing": (rose.fn([Vec[0]], Real)(lambda v: rose.sum(v)), [], []),
    "a matrix without columns": (rose.fn([Vec[2, Vec[0]]], Vec[2, Vec[0]])(lambda m: m), [[], []], [[], []]),
}  # fmt: skip


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacrev, rose.jacobian])
@pytest.mark.parametrize("name", JACOBIANS)
def test_the_jacobian_of(name: str, mode: Callable[[Any], Any]):
    f, x, expected = JACOBIANS[name]
    assert everywhere(mode(f), x) == expected


def test_the_jacobian_of_members_without_a_derivative_is_nothing_and_in_them_is_as_they_were():
    f = rose.fn([Mixed], Mixed)(lambda s: Mixed(s.on, [s.v[0] * s.v[1], s.v[0]], s.k, s.note))
    s = Mixed(True, [2, 3], 2, None)
    rows = [Mixed(True, [3, 2], 2, None), Mixed(True, [1, 0], 2, None)]
    for mode in (rose.jacfwd, rose.jacrev, rose.jacobian):
        assert everywhere(mode(f), s) == Mixed(None, rows, None, None)


def test_the_jacobian_in_several_parameters():
    f = rose.fn([Real, R2], R2)(lambda x, v: [x * v[0], v[1]])
    for mode in (rose.jacfwd, rose.jacrev, rose.jacobian):
        assert everywhere(mode(f, (1, 0)), 2, [3, 5]) == ([[2, 0], [0, 1]], [3, 0])
        assert everywhere(mode(f, -1), 2, [3, 5]) == [[2, 0], [0, 1]]


def test_the_jacobian_of_a_struct_in_several_parameters_has_them_in_each_field():
    f = rose.fn([Real, R2], Point)(lambda x, v: Point(x * v[0], v[1]))
    for mode in (rose.jacfwd, rose.jacrev, rose.jacobian):
        assert everywhere(mode(f, (0, 1)), 2, [3, 5]) == Point((3, [2, 0]), (0, [0, 1]))


def test_a_hessian_has_the_shape_of_the_parameter_twice():
    assert everywhere(rose.hessian(cube), 2) == 12
    assert everywhere(rose.hessian(norm2), [1, 2, 3]) == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    f = rose.fn([Point], Real)(lambda p: p.x**2 * p.y)
    assert everywhere(rose.hessian(f), Point(3, 5)) == Point(Point(10, 6), Point(6, 0))
    assert everywhere(rose.hessian(rose.fn([Vec[0]], Real)(lambda v: 1.0)), []) == []


def test_a_hessian_in_one_of_several_parameters():
    f = rose.fn([Real, R2], Real)(lambda x, v: x * v[0] ** 2 * v[1])
    assert everywhere(rose.hessian(f, 1), 2, [3, 5]) == [[20, 12], [12, 0]]
    assert everywhere(rose.hessian(f, -1), 2, [3, 5]) == [[20, 12], [12, 0]]
    assert everywhere(rose.hessian(f), 2, [3, 5]) == 0


def test_a_hessian_in_several_parameters_has_a_block_for_each_pair():
    f = rose.fn([Real, R2], Real)(lambda x, v: x**2 * v[0] * v[1])
    expected = ((30, [20, 12]), ([20, 12], [[0, 4], [4, 0]]))
    assert everywhere(rose.hessian(f, (0, 1)), 2, [3, 5]) == expected


def test_the_blocks_of_a_hessian_are_rows_first():
    f = rose.fn([R2, R3], Real)(lambda u, v: u[0] * v[2] + u[1] * v[0])
    expected = ([[0, 0], [0, 0]], [[0, 0, 1], [1, 0, 0]]), ([[0, 1], [0, 0], [1, 0]], [[0, 0, 0]] * 3)
    assert everywhere(rose.hessian(f, (0, 1)), [1, 2], [3, 4, 5]) == expected


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


def along(f: Any, xs: Sequence[Any], *dxs: Sequence[Any]) -> Any:
    """`linearize` at a point, along several tangents: outside of a trace, and in one."""
    n, real = len(f.types), [t for t in f.types if t.real]
    y, slope = rose.linearize(f)(*xs)
    outside = y, *[slope(*dx) for dx in dxs]
    t = tuple_of(*[f.result] * (1 + len(dxs)))

    def body(*given: Any) -> Any:
        y, slope = rose.linearize(f)(*given[:n])
        rest = given[n:]
        return y, *[slope(*rest[k * len(real) : (k + 1) * len(real)]) for k in range(len(dxs))]

    inside = both(rose.fn([*f.types, *real * len(dxs)], t)(body), *xs, *[x for dx in dxs for x in dx])
    assert same(plain(outside, t), plain(inside, t))
    return inside


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


@rose.opaque(name="Math.sin", pure=True)
def sin(x: Real) -> Real:
    return math.sin(x)


@rose.opaque(name="Math.cos", pure=True)
def cos(x: Real) -> Real:
    return math.cos(x)


sin.jvp(lambda x: Dual(sin(x.re), x.du * cos(x.re)))
cos.jvp(lambda x: Dual(cos(x.re), x.du * -sin(x.re)))


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


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_the_jacobian_of_a_closure(mode: Callable[[Any], Any]):
    f = rose.fn([R2, R2], Vec[2, R2])(
        lambda a, x: mode(rose.fn([R2], R2)(lambda y: [a[0] * y[0], a[1] * y[0] * y[1]]))(x)
    )
    assert everywhere(f, [2, 3], [5, 7]) == [[2, 0], [21, 15]]
    assert everywhere(rose.jacfwd(f), [2, 3], [5, 7]) == [[[1, 0], [0, 0]], [[0, 7], [0, 5]]]
    assert everywhere(rose.jacrev(f, 1), [2, 3], [5, 7]) == [[[0, 0], [0, 0]], [[0, 3], [3, 0]]]


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
    assert "test_gradients.py" in str(e.value)


def test_a_rule_of_the_wrong_shape_is_refused():
    f = rose.fn([Real, Real], Real)(times)
    with pytest.raises(rose.TypeMismatch, match="Dual"):
        f.jvp(lambda x: x)
    with pytest.raises(rose.TypeMismatch, match="Dual"):
        f.jvp(lambda x, y: x.re * y.re)


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
        squares,
        mirror,
        rose.fn([Real], Bool)(lambda x: x < 0),
        rose.fn([R3], Fin[3])(lambda v: rose.constant(Fin[3], 1)),
    ):
        with pytest.raises(rose.NotDifferentiable, match="Real"):
            d(f)


@pytest.mark.parametrize("d", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_a_result_without_reals_has_no_jacobian(d: Callable[..., Any]):
    with pytest.raises(rose.NotDifferentiable, match="Bool"):
        d(rose.fn([Real], Bool)(lambda x: x < 0))


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
