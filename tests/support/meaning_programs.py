"""Programs of many shapes, to be run under other meanings: sums, loops, states, branches, structs, calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import rose
from rose import Bool, Fin, Real, Vec, fn
from rose.frontend.annotations import as_type
from rose.ir import types
from rose.ir.types import Type


@rose.struct
class Ball:
    mass: Real
    at: Vec[2]
    near: Fin[3]
    on: Bool


class Program(NamedTuple):
    f: Any
    args: tuple[Any, ...]


square = fn([Real], Real)(lambda x: x * x)
rows = fn([Vec[3]], Vec[3])(lambda x: rose.vec(rose.sin(e) * square(e) for e in x))


def sums(x: Any) -> Any:
    total = rose.accum(0.5)
    for i in rose.range(3):
        for j in rose.range(i):
            total += x[i] * rose.exp(x[j])
    return total.value


def histogram(x: Any, at: Any) -> Any:
    bins = rose.accum(rose.zeros((2, 2)))
    for i in rose.range(3):
        bins[at[i], 1 - at[i]] += rose.cos(x[i])
    return bins.value


def structs(balls: Any) -> Any:
    total = rose.accum(rose.zeros(2))
    for ball in balls:
        total[0] += ball.mass * ball.at[0]
        total[1] += rose.select(ball.on, ball.at[1] ** 2, balls[ball.near].mass)
    return total.value


def branches(x: Any) -> Any:
    y = rose.cond(x[0] > x[1], lambda: x[2] * x[0], lambda: rose.exp(x[1]))
    return y + rose.sum(rose.cond(e > 0.0, lambda e=e: e * y, lambda e=e: -e) for e in x)


def matrix(a: Any) -> Any:
    return rose.sum(a[i][j] * a[j][i] / (1.0 + a[i][i] ** 2) for i in rose.range(2) for j in rose.range(2))


def updated(x: Any, i: Any) -> Any:
    x = x.at[i].set(rose.tanh(x[i]) * x[0])
    return rose.scan(lambda k, s: s.at[k].add(s[(k + 1) % 3] * 0.5), x, 3)


def untaken(x: Any) -> Any:
    return rose.select(x[0] > 100.0, rose.sqrt(x[0] - 200.0) / x[2], x[1]) + rose.log(x[2]) * rose.min(x[0], x[1])


def state(x: Any) -> Any:
    last, outs = rose.scan(lambda i, s: ((s[0] * x[i] + s[1], s[0]), s[1] * 2.0), (1.0, x[0]), 3)
    return last[0] + rose.sum(outs) * last[1]


def dependent(x: Any, n: Any) -> Any:
    return rose.sum(x[i] ** 3 for i in rose.range(n)) + rose.prod(x[i] for i in rose.range(1, 3))


def nothing(x: Any, none: Any) -> Any:
    return rose.sum(e * e for e in none) + x * 1.0


def of(types: list[Any], result: Any, body: Callable[..., Any]) -> Any:
    return fn(types, result)(body)


X = [0.75, -1.25, 2.0]
PROGRAMS: dict[str, Program] = {
    "sums": Program(of([Vec[3]], Real, sums), (X,)),
    "histogram": Program(of([Vec[3], Vec[3, Fin[2]]], Vec[2, 2], histogram), (X, [0, 1, 0])),
    "structs": Program(
        of([Vec[3, as_type(Ball)]], Vec[2], structs),
        ([Ball(1.5, [0.5, -2.0], 2, True), Ball(-0.5, [1.0, 3.0], 0, False), Ball(2.5, [0.25, 1.0], 1, False)],),
    ),
    "branches": Program(of([Vec[3]], Real, branches), (X,)),
    "matrix": Program(of([Vec[2, 2]], Real, matrix), ([[0.5, 2.0], [-1.0, 1.5]],)),
    "updated": Program(of([Vec[3], Fin[3]], Vec[3], updated), (X, 1)),
    "untaken": Program(of([Vec[3]], Real, untaken), (X,)),
    "state": Program(of([Vec[3]], Real, state), (X,)),
    "dependent": Program(of([Vec[3], Fin[4]], Real, dependent), (X, 2)),
    "nothing": Program(of([Real, Vec[0]], Real, nothing), (1.5, [])),
    "calls": Program(of([Vec[3]], Real, lambda x: rose.sum(rows(rows(x)))), (X,)),
    "stopped": Program(of([Vec[3]], Real, lambda x: rose.sum(rose.stop_gradient(x) * x)), (X,)),
    "a constant": Program(of([Real], Real, lambda x: 3.0 + 0.0 * x), (2.0,)),
    "the argument": Program(of([Vec[3]], Vec[3], lambda x: x), (X,)),
}


def loop(x: Any) -> Any:
    return rose.while_loop(lambda s: s[0] < 30.0, lambda s: (s[0] * 2.0, s[1] + s[0] * x), (1.0 + x * x, 0.5))[1]


WHILE = Program(of([Real], Real, loop), (0.5,))


def ones(t: Type) -> Any:
    """What comes back for a value: 1.25 for each number, and nothing for the rest."""
    if isinstance(t, types.Vec):
        return (ones(t.elem),) * t.size
    return tuple(map(ones, t.items)) if isinstance(t, types.Tuple) else 1.25 if t is Real else None
