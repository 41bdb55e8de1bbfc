"""Columns: of the outs of scans and maps, and of vectors of structs and tuples, against what is read row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import rose
from rose import Fin, Real, RoseError, Vec, fn
from rose.host.interpreter import run_plain
from rose.ir import FOR
from rose.ir.callgraph import instructions

R = rose.range


@rose.struct
class Point:
    x: Real
    y: Vec[2]


@rose.struct
class Line:
    start: Point
    weight: Real


class Pair(NamedTuple):
    a: Real
    b: Real


def step(i: Any, s: Any) -> Any:
    return s * 1.25, (s, (rose.sin(s), Point(s * i, [s, s * s])))


SCHEDULES: list[dict[str, Any]] = [{}, {"checkpoint": "sqrt"}, {"checkpoint": "binomial"}]


def by_columns(n: int, **schedule: Any) -> Any:
    @fn
    def f(x: Real) -> Real:
        last, (first, (sines, points)) = rose.scan(step, x, n, **schedule)
        return last + rose.sum(first * sines) + rose.dot(points.x, points.y[:, 1])

    return f


def by_rows(n: int, **schedule: Any) -> Any:
    @fn
    def f(x: Real) -> Real:
        last, outs = rose.scan(step, x, n, **schedule)
        products = rose.sum(outs[i][0] * outs[i][1][0] for i in R(n))
        return last + products + rose.sum(outs[i, 1][1].x * outs[i][1][1].y[1] for i in R(n))

    return f


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])  # two is the number of the outs
def test_the_outs_of_a_scan_are_columns_and_an_index_that_is_traced_reads_a_row(n: int, schedule: dict[str, Any]):
    one, other = by_columns(n, **schedule), by_rows(n, **schedule)
    assert one(0.75) == other(0.75) == run_plain(one.func, [0.75]) == run_plain(other.func, [0.75])
    for d in (rose.grad, lambda f: rose.grad(rose.grad(f)), rose.hessian):
        assert np.isclose(d(one)(0.75), d(other)(0.75), rtol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_outs_become_the_vector_of_tuples_or_structs_that_is_declared(n: int):
    scanned = lambda x: rose.scan(lambda i, s: (s + 1.0, (s, 10.0 * s)), x, n)[1]
    mapped = lambda x: rose.vmap(lambda s: (s, 10.0 * s))(rose.vec(x + i for i in R(n)))
    for outs in (scanned, mapped) if n else (scanned,):
        assert fn([Real], Vec[n, tuple[Real, Real]])(outs)(1.0) == [(1.0 + k, 10.0 * (1.0 + k)) for k in range(n)]
        assert fn([Real], Vec[n, Pair])(outs)(1.0) == [Pair(1.0 + k, 10.0 * (1.0 + k)) for k in range(n)]
        a, b = fn([Real], tuple[Vec[n], Vec[n]])(outs)(1.0)
        assert a.tolist() == [1.0 + k for k in range(n)] and b.tolist() == [10.0 * (1.0 + k) for k in range(n)]


def test_outs_are_read_as_tuples_of_arrays_are():
    @fn
    def f(x: Real, rows: Vec[2, Fin[3]]) -> tuple[Vec[3], Vec[2], Real, Real, Vec[3], Vec[2, 3]]:
        _, outs = rose.scan(lambda i, s: (s + 1.0, (s, 10.0 * s)), x, 3)
        assert len(outs) == 2
        return outs[-1], outs[rows][0], outs[2, 1], outs[0][-1], outs[:, 1], np.stack(outs)

    found = f(1.0, [2, 0])
    assert [np.asarray(x).tolist() for x in found] == [
        [10.0, 20.0, 30.0], [3.0, 1.0], 30.0, 3.0, [10.0, 20.0, 30.0], [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]
    ]  # fmt: skip


def test_a_map_to_structs_in_tuples_is_read_by_rows_too():
    @fn
    def f(x: Vec[4]) -> Real:
        outs = rose.vmap(lambda e: (e, {"p": Point(e * e, [e, 1.0])}))(x)
        return rose.sum(outs[i][0] * outs[i][1]["p"].x for i in R(4)) + rose.sum(outs[1]["p"].y)

    assert f([1.0, 2.0, 3.0, 4.0]) == 100.0 + 14.0


Named = {"q": Real, "r": Real}  # pyright reads no dict as a type
Columned = tuple[Vec[3], Vec[3, 2], Vec[3], Vec[2, 2], Vec[3], Vec[3], Vec[2], Real, Real]


@fn
def columns(
    lines: Vec[3, Line],
    grid: Vec[2, 2, Pair],
    dicts: Vec[3, Named],
    pairs: Vec[3, tuple[Real, Fin[3]]],
) -> Columned:
    first = pairs[:, 0]
    return (
        lines.weight, lines.start.y, lines.start.x, grid.a, dicts["q"] * dicts["r"], first[pairs[:, 1]],
        pairs[1:, -2], pairs[-1, 0], grid[1, :, 1].sum() + lines[1].weight + grid[0].b[1],
    )  # fmt: skip


def test_vectors_of_structs_and_tuples_have_columns():
    lines = [Line(Point(k, [k + 0.25, k + 0.5]), 10.0 * k) for k in range(3)]
    grid = [[Pair(1, 2), Pair(3, 4)], [Pair(5, 6), Pair(7, 8)]]
    found = columns(lines, grid, [{"q": k, "r": 2} for k in range(3)], [(5, 2), (6, 0), (7, 1)])
    assert [np.asarray(x).tolist() for x in found] == [
        [0.0, 10.0, 20.0], [[0.25, 0.5], [1.25, 1.5], [2.25, 2.5]], [0.0, 1.0, 2.0], [[1.0, 3.0], [5.0, 7.0]],
        [0.0, 2.0, 4.0], [7.0, 5.0, 6.0], [6.0, 7.0], 7.0, 6.0 + 8.0 + 10.0 + 4.0,
    ]  # fmt: skip


def test_a_column_has_derivatives_of_any_order():
    @fn
    def energy(points: Vec[3, Point]) -> Real:
        return rose.sum(points.x**2 * points.y[:, 0]) + rose.sum(points[1].y)

    at = [Point(k + 1.0, [0.5 * k, 2.0]) for k in range(3)]
    slope = rose.grad(energy)(at)
    assert [(p.x, *p.y) for p in slope] == [(0.0, 1.0, 0.0), (2.0, 5.0, 1.0), (6.0, 9.0, 0.0)]
    along = fn([Vec[3, Point]], Real)(lambda p: rose.sum(rose.grad(energy)(p).x ** 2))
    assert [p.x for p in rose.grad(along)(at)] == [0.0, 4.0, 24.0]  # of (2 x y)^2 by x: 8 x y^2
    with rose.eager():
        assert energy(at) == rose.compile(energy)(at) == 0.0 + 2.0 + 9.0 + 2.5


def test_no_column_is_stored_where_only_its_elements_are_read():
    f = fn([Vec[9, Line]], Real)(lambda lines: rose.sum(lines.weight * lines.start.x - lines.start.y[:, 1]))
    assert [v.op for v in instructions(f.func.body)].count(FOR) == 1


def test_the_columns_of_a_scan_are_written_as_they_are_made():
    f = fn([Real], tuple[Vec[9], Vec[9]])(lambda x: rose.scan(lambda i, s: (s * x, (s, x + i)), x, 9)[1])
    assert [v.op for v in instructions(f.func.body)].count(FOR) == 1


def test_rows_of_a_size_that_a_call_decides():
    n = rose.dim("n")
    outs = lambda v: rose.scan(lambda i, s: (s + v[i], (s, 2.0 * s)), 0.0, n)[1]
    whole, column = fn([Vec[n]], Vec[n, Pair])(outs), fn([Vec[n, Pair]], Vec[n])(lambda pairs: pairs.b - pairs.a)
    assert column(whole([1.0, 2.0, 4.0])).tolist() == [0.0, 1.0, 3.0]
    assert rose.compile(column, dynamic=True)(whole([1.0, 2.0])).tolist() == [0.0, 1.0]


def test_python_loops_go_through_the_elements_of_a_short_vector_of_tuples():
    f = fn([Vec[3, tuple[Real, Real]]], Real)(lambda pairs: sum([a * b for a, b in pairs]) + sum(a for a, _ in pairs))
    assert f([(1, 2), (3, 4), (5, 6)]) == 2.0 + 12.0 + 30.0 + 9.0


def outs_of(x: Any) -> Any:
    return rose.scan(lambda i, s: (s, (s, 3.0 * s)), x, 2)[1]


def looped(x: Any) -> Any:
    total = 0.0
    for a, b in outs_of(x):
        total = total + a * b
    return total


def numbered(x: Any) -> Any:
    total = 0.0
    for _, (a, b) in enumerate(outs_of(x)):
        total = total + a * b
    return total


REFUSED: list[tuple[Any, str]] = [
    (numbered, "taken for rows"),
    (lambda x: sum([a * b for _, (a, b) in enumerate(outs_of(x))]), "taken for rows"),
    (lambda x: dict(outs_of(x))[x], "taken for rows"),
    (looped, "taken for rows"),
    (lambda x: sum([a * b for a, b in outs_of(x)]), "taken for rows"),
    (lambda x: outs_of(x)[2][0], "no column 2"),
    (lambda x: outs_of(x)[1:][0], "has no slices"),
    (lambda x: 2.0 * outs_of(x), "is no array"),
    (lambda x: np.sum(outs_of(x)), "is no array"),
    (lambda x: np.exp(outs_of(x)), "is no array"),
    (lambda x: outs_of(x).sum(), "has no sum"),
]


@pytest.mark.parametrize(("body", "what"), REFUSED)
def test_columns_are_not_taken_for_rows_or_arrays(body: Any, what: str):
    for syntax in (False, True)[: 1 + (body in (looped, numbered))]:
        with pytest.raises(RoseError, match=what):
            _ = fn([Real], Real, syntax=syntax)(body).func


def test_columns_are_gone_through_one_by_one():
    def body(x: Any) -> Any:
        total = 0.0
        for k, column in enumerate(outs_of(x)):
            total = total + (k + 1) * column[1]
        return total + sum([rose.sum(column) for column in outs_of(x)]) + next(zip(*outs_of(x), strict=True))[1]

    assert fn([Real], Real)(body)(1.0) == (1.0 + 2 * 3.0) + (2.0 + 6.0) + 3.0


def unpacked(v: Any) -> Any:
    a, _ = v
    return a


def first_of(v: Any) -> Any:
    a, *_ = v
    return a


def joined(v: Any) -> Any:
    return [1.0, *v][0]


SPREAD: list[Any] = [unpacked, first_of, joined, lambda v: max(*v)]


@pytest.mark.parametrize("body", SPREAD)
@pytest.mark.parametrize("t", [tuple[Real, Real], Pair])
def test_a_vector_of_tuples_is_not_spread_into_rows(body: Any, t: Any):
    with pytest.raises(RoseError, match="is not unpacked") as e:
        _ = fn([Vec[2, t]], Real)(body).func
    assert (
        e.value.hint
        == f"write {'v.a, v.b' if t is Pair else 'v[:, 0], v[:, 1]'} for the columns, and v[0], v[1] for the elements"
    )
