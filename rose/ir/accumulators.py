"""Facts about accumulators: of which one a reference is a part, aliasing, and sums that are never -0.0.

A pass that moves additions past one another asks `may_alias` or `aliases`. One that leaves out an addition of zero, or
adds what a sum holds elsewhere, asks `begins_at_zero`.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from .builder import ACCUM, AT, PARAM, ZERO, is_literal
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
    """True if the accumulator that `ref` is a part of begins at zero: then no sum in it is ever -0.0.

    It begins at 0.0, and a sum is -0.0 only if both of its terms are. So `t + 0.0` and `t + -0.0` are `t`, and of a
    sum `t` that went through another accumulator, `t + (0.0 + x)` is `t + x`, to the bit.
    """
    start = base(ref)
    return start.op is ACCUM and (start.args[0].op is ZERO or is_literal(start.args[0], 0.0))


def aliases(refs: Iterable[Value]) -> set[Value]:
    """Those of several whole accumulators that may be the same as another of them.

    A caller may pass the same accumulator for two parameters. One that is opened here is no other.
    """
    params = {ref for ref in refs if ref.op is PARAM}
    return params if len(params) > 1 else set()


def may_alias(xs: Set[Value], ys: Set[Value]) -> bool:
    """True if one of the whole accumulators `xs` may be one of `ys`."""
    return not xs.isdisjoint(ys) or (any([x.op is PARAM for x in xs]) and any([y.op is PARAM for y in ys]))
