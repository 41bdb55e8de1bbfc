"""Products with 0.0, and sums with it, left out: where the user says, by `finite=True`, that numbers are finite.

It is no pass of the pipeline: 0.0 times an infinity is nan, and 0.0 added to -0.0 another number, so it changes bits.
Measured: the gradient of a Kalman filter, in whose matrices half of the numbers are 0.0, takes 0.55 of the time, and
that of an arm with four joints 0.75.
"""

from __future__ import annotations

from ..ir import ADD_TO, CONST, Builder, Func, Value
from ..ir.callgraph import instructions, operations
from ..ir.ops import add, mul, neg, sub
from ..ir.single_ops import TWINS
from .dead_code import remove_dead_code
from .rewriter import Env, Simplifier


def drop_zeros(f: Func) -> Func:
    """`f` without the products and sums of which one side is the literal 0.0, or -0.0, and what only they need."""
    if _DROPPED.isdisjoint(operations(f)) or not any(map(_is_zero, instructions(f.body))):
        return f
    return remove_dead_code(_Dropper({}, {}).function(f))


_PRODUCTS, _SUMS, _DIFFERENCES = [{op, TWINS[op]} for op in (mul, add, sub)]
_DROPPED = {*_PRODUCTS, *_SUMS, *_DIFFERENCES, ADD_TO}


def _is_zero(v: Value) -> bool:
    return v.op is CONST and v.attr.__class__ is float and v.attr == 0.0


class _Dropper(Simplifier):
    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        if v.op is ADD_TO and _is_zero(env[v.args[1]]):
            return b.unit()
        return super().instruction(b, v, env)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        if v.op in _DROPPED and any(map(_is_zero, args)):
            x, y = args
            if v.op in _PRODUCTS:
                return b.const(0.0, v.type)
            if _is_zero(y) or v.op in _SUMS:
                return x if _is_zero(y) else y
            return b.emit(neg if v.op is sub else TWINS[neg], (y,))
        return super().plain(b, v, args)
