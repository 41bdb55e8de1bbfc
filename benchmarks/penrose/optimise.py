"""The search for the best layout of a diagram, as Penrose's engine makes it, in one function of one module.

It is the exterior point method (Rao, Engineering Optimization, 4th edition, page 443) around L-BFGS (Nocedal and
Wright, Numerical Optimization, 2nd edition, algorithms 7.4 and 7.5), with the numbers, and the rules for an end, that
Penrose has in packages/core/src/engine/Optimizer.ts. `js/optimise.mjs` says the same in JavaScript, around the original
Rose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import rose
from rose import Bool, Fin, Real, Vec, select

from .graphs import Stage

WEIGHT = 1e3  # of constraints, at first
MEMORY = 17  # steps that are remembered
ENOUGH = 1e-3  # of the slope at the start: what a step makes the value less by, at least
FLATTER = 0.9  # of the slope at the start: how steep it may be after a step
SHORT = 1e-9  # between the bounds of a step, where the search for one gives up
TRIES = 10
TINY = 1e-11  # added to what is divided by
FLAT = 1e-2  # what a step promises, at the end of a search
STILL = 1e-3  # how far the last round moved or what it gained, when more weight changes nothing
GROWTH = 10.0
ROUNDS = 3  # at least
MOST = 200_000  # gradients, after which the search is given up

AnyFn = Callable[..., Any]


def optimiser(both: AnyFn, start: Sequence[float], stages: Sequence[Stage], weight: float = WEIGHT) -> Any:
    """The function from a start, as long as this one, to the layout that Penrose's engine finds from there.

    `both(x, weight, *masks)` gives the value and its gradient, where masks say which inputs vary in a stage, and which
    objectives and constraints count. What is made gives the layout `x`, the `value` and the `weight` of the last round,
    and whether it `converged`. `calls` counts gradients, and `asked` also those that a search has from the step before,
    and which Penrose evaluates again.
    """
    n = len(start)

    def optimise(start: Any) -> Any:
        columns = zip(*[(s.inputs, s.objectives, s.constraints) for s in stages], strict=True)
        masks = [rose.constant(Vec[len(rows), Vec[len(rows[0])]], rows) for rows in map(list, columns)]

        def turn(k: Any, s: Any) -> Any:
            def energy(x: Any, weight: Any) -> Any:
                value, g = both(x, weight, *[mask[k] for mask in masks])
                return {"x": x, "value": value, "g": g}

            return _rounds(energy, s, weight, n)

        s = {"x": start, "value": 0.0, "weight": weight, "calls": 0.0, "asked": 0.0, "converged": True}
        return rose.scan(turn, s, len(stages))

    numbers = dict.fromkeys(("value", "weight", "calls", "asked"), Real)
    return rose.fn([Vec[n]], {"x": Vec[n], **numbers, "converged": Bool})(optimise)


def _each(n: int, item: Callable[[Any], Any]) -> Any:
    return rose.vec(item(i) for i in rose.range(n))


def _along(x: Any, t: Any, p: Any) -> Any:
    return _each(x.type.size, lambda i: x[i] + t * p[i])


def _rounds(energy: AnyFn, s: Any, weight: float, n: int) -> Any:
    """One stage: searches, in which constraints weigh more and more."""

    def turn(s: Any) -> Any:
        to = _search(lambda x: energy(x, s["next"]), s, n)
        still = (rose.norm(_along(to["x"], -1.0, s["x"])) < STILL) | (rose.abs(to["value"] - s["value"]) < STILL)
        rounds = s["rounds"] + 1.0
        done = (rounds >= ROUNDS) & still
        return {**to, "weight": s["next"], "next": s["next"] * GROWTH, "rounds": rounds, "done": done}

    start = {**s, "next": weight, "rounds": 0.0, "done": False}
    end = rose.while_loop(lambda s: s["converged"] & ~s["done"], turn, start)
    return {k: end[k] for k in s}


def _search(energy: AnyFn, given: Any, n: int) -> Any:
    """L-BFGS, to where a step promises next to nothing; with the value before that step.

    The first step is along the gradient. What it learns, from no step at all, is 0, and makes no difference later.
    """

    def turn(s: Any) -> Any:
        at = rose.cond(s["known"], lambda: s["at"], lambda: energy(s["at"]["x"]))
        past = _learned(s["past"], s["last"], at)
        r = _direction(at["g"], past, s["first"])
        to, known, tries = _line_search(energy, at, r)
        calls, asked = s["calls"] + tries + select(s["known"], 0.0, 1.0), s["asked"] + tries + 1.0
        counts = {"calls": calls, "asked": asked}
        done, fine = ~s["first"] & (rose.dot(at["g"], r) < FLAT), _is_number(at)
        return {
            "at": to, "known": known, "last": at, "past": past, "first": False, "done": done, "fine": fine, **counts
        }  # fmt: skip

    none = _each(n, lambda _: 0.0)
    at = {"x": given["x"], "value": 0.0, "g": none}
    rows, weight = _each(MEMORY, lambda _: none), _each(MEMORY, lambda _: 0.0)
    past = {"dx": rows, "dg": rows, "weight": weight, "newest": rose.constant(Fin[MEMORY], 0)}
    counts = {k: given[k] for k in ("calls", "asked")}
    start = {"at": at, "known": False, "last": at, "past": past, "first": True, "done": False, "fine": True, **counts}
    going = lambda s: s["fine"] & ~s["done"] & (s["calls"] < MOST)
    end = rose.while_loop(going, turn, start)
    found = {"x": end["at"]["x"], "value": end["last"]["value"], "converged": end["fine"] & end["done"]}
    return {**found, **{k: end[k] for k in counts}}


def _is_number(at: Any) -> Any:
    """False if there is a nan in it."""
    nans = lambda v: rose.sum(select(v[i] == v[i], 0.0, 1.0) for i in rose.range(v.type.size))
    return (at["value"] == at["value"]) & (nans(at["g"]) + nans(at["x"]) == 0.0)


def _learned(past: Any, last: Any, at: Any) -> Any:
    """With one step more, in the place of the oldest."""
    dx, dg = (_along(at[k], -1.0, last[k]) for k in ("x", "g"))
    new = (past["newest"] + (MEMORY - 1)) % MEMORY
    row = lambda x, old: _each(MEMORY, lambda i: select(i == new, x, old[i]))
    weight = row(1.0 / (rose.dot(dg, dx) + TINY), past["weight"])
    return {"dx": row(dx, past["dx"]), "dg": row(dg, past["dg"]), "weight": weight, "newest": new}


def _direction(g: Any, past: Any, first: Any) -> Any:
    """The gradient, times the inverse of the Hessian as the steps that are remembered tell it."""
    dx, dg, weight, newest = (past[k] for k in ("dx", "dg", "weight", "newest"))

    def newest_first(k: Any, q: Any) -> Any:
        i = (newest + k) % MEMORY
        part = weight[i] * rose.dot(dx[i], q)
        return _along(q, -part, dg[i]), part

    def oldest_first(k: Any, r: Any) -> Any:
        k = MEMORY - 1 - k
        i = (newest + k) % MEMORY
        return _along(r, parts[k] - weight[i] * rose.dot(dg[i], r), dx[i])

    q, parts = rose.scan(newest_first, g, MEMORY)
    scale = rose.dot(dx[newest], dg[newest]) / (rose.dot(dg[newest], dg[newest]) + TINY)
    scale = select(first, 1.0, scale)
    return rose.scan(oldest_first, _each(q.type.size, lambda i: scale * q[i]), MEMORY)


def _line_search(energy: AnyFn, at: Any, r: Any) -> Any:
    """A point along -r, whether its value and gradient are known, and how many were asked for to find it.

    It is known where the value is less by enough, and the slope less steep: Armijo's condition and Wolfe's weak one.
    """
    slope = -rose.dot(r, at["g"])

    def turn(s: Any) -> Any:
        t = s["t"]
        to = energy(_along(at["x"], -t, r))
        near = to["value"] <= at["value"] + ENOUGH * t * slope
        flat = -rose.dot(r, to["g"]) >= FLATTER * slope
        low, high = select(near & ~flat, t, s["low"]), select(near, s["high"], t)
        middle = select(high < math.inf, (low + high) / 2.0, 2.0 * low)
        found = near & flat
        tries = s["tries"] + 1.0
        return {"t": select(found, t, middle), "low": low, "high": high, "tries": tries, "found": found, "to": to}

    going = lambda s: ~s["found"] & ~(rose.abs(s["low"] - s["high"]) < SHORT) & (s["tries"] <= TRIES)
    start = {"t": 1.0, "low": 0.0, "high": math.inf, "tries": 0.0, "found": False, "to": at}
    end = rose.while_loop(going, turn, start)
    return {**end["to"], "x": _along(at["x"], -end["t"], r)}, end["found"], end["tries"]
