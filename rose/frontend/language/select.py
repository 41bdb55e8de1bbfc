"""`select`, `where`, `stop_gradient` and `constant`, over values of any type; `abs`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...errors import Loc, TypeMismatch, argument, edge, here
from ...ir import Value, current_builder, is_tracing, ops
from ...ir.puts import selected
from ...ir.types import Bool, Vec
from .. import operators
from ..annotations import as_type
from ..arrays.elementwise import each
from ..arrays.shapes import as_array
from ..function import of_values
from ..operators import view
from ..values import common_type, infer, is_number, to_value, widened


@of_values
def select(c: Any, x: Any, y: Any) -> Any:
    """`x` where the condition `c` holds, else `y`: of any type, the same for both. For arrays, see `where`.

    Both are evaluated, unlike in `cond`. The one that is not taken contributes nothing to a derivative, whatever
    infinities it holds.
    """
    return _selected(c, x, y)


@of_values
def where(c: Any, x: Any, y: Any) -> Any:
    """`x` where the condition `c` holds, else `y`, for each element of arrays and numbers, which are broadcast.

    It is `select`: of each element both are evaluated, and the one that is not taken contributes nothing to a
    derivative.
    """
    return _selected(c, x, y)


def _selected(c: Any, x: Any, y: Any) -> Any:
    if not is_tracing() and isinstance(c, bool):
        return x if c else y
    loc = here()
    at = [loc.narrow(argument(k, name, 3)) for k, name in enumerate("cxy")]
    c = as_array(c, at[0]) if operators.is_array(c) else to_value(c, Bool, ("the condition",), at[0])
    x, y = [v if is_number(v) else as_array(v, p) for v, p in ((x, at[1]), (y, at[2]))]
    whole = isinstance(x, Value) and isinstance(y, Value) and x.type is y.type and c.type is Bool
    if not whole and any(map(operators.is_array, (c, x, y))):
        return each(partial(_of_scalars, loc, at), c, x, y)
    return view(_of_scalars(loc, at, c, x, y))


def _of_scalars(loc: Loc, at: Sequence[Loc], c: Any, x: Any, y: Any) -> Value:
    """The choice between two values of one type, or of two that become one; `at` has where each is written."""
    condition = to_value(c, Bool, ("the condition",), at[0])
    a, b = infer(x, at[1]), infer(y, at[2])
    if a.type is not b.type:
        if is_number(x):
            a = to_value(x, b.type, ("the first value of select",), at[1])
        elif is_number(y):
            b = to_value(y, a.type, ("the second value of select",), at[2])
        elif (t := common_type(a.type, b.type)) is not None:
            a, b = widened(a, t), widened(b, t)
    if a.type is not b.type:
        hint = "let both values be of one type, which is that of the result"
        raise TypeMismatch(f"rose.select between a {a.type!r} and a {b.type!r}", loc, hint)
    return selected(current_builder(), condition, a, b) if isinstance(a.type, Vec) else ops.select(condition, a, b)


@of_values
def stop_gradient(x: Any) -> Any:
    """`x`, of any type, as a constant to every derivative."""
    if not is_tracing():
        return x
    v: Value = infer(x)
    return view(ops.stop_gradient(v))


@edge
def constant(t: Any, x: Any) -> Any:
    """The host value `x` as a traced value of type `t`: then a traced index can read it."""
    loc = here().narrow(argument(1, "x", 2))
    return view(to_value(x, as_type(t), ("the constant",), loc))


@edge
def abs(x: Any) -> Any:
    """The absolute value of a number; its derivative at 0 is 0."""
    return ops.abs_(x)
