"""The order of numbers: the indices of a vector's elements from the smallest to the largest, by a stable merge."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import Loc
from ...ir import Func, Value, building, current_builder
from ...ir.func import Origin
from ...ir.ops import iadd, ibeyond, ieq, ilt, not_, select
from ...ir.sizes import Size, at_most, plus
from ...ir.types import Fin, Real, Vec, as_vec
from ..index_expressions import within

SORT = Origin("library")
MOST = 29  # passes: a memory has no more than 2**29 elements of 8 bytes


def order_of(keys: Value) -> Value:
    """The indices of a vector of Reals in the order of its elements, equal ones as they stand, nan last."""
    return current_builder().call(_order(as_vec(keys.type).size), (keys,))


def before(x: Value, y: Value) -> Value:
    """Whether `x` stands before `y` in a sorted vector, where nan is last."""
    return (x < y) | ((y != y) & (x == x))


@cache
def _order(n: Any) -> Func:
    """Runs of 1, 2, 4, ... elements are merged in pairs, until there is one."""
    with building("rose.argsort", SORT) as b:
        b.loc = Loc(_order.__wrapped__.__code__, -1)
        keys = b.param(Vec(n, Real), "x")
        start = b.vec(n, lambda i: i)
        if at_most(n, 1):
            return b.func(start)
        width = b.const(1, _up_to(n))
        span = b.span(MOST, b.const(0, Fin(1)), _passes(n))

        def one(_: Value, order: Value, width: Value) -> tuple[list[Value], list[Value]]:
            return [_merged(keys, order, width, n), within(iadd(width, width), _up_to(n).size)], []

        return b.func(b.loop(MOST, one, [start, width], span)[0][0])


def _up_to(n: Any) -> Fin:
    """The type of a width: up to `n`, and 1 even of a vector of a size that may be 0."""
    top: Any = plus(n, 2 if isinstance(n, Size) else 1)
    return Fin(top)


def _first(n: Any) -> Value:
    """The index 0, in a loop that a vector of no elements does not run."""
    b, t = current_builder(), Fin(n)
    return b.zero(t) if isinstance(n, Size) else b.const(0, t)


def _passes(n: Any) -> Value:
    """How often a width of 1 is doubled before it is `n`."""
    b = current_builder()
    if not isinstance(n, Size):
        passes = max(n - 1, 0).bit_length()
        return b.const(passes, Fin(passes + 1))
    size, count = b.const(n, _up_to(n)), b.const(0, Fin(1))
    for k in range(MOST):
        more = ilt(b.const(2**k, Fin(2**k + 1)), size)
        count = iadd(count, select(more, b.const(1, Fin(2)), b.const(0, Fin(2))))
    return count


def _merged(keys: Value, order: Value, width: Value, n: Any) -> Value:
    """The order after runs of `width` elements are merged in pairs.

    Each element is the next one of the left run or of the right one; how many of each are taken is the state.
    """
    b = current_builder()
    size, one = b.const(n, _up_to(n)), b.const(1, Fin(2))

    def step(k: Value, left: Value, right: Value) -> tuple[list[Value], list[Value]]:
        done = not_(ilt(iadd(left, right), iadd(width, width)))
        none = _first(n)
        left, right = [select(done, none, x) for x in (left, right)]
        at = ibeyond(k, right)  # the run begins at k - left - right
        other = iadd(ibeyond(k, left), width)
        here, there = b.index(order, at), b.index(order, within(other, n))
        has_right = ilt(right, width) & ilt(other, size)
        takes_right = ieq(left, width) | before(b.index(keys, there), b.index(keys, here))
        right_now = has_right & takes_right
        more = [within(iadd(x, one), n) for x in (left, right)]
        after = [select(right_now, left, more[0]), select(right_now, more[1], right)]
        return after, [select(right_now, there, here)]

    return b.loop(n, step, [_first(n), _first(n)])[1][0]
