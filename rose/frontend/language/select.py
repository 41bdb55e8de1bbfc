"""`select`, `stop_gradient` and `constant`, over values of any type; `abs`."""

from __future__ import annotations

from typing import Any

from ...errors import TypeMismatch, argument, edge, here
from ...ir import Value, is_tracing, ops
from ...ir.types import Bool
from .. import operators
from ..annotations import as_type
from ..operators import view
from ..values import infer, is_number, to_value


@edge
def select(c: Any, x: Any, y: Any) -> Any:
    """`x` where the condition `c` holds, else `y`: of any type, the same for both.

    Both are evaluated, unlike in `cond`. The one that is not taken contributes nothing to a derivative, whatever
    infinities it holds.
    """
    if not is_tracing() and isinstance(c, bool):
        return x if c else y
    loc = here()
    at = [loc.narrow(argument(k, name, 3)) for k, name in enumerate("cxy")]
    condition = to_value(c, Bool, ("the condition",), at[0])
    a, b = infer(x, at[1]), infer(y, at[2])
    if a.type is not b.type:
        if is_number(x):
            a = to_value(x, b.type, ("the first value of select",), at[1])
        elif is_number(y):
            b = to_value(y, a.type, ("the second value of select",), at[2])
        elif operators.is_index(a) and operators.is_index(b):
            a, b = [to_value(v, operators.widest([a, b])) for v in (a, b)]
        else:
            a, b = operators.as_real(a), operators.as_real(b)
    if a.type is not b.type:
        hint = "let both values be of one type, which is that of the result"
        raise TypeMismatch(f"rose.select between a {a.type!r} and a {b.type!r}", loc, hint)
    return view(ops.select(condition, a, b))


@edge
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
