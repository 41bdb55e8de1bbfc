"""Affine indices: sums of indices, each with a factor, and a number. They have one form, however they are written.

`x[9 - (i + 2 * (j + 1))]` is read at `-i - 2 * j + 7`. What is no sum, and no product with a literal, is a term as it
is: the index of a loop, one that is data, a remainder. The form is exact, as the type of an index always holds it.

Who takes other instructions for sums, or stops at some, says which (`Parts`), and has the form by these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

from .builder import CONST
from .ops import iadd, ifrom, imul
from .sizes import Size, at_most, minus, plus, times
from .types import Fin
from .value import Value

LONGEST = 200  # operations that are read: what is shared in an index is read more than once

Whole = int | Size
Parts = Callable[[Value], list[tuple[Value | None, Whole]] | None]


class Affine(NamedTuple):
    """The sum of some indices, its terms, each with a factor, and a number. A factor is 0 where a term cancels."""

    terms: dict[Value, Whole]
    constant: Whole

    @property
    def least(self) -> Whole:
        """A number that it is never below."""
        below = [times(k, minus(size_of(i), 1)) for i, k in self.terms.items() if not at_most(0, k)]
        return reduce(plus, below, self.constant)


def parts_of(i: Value) -> list[tuple[Value | None, Whole]] | None:
    """The operands of a sum of indices, each with its factor; None has that of a number. None for what is no sum."""
    op, args = i.op, i.args
    if op is CONST:
        return [(None, i.attr)]
    if op is iadd:
        return [(args[0], 1), (args[1], 1)]
    if op is ifrom:
        return [(args[0], -1), (args[1], 1)]
    if op is imul and (args[0].op is CONST or args[1].op is CONST):
        x, k = args if args[1].op is CONST else args[::-1]
        return [(x, k.attr)]
    return None


def affine_of(i: Value, parts: Parts = parts_of) -> Affine:
    """The form of an index. What an expression has beyond so many operations is a term, too."""
    terms, constant, left = dict[Value, Whole](), 0, LONGEST
    todo: list[tuple[Value, Whole]] = [(i, 1)]
    while todo:
        x, k = todo.pop()
        left -= 1
        found = parts(x) if left >= 0 else None
        if found is None:
            terms[x] = plus(terms[x], k) if x in terms else k
            continue
        for y, n in found:
            if y is None:
                constant = plus(constant, times(n, k))
            else:
                todo.append((y, times(n, k)))
    return Affine(terms, constant)


def size_of(i: Value) -> Whole:
    """The size of the type of an index, which is below it."""
    assert isinstance(i.type, Fin)
    return i.type.size
