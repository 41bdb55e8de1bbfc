"""Direct manipulation: the parameters of a picture with which a point of it lies where it is dragged.

A picture is a function from parameters to points. A point that is computed can be dragged as one that is given: its
pull-back says how each parameter moves it. A few damped Gauss-Newton steps (Levenberg's and Marquardt's) bring it to
the pointer, or as near as the picture allows. Of all the changes that bring it there, a step is the least one. So it
takes a system of as many equations as the point has coordinates and the picture rules, however many parameters move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import control, derive, loops, ops
from ..errors import TypeMismatch, edge, here
from ..functions import select
from ..ir import Value, builder, shown
from ..operators import view
from ..structs import to_value
from ..trace import Fn, make
from ..types import Fin, Real, Tuple, Type, Vec
from ..vectors import dot

AnyFn = Fn[..., Any]

_PASSES = 3  # how often a step is found again, without the parameters that came to a bound
_FIRST, _LESS, _MORE, _MOST = 1e-3, 0.2, 10.0, 1e8  # the damping, relative to the diagonal of the system
_FLOOR, _TINY = 1e-12, 1e-200  # and what is added to it where that is 0
_SLOW = 1e-6  # a step that takes away no more of the distance than this part of it is the last one
_THERE = 1e-26  # a squared distance, relative to the squared coordinates, that is none


@edge
def dragger(points: AnyFn, rules: AnyFn | None = None, *, turns: int = 12, stiff: float = 100.0) -> AnyFn:
    """A function that drags points: from parameters to near ones, with which point `k` lies at `target`.

    `points` goes from parameters, of any type made of Reals, to a vector of points, which are vectors of Reals.
    What is made is `drag(x, k, target, ease, low, high)`. Its last three are of the parameters' type, too: how far
    each of them moves at once, if the others stay (so it is their weight, and 0 locks a parameter), and the least and
    the greatest that it may be. No step takes the point farther away, or makes a coordinate infinite or nan. After
    `turns` steps the point may still be on its way, if it is far: then drag it there again.

    `rules` goes from the parameters, and from what else it takes, to a vector of numbers that the picture keeps at 0.
    What else it takes, `drag` takes at its end. A rule that is broken by 1 counts as a distance of `stiff`.
    """
    _check(points, rules)
    t, some, parts = points.types[0], points.result, _Parts(points.types[0])
    assert isinstance(some, Vec)

    def drag(x: Any, k: Any, target: Any, ease: Any, low: Any, high: Any, *more: Any) -> Any:
        goal = _Goal(points, rules, parts, k, target, more, stiff)
        room = _Room(*map(parts.vector, (ease, low, high)))
        return parts.joined(_found(goal, parts.vector(x), room, turns))

    more: list[tuple[str, Type]] = [*zip(rules.names, rules.types, strict=True)][1:] if rules else []
    names = [points.names[0]]
    for name in ("k", "target", "ease", "low", "high", *[name for name, _ in more]):
        names.append(name + "_" * (name in names))
    inputs: list[Type] = [t, Fin(some.size), some.elem, t, t, t, *[t for _, t in more]]
    return make(drag, inputs, t, f"drag({points.name})", names)


def _check(points: Any, rules: Any) -> None:
    for f, what in ((points, "points"), (points if rules is None else rules, "rules")):
        if not isinstance(f, Fn):
            raise TypeMismatch(f"{what} is an @fn function, not {shown(f)}", here(), "mark it with @rose.fn")
    of = points.types[0] if len(points.types) == 1 else None
    if of is None or not _is_real(of):
        hint = "let it take one vector, or one struct, of all that may move"
        raise TypeMismatch(f"{points.name} does not take one parameter made of Reals", here(), hint)
    t = points.result
    if not (isinstance(t, Vec) and t.size and isinstance(t.elem, Vec) and t.elem.elem is Real and t.elem.size):
        hint = "a picture in the plane gives a Vec[n, Vec[2]]"
        raise TypeMismatch(f"{points.name} gives a {t!r}, which is no vector of points", here(), hint)
    if rules is not None and [*rules.types[:1]] != [of]:
        hint = f"their first parameter is that of {points.name}, a {of!r}"
        raise TypeMismatch(f"the rules {rules.name} are not about {points.name}", here(), hint)
    if rules is not None and not (isinstance(rules.result, Vec) and rules.result.elem is Real):
        hint = "each rule is a number that is to be 0, and all of them are a vector"
        raise TypeMismatch(f"the rules {rules.name} give a {rules.result!r}", here(), hint)


# parameters of any type, as a vector


def _is_real(t: Type) -> bool:
    """True if a `t` is made of Reals, and of nothing else."""
    if isinstance(t, Vec):
        return _is_real(t.elem)
    return all(map(_is_real, t.items)) if isinstance(t, Tuple) else t is Real


class _Parts:
    """The numbers in a type, in order."""

    def __init__(self, t: Type) -> None:
        self.type = t
        self.vec = Vec(derive.count(t), Real)

    def vector(self, x: Any) -> Any:
        """The numbers of `x`."""
        return builder().pack([*self.read(to_value(x, self.type), self.type)], self.vec)

    def read(self, x: Value, t: Type) -> Iterator[Value]:
        b = builder()
        if isinstance(t, Vec):
            for i in range(t.size):
                yield from self.read(b.index(x, i), t.elem)
        elif isinstance(t, Tuple):
            for k, item in enumerate(t.items):
                yield from self.read(b.get(x, k), item)
        else:
            yield x

    def joined(self, v: Any) -> Any:
        """What has the numbers of the vector `v`."""
        return view(self._join(iter([builder().index(v, k) for k in range(self.vec.size)]), self.type))

    def _join(self, numbers: Iterator[Value], t: Type) -> Value:
        b = builder()
        if isinstance(t, Vec):
            return b.pack([self._join(numbers, t.elem) for _ in range(t.size)], t)
        return b.tuple([self._join(numbers, x) for x in t.items], t) if isinstance(t, Tuple) else next(numbers)


# the search


class _Goal:
    """A point of a picture, where it is to be, and the rules: as functions of a vector of parameters."""

    def __init__(
        self, points: AnyFn, rules: AnyFn | None, parts: _Parts, k: Any, target: Any, more: Sequence[Any], stiff: float
    ) -> None:
        self.target = target
        kept = 0 if rules is None else _size(rules.result)
        self.count = _size(target.type) + kept

        def missing(v: Any) -> Any:
            x = parts.joined(v)
            at = points(x)[k]
            away = [target[a] - at[a] for a in range(_size(target.type))]
            broken: Any = [] if rules is None else rules(x, *more)
            return loops.vec([*away, *[-stiff * broken[j] for j in range(kept)]])

        def distance(v: Any) -> Any:
            rest = self.missing(v)
            return dot(rest, rest) + _nothing(points(parts.joined(v)))

        self.missing = make(missing, [parts.vec], Vec(self.count, Real), "missing", ["x"])
        self.distance = make(distance, [parts.vec], Real, "distance", ["x"])

    def equations(self, x: Any) -> tuple[Any, Any]:
        """What is missing, and what each parameter does about it: a row for each coordinate, and for each rule."""
        missing, pull = derive.vjp(self.missing)(x)
        less: Callable[[Any], Any] = lambda a: loops.vec(select(a == b, -1.0, 0.0) for b in loops.range(self.count))
        return missing, loops.vec(pull(less(a)) for a in loops.range(self.count))


def _size(t: Any) -> int:
    return t.size


def _nothing(points: Any) -> Any:
    """0 if all coordinates are finite, else nan."""
    some, one = _size(points.type), _size(points.type.elem)
    return loops.sum(loops.sum(points[j][a] * 0.0 for a in loops.range(one)) for j in loops.range(some))


@dataclass
class _Room:
    """Where parameters may go: as vectors, how easily each moves, and its bounds."""

    ease: Any
    low: Any
    high: Any

    def moved(self, x: Any, by: Any) -> Any:
        """`x`, moved as far as it may be: what is locked stays, even outside of its bounds."""
        to: Callable[[Any], Any] = lambda i: ops.clip(x[i] + by[i], self.low[i], self.high[i])
        return _each(x, lambda i: select(self.ease[i] > 0.0, to(i), x[i]))

    def step(self, d: int, x: Any, missing: Any, rows: Any, damping: Any) -> Any:
        """The least change of `x` that, to first order, brings what is missing, damped.

        What would leave its bounds goes just to them, and the others are asked for the rest.
        """

        def again(_: Any, state: Any) -> Any:
            loose, fixed, _ = state  # how easily parameters still move, and how far those go that do not
            by = _least(d, rows, missing, loose, fixed, damping)
            there = self.moved(x, by)
            free: Callable[[Any], Any] = lambda i: (self.low[i] <= x[i] + by[i]) & (x[i] + by[i] <= self.high[i])
            held = _each(x, lambda i: select(free(i), fixed[i], there[i] - x[i]))
            return _each(x, lambda i: select(free(i), loose[i], 0.0)), held, by

        nowhere = _each(x, lambda _: 0.0)
        loose = _each(x, lambda i: select(self.ease[i] > 0.0, self.ease[i] ** 2, 0.0))
        return control.scan(again, (loose, nowhere, nowhere), _PASSES)[2]


def _each(x: Any, item: Callable[[Any], Any]) -> Any:
    return loops.vec(item(i) for i in loops.range(_size(x.type)))


def _least(d: int, rows: Any, missing: Any, loose: Any, fixed: Any, damping: Any) -> Any:
    """The least change that makes up for what is missing, after the changes that are `fixed`."""
    q = range(_size(missing.type))
    weighed = [_each(loose, lambda i, a=a: loose[i] * rows[a][i]) for a in q]
    matrix = [[dot(weighed[a], rows[b]) for b in q] for a in q]
    more = damping * sum(matrix[a][a] for a in range(d)) + _FLOOR * sum(matrix[a][a] for a in q) + _TINY
    for a in q:
        matrix[a][a] += more
    pulls = _solution(matrix, [missing[a] - dot(rows[a], fixed) for a in q])
    by = _each(loose, lambda i: sum(pulls[a] * weighed[a][i] for a in q))
    far = loops.sum(select(loose[i] > 0.0, by[i] * by[i] / loose[i], 0.0) for i in loops.range(_size(loose.type)))
    short = 1.0 / ops.sqrt(loops.max(far, 1.0))
    return _each(loose, lambda i: fixed[i] + by[i] * short)


def _solution(matrix: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """The solution of a few equations, of a matrix that is symmetric and positive definite: by elimination."""
    rows = [[*row, y] for row, y in zip(matrix, right, strict=True)]
    for k, row in enumerate(rows):
        for i, other in enumerate(rows):
            if i != k:
                factor = other[k] / row[k]
                rows[i] = [p - factor * q for p, q in zip(other, row, strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def _found(goal: _Goal, x: Any, room: _Room, turns: int) -> Any:
    """The parameters near `x` with which the goal is reached, or nearly."""
    enough = _THERE * (1.0 + dot(goal.target, goal.target))

    def turn(state: Any) -> Any:
        x, far, damping, left, _ = state
        there = room.moved(x, room.step(_size(goal.target.type), x, *goal.equations(x), damping))
        after = goal.distance(there)
        better = after < far
        busy = select(better, (after > enough) & (far - after > _SLOW * far), damping < _MOST) & (left > 1.0)
        damping = damping * select(better, _LESS, _MORE)
        return select(better, there, x), select(better, after, far), damping, left - 1.0, busy

    far = goal.distance(x)
    state = (x, far, _FIRST, float(turns), far > enough)
    return control.while_loop(lambda state: state[4], turn, state)[0]
