"""Differential equations from a start, by steps whose lengths the errors decide."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, TypeVar

from .. import ir
from ..differentiation.flatten import is_real
from ..errors import OutOfRange, TypeMismatch, argument, edge, here
from ..frontend import options
from ..frontend.annotations import Generic, struct, struct_of
from ..frontend.any_size import AnySize
from ..frontend.function import AnyFn, checked, from_func, make
from ..frontend.language import loops
from ..frontend.signatures import fresh_name
from ..frontend.transforms import remembered
from ..frontend.typed import ArrayLike
from ..frontend.values import is_number
from ..ir import Value, shown
from ..ir.types import Real, Type, Vec
from .adjoints import solver
from .step_methods import METHODS
from .walks import States, Steps, walked

State = TypeVar("State")


@struct
class Trajectory(Generic[State]):
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
def ode(
    f: AnyFn,
    t0: ArrayLike,
    t1: ArrayLike,
    y0: object,
    *data: object,
    method: str = "dormand-prince",
    rtol: float = 1e-8,
    atol: float = 1e-8,
    max_steps: int = 10_000,
    full: bool = False,
    adjoint: bool = False,
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
    times, and whether it was rejected is constant. Reverse mode keeps what each step computed.

    With `adjoint=True` first derivatives are solutions of equations of their own, to the same tolerances, and reverse
    mode keeps no steps: it goes back from the last state, along with the adjoint equation. If that leads more than
    10,000 times the tolerance away from the start, or from a state at a time before, as where a solution forgets its
    start, the derivatives are nan. Derivatives of these are those of the steps that they took.
    """
    of = right_side(f, "ode")
    method, rtol, atol, max_steps = step_options(method, rtol, atol, max_steps)
    one = of.fitting([0.0, y0, *data]) if isinstance(of, AnySize) else of
    return _trajectory(one, _times(t1), method, rtol, atol, max_steps, bool(full), bool(adjoint))(t0, t1, y0, *data)


def right_side(f: AnyFn, what: str) -> AnyFn:
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


def step_options(method: str, rtol: float, atol: float, max_steps: int) -> tuple[str, float, float, int]:
    """The options, checked, that say how steps are taken: they are part of the program."""
    if method not in METHODS:
        known = " or ".join([f'"{k}"' for k in METHODS])
        loc = here().narrow(argument(12, "method", *range(4, 12)))
        raise OutOfRange(f"there is no method {shown(method)} for differential equations", loc, f"write {known}")
    return method, options.number(rtol, "rtol"), options.number(atol, "atol"), options.count(max_steps, "max_steps")


def _times(t1: ArrayLike) -> Type:
    """The type of the end: one time, or a vector of them."""
    if isinstance(t1, Value):
        return t1.type if isinstance(t1.type, Vec) else Real
    return Vec(len(t1), Real) if isinstance(t1, Sized) and not isinstance(t1, str) and not is_number(t1) else Real


@remembered
def _trajectory(
    f: AnyFn, times: Type, method: str, rtol: float, atol: float, most: int, full: bool, by_adjoint: bool
) -> AnyFn:
    """The solution as a function of the times, the start and the data."""
    t, steps = f.types[1], Steps(method, rtol, atol, most)
    result = Vec(times.size, t) if isinstance(times, Vec) else t

    def body(t0: Value, t1: Value, y0: object, *data: object) -> Any:
        states = States(t)
        if by_adjoint:
            b, plain = ir.current_builder(), from_func(f.func, [p.attr or "captured" for p in f.func.params])
            given = (*data, *[b.reach(v) for v in f.captured])
            found = solver(states.plainly(plain), times, steps, full)(t0, t1, states.vector(y0), *given)
        else:
            walk = steps.walk(states.plainly(f), data)
            found = walked(walk, times, t0, t1, states.vector(y0), full=full)
        y, *more = found
        if isinstance(times, Vec):
            y = loops.vec(states.value(y[i]) for i in loops.range(times.size))
        else:
            y = states.value(y)
        return Trajectory(y, *more) if full else y

    names = [fresh_name(k, f.names[2:]) for k in ("t0", "t1", "y0")]
    types = [Real, times, t, *f.types[2:]]
    return make(
        body, types, struct_of(Trajectory, result) if full else result, f"ode({f.name})", [*names, *f.names[2:]]
    )
