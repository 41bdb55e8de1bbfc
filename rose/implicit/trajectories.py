"""Differential equations from a start, by steps whose lengths the errors decide."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..derivatives.flatten import Flat, is_real
from ..errors import OutOfRange, TypeMismatch, argument, edge, here
from ..frontend import options
from ..frontend.annotations import as_type, struct
from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn, checked, make
from ..frontend.language import control, loops
from ..frontend.language.select import abs, select, stop_gradient
from ..frontend.signatures import fresh_name
from ..frontend.transforms import remembered
from ..frontend.values import is_number
from ..ir import Value, ops, shown
from ..ir.forms import form_of
from ..ir.types import Bool, Real, Tuple, Type, Vec
from .step_methods import METHODS, Method

if TYPE_CHECKING:
    State = TypeVar("State")
    Of = Generic
else:
    State, Of = Real, {Real: object}  # as an annotation, `Trajectory` alone is that of a number

FIRST = 1e-4  # of the range: the first step, where nothing says how fast the state changes
_STRETCHED = 1.01  # a step that ends so near before the end goes to it


@struct
class Trajectory(Of[State]):
    """What `ode` found. As a type, `Trajectory[T]` is that of a state of type `T`.

    `y` is the state at the end, or the vector of those at the times that were asked for. `t` is the time that was
    reached; `steps` counts the steps, and `rejected` those that were taken again, shorter. Unless it has `converged`,
    `t` is not the end, and `y` is the state at `t`.
    """

    y: State
    t: float
    steps: float
    rejected: float
    converged: bool

    @edge
    def __class_getitem__(cls, t: Any) -> Type:
        return _trajectory_of(as_type(t))


def _trajectory_of(t: Type) -> Type:
    return Tuple((t, Real, Real, Real, Bool), form_of(Trajectory))


@edge
def ode(
    f: AnyFn,
    t0: Any,
    t1: Any,
    y0: Any,
    *data: Any,
    method: str = "dormand-prince",
    rtol: float = 1e-8,
    atol: float = 1e-8,
    max_steps: int = 10_000,
    full: bool = False,
) -> Any:
    """The state at `t1` of the solution of `y' == f(t, y, *data)` that is `y0` at `t0`.

    The state is of any type made of Reals, and `f` gives one of the same type. `t1` may be below `t0`. If it is a
    vector of times, the result is the vector of the states at them, in their order: steps end at each.

    By the method of Dormand and Prince, of order 5; for stiff equations, by Rosenbrock's of order 4, RODAS, which
    factorises a Jacobian in each step: `method="rosenbrock"`. The error of a step, as the difference of two orders
    estimates it, is at most `atol + rtol * abs(y)` in each number of the state. More than `max_steps` steps, those that
    were rejected among them, or a step too short to be told from none, end the search: the result is nan, at the times
    that were not reached. With `full=True` it is a `Trajectory`.

    The derivatives, by the times, the start, the data and what `f` captures, are those of the steps that were taken, in
    all modes and to any order. To them, each step is a constant part of the range from `t0` to `t1`, or between two
    times, and whether it was rejected is constant.
    """
    of = right_side(f, "ode")
    check_options(method, rtol, atol, max_steps)
    one = of.fitting([0.0, y0, *data]) if isinstance(of, AnySize) else of
    return _trajectory(one, _times(t1), method, rtol, atol, max_steps, bool(full))(t0, t1, y0, *data)


def right_side(f: Any, what: str) -> AnyFn:
    """`f`, checked to be a function of a time, a state and data to how the state changes."""
    at = here().narrow(argument(0, "f", *range(4, 12)))
    of = checked(f, f"implicit.{what}", at)
    if len(of.types) < 2 or of.types[0] is not Real or not is_real(of.types[1]):
        hint = "take the time, a Real, and then the state, one number, vector or struct of Reals; data come after them"
        raise TypeMismatch(f"rose.implicit.{what}: {of.name} is no function of a time and a state", at, hint)
    if of.result is not of.types[1]:
        message = f"rose.implicit.{what}: {of.name} gives a {of.result!r}, and its state is a {of.types[1]!r}"
        raise TypeMismatch(message, at, "return how fast each number of the state changes, as a value of its type")
    return of


def check_options(method: Any, rtol: Any, atol: Any, max_steps: Any) -> None:
    """Check the options that say how steps are taken: they are part of the program."""
    options.tolerance(rtol, "rtol")
    options.tolerance(atol, "atol")
    options.count(max_steps, "max_steps")
    if method not in METHODS:
        known = " or ".join([f'"{k}"' for k in METHODS])
        loc = here().narrow(argument(12, "method", *range(4, 12)))
        raise OutOfRange(f"there is no method {shown(method)} for differential equations", loc, f"write {known}")


def _times(t1: Any) -> Type:
    """The type of the end: one time, or a vector of them."""
    if isinstance(t1, Value):
        return t1.type if isinstance(t1.type, Vec) else Real
    return Vec(len(t1), Real) if hasattr(t1, "__len__") and not isinstance(t1, str) and not is_number(t1) else Real


@remembered
def _trajectory(f: AnyFn, times: Type, method: str, rtol: float, atol: float, most: int, full: bool) -> AnyFn:
    """The solution as a function of the times, the start and the data."""
    t = f.types[1]
    result = Vec(times.size, t) if isinstance(times, Vec) else t

    def body(t0: Any, t1: Any, y0: Any, *data: Any) -> Any:
        states = States(t)
        walk = Walk(METHODS[method], states.plainly(f), rtol, atol, most, data)
        s = walk.begin(t0, states.vector(y0))
        if not isinstance(times, Vec):
            s = walk.to(t1, s)
            y = states.value(s["y"] if full else _if_converged(s))
        else:
            s, ys = control.scan(lambda i, s: _and_state(walk.to(t1[i], s), full), s, times.size)
            y = loops.vec(states.value(ys[i]) for i in loops.range(times.size))
        return Trajectory(y, s["t"], s["steps"], s["rejected"], s["converged"]) if full else y

    names = [fresh_name(k, f.names[2:]) for k in ("t0", "t1", "y0")]
    types = [Real, times, t, *f.types[2:]]
    return make(body, types, _trajectory_of(result) if full else result, f"ode({f.name})", [*names, *f.names[2:]])


def _if_converged(s: Any) -> Any:
    return s["y"] * select(s["converged"], 1.0, math.nan)


def _and_state(s: Any, full: bool) -> tuple[Any, Any]:
    return s, s["y"] if full else _if_converged(s)


class States:
    """States of one type, each of them as one number, or as one vector of numbers."""

    def __init__(self, t: Type) -> None:
        self._flat = None if t is Real else Flat(t)
        self.type = Real if self._flat is None else self._flat.vec

    def vector(self, y: Any) -> Any:
        return y if self._flat is None else self._flat.vector(y)

    def value(self, v: Any) -> Any:
        return v if self._flat is None else self._flat.value(v)

    def plainly(self, f: AnyFn) -> AnyFn:
        """A function of a time, a state and data to a number or a state."""
        result = Real if f.result is Real else self.type

        def body(t: Any, v: Any, *data: Any) -> Any:
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

    def begin(self, t0: Any, y: Any) -> Any:
        k = self.rate(t0, y, *self.data)
        size, speed = [stop_gradient(self.error(x, y, y)) for x in (y, k)]
        h = select((size > 1e-5) & (speed > 1e-5), 0.01 * size / speed, 0.0)  # Hairer, Norsett, Wanner, section II.4
        return {"t": t0, "y": y, "k": k, "h": h, "steps": 0.0, "rejected": 0.0, "converged": True}

    def error(self, e: Any, y: Any, z: Any) -> Any:
        """The largest of the errors `e` of the numbers of a state, in units of the tolerance."""
        if e.type is Real:
            return abs(e) / (self.atol + self.rtol * ops.max_(abs(y), abs(z)))
        return control.scan(lambda i, most: ops.max_(most, self.error(e[i], y[i], z[i])), 0.0, e.type.size)

    def to(self, b: Any, s: Any) -> Any:
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

    def busy(self, s: Any) -> Any:
        left = (s["p"] < 1.0) & (s["p"] + s["part"] > s["p"])
        return left & (s["steps"] + s["rejected"] < self.most) & s["converged"]

    def tried(self, s: Any, time: Callable[[Any], Any]) -> Any:
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
