# pyright: reportUnknownArgumentType=false
"""Jets: the derivatives of a function along a curve, up to any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import ir
from ..autodiff.jvp import interleaved
from ..errors import NotDifferentiable, OutOfRange, TypeMismatch, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked, make
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..frontend.values import to_value
from ..ir import Builder, Value, shown
from ..ir.types import Real, Type, Vec, map_leaves
from ..ir.value import host_index
from ..taylor_mode.jets import further, shaped
from ..taylor_mode.jets import jet as on_series
from ..taylor_mode.series import number
from .arguments import check_reals, positions, real_result
from .linear_map import LinearMap


@of_any_size
def jet(f: AnyFn, n: int) -> AnyFn:
    """The derivatives of `f` along a curve, of the orders 0 to `n`, in one sweep of Taylor mode.

    `jet(f, n)` takes, in the shape of each parameter, a `Vec[n + 1]` for each Real in it: the value of a curve and its
    first `n` derivatives, not divided by factorials. It gives the same for each Real in the result. What is not a Real
    stays as it is. Its code and its time are those of `f`, times `n` squared. `n` is an integer from 1 on.
    """
    f, order = checked(f, "jet"), checked_order(n, "jet")
    lin, result = LinearMap(f), real_result(f, "jet")
    check_reals(f, lin.active, "jet")
    if not lin.active:
        hint = "give it a parameter of Reals"
        raise NotDifferentiable(f"rose.jet: {f.name} has no parameter that can move", here(), hint)
    types = [_jets(t, order) for t in lin.types]

    def body(*args: Any) -> Any:
        b = ir.current_builder()
        given = [to_value(x, t, (k,)) for x, t, k in zip(args, types, f.names, strict=True)]
        values = [_values(b, t, x) for t, x in zip(lin.types, given, strict=True)]
        beside = {k: _coefficients(b, lin.types[k], given[k], order) for k in lin.active}
        xs, func = [*values, *lin.captured()], lin.primal_func
        d = on_series(func, order, lin.mask, here())
        if d.flat:
            return view(_result(b, result, b.call(func, xs), b.zero(further(result, order)), order))
        dxs = [beside[k] if k in beside else b.zero(further(xs[k].type, order)) for k in lin.moving]
        both = b.call(d.func, interleaved(xs, dxs, lin.mask))
        return view(_result(b, result, b.get(both, 0), b.get(both, 1), order))

    return make(body, types, _jets(result, order), f"jet({f.name}, {order})", f.names)


@of_any_size
def directional(f: AnyFn, k: int = 1, argnums: int = 0) -> AnyFn:
    """The derivative of order `k` along a vector: `directional(f, k)(*xs, v)`.

    It is `d^k/dt^k f(x + t v)` at 0, by one jet. `v` is of the type of the parameter, and the derivative of that of the
    result; what is not a Real is in it as it was.
    """
    f, order = checked(f, "directional"), checked_order(k, "directional")
    (at,), result = positions(f, argnums, "directional"), real_result(f, "directional")
    lin = LinearMap(f, (at,))

    def body(*args: Any) -> Any:
        *given, v = args
        return view(along(lin, at, order, lin.arguments(given), to_value(v, lin.types[at], ("v",)))[order])

    names = [*f.names, fresh_name("v", f.names)]
    return make(body, [*lin.types, lin.types[at]], result, f"directional({f.name}, {order})", names)


def along(lin: LinearMap, at: int, order: int, xs: Sequence[Value], v: Value) -> list[Value]:
    """The value at `xs`, and its derivatives of the orders 1 to `order` along `v` in parameter `at`, by one jet."""
    b, zeros = ir.current_builder(), [number(0.0)] * (order - 1)
    line = shaped(b, lin.types[at], lambda x: b.pack([x, *zeros], Vec(order, Real)), v)
    d = on_series(lin.primal_func, order, lin.mask, here())
    if d.flat:
        y, beside = b.call(lin.primal_func, xs), b.zero(further(lin.result, order))
    else:
        dxs = [line if j == at else b.zero(further(xs[j].type, order)) for j in lin.moving]
        both = b.call(d.func, interleaved(xs, dxs, lin.mask))
        y, beside = b.get(both, 0), b.get(both, 1)

    def derivative(k: int) -> Value:
        leaf: Callable[[Value, Value], Value] = lambda _, dy: b.index(dy, k - 1) * float(math.factorial(k))
        return shaped(b, lin.result, leaf, y, beside, rest=lambda y, _: y)

    return [y, *[derivative(k) for k in range(1, order + 1)]]


def has_jet(lin: LinearMap, order: int) -> bool:
    """True if all that a function does has a series."""
    try:
        on_series(lin.primal_func, order, lin.mask, here())
    except NotDifferentiable:
        return False
    return True


def checked_order(n: Any, what: str) -> int:
    order = host_index(n)
    if order is None or order < 1:
        message = f"the order of rose.{what} is an integer from 1, not {shown(n)}"
        kind = TypeMismatch if order is None else OutOfRange
        raise kind(message, here(), f"write rose.{what}(f, 2) for order 2")
    return order


def _jets(t: Type, order: int) -> Type:
    return map_leaves(t, lambda s: Vec(order + 1, Real) if s is Real else s)


def _values(b: Builder, t: Type, jets: Value) -> Value:
    """The value of type `t` at which a curve begins."""
    return shaped(b, t, lambda x: b.index(x, 0), jets, rest=lambda x: x)


def _coefficients(b: Builder, t: Type, jets: Value, order: int) -> Value:
    """The further coefficients of a curve: its derivatives, divided by factorials."""

    def leaf(x: Value) -> Value:
        return b.pack([b.index(x, k) / float(math.factorial(k)) for k in range(1, order + 1)], Vec(order, Real))

    return shaped(b, t, leaf, jets)


def _result(b: Builder, t: Type, y: Value, beside: Value, order: int) -> Value:
    """The curve that begins at `y`, by its further coefficients."""

    def leaf(y: Value, dy: Value) -> Value:
        after = [b.index(dy, k - 1) * float(math.factorial(k)) for k in range(1, order + 1)]
        return b.pack([y, *after], Vec(order + 1, Real))

    return shaped(b, t, leaf, y, beside, rest=lambda y, _: y)
