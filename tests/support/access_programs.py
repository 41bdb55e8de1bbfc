"""Shapes of access: programs that read the elements of vectors in each natural way, at any size, under any guard.

A shape is a function of a size and a guard, which gives the types of the parameters and the program.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import rose
from rose import Fin, Real, Vec
from rose.frontend.function import Fn
from rose.ir import types

Guard = Callable[[Any], Any]
Shape = Callable[[int, Guard], tuple[list[Any], Callable[..., Any]]]

GUARDS: dict[str, Guard] = {
    "plain": lambda e: e * e,
    "relu": lambda e: rose.max(e, 0.0) ** 2,
    "abs": lambda e: rose.abs(e),
    "select": lambda e: rose.select(e > 0.3, e * e, e),
    "a select that is nan": lambda e: rose.select(e > 0.3, rose.sqrt(e), e / (e - 1.0)),
    "cond": lambda e: rose.cond(e > 0.3, lambda: e * e * e, lambda: rose.sin(e)),
}


@rose.struct
class Cell:
    a: Real
    b: Real


def body(n: int) -> Any:
    """A struct with vectors in it."""

    class Body:
        mass: Real
        pos: Vec[n]
        vel: Vec[n]

    Body.__annotations__ = {"mass": Real, "pos": Vec[n], "vel": Vec[n]}
    return rose.struct(Body)


def system(n: int) -> Any:
    """A struct with vectors of structs with vectors in them."""

    class System:
        bodies: Any
        scale: Real

    System.__annotations__ = {"bodies": Vec[2, body(n)], "scale": Real}
    return rose.struct(System)


def matrix(n: int) -> Any:
    return Vec[n, Vec[n]]


def total(n: int, e: Callable[[Any], Any]) -> Any:
    return rose.sum(e(i) for i in rose.range(n))


def each(n: int, m: int, e: Callable[[Any, Any], Any]) -> Any:
    """The sum of `e(i, j)` over the rows of a matrix, and in them over their elements."""
    return total(n, lambda i: total(m, lambda j: e(i, j)))


def rows_of(n: int, e: Callable[[Any, Any], Any]) -> Any:
    return rose.vec(rose.vec(e(i, j) for j in rose.range(n)) for i in rose.range(n))


def accumulated(n: int, x: Any, guard: Guard) -> Any:
    acc = rose.accum(0.0)
    for i in rose.range(n - 1):
        row = x[i]
        for j in rose.range(n - 1):
            acc += guard(row[j + 1] - row[j] + x[i + 1][j])
    return acc.value


def scattered(n: int, x: Any, guard: Guard) -> Any:
    made = rose.accum([[0.0] * n] * n)
    for i in rose.range(n):
        for j in rose.range(n):
            made[j][(i + 1) % n] += guard(x[i][j])
    y = made.value
    return each(n, n, lambda i, j: y[i][j] * y[i][(j + 1) % n])


def twice(f: Callable[[Any], Any]) -> Any:
    """`f` in each iteration of a while loop that has two."""
    after = rose.while_loop(lambda s: s[0] < 2.0, lambda s: (s[0] + 1.0, s[1] * 0.5 + f(s[1])), (0.0, 0.1))
    return after[1]


def decayed(n: int, i: Any, x: Any, guard: Guard) -> Any:
    return rose.scan(lambda j, s: s * 0.5 + guard(x[i][j] * x[j][i]), 0.1, rose.range(i, n, 2))


def made(n: int, x: Any, guard: Guard) -> Any:
    y = rows_of(n, lambda i, j: rose.sin(x[i][j]))
    return each(n, n - 1, lambda i, j: guard(y[i][j + 1] - y[i][j]))


def made_inside(n: int, x: Any, guard: Guard) -> Any:
    def of_row(i: Any) -> Any:
        y = rose.vec(rose.vec(x[i][j] * (k + 1) for k in rose.range(2)) for j in rose.range(n))
        return rose.sum(guard(y[j + 1][0] - y[j][1]) for j in rose.range(n - 1))

    return rose.sum(of_row(i) for i in rose.range(n))


def smoothed(n: int, x: Any, guard: Guard) -> Any:
    step = lambda t, s: rows_of(n, lambda i, j: s[i][j] * 0.9 + 0.1 * guard(s[i][(j + 1) % n] - s[(i + 1) % n][j]))
    y = rose.scan(step, x, 3)
    return each(n, n, lambda i, j: y[i][j])


def passed(n: int, guard: Guard) -> Any:
    g = rose.fn([Vec[n], Fin[n]], Real)(lambda row, j: guard(row[j]))
    return [matrix(n)], lambda x: each(n, n, lambda i, j: g(x[i], j) * g(x[j], i))


def condition(n: int, guard: Guard) -> Any:
    g = rose.fn([Vec[n], Fin[n], Real], Real)(lambda row, j, y: rose.select(row[j] > 0.1, guard(y), y))
    return [matrix(n)], lambda x: each(n, n, lambda i, j: g(x[i], j, x[j][i]))


def called(n: int, guard: Guard) -> Any:
    g = rose.fn([matrix(n), Fin[n]], Real)(
        lambda x, i: rose.sum(guard(x[i][j + 1] - x[i][j]) for j in rose.range(n - 1))
    )
    return [matrix(n)], lambda x: rose.sum(g(x, i) for i in rose.range(n))


SHAPES: dict[str, Shape] = {
    "rows": lambda n, G: ([matrix(n)], lambda x: each(n, n, lambda i, j: G(x[i][j]))),
    "columns": lambda n, G: ([matrix(n)], lambda x: each(n, n, lambda j, i: G(x[i][j]))),
    "neighbours in a row": lambda n, G: ([matrix(n)], lambda x: each(n, n - 1, lambda i, j: G(x[i][j + 1] - x[i][j]))),
    "a row with a name": lambda n, G: (
        [matrix(n)],
        lambda x: total(
            n, lambda i: (lambda row: total(n - 1, lambda j: G(row[j + 1] - row[j])) * row[0])(x[i])
        ),
    ),
    "stencil of five points": lambda n, G: (
        [matrix(n)],
        lambda x: each(
            n - 2,
            n - 2,
            lambda i, j: G(4 * x[i + 1][j + 1] - x[i][j + 1] - x[i + 2][j + 1] - x[i + 1][j] - x[i + 1][j + 2]),
        ),
    ),
    "ring": lambda n, G: ([matrix(n)], lambda x: each(n, n, lambda i, j: G(x[i][(j + 1) % n] * x[(i + 1) % n][j]))),
    "diagonals": lambda n, G: (
        [matrix(n)],
        lambda x: each(n, n, lambda i, j: G(x[i][(i + j) % n] * x[(i + j) % n][i])),
    ),
    "gather": lambda n, G: (
        [matrix(n), Vec[n, Fin[n]]],
        lambda x, k: each(n, n, lambda i, j: G(x[k[i]][k[j]] - x[i][k[j]])),
    ),
    "grid of structs": lambda n, G: (
        [Vec[n, Vec[n, Cell]]],
        lambda x: each(n, n - 1, lambda i, j: G(x[i][j].a * x[i][j + 1].b)),
    ),
    "structs of vectors": lambda n, G: (
        [Vec[n, body(n)]],
        lambda x: each(n, n - 1, lambda i, j: G(x[i].mass * x[i].pos[j] + x[i].pos[j + 1] * x[i].vel[j])),
    ),
    "structs of vectors of structs of vectors": lambda n, G: (
        [Vec[n, system(n)]],
        lambda x: each(
            n, n - 1, lambda i, j: G(x[i].bodies[0].pos[j] + x[i].bodies[1].vel[j + 1] * x[i].scale)
        ),
    ),
    "two of many columns": lambda n, G: (
        [Vec[n, Vec[4 * n]]],
        lambda x: each(n, n, lambda i, j: G(x[i][3] * x[j][7])),
    ),
    "pairs of points": lambda n, G: (
        [Vec[n, Vec[3]]],
        lambda x: each(n, n, lambda i, j: G(rose.sum((x[i][k] - x[j][k]) ** 2 for k in rose.range(3)))),
    ),
    "product": lambda n, G: (
        [matrix(n)],
        lambda x: each(n, n, lambda i, j: G(rose.sum(x[i][k] * x[k][j] for k in rose.range(n)))),
    ),
    "three indices": lambda n, G: (
        [Vec[3, matrix(n)]],
        lambda x: total(3, lambda h: each(n, n - 1, lambda i, j: G(x[h][i][j + 1] - x[h][i][j]))),
    ),
    "a row that is chosen": lambda n, G: (
        [matrix(n)],
        lambda x: each(n, n, lambda i, j: G(rose.select(x[0][j] > 0.5, x[i], x[j])[i])),
    ),
    "a struct that is chosen": lambda n, G: (
        [Vec[n, body(n)]],
        lambda x: each(n, n, lambda i, j: G(rose.select(x[i].mass > 0.5, x[i], x[j]).pos[j])),
    ),
    "a row that is passed on, and not differentiated": condition,
    "a matrix that is made": lambda n, G: ([matrix(n)], lambda x: made(n, x, G)),
    "a matrix that is made in each iteration": lambda n, G: ([matrix(n)], lambda x: made_inside(n, x, G)),
    "a matrix that is scattered to": lambda n, G: ([matrix(n)], lambda x: scattered(n, x, G)),
    "a matrix as a state": lambda n, G: ([matrix(n)], lambda x: smoothed(n, x, G)),
    "an accumulator": lambda n, G: ([matrix(n)], lambda x: accumulated(n, x, G)),
    "rows in a scan": lambda n, G: (
        [matrix(n)],
        lambda x: rose.scan(
            lambda i, s: s * 0.5 + rose.sum(G(x[i][j + 1] - s * x[i][j]) for j in rose.range(n - 1)), 0.1, n
        ),
    ),
    "a scan in each row": lambda n, G: (
        [matrix(n)],
        lambda x: total(
            n, lambda i: rose.scan(lambda j, s: s * 0.5 + G(x[i][j] * x[i][(j + 1) % n]), 0.1, n)
        ),
    ),
    "a while loop around": lambda n, G: (
        [matrix(n)],
        lambda x: twice(lambda s: each(n, n, lambda i, j: G(x[i][j] * x[i][(j + 1) % n]))),
    ),
    "a while loop in each row": lambda n, G: (
        [matrix(n)],
        lambda x: each(n, n, lambda i, j: twice(lambda s: G(x[i][j] * x[i][(j + 1) % n]))),
    ),
    "pairs of which one is below the other": lambda n, G: (
        [matrix(n)],
        lambda x: rose.sum(G(x[i][j] - x[j][i]) for i in rose.range(n) for j in rose.range(i)),
    ),
    "pairs of points, each once": lambda n, G: (
        [Vec[n, Vec[3]]],
        lambda x: rose.sum(
            G(rose.sum((x[i][k] - x[j][k]) ** 2 for k in rose.range(3)))
            for i in rose.range(n)
            for j in rose.range(i + 1, n)
        ),
    ),
    "a band": lambda n, G: (
        [matrix(n)],
        lambda x: rose.sum(
            G(x[i][j] * x[j][i])
            for i in rose.range(n)
            for j in rose.range(rose.max(i - 2, 0), rose.min(i + 3, n))
        ),
    ),
    "a triangle in a scan": lambda n, G: (
        [matrix(n)],
        lambda x: rose.scan(
            lambda i, s: s * 0.5 + rose.sum(G(x[i][j] - s * x[j][i]) for j in rose.range(i)),
            0.1,
            rose.range(n - 1, -1, -1),
        ),
    ),
    "scans of dependent length": lambda n, G: ([matrix(n)], lambda x: total(n, lambda i: decayed(n, i, x, G))),
    "sums of dependent length in a vector": lambda n, G: (
        [matrix(n)],
        lambda x: rose.norm(rose.vec(rose.sum(G(x[i][j]) * x[j][j] for j in rose.range(i)) for i in rose.range(n))),
    ),
    "rows that are passed on": passed,
    "a function of each row": called,
}  # fmt: skip


def program(shape: str, guard: str, n: int) -> Fn[..., Any]:
    given, f = SHAPES[shape](n, GUARDS[guard])
    return rose.fn(given, Real)(f)


def point(f: Fn[..., Any]) -> list[Any]:
    """A point of `f`, the same each time."""
    draw = random.Random(1)

    def of(t: types.Type) -> Any:
        if isinstance(t, types.Vec):
            return tuple([of(t.elem) for _ in range(t.size)])
        if isinstance(t, types.Tuple):
            return tuple([of(x) for x in t.items])
        return draw.randrange(t.size) if isinstance(t, types.Fin) else draw.uniform(-1.0, 1.0)

    return [of(t) for t in f.types]


# at random


WHOLES: tuple[Callable[[int], Any], ...] = (
    lambda n: Vec[n], matrix, matrix, lambda n: Vec[3, matrix(n)], lambda n: Vec[n, Vec[n, Cell]],
    lambda n: Vec[n, body(n)], lambda n: Vec[n, system(n)], lambda n: Vec[n, Vec[2 * n]],
)  # fmt: skip


class Draws(random.Random):
    """Draws programs, not numbers, so a trace may ask it: `random.Random` itself is refused there."""


class Random:
    """A random program of loops, branches, calls and reads: the same at each size, but for the size."""

    def __init__(self, seed: int, n: int) -> None:
        self.n, self.draw = n, Draws(seed)
        self.types = [self.draw.choice(WHOLES)(n) for _ in range(self.draw.choice((1, 1, 2)))]

    def program(self) -> Fn[..., Any]:
        return rose.fn(self.types, Real)(lambda *xs: self.nest(list(xs), [], self.draw.choice((1, 2, 2, 3))))

    def nest(self, xs: list[Any], at: list[Any], depth: int) -> Any:
        """A sum, or the like, over as many indices as the depth says."""
        n, kind = (
            self.n,
            self.draw.choice(("sum", "sum", "accum", "scan", "while", "call", "cond", "row", "vec", "below")),
        )
        if depth == 0:
            return self.guarded(xs, at)
        inner = lambda i: self.nest(xs, [*at, i], depth - 1)
        if kind == "scan":
            return rose.scan(lambda i, s: s * 0.5 + inner(i) * 0.1, 0.1, n)
        if kind == "while":
            return twice(lambda s: total(n, inner))
        if kind == "call":
            g = rose.fn([Fin[n]], Real)(inner)
            return total(n, g)
        if kind == "cond":
            some = lambda: total(n, inner)
            return rose.cond(self.read(xs, at) > -2.0, some, some)
        if kind == "row":
            return rose.sum(self.nest([*xs, *self.rows(xs, [*at, i])], [*at, i], depth - 1) for i in rose.range(n))
        if kind == "vec":
            made = rose.vec(inner(i) for i in rose.range(n))
            return rose.sum(made[i] * made[(i + 1) % n] for i in rose.range(n))
        if kind == "below" and at:
            return rose.sum(inner(i) for i in self.some(at[-1]))
        acc = rose.accum(0.0)
        for i in rose.range(n):
            acc += inner(i)
        return acc.value

    def some(self, i: Any) -> Any:
        """A range that another index decides."""
        n = self.n
        bounds = ((i, n), (i, -1, -1), (rose.max(i - 2, 0), rose.min(i + 3, n)), (0, i))
        return rose.range(*self.draw.choice(bounds))

    def rows(self, xs: list[Any], at: list[Any]) -> list[Any]:
        """The elements of vectors of vectors, by a name."""
        return [x[self.index(at)] for x in xs if x.type.size == self.n and isinstance(x.type.elem, types.Vec)]

    def guarded(self, xs: list[Any], at: list[Any]) -> Any:
        made = self.read(xs, at)
        for _ in range(self.draw.choice((0, 1, 1, 2))):
            x, product = self.read(xs, at), self.draw.random() < 0.5
            made = made * x if product else made - x
        return self.draw.choice([*GUARDS.values()])(made)

    def read(self, xs: list[Any], at: list[Any]) -> Any:
        x: Any = self.draw.choice(xs)
        while x.__class__ is not rose.ir.Value or x.type is not Real:
            t = getattr(x, "type", None)
            if isinstance(t, types.Vec):
                x = x[self.index(at) if t.size == self.n else self.draw.randrange(t.size)]
            else:
                x = getattr(x, self.draw.choice(type(x).__match_args__))
        return x

    def index(self, at: list[Any]) -> Any:
        n = self.n
        i, j, k = [self.draw.choice(at or [0]) for _ in range(3)]
        return self.draw.choice((lambda: i, lambda: i, lambda: (i + 1) % n, lambda: (i + j) % n,
                                 lambda: n - 1 - k))()  # fmt: skip
