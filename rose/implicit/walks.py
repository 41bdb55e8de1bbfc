"""Walks along the solutions of differential equations, by steps whose lengths the errors decide."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..differentiation.flatten import Flat
from ..frontend.function import AnyFn, make
from ..frontend.language import control
from ..frontend.language.select import abs, select, stop_gradient
from ..ir import Value, ops
from ..ir.types import Real, Type, Vec
from .step_methods import METHODS, Method

FIRST = 1e-4  # of the range: the first step, where nothing says how fast the state changes
_STRETCHED = 1.01  # a step that ends so near before the end goes to it


class Steps(NamedTuple):
    """How steps are taken, and how many at most."""

    method: str
    rtol: float
    atol: float
    most: int

    def walk(self, rate: AnyFn, data: tuple[Any, ...]) -> Walk:
        return Walk(METHODS[self.method], rate, self.rtol, self.atol, self.most, data)


Found = tuple[Any, Any, Any, Any, Any]  # the fields of a `Trajectory`, with the state in its plain form


def walked(walk: Walk, times: Type, t0: Value, t1: Value, y: Value, *, full: bool) -> Found:
    """The state at a time, or the vector of those at several; unless `full`, nan at times that were not reached."""
    s = walk.begin(t0, y)
    if isinstance(times, Vec):
        s, ys = control.scan(lambda i, s: _and_state(walk.to(t1[i], s), full), s, times.size)
    else:
        s = walk.to(t1, s)
        ys = s["y"] if full else _if_converged(s)
    return ys, s["t"], s["steps"], s["rejected"], s["converged"]


def _if_converged(s: dict[str, Any]) -> Value:
    return s["y"] * select(s["converged"], 1.0, math.nan)


def _and_state(s: dict[str, Any], full: bool) -> tuple[Any, Any]:
    return s, s["y"] if full else _if_converged(s)


class States:
    """States of one type, each of them as one number, or as one vector of numbers."""

    def __init__(self, t: Type) -> None:
        self._flat = None if t is Real else Flat(t)
        self.type = Real if self._flat is None else self._flat.vec

    def vector(self, y: object) -> Any:
        return y if self._flat is None else self._flat.vector(y)

    def value(self, v: Value) -> Any:
        return v if self._flat is None else self._flat.value(v)

    def plainly(self, f: AnyFn) -> AnyFn:
        """A function of a time, a state and data to a number or a state."""
        result = Real if f.result is Real else self.type

        def body(t: Value, v: Value, *data: object) -> Value:
            y = f(t, self.value(v), *data)
            return y if result is Real else self.vector(y)

        return make(body, [Real, self.type, *f.types[2:]], result, f.name, f.names)


class Walk:
    """Steps from time to time. `h` is how long the next is to be; 0, if nothing is known.

    From `a` to `b` they go through the parts `p` of the range, from 0 to 1: so the times are exact at both ends, move
    with them, and all is the same forwards, backwards, and where `a` is `b`, in one step of no length.
    """

    def __init__(self, method: Method, rate: AnyFn, rtol: float, atol: float, most: int, data: tuple[Any, ...]) -> None:
        self.step, self.root, self.rate = method.step(rate), method.root, rate
        self.rtol, self.atol, self.most, self.data = rtol, atol, most, data

    def begin(self, t0: Value, y: Value) -> Any:
        k = self.rate(t0, y, *self.data)
        size, speed = [stop_gradient(self.error(x, y, y)) for x in (y, k)]
        h = select((size > 1e-5) & (speed > 1e-5), 0.01 * size / speed, 0.0)  # Hairer, Norsett, Wanner, section II.4
        return {"t": t0, "y": y, "k": k, "h": h, "steps": 0.0, "rejected": 0.0, "converged": True}

    def error(self, e: Value, y: Value, z: Value) -> Value:
        """The largest of the errors `e` of the numbers of a state, in units of the tolerance."""
        if e.type is Real:
            return abs(e) / (self.atol + self.rtol * ops.max_(abs(y), abs(z)))
        return control.scan(lambda i, most: ops.max_(most, self.error(e[i], y[i], z[i])), 0.0, e.shape[0])

    def to(self, b: Value, s: dict[str, Any]) -> Any:
        """The state at time `b`, or the last that was reached."""
        a = s["t"]
        length = stop_gradient(abs(b - a))
        part = select(length > 0.0, select(s["h"] > 0.0, ops.min_(s["h"] / length, 1.0), FIRST), 1.0)
        time: Callable[[Any], Any] = lambda p: a * (1.0 - p) + b * p

        kept = {k: s[k] for k in ("y", "k", "steps", "rejected", "converged")}
        r: Any = control.while_loop(self.busy, lambda s: self.tried(s, time), {**kept, "p": 0.0, "part": part})
        kept = {k: r[k] for k in kept}
        h = select(length > 0.0, r["part"] * length, s["h"])
        return {**kept, "t": time(r["p"]), "h": h, "converged": r["converged"] & (r["p"] == 1.0)}

    def busy(self, s: dict[str, Any]) -> Value:
        left = (s["p"] < 1.0) & (s["p"] + s["part"] > s["p"])
        return left & (s["steps"] + s["rejected"] < self.most) & s["converged"]

    def tried(self, s: dict[str, Any], time: Callable[[Any], Any]) -> Any:
        """The state after one more step, if its error is small, and how long the next is to be."""
        p, part = s["p"], s["part"]
        last = p + _STRETCHED * part >= 1.0
        q = select(last, 1.0, p + part)
        y, e, k = self.step(time(p), time(q), s["y"], s["k"], *self.data)
        error = stop_gradient(self.error(e, s["y"], y))
        good = error <= 1.0
        by = ops.min_(ops.max_(0.9 / self.root(error), 0.2), 10.0)
        after = (q - p) * select(error == error, by, 0.2)  # nan is an error, too
        return {
            "y": select(good, y, s["y"]), "k": select(good, k, s["k"]), "p": select(good, q, p),
            "part": select(good & last, ops.max_(part, after), after), "converged": s["converged"],
            "steps": s["steps"] + select(good, 1.0, 0.0), "rejected": s["rejected"] + select(good, 0.0, 1.0),
        }  # fmt: skip
