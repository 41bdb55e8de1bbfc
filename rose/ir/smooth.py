"""Compositions that are smooth where a part of them has a kink: `norm(x) ** 2`, `max(x, 0) + log1p(exp(-abs(x)))`.

A length is what `abs`, `hypot` or `norm` gives. Its derivative at 0 is 0 by convention, so by the rules of products and
chains the second derivatives of what is made of it would be 0 there, too. Hence

- a product in which a length stands twice, such as `norm(x) * norm(x)` or `k * n * n`, and an even power of a length
  have the derivatives of the sum of squares: those of `dot(x, x)` and `k * dot(x, x)`;
- `log1p(exp(-abs(x)))` has at 0, to any order, the mean of the derivatives on both sides, as `max(x, 0)` has: so their
  sum has the derivatives of `softplus(x)`.

The value is that of the expression as it is written, to the bit. The elements of an array are seen through the loop
that makes them: so this holds of arrays, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ..errors import Loc
from .builder import CONST, GET, INDEX, PURE_CALL, SMOOTHED, Builder, Op, building, deriving
from .func import Func
from .lengths import NORM, PART, squares
from .ops import abs_, add, copysign, div, exp, hypot, log, log1p, mul, neg, pow_, select
from .types import Real, tangent
from .value import OPS, Value
from .views import element_of, loop_of

SMOOTH = "rose.smooth"  # the function that gives a value another derivative
LONGEST = 16  # factors of a product among which a length is looked for
DEEPEST = 8  # operands of operands, of what is computed once more for an element


def product(b: Builder, x: Value, y: Value) -> Value | None:
    """`x * y` as one smooth expression, if the same length is a factor of both; else None."""
    if (m := _length_in(y)) is None or (n := _length_in(x)) is None or not _is_same(n.length, m.length):
        return None  # the second factor is the shorter one, where factors are multiplied one after the other
    square = _square(b, n.length)
    if square is None or (s := _times(b, n.steps, square)) is None or (s := _times(b, m.steps, s)) is None:
        return None
    if n.length.value.op is abs_ and not n.steps and not m.steps:
        return s  # which has the same bits
    return b.call(_smooth(), (b.emit(mul, (x, y)), s))


def _power(b: Builder, x: Value, k: Value) -> Value | None:
    """`pow(x, k)` of a length and an even number, or None."""
    if k.op is not CONST or k.attr % 2.0 != 0.0 or k.attr <= 0.0 or (n := _length_in(x)) is None or n.steps:
        return None
    if (square := _square(b, n.length)) is None:
        return None
    return b.call(_smooth(), (b.emit(pow_, (x, k)), square if k.attr == 2.0 else pow_(square, k.attr / 2.0)))


def _log1p(b: Builder, x: Value) -> Value | None:
    """`log1p(exp(-abs(u)))`, or None if `x` is something else."""
    if (u := _decaying(b, Seen(x))) is None:
        return None
    return _softened(b, b.emit(log1p, (x,)), u, log1p)


def _log(b: Builder, x: Value) -> Value | None:
    """`log(1 + exp(-abs(u)))`, or None if `x` is something else."""
    if (sum_ := _seen(Seen(x))).value.op is not add:
        return None
    parts = [Seen(y, sum_.at) for y in sum_.value.args]
    rest = [y for y in parts if not (y.value.op is CONST and y.value.attr == 1.0)]
    if len(rest) != 1 or (u := _decaying(b, rest[0])) is None:
        return None
    return _softened(b, b.emit(log, (x,)), u, lambda decay: log(1.0 + decay))


def _decaying(b: Builder, x: Seen) -> Value | None:
    """The `u` of `exp(-abs(u))`, or None."""
    for op in (exp, neg, abs_):
        if (x := _seen(x)).value.op is not op:
            return None
        x = Seen(x.value.args[0], x.at)
    return _again(b, x)


def _softened(b: Builder, value: Value, u: Value, of: Callable[[Value], Value]) -> Value:
    """The value with the derivatives of `of(exp(-u))` above 0, of `of(exp(u))` below, and of their mean at 0.

    On both sides the derivatives of even orders are equal, and of the odd ones that of order 1 alone is not 0.
    """
    length = b.call(_smooth(), (abs_(u), u * copysign(1.0, u)))
    return b.call(_smooth(), (value, of(exp(-length)) + select(u == 0.0, 0.5 * length, b.lift(0.0))))


SMOOTHED[mul], SMOOTHED[pow_], SMOOTHED[log1p], SMOOTHED[log] = product, _power, _log1p, _log


# expressions, seen through the loops that make the elements of arrays


class Seen(NamedTuple):
    """A value of this block, or of the body of a loop at an index that this block has."""

    value: Value
    at: tuple[tuple[Value, Value], ...] = ()  # the indices of loops, each with the one that it has here


class Factor(NamedTuple):
    """A length, with the steps from it to a product: a row of the table, and what the length is the operand beside."""

    length: Seen
    steps: list[tuple[Op, Seen]]


def _seen(x: Seen) -> Seen:
    """What computes `x`: for an element of an array, in the body of its loop."""
    while x.value.op is INDEX:
        array, i = _seen(Seen(x.value.args[0], x.at)), _index(Seen(x.value.args[1], x.at))
        element = element_of(array.value)
        if i is None or element is None or array.value.args[0].args:
            return x
        x = Seen(element, (*array.at, (loop_of(array.value.args[0]).index, i)))
    return x


def _index(i: Seen) -> Value | None:
    """The index that `i` is in this block; None if it is computed in the body of a loop."""
    for ours, here in i.at:
        if i.value is ours:
            return here
    return None if _is_inside(i) else i.value


def _is_inside(x: Seen) -> bool:
    return any([x.value.block.inside(i.block) for i, _ in x.at])


def _again(b: Builder, x: Seen, depth: int = DEEPEST) -> Value | None:
    """`x` in this block: computed once more, if it is in the body of a loop; None where that is more than a little."""
    if (i := _index(x)) is not None:
        return i
    v = x.value
    if depth == 0 or not (v.op is INDEX or v.op is GET or (v.op.effect is None and OPS.get(v.op.name) is v.op)):
        return None
    args = [_again(b, Seen(a, x.at), depth - 1) for a in v.args]
    found = [a for a in args if a is not None]
    return b.emit(v.op, tuple(found), v.attr, v.type) if len(found) == len(args) else None


def _is_same(x: Seen, y: Seen, depth: int = DEEPEST) -> bool:
    """True if both are the same operations on the same values."""
    x, y = _seen(x), _seen(y)
    v, w = x.value, y.value
    if v is w and all([_index(Seen(i, x.at)) is _index(Seen(i, y.at)) for i, _ in x.at]):
        return True
    if (i := _index(x)) is not None and i is _index(y):
        return True
    if depth == 0 or not v.args or v.op is not w.op or len(v.args) != len(w.args) or v.attr != w.attr:
        return False
    return all([_is_same(Seen(a, x.at), Seen(c, y.at), depth - 1) for a, c in zip(v.args, w.args, strict=True)])


# products of lengths


def _length_in(v: Value) -> Factor | None:
    """The length that is a factor of `v`, in the first place of quotients and in either of products; None without."""
    if v.op not in _OF_LENGTHS:
        return None
    steps: list[tuple[Op, Seen]] = []
    x = _seen(Seen(v))
    for _ in range(LONGEST):
        op, args = x.value.op, x.value.args
        if op is mul and _is_length((last := _seen(Seen(args[1], x.at))).value):
            steps.append((mul, Seen(args[0], x.at)))
            return Factor(last, steps)
        if op is mul or op is div or op is neg:
            steps.append((op, Seen(args[-1], x.at)))
            x = _seen(Seen(args[0], x.at))
        else:
            break
    return Factor(x, steps) if _is_length(x.value) else None


_OF_LENGTHS = {abs_, hypot, PURE_CALL, mul, div, neg, INDEX}  # what a length is, or may be in


def _is_length(v: Value) -> bool:
    return v.op is abs_ or v.op is hypot or (v.op is PURE_CALL and v.attr.origin is NORM)


def _square(b: Builder, n: Seen) -> Value | None:
    """The square of a length, as a sum of squares."""
    parts = [_again(b, Seen(a, n.at)) for a in n.value.args]
    found = [x for x in parts if x is not None]
    if len(found) < len(parts):
        return None
    if n.value.op is PURE_CALL:
        return squares(found[0])
    return found[0] * found[0] if len(found) == 1 else found[0] * found[0] + found[1] * found[1]


def _times(b: Builder, steps: list[tuple[Op, Seen]], s: Value) -> Value | None:
    """The product to which the steps lead from `s` in the place of a length."""
    for op, other in reversed(steps):
        if op is neg:
            s = -s
        elif (y := _again(b, other)) is None:
            return None
        else:
            s = s / y if op is div else s * y
    return s


@cache
def _smooth() -> Func:
    """From a value and a second one, which is equal but for rounding: the first, with the derivatives of the second."""
    at = Loc(product.__code__, -1)
    with building(SMOOTH, PART) as b:
        b.loc = at
        value, _ = b.param(Real, "x"), b.param(Real, "y")
        f = b.func(value)
    with deriving(f, "jvp") as b:
        b.loc = at
        x, _, y, dy = [b.param(t) for t in (Real, tangent(Real), Real, tangent(Real))]
        f.mark(jvp=b.func(b.tuple([b.call(f, (x, y)), dy])))
    return f
