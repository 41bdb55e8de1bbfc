"""Indices that are written with a minus: `v[n - 1 - i]`, `v[(i - 1) % n]`.

A difference of indices may be below zero, so it is a Real. Where one is used as an index, its expression is read again:
as a sum of indices with whole factors, whose least value is known from their types. If that is not below zero, the sum
is written anew over indices, where `k - i` is `ifrom`. The type of an index always holds it, so that the largest value
is checked by types alone. What was recorded for the Real is dead then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, cast

from ..ir import CONST, Value, current_builder
from ..ir.affine import Affine, Whole, size_of
from ..ir.ops import LARGEST, add, fmod, iadd, ibeyond, ifrom, imod, imul, max_, min_, mod, mul, neg, real, select, sub
from ..ir.sizes import Size, at_most, differ, minus, plus, times
from ..ir.types import Fin

FAR = 4  # of a size that is not known: how far below zero `x % n` is an index
DEEPEST = 20  # of `min` and `max` in a bound of a range that lie in one another
LONGEST = 200  # operands of an expression that is read: what is shared in it is read more than once


@dataclass
class Sum:
    """A sum of indices, each with a factor, and a number."""

    terms: dict[Value, Whole]
    constant: Whole

    @property
    def least(self) -> Whole:
        """A number that it is never below."""
        return Affine(self.terms, self.constant).least

    def is_natural(self) -> bool:
        """True if it is certain that it is not below zero. A type that an index has holds one number at least."""
        least, signs = self.least, [at_most(0, k) or at_most(k, 0) for k in self.terms.values()]
        others = [times(k, minus(size_of(i), 1)) for i in self.terms for k in range(1, FAR + 1)]
        return all(signs) and any([at_most(x, least) for x in (0, *others)])

    def from_zero(self) -> Bound | None:
        """The sum as an index that is 0 where the sum is below zero; None if the sign of a factor is not known."""
        above, below = Sum({}, 0), Sum({}, 0)
        for i, k in self.terms.items():
            if not at_most(0, k) and not at_most(k, 0):
                return None
            part, factor = (above, k) if at_most(0, k) else (below, times(-1, k))
            part.terms[i] = factor
        part = above if at_most(0, self.constant) else below
        part.constant = self.constant if part is above else times(-1, self.constant)
        return Bound(ibeyond(above.written(), below.written()), natural=False)

    def written(self) -> Value:
        """The sum as an index; it is natural."""
        rest, parts = self.least, list[Value]()
        for i, k in self.terms.items():
            if at_most(0, k):
                parts.append(_multiple(i, k))
                continue
            last = minus(size_of(i), 1)
            if not differ(k, -1):  # the constant goes into the literal of a difference
                last, rest = plus(last, rest), 0
            parts.append(_multiple(ifrom(i, literal(last)), times(-1, k)))
        return reduce(iadd, parts if parts and not differ(rest, 0) else [*parts, literal(rest)])


def index_of(v: Value) -> Value | None:
    """The Real `v` as an index, if it is written as one and certain not to be below zero; else None."""
    if (found := sum_of(v)) is None:
        return None
    if nowhere := [i for i in found.terms if i.type is Fin(0)]:
        return nowhere[0]  # there is no such index: this is never reached
    return found.written() if found.is_natural() else None


class Bound(NamedTuple):
    """A bound of a range as an index, which is 0 where what is written is below zero."""

    value: Value
    natural: bool  # whether it is certain that what is written is not below zero


def bound_of(v: Value, more: Whole = 0, depth: int = 0) -> Bound | None:
    """`v + more` for an index, or a Real that is written with indices: a sum with a minus, `min` or `max` of two."""
    x, k = _shifted(v, more)
    if x.op in (min_, max_) and depth < DEEPEST:
        y, z = [bound_of(a, k, depth + 1) for a in x.args]
        if y is None or z is None:
            return None
        if x.op is max_:
            return Bound(_larger(y.value, z.value), y.natural or z.natural)
        return Bound(_smaller(y.value, z.value), y.natural and z.natural)
    if isinstance(v.type, Fin) and not differ(more, 0):
        return Bound(v, natural=True)
    found = sum_of(v)
    if found is None:
        return None
    found.constant = plus(found.constant, more)
    return Bound(found.written(), natural=True) if found.is_natural() else found.from_zero()


def _smaller(x: Value, y: Value) -> Value:
    if not at_most(size_of(x), size_of(y)):
        x, y = y, x
    return ibeyond(x, ibeyond(x, y))


def _larger(x: Value, y: Value) -> Value:
    """The larger of two indices, of the type of one of them: a sum would have a larger one, and `v[j]` be refused."""
    if not at_most(size_of(x), size_of(y)):
        x, y = y, x
    if at_most(size_of(x), 1) or not at_most(size_of(x), size_of(y)):
        return iadd(y, ibeyond(x, y))
    last = literal(minus(size_of(y), 1))
    return ifrom(_smaller(ifrom(x, last), ifrom(y, last)), last)


def _shifted(v: Value, more: Whole) -> tuple[Value, Whole]:
    """A value and a number, whose sum is `v + more`."""
    for _ in range(LONGEST):
        parts = [(x, k, _number(x)) for x, k in _parts(v)] if v.op in (add, sub) else []
        numbers = [times(k, number) for _, k, number in parts if number is not None]
        others = [x for x, k, number in parts if number is None and not differ(k, 1)]
        if len(numbers) != 1 or not others:
            break
        v, more = others[0], plus(more, numbers[0])
    return v, more


def sum_of(v: Value) -> Sum | None:
    """The Real `v` as a sum of indices, if it is written as one."""
    out, todo = Sum({}, 0), [(v, cast("Whole", 1))]
    for _ in range(LONGEST):
        if not todo:
            return out
        x, k = todo.pop()
        if (number := _number(x)) is not None:
            out.constant = plus(out.constant, times(k, number))
        elif parts := [*_parts(x)]:
            todo += [(y, times(k, factor)) for y, factor in parts]
        elif (index := x if isinstance(x.type, Fin) else _rest(x)) is not None:
            out.terms[index] = plus(out.terms.get(index, 0), k)
        else:
            return None
    return None


def _parts(v: Value) -> Iterator[tuple[Value, Whole]]:
    """The operands of a sum, each with its factor; none of anything else."""
    if v.op is real or v.op is neg:
        yield v.args[0], 1 if v.op is real else -1
    elif v.op in (add, iadd, sub):
        yield v.args[0], 1
        yield v.args[1], -1 if v.op is sub else 1
    elif v.op is ifrom:
        yield v.args[0], -1
        yield v.args[1], 1
    elif v.op in (mul, imul):
        x, y = v.args
        factors = (y, _number(x)), (x, _number(y))
        yield from [(z, k) for z, k in factors if k is not None][:1]


def _number(v: Value) -> Whole | None:
    """The literal `v`, if it is whole."""
    if v.op is real:
        v = v.args[0]
    if v.op is not CONST or not isinstance(v.attr, (int, float, Size)):
        return None
    if isinstance(v.attr, Size):
        return v.attr
    return int(v.attr) if abs(v.attr) < LARGEST and v.attr == int(v.attr) else None


def _rest(v: Value) -> Value | None:
    """The Real `x % n` as an index: of a sum that may be below zero too, as Python's `%` has the sign of `n`."""
    z = v.args[2].args[2] if v.op is select and v.args[2].op is select else v
    n = _number(z.args[1]) if z.op is fmod and mod(*z.args) is v else None  # equal expressions are one value
    found = sum_of(z.args[0]) if (n is not None and at_most(1, n)) or isinstance(n, Size) else None
    if found is None or n is None:
        return None
    for more in _enough(found.least, n):
        found.constant = plus(found.constant, times(more, n))
        if found.is_natural():
            return imod(found.written(), literal(n))
    return None


def _enough(least: Whole, n: Whole) -> list[int]:
    """How often `n` is to be added to what is never below `least`, for it to be natural: numbers to try in turn."""
    if isinstance(least, Size) or isinstance(n, Size):
        return [0, *[1] * FAR]
    return [max(0, -(least // n))]


def _multiple(i: Value, k: Whole) -> Value:
    return imul(i, literal(k)) if differ(k, 1) else i


def within(i: Value, n: Any) -> Value:
    """The index `i`, or the last one below `n` if it is beyond; of none, an index of no range, which reads nothing."""
    if at_most(size_of(i), n):
        return i
    if not differ(n, 0):
        return current_builder().const(0, Fin(0))
    last = literal(minus(n, 1))
    return ifrom(ibeyond(last, i), last)


def literal(k: Whole) -> Value:
    """The index `k`, of the smallest type that holds it."""
    return current_builder().const(k, Fin(plus(k, 1)))
