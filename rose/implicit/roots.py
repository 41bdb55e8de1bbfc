"""Roots by Newton's method, and fixed points by iteration."""

from __future__ import annotations

import math
from typing import Any

from ..differentiation.jacobians import jacfwd
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn
from ..frontend.language import control
from ..frontend.language.select import select
from ..ir import Value
from .equations import (
    Found,
    Maker,
    Plain,
    Search,
    as_many,
    implicit,
    length,
    limits,
    maker,
    short,
    solver,
    solver_with,
    unknown,
)

ROUNDING = 2.0**-50  # of a point: a step that is less is one of rounding
_SHORTEST = 2.0**-60  # of a step: if none that long helps, none does


@of_any_size
def root(
    g: AnyFn, *, search: Maker | None = None, tolerance: float = 1e-8, max_steps: int = 100, full: bool = False
) -> AnyFn:
    """The function from a start and data to the root `x` near it: `g(x, *data) == 0`.

    `g` takes the unknown, of any type made of Reals, and data after it, and gives as many Reals as the unknown has. By
    Newton's method with damped steps: a step is halved until the next one, with the same Jacobian, would be shorter
    (Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.3), so no scaling of `g` changes the steps. They
    go on until they get no shorter, which is to rounding, and for `max_steps` at most. The search has converged if the
    last one has a length of at most `tolerance * (1 + length of x)`; if not, the result is nan.

    Newton's steps do not cross points at which the Jacobian is singular. Where the start is not near, a minimiser for
    residuals goes first: `search=rose.lib.gauss_newton`, or a function that makes one.

    With `full=True` the result is a `Solution`. The derivatives are those of the root by the data, in all modes and to
    any order, where the Jacobian at the root is regular, and infinite or nan elsewhere; the start has none.
    """
    of = unknown("root", g)
    as_many("root", of)
    tolerance, max_steps = limits(tolerance, max_steps)
    if search is not None:
        maker(search)

    def solution() -> tuple[Plain, AnyFn]:
        plain = Plain(of)
        residual = plain.residual()
        find = newtons(residual, tolerance, max_steps)
        return plain, solver(residual, find if search is None else _after(search(residual), find), "root")

    return implicit("root", of, of.types[0], full, solution)


def _after(first: AnyFn, then: Search) -> Search:
    """A search that starts where a minimiser ended."""

    def search(x: Value, *data: object) -> Found:
        return then(first(x, *data).x, *data)

    return search


def newtons(residual: AnyFn, tolerance: float, max_steps: int) -> Search:
    """Newton's method with damped steps, for a residual in the plain form of its unknown."""
    slope = jacfwd(residual)

    def test(s: dict[str, Any]) -> Value:
        return s["busy"] & (length(s["r"]) > 0.0) & (s["steps"] < max_steps)

    def step(s: dict[str, Any], data: tuple[Any, ...]) -> Any:
        x, solve = s["x"], solver_with(slope(s["x"], *data))
        p = solve(s["r"])
        size = length(p)

        def tried(t: Any) -> dict[str, Any]:
            return {"t": t, "r": residual(x - p * t, *data)}

        def helps(s: dict[str, Any]) -> Value:
            return length(solve(s["r"])) < (1.0 - 0.5 * s["t"]) * size

        last: Any = control.while_loop(
            lambda s: ~helps(s) & (s["t"] >= _SHORTEST), lambda s: tried(0.5 * s["t"]), tried(1.0)
        )
        good = last["t"] >= _SHORTEST
        after = x - p * select(good, last["t"], 0.0)
        busy = good & (size > ROUNDING * length(after))
        return {"x": after, "r": select(good, last["r"], s["r"]), "size": size, "steps": s["steps"] + 1.0, "busy": busy}

    def search(x: Value, *data: object) -> Found:
        s: Any = {"x": x, "r": residual(x, *data), "size": math.inf, "steps": 0.0, "busy": True}
        s = control.while_loop(test, lambda s: step(s, data), s)
        size = length(s["r"])
        return s["x"], size, s["steps"], (size == 0.0) | short(s["size"], s["x"], tolerance)

    return search


@of_any_size
def fixed_point(g: AnyFn, *, tolerance: float = 1e-12, max_steps: int = 10_000, full: bool = False) -> AnyFn:
    """The function from a start and data to the fixed point `x` that iteration finds: `g(x, *data) == x`.

    `g` takes the unknown, of any type made of Reals, and data after it, and gives a value of the unknown's type. It is
    applied again and again, until a step has a length of at most `tolerance * (1 + length of x)`, and `max_steps` times
    at most. Where each step is shorter by a factor `q`, the error is then at most `q / (1 - q)` steps. If the search
    has not converged, the result is nan. With `full=True` the result is a `Solution`; its residual is the last step's
    length. The derivatives are as with `root`.
    """
    of = unknown("fixed_point", g)
    as_many("fixed_point", of)
    tolerance, max_steps = limits(tolerance, max_steps)

    def solution() -> tuple[Plain, AnyFn]:
        plain = Plain(of)
        after = plain.residual()

        def residual(x: Value, *data: object) -> Value:
            return x - after(x, *data)

        search = _iterated(after, tolerance, max_steps)
        return plain, solver(plain.made(residual, plain.type, of.name), search, "fixed_point")

    return implicit("fixed_point", of, of.types[0], full, solution)


def _iterated(g: AnyFn, tolerance: float, max_steps: int) -> Search:
    def near(s: dict[str, Any]) -> Value:
        return short(s["size"], s["x"], tolerance)

    def search(x: Value, *data: object) -> Found:
        def step(s: dict[str, Any]) -> Any:
            after = g(s["x"], *data)
            return {"x": after, "size": length(after - s["x"]), "steps": s["steps"] + 1.0}

        s = step({"x": x, "steps": 0.0})
        s = control.while_loop(lambda s: ~near(s) & (s["size"] < math.inf) & (s["steps"] < max_steps), step, s)
        return s["x"], s["size"], s["steps"], near(s)

    return search
