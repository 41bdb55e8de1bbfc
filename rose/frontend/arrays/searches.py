"""Where numbers stand among sorted ones: `searchsorted`; and `interp`, the line through sorted points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, a_traced, current_builder, shown
from ...ir.ops import iadd, ibeyond, idiv, ilt, not_, select, stop_gradient
from ...ir.sizes import Size, at_most, differ, minus, plus
from ...ir.types import Fin, as_vec
from ..index_expressions import literal, within
from .elementwise import array_function, each
from .indexing import part
from .joining import concatenate
from .order import argsort
from .reductions import number, numbers
from .shapes import as_array, shape_of
from .sorting import MOST, before

SIDES = ("left", "right")


@array_function
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """The index, a `Fin[n + 1]`, at which each number of `v` is to be put into a sorted vector: before equal ones.

    With `side="right"` it is after them. `sorter` has the indices that sort the vector, as `argsort` gives them. It
    takes a step for each binary digit of `n`. Of numbers that are not sorted it is some index. It is constant to every
    derivative.
    """
    if side not in SIDES:
        what = a_traced(side) if isinstance(side, Value) else shown(side)
        raise TypeMismatch(f"rose.searchsorted has no side {what}", here(), 'write "left" or "right"')
    row = _vector(a if sorter is None else part(as_array(a), sorter), "searchsorted")
    of: Callable[[Any], Value] = lambda x: place_in(row, number(current_builder().lift(x)), side)
    return each(of, v)


def _vector(x: Any, name: str) -> Value:
    v = numbers(x, name)
    if len(shape_of(v.type)) != 1:
        raise TypeMismatch(f"rose.{name} goes through a vector, not {a_traced(v)}", here(), "give it a row: x[0]")
    return each(number, v)


def place_in(row: Value, x: Value, side: str) -> Value:
    """How many elements of a sorted vector stand before a number: a range is halved until only that is left."""
    b, n = current_builder(), as_vec(row.type).size
    if not differ(n, 0):
        return b.const(0, Fin(1))
    steps = MOST + 1 if isinstance(n, Size) else n.bit_length()
    x, size, top = stop_gradient(x), literal(n), plus(n, 1)
    # in a vector that may be empty nothing is read without a step
    span = b.span(steps, literal(0), within(size, steps + 1)) if isinstance(n, Size) else None

    def step(_: Value, low: Value, high: Value) -> tuple[list[Value], list[Value]]:
        middle = within(idiv(iadd(low, high), literal(2)), top)
        y = stop_gradient(b.index(row, within(middle, n)))
        more = ilt(low, high)
        above = before(y, x) if side == "left" else not_(before(x, y))
        after = within(iadd(middle, literal(1)), top)
        return [select(more & above, after, low), select(more & not_(above), middle, high)], []

    return b.loop(steps, step, [b.const(0, Fin(top)), size], span)[0][0]


def _periodic(x: Any, xs: Value, ys: Value, period: Any) -> Any:
    """The line through points that come again after each period: the last one before them, and the first after them."""
    order = as_array(argsort(xs % period))
    xs, ys = [as_array(part(v, order)) for v in (xs % period, ys)]
    ends = [part(v, slice(-1, None)) for v in (xs, ys)], [part(v, slice(0, 1)) for v in (xs, ys)]
    xs = concatenate([ends[0][0] - period, xs, ends[1][0] + period])
    return interp(each(number, as_array(x)) % period, xs, concatenate([ends[0][1], ys, ends[1][1]]))


@array_function
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """The line through the points `(xp[i], fp[i])`, at each number of `x`; `xp` increases.

    Before the first point it is `left`, by default `fp[0]`; after the last one it is `right`, by default `fp[-1]`. Its
    slope at a point is that of the line to the next one. It takes a step for each binary digit of the points' number.
    With a `period` the places are taken modulo it, in any order, and there is nothing before or after them.
    """
    if period is not None:
        return _periodic(x, _vector(xp, "interp"), _vector(fp, "interp"), abs(period))
    xs, ys = _vector(xp, "interp"), _vector(fp, "interp")
    n = as_vec(xs.type).size
    if differ(n, as_vec(ys.type).size):
        what = f"rose.interp is given {n!r} places and {as_vec(ys.type).size!r} numbers there"
        raise TypeMismatch(what, here(), "give as many of both")
    if not at_most(1, n):
        hint = f"declare a Vec[{n!r} + 1], which has a point at any size" if isinstance(n, Size) else "give it a point"
        raise OutOfRange(f"rose.interp through {n!r} points", here(), hint)
    b = current_builder()
    first, last = [[b.index(v, literal(k)) for v in (xs, ys)] for k in (0, minus(n, 1))]
    low, high = [end if y is None else b.lift(y) for y, end in ((left, first[1]), (right, last[1]))]

    def at(x: Any) -> Value:
        x = number(b.lift(x))
        i = within(ibeyond(place_in(xs, x, "right"), literal(1)), n)
        j = within(iadd(i, literal(1)), n)
        (x0, y0), (x1, y1) = [[b.index(v, k) for v in (xs, ys)] for k in (i, j)]
        slope = (y1 - y0) / (x1 - x0)
        line, back = slope * (x - x0) + y0, slope * (x - x1) + y1
        infinite = select((x == x0) | ((back != back) & (y0 == y1)), y0, back)
        line = select((line == line) | (x != x), line, infinite)
        after = select(x > last[0], high, select(x == last[0], last[1], line))
        return select(x < first[0], low, after)

    return each(at, x)
