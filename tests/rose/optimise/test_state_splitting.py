"""Splitting of what loops carry and branches take."""

from __future__ import annotations

from typing import Any

import pytest
from optimising import code, fast

import rose
from rose import Real, Vec, fn
from rose.ir import PACK, Func, While
from rose.ir.callgraph import reachable


@rose.struct
class Body:
    at: Vec[2]
    speed: Vec[2]
    mass: Real


def fall(b: Any) -> Any:
    return Body([b.at[i] + 0.1 * b.speed[i] for i in range(2)], [b.speed[0], b.speed[1] - 0.1 * b.mass], b.mass)


def newton(n: Real, a: Real, b: Real) -> Any:
    def body(s: Any) -> Any:
        x, y = s["x"][0], s["x"][1]
        return {"k": s["k"] + 1.0, "x": [x - (x * x - a) / (2.0 * x), y - (y * x - b) / x]}

    return rose.while_loop(lambda s: s["k"] < n, body, {"k": 0.0, "x": [1.0, 1.0]})["x"]


PROGRAMS: dict[str, tuple[Any, Any, tuple[tuple[Any, ...], ...]]] = {
    "a vector of two": ([Real, Real, Real], newton, ((0.0, 2.0, 3.0), (4.0, 2.0, 3.0))),
    "a struct of vectors": (
        [Real, Vec[2]],
        lambda n, v: rose.while_loop(lambda b: b.at[0] < n, fall, Body([0.0, 1.0], v, 2.0)).at,
        ((0.0, (1.0, 2.0)), (1.0, (1.0, 2.0))),
    ),
    "a vector that an index reads": (
        [Real, Vec[4]],
        lambda n, v: rose.while_loop(
            lambda s: s[0] < n, lambda s: (s[0] + 1.0, rose.vec(s[1][3 - i] + 1.0 * i for i in rose.range(4))), (0.0, v)
        )[1],
        ((0.0, (1.0, 2.0, 3.0, 4.0)), (3.0, (1.0, -2.0, 3.0, 4.0))),
    ),
    "a long vector": (
        [Real, Vec[12]],
        lambda n, v: rose.while_loop(
            lambda s: s[0] < n,
            lambda s: (s[0] + 1.0, rose.vec(x * 0.5 for x in [s[1][i] for i in range(12)])),
            (0.0, v),
        )[1],
        ((2.0, tuple(map(float, range(12)))),),
    ),
    "a branch that makes a vector": (
        [Real, Vec[3]],
        lambda c, v: rose.cond(c > 0.0, lambda: [rose.exp(v[i]) for i in range(3)], lambda: [v[2], v[1], v[0]]),
        ((1.0, (1.0, 2.0, 3.0)), (-1.0, (1.0, 2.0, 3.0))),
    ),
    "a vector of no elements": (
        [Real, Vec[0]],
        lambda n, v: rose.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1.0, s[1]), (0.0, v))[0],
        ((2.5, ()),),
    ),
}
RESULTS = {"a vector of two": Vec[2], "a struct of vectors": Vec[2], "a vector that an index reads": Vec[4]}
RESULTS |= {"a long vector": Vec[12], "a branch that makes a vector": Vec[3], "a vector of no elements": Real}


def program(name: str) -> tuple[Any, tuple[tuple[Any, ...], ...]]:
    types, body, points = PROGRAMS[name]
    f = fn(types, RESULTS[name])(body)
    if RESULTS[name] is Real:
        return f, points
    return fn(types, Real)(lambda *xs: rose.sum(f(*xs)[i] * (i + 1.0) for i in rose.range(RESULTS[name].size))), points


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives_keep_their_bits(name: str):
    f, points = program(name)
    argnums = tuple([k for k, t in enumerate(f.types) if t is not Vec[0]])
    for g in (f, rose.grad(f, argnums), rose.jacfwd(f, argnums)):
        fast(g.func, *points)
    fast(rose.jacfwd(rose.grad(f)).func, *points)


def while_loops(f: Func) -> list[Func]:
    return [g for g in reachable(f) if isinstance(g.kind, While)]


def test_a_loop_carries_the_numbers_of_a_short_vector():
    f, points = program("a vector of two")
    (loop,) = while_loops(fast(f.func, *points))
    assert [p.type for p in loop.params] == [Real] * 6
    assert isinstance(loop.kind, While)
    assert not [v for v in code(loop.kind.body) if v.op is PACK]


def test_a_loop_that_would_carry_many_numbers_stays():
    state = tuple[(*[Vec[8]] * 9, Real)]
    f = fn([Vec[8]], state)(
        lambda v: rose.while_loop(lambda s: s[9] < 2.0, lambda s: (*s[1:9], s[0], s[9] + 1.0), (*[v] * 9, 0.0))
    )
    (loop,) = while_loops(fast(f.func, (tuple(map(float, range(8))),)))
    assert len(loop.params) == 1
