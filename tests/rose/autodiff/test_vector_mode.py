"""Vector mode: in each direction what forward mode gives, and what no tangent touches once for all."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.vector_mode import vector_mode
from rose.host.interpreter import run
from rose.ir import FOR, Func
from rose.ir.callgraph import instructions, make_linear, reachable
from rose.ir.check import check
from rose.ir.types import Tan, tuple_of


@rose.fn
def called(v: Vec[2], x: Real) -> Real:
    return rose.cond(x > 0.0, lambda: rose.sum(rose.sin(v[i] * x) for i in rose.range(2)), lambda: v[0])


@rose.fn
def f(v: Vec[2], x: Real) -> Real:
    """With a branch, a while loop, states and sums."""
    y = rose.while_loop(lambda s: s[0] < 3.0, lambda s: (s[0] + 1.0, s[1] * x + called(v, s[1])), (0.0, x))
    return rose.scan(lambda i, s: rose.select(s > 1.0, s * v[i], s + y[1]), x, 2)


def derivative(g: Any) -> Func:
    return jvp(g.func, full_mask(g.func)).func


DIRECTIONS = [((1.0, -2.0), 0.5), ((0.0, 1.0), 0.0), ((-0.0, 3.0), 2.0)]


@pytest.mark.parametrize("x", [0.7, -0.7])
def test_it_gives_the_tangent_of_each_direction(x: float):
    d = derivative(f)
    several = check(vector_mode(d, 3))
    dv = tuple(zip(*[dv for dv, _ in DIRECTIONS], strict=True))
    y, dy = run(several, (0.3, 0.4), dv, x, tuple([dx for _, dx in DIRECTIONS]))
    assert [(y, e) for e in dy] == [run(d, (0.3, 0.4), dv, x, dx) for dv, dx in DIRECTIONS]


def test_its_tangents_are_vectors():
    several = vector_mode(derivative(called), 3)
    assert [p.type for p in several.params] == [Vec[2], Vec[2, Vec[3, Tan]], Real, Vec[3, Tan]]
    assert several.result is tuple_of(Real, Vec[3, Tan])


def test_what_touches_no_tangent_is_there_once():
    d = derivative(rose.fn([Real], Real)(lambda x: rose.exp(x) * rose.sin(x) / x))
    rows = lambda g: [v.op for v in instructions(g.body) if v.op.eval is not None]
    assert sorted(map(str, rows(vector_mode(d, 4)))) == sorted(map(str, rows(d)))


def test_operations_in_a_row_are_one_loop():
    d = derivative(rose.fn([Vec[3]], Real)(lambda x: x[0] * x[1] + rose.sin(x[2]) / x[0]))
    assert [v.op for v in vector_mode(d, 4).body.code].count(FOR) == 1


def test_what_is_linear_because_its_maker_says_so_is_called_in_each_direction():
    by = rose.fn([Vec[2], Real], Vec[2])(lambda x, k: [k * x[1], x[0]]).func
    several = check(vector_mode(make_linear("given", by, by), 3))
    assert several.params[0].type is Vec[2, Vec[3, Tan]] and several.result is Vec[2, Vec[3, Tan]]
    assert run(several, ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), 10.0) == ((40.0, 50.0, 60.0), (1.0, 2.0, 3.0))
    alone = rose.fn([Real], Real)(lambda x: 3.0 * x).func
    assert run(check(vector_mode(make_linear("given", alone, alone), 2)), (1.0, 2.0)) == (3.0, 6.0)
    pair = tuple_of(Real, Vec[2])
    turned = rose.fn([pair], pair)(lambda x: (x[1][0], [x[0], x[1][1]])).func
    given = (1.0, 2.0), ((3.0, 4.0), (5.0, 6.0))
    assert run(check(vector_mode(make_linear("given", turned, turned), 2)), given) == (
        given[1][0],
        (given[0], given[1][1]),
    )


def test_a_function_without_tangents_stays():
    assert vector_mode(called.func, 3) is called.func


def test_it_is_made_once_for_each_number_of_directions():
    d = derivative(f)
    assert vector_mode(d, 3) is vector_mode(d, 3) is not vector_mode(d, 4)
    assert not [g for g in reachable(vector_mode(d, 3)) if g in {*reachable(d)} and g.result.linear]
