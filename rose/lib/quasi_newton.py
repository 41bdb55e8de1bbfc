"""L-BFGS: a quasi-Newton minimiser, with a Hessian that is estimated from the last few steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..differentiation import gradients
from ..frontend import options
from ..frontend.any_size import of_any_size
from ..frontend.arrays.products import dot
from ..frontend.function import AnyFn
from ..frontend.language import control, loops
from ..frontend.language.select import abs as absolute
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..ir import Value
from .descent import along, each
from .objective import ROUNDING, Found, Objective, State, limits, searching

_ENOUGH, _FLATTER = 1e-4, 0.9  # of the slope at the start: Wolfe's two constants, as Nocedal and Wright have them
_TRIES = 60  # in one line search: halved as often, a step is shorter than the distance between two numbers


@of_any_size
def lbfgs(f: AnyFn, *, history: int = 10, tolerance: float | Value = 1e-8, max_steps: int | Value = 1000) -> AnyFn:
    """L-BFGS: a minimiser of `f` that estimates the curvature from the last `history` steps.

    See Nocedal and Wright, Numerical Optimization (2nd edition, 2006), algorithms 7.4 and 7.5. The line search goes
    as far as Wolfe's conditions ask (there (3.6)), by doubling and bisection (Lewis and Overton,
    Nonsmooth optimization via quasi-Newton methods, 2013, algorithm 2.6).

    `f` takes a point, of any type made of Reals, and data after it, and gives a Real. The minimiser takes a start in
    the place of the point, and gives a `Minimum`. It ends when the length of the gradient is at most `tolerance`, when
    no step makes the value less, and after `max_steps`.
    """
    history = options.count(history, "history")
    tolerance, max_steps = limits(tolerance, max_steps)

    def search(objective: Objective, x: Value) -> Found:
        both = objective.of(gradients.value_and_grad)

        def test(s: State) -> Value:
            return s["busy"] & (norm(s["at"]["g"]) > tolerance) & (s["steps"] < max_steps)

        def body(s: State) -> Any:
            at, past = s["at"], s["past"]
            p = _direction(at["g"], past, history)
            to = _line_search(both, at, p)
            least = -dot(at["g"], p) <= ROUNDING * absolute(at["value"])  # it promises no more than a rounding
            after = {"at": to, "past": _learned(past, at, to, history), "steps": s["steps"] + 1.0}
            return {**after, "busy": to["value"] < at["value"], "least": least}

        value, g = both(x)
        at = {"x": x, "value": value, "g": g}
        s = {"at": at, "past": _nothing(g, history), "steps": 0.0, "busy": True, "least": False}
        end = control.while_loop(test, body, s)
        at, slope = end["at"], norm(end["at"]["g"])
        return at["x"], at["value"], slope, end["steps"], (slope <= tolerance) | end["least"]

    return searching("lbfgs", f, search)


# the history: the last changes of the point and of the gradient, the newest first


def _nothing(g: Value, history: int) -> Any:
    none = loops.vec(each(g, lambda _: 0.0) for _ in loops.range(history))
    length = norm(g)
    scale = select(length > 1.0, 1.0 / length, 1.0)
    return {"dx": none, "dg": none, "weight": loops.vec(0.0 for _ in loops.range(history)), "scale": scale}


def _learned(past: State, at: State, to: State, history: int) -> Any:
    """The history with one step more. If the gradient did not grow along it, its weight is 0."""
    dx, dg = (along(to[k], -1.0, at[k]) for k in ("x", "g"))
    product, square = dot(dx, dg), dot(dg, dg)
    grew = (product > 0.0) & (1.0 / product < math.inf) & (square < math.inf)

    def with_(new: Value, old: Value) -> Value:
        return loops.vec(select(i == 0, new, old[(i + (history - 1)) % history]) for i in loops.range(history))

    weight, scale = select(grew, 1.0 / product, 0.0), select(grew, product / square, past["scale"])
    return {
        "dx": with_(dx, past["dx"]), "dg": with_(dg, past["dg"]), "weight": with_(weight, past["weight"]),
        "scale": scale,
    }  # fmt: skip


def _direction(g: Value, past: State, history: int) -> Value:
    """The quasi-Newton direction, by the two-loop recursion over the history."""
    dx, dg, weight = past["dx"], past["dg"], past["weight"]

    def newest_first(i: Value, q: Value) -> Any:
        part = weight[i] * dot(dx[i], q)
        return along(q, -part, dg[i]), part

    q, parts = control.scan(newest_first, g, history)

    def oldest_first(k: Value, r: Value) -> Value:
        i = history - 1 - k
        return along(r, parts[i] - weight[i] * dot(dg[i], r), dx[i])

    start = each(q, lambda i: -past["scale"] * q[i])
    parts = loops.vec(-parts[i] for i in loops.range(history))
    return control.scan(oldest_first, start, history)


def _line_search(both: Callable[[Value], Any], at: State, p: Value) -> Any:
    """The line search: a point along `p` that meets Wolfe's conditions; if there is none, `at`."""
    slope = dot(at["g"], p)

    def test(s: State) -> Value:
        return ~s["done"] & (s["tries"] < _TRIES)

    def body(s: State) -> Any:
        t = s["t"]
        there = along(at["x"], t, p)
        value, g = both(there)
        near = value <= at["value"] + _ENOUGH * t * slope  # which no nan is: that is too far
        to = select(near, {"x": there, "value": value, "g": g}, s["to"])
        low, high = select(near, t, s["low"]), select(near, s["high"], t)
        t = select(high < math.inf, 0.5 * (low + high), 2.0 * low)
        done = near & (dot(g, p) >= _FLATTER * slope)
        return {"t": t, "low": low, "high": high, "to": to, "done": done, "tries": s["tries"] + 1.0}

    start = {"t": 1.0, "low": 0.0, "high": math.inf, "to": at, "done": False, "tries": 0.0}
    return control.while_loop(test, body, start)["to"]
