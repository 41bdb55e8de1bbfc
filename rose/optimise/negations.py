"""Simplification of negations: a sum with one is a difference, and a product hands it on until it meets another.

Derivatives of differences and quotients are full of them. Measured: Rosenbrock's function executes 1.07 x as many
instructions without it.

Each rule keeps the bits, zeros with their signs included; only the sign of a nan, which engines choose as they like,
may be another. So `-x + -y` is not `-(x + y)`: with 0 and -0 their signs differ.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import CONST, Builder, Op, Value, is_literal
from ..ir.ops import abs_, add, div, mul, neg, sub
from ..ir.types import Real
from ..ir.value import WIDE


def signed(b: Builder, op: Op, args: tuple[Value, ...]) -> Value:
    """The row `op` of the table, on `args`, with as few negations as possible."""
    if op in _RULES and any([a.op is neg for a in args]):
        return _RULES[op](b, *args)
    if op is neg:
        return _negated(b, *args)
    if op is mul:
        for c, x in (args, args[::-1]):
            if is_literal(c, -1.0):
                return _negated(b, x)
        if (product := _opposite(b, *args)) is not None:
            return b.emit(neg, (product,))
    return b.emit(op, args)


def _negated(b: Builder, x: Value) -> Value:
    """The negation of a number; of a product with a literal, the product with its opposite."""
    if x.op is neg:
        return x.args[0]
    if x.op is mul:
        for c, y in (x.args, x.args[::-1]):
            if c.op is CONST:
                return b.emit(mul, (b.const(-c.attr, Real), y))
    return b.emit(neg, (x,))


def _opposite(b: Builder, x: Value, y: Value) -> Value | None:
    """The product with the opposite of a negative literal, if it is known."""
    if x.op is CONST and x.attr < 0.0:
        x = b.const(-x.attr, Real)
    elif y.op is CONST and y.attr < 0.0:
        y = b.const(-y.attr, Real)
    else:
        return None
    return b.seen((mul, (x, y) if WIDE else (id(x), id(y))))


def _add(b: Builder, x: Value, y: Value) -> Value:
    if x is y:
        return b.emit(neg, (b.emit(add, (x.args[0], x.args[0])),))
    return b.emit(sub, (x, y.args[0]) if y.op is neg else (y, x.args[0]))


def _sub(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(add, (x, y.args[0])) if y.op is neg else b.emit(sub, (x, y))


def _product(b: Builder, op: Op, x: Value, y: Value) -> Value:
    """A product or a quotient."""
    bare = [a.args[0] if a.op is neg else a for a in (x, y)]
    if x.op is neg and y.op is neg:
        return b.emit(op, (bare[0], bare[1]))
    for k, a in enumerate(bare):
        if a.op is CONST:
            bare[k] = b.const(-a.attr, Real)
            return b.emit(op, (bare[0], bare[1]))
    return signed(b, neg, (signed(b, op, (bare[0], bare[1])),))


def _mul(b: Builder, x: Value, y: Value) -> Value:
    return _product(b, mul, x, y)


def _div(b: Builder, x: Value, y: Value) -> Value:
    return _product(b, div, x, y)


def _abs(b: Builder, x: Value) -> Value:
    return b.emit(abs_, x.args)


_RULES: dict[Op, Callable[..., Value]] = {add: _add, sub: _sub, mul: _mul, div: _div, abs_: _abs}
