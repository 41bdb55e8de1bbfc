"""Direct manipulation: the parameters of a picture for which a point of it lies where it is dragged.

A picture is a function from parameters to points. A computed point can be dragged like a given one: its pullback says
how each parameter moves it. A few damped Gauss-Newton steps bring it to the pointer, or as near as the picture allows.
With J the Jacobian of the point and of the constraints, one row for each of their numbers, r the residuals, and W the
squared weights of the parameters, a step is

    dp = W Jᵀ (J W Jᵀ + damping I)⁻¹ r

the least change, in the norm of W, that does what can be done: damped least squares, as for the joints of robots
(Wampler 1986; Nakamura and Hanafusa 1986), with a damping that adapts from step to step (Marquardt 1963). There are two
equations for a point of the plane, and one for each constraint, however many parameters move; and each takes one
pullback.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..differentiation import gradients
from ..differentiation.flatten import Flat, is_real
from ..errors import TypeMismatch, argument, here
from ..frontend import options
from ..frontend.any_size import of_any_size
from ..frontend.arrays.products import dot
from ..frontend.function import AnyFn, checked, make
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..ir import Value, ops
from ..ir.sizes import number
from ..ir.types import Fin, Real, Type, Vec, as_vec
from ..linalg.positive_definite import cholesky_solve
from .descent import each

_AGAIN = 3  # attempts at a step, each without the parameters that came to a bound in the last
_FIRST, _LESS, _MORE, _MOST = 1e-3, 0.2, 10.0, 1e8  # the damping: a part of the diagonal
_FLOOR, _TINY = 1e-12, 1e-100  # the least diagonal: relative to all of it, and absolute
_SLOW = 1e-9  # a step that reduces a squared distance by less than this part of it is the last one
_THERE = 1e-26  # a squared distance, relative to squared coordinates, that counts as 0
_REPAIRS = 8.0  # the number of steps that restore the constraints, after all others
_COUNTS = (1, 2, 3, 4)  # the numbers of arguments that a call of `dragger` can have


@of_any_size
def dragger(points: AnyFn, constraints: AnyFn | None = None, *, turns: int = 12, stiff: float = 10.0) -> AnyFn:
    """A function that drags points: from parameters to near ones, for which point `handle` lies at `target`.

    `points` goes from parameters, of any type made of Reals, to a vector of points, which are vectors of Reals. The
    result is `drag(p, handle, target, weights, low, high)`, where `p` has the name that it has in `points`. The last
    three are of the parameters' type, too. `low` and `high` are bounds, and `weights` say how far a parameter moves in
    one step at most, and so how much of the way it goes when others move, too: with weight 0 it is locked.

    `constraints` goes from the parameters, and further arguments, to a vector of numbers which are 0 if the
    constraints hold. `drag` takes the further arguments at its end. On the way, a constraint that is off by 1 counts
    as much as a distance of `stiff`; at the end they are brought to 0, if that can be done.

    A point that is out of reach comes as near as it can. It does not jump: no step is longer than the weights say, and
    none leads to a picture with a coordinate that is infinite or nan. After `turns` steps a point may still be on its
    way: drag it to its target again.
    """
    of = _checked(points)
    turns = options.count(turns, "turns")
    stiff = options.number_or_traced(stiff, "stiff")
    assert isinstance(points.result, Vec)
    others = _others(constraints, points)

    def drag(p: Value, handle: Value, target: Value, weights: Value, low: Value, high: Value, *more: object) -> Value:
        flat = Flat(of)
        start = flat.vector(p)
        room = _Room(start, *map(flat.vector, (weights, low, high)))
        goal = _Goal(flat, points, constraints, handle, target, more, stiff)
        inside, search = room.inside(start), goal.search(room)
        found = search(select(goal.far(inside, 1.0) < math.inf, inside, start), 1.0, float(turns))
        return flat.value(found if constraints is None else search(found, 0.0, _REPAIRS))

    names = [points.names[0]]
    for name in ("handle", "target", "weights", "low", "high", *[name for name, _ in others]):
        names.append(name + "_" * (name in names))
    inputs = [of, Fin(points.result.size), points.result.elem, of, of, of, *[t for _, t in others]]
    return make(drag, inputs, of, f"drag({points.name})", names)


def _checked(points: AnyFn) -> Type:
    """The type of the parameters of a picture."""
    at = here().narrow(argument(0, "points", *_COUNTS))
    f = checked(points, "lib.dragger", at)
    if len(f.types) != 1 or not is_real(f.types[0]):
        hint = "let it take one vector, or one struct, of all that may move"
        raise TypeMismatch(f"rose.lib.dragger: {f.name} does not take one parameter made of Reals", at, hint)
    t = f.result
    if not (isinstance(t, Vec) and isinstance(t.elem, Vec) and t.elem.elem is Real):
        hint = "return points: a Vec[n, Vec[2]] in the plane"
        raise TypeMismatch(f"rose.lib.dragger: {f.name} gives a {t!r}, which is not a vector of points", at, hint)
    return f.types[0]


def _others(constraints: AnyFn | None, points: AnyFn) -> list[tuple[str, Type]]:
    """The names and types of the further parameters of the constraints, after those of the picture."""
    if constraints is None:
        return []
    at = here().narrow(argument(1, "constraints", *_COUNTS))
    f = checked(constraints, "lib.dragger", at, " for the constraints")
    if [*f.types[:1]] != [points.types[0]]:
        hint = f"let it take first what {points.name} takes, a {points.types[0]!r}"
        raise TypeMismatch(f"rose.lib.dragger: {f.name} is not about the picture {points.name}", at, hint)
    if not (isinstance(f.result, Vec) and f.result.elem is Real):
        hint = "return a vector of numbers, one for each constraint: it holds where that is 0"
        raise TypeMismatch(f"rose.lib.dragger: {f.name} gives a {f.result!r}", at, hint)
    return [*zip(f.names, f.types, strict=True)][1:]


def _size(t: Type) -> int:
    return number(as_vec(t).size)


def _sum(v: Value, item: Callable[[Any], Any]) -> Value:
    return loops.sum(item(i) for i in loops.range(_size(v.type)))


def _unit(k: Value, n: int) -> Value:
    return loops.vec(select(i == k, 1.0, 0.0) for i in loops.range(n))


# the search


class _Goal:
    """The target of a point of a picture, and the constraints: residuals as functions of a vector of parameters.

    They take an `aim`, too: 1 where the target counts, and 0 where only the constraints do.
    """

    def __init__(
        self, flat: Flat, points: AnyFn, constraints: AnyFn | None, handle: Value, target: Value, more: Sequence[Any],
        stiff: float,
    ) -> None:  # fmt: skip
        self.size, kept = _size(target.type), 0 if constraints is None else _size(constraints.result)
        self.flat, self.count = flat, self.size + kept
        self.there = _THERE * (1.0 + dot(target, target))

        def both(v: Value, aim: Value) -> tuple[Any, Any]:
            p = flat.value(v)
            shown = points(p)
            broken: Any = [] if constraints is None else constraints(p, *more)
            away = [aim * (target[a] - shown[handle][a]) for a in range(self.size)]
            return loops.vec([*away, *[-stiff * broken[j] for j in range(kept)]]), shown

        def missing(v: Value, aim: Value) -> Value:
            return both(v, aim)[0]

        def far(v: Value, aim: Value) -> Value:
            r, shown = both(v, aim)
            # 0, or nan if a coordinate is not finite
            nothing = _sum(shown, lambda j: _sum(shown[j], lambda a: 0.0 * shown[j][a]))
            return dot(r, r) + nothing

        self.missing = make(missing, [flat.vec, Real], Vec(self.count, Real), "missing", ["p", "aim"])
        self.far = make(far, [flat.vec, Real], Real, "far", ["p", "aim"])

    def equations(self, p: Value, aim: Value) -> _Equations:
        right, pull = gradients.vjp(self.missing)(p, aim)
        rows = loops.vec(pull(_unit(a, self.count))[0] for a in loops.range(self.count))
        return _Equations(right, rows, loops.vec([1.0 if a < self.size else 1.0 - aim for a in range(self.count)]))

    def search(self, room: _Room) -> AnyFn:
        """The function from parameters to near ones with smaller residuals, in at most `turns` steps."""

        def body(state: dict[str, Any]) -> Any:
            p, aim, damping = state["p"], state["aim"], state["damping"]
            there = room.step(p, self.equations(p, aim), damping)
            far, after = state["far"], self.far(there, aim)
            better = after < far
            on = select(better, (after > self.there) & (far - after > _SLOW * far), damping < _MOST)
            return {
                "p": select(better, there, p), "aim": aim, "far": select(better, after, far),
                "damping": damping * select(better, _LESS, _MORE), "left": state["left"] - 1.0,
                "on": on & (state["left"] > 1.0),
            }  # fmt: skip

        def search(p: Value, aim: Value, turns: Value) -> Any:
            far = self.far(p, aim)
            state = {"p": p, "aim": aim, "far": far, "damping": _FIRST, "left": turns, "on": far > self.there}
            return control.while_loop(lambda state: state["on"], body, state)["p"]

        return make(search, [self.flat.vec, Real, Real], self.flat.vec, "search", ["p", "aim", "turns"])


@dataclass
class _Equations:
    """The linearised residuals: the right side, and a row of the Jacobian for each residual."""

    right: Any
    rows: Any
    lead: Any  # how much each row counts for the measure of the damping

    def least(self, loose: Value, fixed: Value, damping: Value) -> Value:
        """The least step, in the norm of `loose`, that cancels the residuals that the `fixed` part of it leaves."""
        rows = self.rows
        product: Callable[[Any, Any], Any] = lambda a, b: _sum(loose, lambda i: loose[i] * rows[a][i] * rows[b][i])
        matrix = each(rows, lambda a: each(rows, lambda b: product(a, b)))
        part: Callable[[Any], Any] = lambda a: (damping * self.lead[a] + _FLOOR) * matrix[a][a]
        more = _sum(rows, part) + _TINY
        damped = each(rows, lambda a: each(rows, lambda b: select(a == b, matrix[a][b] + more, matrix[a][b])))
        # the right side: the residuals that remain after the fixed parameters have moved
        y = cholesky_solve(damped, each(rows, lambda a: self.right[a] + dot(rows[a], fixed)))
        pull = each(loose, lambda i: _sum(rows, lambda a: y[a] * rows[a][i]))
        length = ops.sqrt(loops.max(_sum(loose, lambda i: loose[i] * pull[i] ** 2), 1.0))
        return each(loose, lambda i: fixed[i] - loose[i] * pull[i] / length)


class _Room:
    """The region in which parameters may move from `p`, in one step: weights and bounds, as vectors."""

    def __init__(self, p: Value, weights: Value, low: Value, high: Value) -> None:
        free: Callable[[Any], Any] = lambda i: weights[i] > 0.0
        self.loose = each(p, lambda i: select(free(i), weights[i] ** 2, 0.0))
        # a locked parameter stays, even outside of its bounds
        self.low = each(p, lambda i: select(free(i), low[i], p[i]))
        self.high = each(p, lambda i: select(free(i), high[i], p[i]))

    def inside(self, p: Value) -> Value:
        """`p`, clipped to its bounds."""
        return each(p, lambda i: ops.clip(p[i], self.low[i], self.high[i]))

    def step(self, p: Value, equations: _Equations, damping: Value) -> Value:
        """`p` after the least step. A parameter that would leave its bounds goes just to them; the others go on."""

        def again(_: Value, state: tuple[Value, ...]) -> Any:
            loose, fixed, _ = state
            by = equations.least(loose, fixed, damping)
            asked = each(p, lambda i: p[i] + by[i])
            there = self.inside(asked)
            free: Callable[[Any], Any] = lambda i: there[i] == asked[i]
            fixed = each(p, lambda i: select(free(i), fixed[i], there[i] - p[i]))
            return each(p, lambda i: select(free(i), loose[i], 0.0)), fixed, there

        return control.scan(again, (self.loose, each(p, lambda _: 0.0), p), _AGAIN)[2]
