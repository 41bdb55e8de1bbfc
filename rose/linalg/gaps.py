"""Quotients by gaps between eigenvalues, or singular values, that may be equal."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ..frontend.annotations import Dual
from ..frontend.complex.parts import made
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import make
from ..frontend.language.select import select
from ..frontend.operators import view
from ..ir import Func, Value, current_builder
from ..ir.callgraph import make_linear
from ..ir.types import Bool, Real, is_complex, tangent

ROUNDING = 2.0**-12  # of a gap: what is left of it beside the largest value is rounding


def is_close(gap: Value, largest: Value) -> Any:
    """True if a gap is 0, or so small beside the largest value that its digits are those of rounding."""
    return largest + abs(gap) * ROUNDING == largest


def over(x: Value, gap: Value, close: Value) -> Value:
    """A tangent over a gap; where values are close, 0 of what is 0, and nan of all else. It may be complex.

    It is linear in the tangent as far as a number of the host can be, and its own transpose: so what nobody reads of
    the vectors that belong to equal values contributes nothing, and what is read of them makes the derivative nan.
    """
    if is_complex(x.type):
        return made(over(x.real, gap, close), over(x.imag, gap, close))
    return view(current_builder().call(_over(), [x, gap, close]))


@cache
def _over() -> Func:
    """The linear function, by that of numbers, whose tangent is such a quotient again: of `dx - y * dgap`."""

    def quotient(x: Value, gap: Value, close: Value) -> Value:
        return select(close, select(x == 0.0, 0.0, math.nan), x / select(close, 1.0, gap))

    f = make(quotient, [Real, Real, Bool], Real, "over", ["x", "gap", "close"])
    linear = make_linear("over", f.func, f.func)

    @f.jvp
    def rule(x: Dual, gap: Dual, close: Value) -> Any:
        (at, dx), (by, dgap) = [split_dual(v, Real, tangent) for v in (x, gap)]
        y = f(at, by, close)
        return view_dual(y, view(current_builder().call(linear, [view(dx) - view(dgap) * y, by, close])))

    return linear
