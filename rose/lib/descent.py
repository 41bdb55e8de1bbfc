"""First-order minimisers: gradient descent, and Adam."""

from __future__ import annotations

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
from ..ir import Value, ops
from .objective import ROUNDING, Found, Objective, State, limits, searching

_ENOUGH = 1e-4  # Armijo's constant: the part of the decrease that the gradient promises, by Nocedal and Wright


@of_any_size
def gradient_descent(
    f: AnyFn, *, rate: float | Value | None = None, tolerance: float | Value = 1e-8, max_steps: int | Value = 10_000
) -> AnyFn:
    """Gradient descent: a minimiser of `f`, whose steps are `-rate` times the gradient.

    Without a `rate` it searches for one as it goes. A step that makes the value less by enough (Armijo's condition:
    Nocedal and Wright, Numerical Optimization, 2nd edition, 2006, (3.4)) is taken, and the next one tries twice that
    rate; any other is not taken, and half its rate is tried.

    `f` takes a point, of any type made of Reals, and data after it, and gives a Real. The minimiser takes a start in
    the place of the point, and gives a `Minimum`. It ends when the length of the gradient is at most `tolerance`, when
    steps are too short to move the point, and after `max_steps`.
    """
    rate = None if rate is None else options.number_or_traced(rate, "rate")
    by = 0.0 if rate is None else -rate
    tolerance, max_steps = limits(tolerance, max_steps)

    def search(objective: Objective, x: Value) -> Found:
        both = objective.of(gradients.value_and_grad)
        if rate is None:
            return _by_trial(both, x, tolerance, max_steps)
        return _steps(both, x, None, lambda s: (along(s["x"], by, s["g"]), None), tolerance, max_steps)

    return searching("gradient_descent", f, search)


@of_any_size
def adam(
    f: AnyFn, *, rate: float | Value = 0.001, b1: float | Value = 0.9, b2: float | Value = 0.999,
    epsilon: float | Value = 1e-8, tolerance: float | Value = 1e-8, max_steps: int | Value = 10_000,
) -> AnyFn:  # fmt: skip
    """Adam: a minimiser of `f`, in steps of which each number has about the length `rate`.

    They follow a running mean of the gradients, divided by the root of that of their squares: Kingma and Ba
    (ICLR 2015, algorithm 1), who name the other options, and give their defaults.

    `f` and the minimiser take and give the same as with `gradient_descent`. It ends when the length of the gradient
    is at most `tolerance`, and after `max_steps`.
    """
    rate = options.number_or_traced(rate, "rate")
    b1 = options.number_or_traced(b1, "b1", 1.0)
    b2 = options.number_or_traced(b2, "b2", 1.0)
    epsilon = options.number_or_traced(epsilon, "epsilon")
    tolerance, max_steps = limits(tolerance, max_steps)

    def step(s: State) -> tuple[Any, Any]:
        mean, square, p1, p2 = s["more"]
        p1, p2, g = p1 * b1, p2 * b2, s["g"]
        mean = each(g, lambda i: b1 * mean[i] + (1.0 - b1) * g[i])
        square = each(g, lambda i: b2 * square[i] + (1.0 - b2) * g[i] * g[i])
        to: Callable[[Any], Any] = lambda i: (
            s["x"][i] - rate * (mean[i] / (1.0 - p1)) / (ops.sqrt(square[i] / (1.0 - p2)) + epsilon)
        )
        return each(g, to), (mean, square, p1, p2)

    def search(objective: Objective, x: Value) -> Found:
        nothing = each(x, lambda _: 0.0)
        start = nothing, nothing, 1.0, 1.0
        return _steps(objective.of(gradients.value_and_grad), x, start, step, tolerance, max_steps)

    return searching("adam", f, search)


def each(x: Value, item: Callable[[Any], Any]) -> Value:
    """The vector of `item(i)` for each index of the vector `x`."""
    return loops.vec(item(i) for i in loops.range(x.shape[0]))


def along(x: Value, t: Value | float, p: Value) -> Value:
    """`x + t * p`."""
    return each(x, lambda i: x[i] + t * p[i])


def _steps(
    both: Callable[[Value], Any],
    x: Value,
    more: tuple[Value | float, ...] | None,
    step: Callable[[State], Any],
    tolerance: float | Value,
    max_steps: int | Value,
) -> Found:
    """The best point of a search that takes every step: `step(state)` gives the next point, and `more` state."""

    def body(s: State) -> Any:
        there, more = step(s)
        value, g = both(there)
        best, slope = s["best"], norm(g)
        better = (value < best["value"]) | ((value == best["value"]) & (slope < best["slope"]))  # which no nan is
        best = select(better, {"x": there, "value": value, "slope": slope}, best)
        return {"x": there, "value": value, "g": g, "best": best, "steps": s["steps"] + 1.0, "more": more}

    def there_yet(s: State) -> Value:
        as_good = s["value"] - s["best"]["value"] <= ROUNDING * absolute(s["value"])
        return (s["best"]["slope"] <= tolerance) | ((norm(s["g"]) <= tolerance) & as_good)

    def test(s: State) -> Value:
        return ~there_yet(s) & (norm(s["g"]) > 0.0) & (s["steps"] < max_steps)  # which no nan is

    value, g = both(x)
    best = {"x": x, "value": value, "slope": norm(g)}
    s = control.while_loop(test, body, {"x": x, "value": value, "g": g, "best": best, "steps": 0.0, "more": more})
    best = s["best"]
    return best["x"], best["value"], best["slope"], s["steps"], there_yet(s)


def _by_trial(both: Callable[[Value], Any], x: Value, tolerance: float | Value, max_steps: int | Value) -> Found:
    """The end of a search that takes only the steps that help enough, at a rate that adapts (backtracking)."""

    def test(s: State) -> Value:
        moves = s["rate"] * norm(s["g"]) > ROUNDING * norm(s["x"])
        return (norm(s["g"]) > tolerance) & moves & (s["steps"] < max_steps)

    def body(s: State) -> Any:
        there = along(s["x"], -s["rate"], s["g"])
        value, g = both(there)
        taken = value <= s["value"] - _ENOUGH * s["rate"] * dot(s["g"], s["g"])  # which no nan is
        after = select(taken, {"x": there, "value": value, "g": g}, {k: s[k] for k in ("x", "value", "g")})
        return {**after, "rate": s["rate"] * select(taken, 2.0, 0.5), "steps": s["steps"] + 1.0}

    value, g = both(x)
    s = control.while_loop(test, body, {"x": x, "value": value, "g": g, "rate": 1.0, "steps": 0.0})
    slope = norm(s["g"])
    return s["x"], s["value"], slope, s["steps"], slope <= tolerance
