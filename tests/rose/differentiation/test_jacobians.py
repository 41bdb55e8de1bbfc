"""Dense Jacobians and Hessians, of functions of many types."""

from collections.abc import Callable
from typing import Any

import pytest
from derivative_programs import (
    R2,
    R3,
    R23,
    Mixed,
    Pair,
    Point,
    cube,
    everywhere,
    mirror,
    norm2,
    squares,
    swapped,
)

import rose
from rose import Bool, Real, Vec

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


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_the_jacobian_of_a_closure(mode: Callable[[Any], Any]):
    f = rose.fn([R2, R2], Vec[2, R2])(
        lambda a, x: mode(rose.fn([R2], R2)(lambda y: [a[0] * y[0], a[1] * y[0] * y[1]]))(x)
    )
    assert everywhere(f, [2, 3], [5, 7]) == [[2, 0], [21, 15]]
    assert everywhere(rose.jacfwd(f), [2, 3], [5, 7]) == [[[1, 0], [0, 0]], [[0, 7], [0, 5]]]
    assert everywhere(rose.jacrev(f, 1), [2, 3], [5, 7]) == [[[0, 0], [0, 0]], [[0, 3], [3, 0]]]


@pytest.mark.parametrize("d", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_a_result_without_reals_has_no_jacobian(d: Callable[..., Any]):
    with pytest.raises(rose.NotDifferentiable, match="Bool"):
        d(rose.fn([Real], Bool)(lambda x: x < 0))


def test_the_hessian_of_a_function_to_more_has_a_matrix_for_each_number():
    @rose.fn
    def f(x: Vec[3], k: Real) -> tuple[Vec[2], Real]:
        return [k * x[0] ** 3, x[1] * x[2]], k * k * x[0]

    x, by_x, ks = [2.0, 3.0, 5.0], rose.hessian(f), rose.hessian(f, argnums=(0, 1))
    vectors, number = by_x(x, 2.0)
    assert vectors.shape == (2, 3, 3) and number.tolist() == [[0.0] * 3] * 3
    assert vectors[0].tolist() == [[24.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3]
    assert vectors[1].tolist() == [[0.0] * 3, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert rose.compile(by_x)(x, 2.0)[0].tolist() == vectors.tolist()
    (dxx, dxk), (dkx, dkk) = ks(x, 2.0)[1]
    assert (dkk, dkx.tolist(), dxk.tolist()) == (2.0 * 2.0, [4.0, 0.0, 0.0], [4.0, 0.0, 0.0]) and not dxx.any()
