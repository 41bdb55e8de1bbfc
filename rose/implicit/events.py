"""Where a trajectory meets a surface: the time, and the state then."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from .. import ir
from ..errors import OutOfRange, TypeMismatch, argument, edge, here
from ..frontend.annotations import Generic, struct, struct_of
from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn, checked, from_func, make
from ..frontend.language import control
from ..frontend.language.select import abs, select, stop_gradient
from ..frontend.signatures import fresh_name
from ..frontend.transforms import remembered
from ..frontend.typed import ArrayLike
from ..ir import Value, ops, shown
from ..ir.types import Real
from .equations import Found, solver
from .roots import ROUNDING
from .step_methods import METHODS
from .trajectories import right_side, step_options
from .walks import FIRST, States, Walk

State = TypeVar("State")

_LONGEST = 1 / 32  # of the range: a step of `event`, which sees nothing of what is within
_MOST = 100  # evaluations in the search for a time


@struct
class Event(Generic[State]):
    """What `event` found. As a type, `Event[T]` is that of a state of type `T`.

    At the time `t` the state is `y`, both nan unless the surface was met: `converged`. `steps` counts the steps, and
    `rejected` those that were taken again, shorter.
    """

    t: float
    y: State
    steps: float
    rejected: float
    converged: bool


@edge
def event(
    f: AnyFn,
    g: AnyFn,
    t0: ArrayLike,
    t1: ArrayLike,
    y0: object,
    *data: object,
    direction: int = 0,
    method: str = "dormand-prince",
    rtol: float = 1e-8,
    atol: float = 1e-8,
    max_steps: int = 10_000,
) -> Any:
    """The `Event` at which `g(t, y, *data)` is 0 first, after `t0` and before `t1`, on the trajectory of `ode`.

    `f`, the start and the options are as in `ode`; `g` gives a Real, and takes the same data. With `direction=-1` only
    a fall of `g` below 0 counts, with `direction=1` only a rise, as in SciPy: a trajectory that starts on the surface,
    such as after an impact, needs one of them. What happens is seen by the sign of `g` at the ends of steps, which are
    at most a 32nd of the range: of a surface that is crossed twice within one, nothing is.

    The time is found to rounding, as the end of a shortened step. Its derivatives, by all that those of `ode` are, are
    those of the equation that it solves: `dt == -dg / (g_t + g_y f)`, in all modes and to any order. They are infinite
    or nan where the trajectory touches the surface, and does not cross it. The range has none.
    """
    at = here().narrow(argument(1, "g", *range(5, 12)))
    of, surface = right_side(f, "event"), checked(g, "implicit.event", at)
    method, rtol, atol, max_steps = step_options(method, rtol, atol, max_steps)
    if isinstance(direction, (bool, float)) or direction not in (-1, 0, 1):
        loc = here().narrow(argument(12, "direction", *range(5, 12)))
        raise OutOfRange(f"direction is -1, 0 or 1, not {shown(direction)}", loc, "leave it out for both")
    if tuple(surface.types) != tuple(of.types) or surface.result is not Real:
        what = f"rose.implicit.event: {surface.name} is no function to a number of what {of.name} takes"
        raise TypeMismatch(what, at, "let it take the time, the state and the data, and return a Real")
    one, other = [h.fitting([0.0, y0, *data]) if isinstance(h, AnySize) else h for h in (of, surface)]
    return _event(one, other, direction, method, rtol, atol, max_steps)(t0, t1, y0, *data)


@remembered
def _event(f: AnyFn, g: AnyFn, direction: int, method: str, rtol: float, atol: float, most: int) -> AnyFn:
    """The event as a function of the times, the start and the data."""
    t = f.types[1]

    def body(t0: Value, t1: Value, y0: object, *data: object) -> Any:
        states = States(t)
        walk = Walk(METHODS[method], states.plainly(f), rtol, atol, most, data)
        surface = states.plainly(g)
        s = _up_to(walk, surface, direction, walk.begin(t0, states.vector(y0)), t1)
        time = _meeting(walk, surface, s)
        y, _, _ = walk.step(s["t"], time, s["y"], s["k"], *data)
        mark = select(s["met"], 1.0, math.nan)
        return Event(time * mark, states.value(y * mark), s["steps"], s["rejected"], s["met"])

    names = [fresh_name(k, f.names[2:]) for k in ("t0", "t1", "y0")]
    types = [Real, Real, t, *f.types[2:]]
    return make(body, types, struct_of(Event, t), f"event({f.name}, {g.name})", [*names, *f.names[2:]])


def _up_to(walk: Walk, surface: AnyFn, direction: int, s: dict[str, Any], t1: Value) -> Any:
    """The state before the step that crosses the surface, and the time after that step."""
    range_ = stop_gradient(t1 - s["t"])
    time: Callable[[Any], Any] = lambda p: s["t"] + range_ * p
    value: Callable[[Any], Any] = lambda s: stop_gradient(surface(time(s["p"]), s["y"], *walk.data))

    def step(s: dict[str, Any]) -> Any:
        after = walk.tried(s["s"], time)
        side = value(after)
        met = _crossed(s["side"], side, direction)
        before = {k: select(met, s["s"][k], after[k]) for k in ("y", "k", "p")}
        part = ops.min_(after["part"], _LONGEST)
        return {"s": {**after, **before, "part": part}, "side": side, "met": met, "end": time(after["p"])}

    start = {k: s[k] for k in ("y", "k", "steps", "rejected", "converged")}
    part = select(s["h"] > 0.0, ops.min_(s["h"] / abs(range_), FIRST), FIRST)
    start = {**start, "p": 0.0, "part": part}
    first = {"s": start, "side": value(start), "met": False, "end": stop_gradient(s["t"])}
    found = control.while_loop(lambda s: ~s["met"] & walk.busy(s["s"]), step, first)
    return {**found["s"], "t": time(found["s"]["p"]), "met": found["met"], "end": found["end"]}


def _crossed(before: Value, after: Value, direction: int) -> Value:
    fell, rose = (before > 0.0) & (after <= 0.0), (before < 0.0) & (after >= 0.0)
    return fell if direction < 0 else rose if direction > 0 else fell | rose


def _meeting(walk: Walk, surface: AnyFn, s: dict[str, Any]) -> Value:
    """The time at which a step that ends then ends on the surface, with the derivative rule of that equation."""
    data = walk.data

    def residual(time: Value, t: Value, y: Value, k: Value, *data: object) -> Value:
        return surface(time, walk.step(t, time, y, k, *data)[0], *data)

    types = [Real, Real, s["y"].type, s["k"].type, *walk.rate.types[2:]]
    of = make(residual, types, Real, "event", [f"x{k}" for k in range(len(types))])
    known = from_func(of.func, [f"x{k}" for k in range(len(of.func.params))])  # with what it captures, as data
    captured = [ir.current_builder().reach(v) for v in of.captured]

    def search(end: Value, t: Value, *given: object) -> Found:
        time, steps = _bracketed(lambda x: known(x, t, *given), t, end)
        size = abs(known(time, t, *given))
        return time, size, steps, True

    return solver(known, search, "event")(stop_gradient(s["end"]), s["t"], s["y"], s["k"], *data, *captured)[0]


def _bracketed(g: Callable[[Any], Any], a: Value, b: Value) -> tuple[Any, Any]:
    """A root of `g` from `a` to `b`, where it has different signs, and how often it was evaluated.

    By the rule of false position; where one end stays, its value counts half (the Illinois algorithm).
    """

    def busy(s: dict[str, Any]) -> Value:
        wide = abs(s["b"] - s["a"]) > ROUNDING * (abs(s["a"]) + abs(s["b"]))
        return wide & (s["at_b"] != 0.0) & (s["steps"] < _MOST)

    def step(s: dict[str, Any]) -> Any:
        x = s["b"] - s["at_b"] * (s["b"] - s["a"]) / (s["at_b"] - s["at_a"])
        y = g(x)
        other = (y < 0.0) != (s["at_b"] < 0.0)  # the root is between the new point and the last
        return {
            "a": select(other, s["b"], s["a"]), "at_a": select(other, s["at_b"], 0.5 * s["at_a"]),
            "b": x, "at_b": y, "steps": s["steps"] + 1.0,
        }  # fmt: skip

    s = control.while_loop(busy, step, {"a": a, "at_a": g(a), "b": b, "at_b": g(b), "steps": 0.0})
    return s["b"], s["steps"]
