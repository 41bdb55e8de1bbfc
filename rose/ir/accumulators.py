"""Facts about accumulators, told once: whose sum a reference adds to, and whether that can be -0.0."""

from __future__ import annotations

from .builder import ACCUM, AT, ZERO, is_literal
from .types import Ref
from .value import Value


def is_ref(v: Value) -> bool:
    """True if `v` is an accumulator."""
    return isinstance(v.type, Ref)


def base(ref: Value) -> Value:
    """The accumulator that `ref` is a part of."""
    while ref.op is AT:
        ref = ref.args[0]
    return ref


def begins_at_zero(ref: Value) -> bool:
    """True if the accumulator that `ref` is a part of begins at zero: then no sum in it is ever -0.0."""
    start = base(ref)
    return start.op is ACCUM and (start.args[0].op is ZERO or is_literal(start.args[0], 0.0))
