"""Intervals, rounded outwards: what a function gives for all numbers of an interval lies in the interval that it gives.

A sum and a product are rounded outwards only where they are not exact: error-free transformations tell what rounding
took. A quotient and a root move by one place, and a function of mathematics by more than its error. A condition may be
either where its operands overlap: then both sides are evaluated, and hold the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import OutOfRange, here
from ..frontend.annotations import struct
from ..frontend.decorators import fn
from ..frontend.language.control import scan
from ..frontend.language.debugging import assert_
from ..frontend.language.loops import max as most
from ..frontend.language.loops import min as least
from ..frontend.language.select import select
from ..frontend.values import is_number
from ..ir import Op, Value, ops
from ..ir.types import Bool, Real, as_vec
from .meanings import Meaning, Operation, Rule

if TYPE_CHECKING:  # a checker knows no types of the IR
    Number = Any
    Condition = Any
else:
    Number, Condition = Real, Bool

LARGEST, TINY = 1.7976931348623157e308, 5e-324
PLACE, ERROR = 2.0**-53 * (1.0 + 2.0**-50), 2.0**-48  # relative: half of a place, and 16 of them


@struct
class Interval:
    """All numbers from `lo` to `hi`."""

    lo: Number
    hi: Number

    def __post_init__(self) -> None:
        if is_number(self.lo) and is_number(self.hi) and self.lo > self.hi:
            what = f"Interval({self.lo!r}, {self.hi!r}) has no number: its ends are exchanged"
            raise OutOfRange(what, here(), f"write Interval({self.hi!r}, {self.lo!r})")


@struct
class Truth:
    """What a condition may be: false, true, or either."""

    no: Condition
    yes: Condition


OfOne = Callable[[Interval], Interval]


def down(x: Any, places: float = PLACE) -> Any:
    """A number below `x`: the next one, or the one after it; by more places, so many of its own size."""
    x = least(x, LARGEST)
    return x - (abs(x) * places + TINY)


def up(x: Any, places: float = PLACE) -> Any:
    """A number above `x`."""
    return -down(-x, places)


@fn
def sum_down(x: Number, y: Number) -> Number:
    """The sum, or a number below it if it is rounded up: `e` is what rounding took (Knuth's TwoSum)."""
    s = x + y
    t = s - x
    e = (x - (s - t)) + (y - t)
    return select(e >= 0.0, s, down(s))


@fn
def product_down(x: Number, y: Number) -> Number:
    """The product, or a number below it if it is rounded up (Dekker's TwoProduct); 0 times anything is 0.

    That of numbers of one sign is not below 0, however small it is.
    """
    zero = (x == 0.0) | (y == 0.0)
    p = select(zero, 0.0, x * y)
    (a, b), (c, d) = _split(x), _split(y)
    e = ((a * c - p) + a * d + b * c) + b * d
    below = select((x > 0.0) ^ (y > 0.0), down(p), most(down(p), 0.0))
    return select(zero | ((abs(p) > 1e-290) & (e >= 0.0)), p, below)


def _split(x: Any) -> tuple[Any, Any]:
    """`x` as a number of half as many digits, and the rest."""
    c = x * 134217729.0
    high = c - (c - x)
    return high, x - high


def between(lo: Any, hi: Any) -> Interval:
    """The interval; unbounded where a bound is no number."""
    return Interval(select(lo == lo, lo, -math.inf), select(hi == hi, hi, math.inf))


def everything_if(c: Any, x: Interval) -> Interval:
    return Interval(select(c, -math.inf, x.lo), select(c, math.inf, x.hi))


def around_zero(x: Interval) -> Any:
    return (x.lo <= 0.0) & (x.hi >= 0.0)


def add(x: Interval, y: Interval) -> Interval:
    return between(sum_down(x.lo, y.lo), -sum_down(-x.hi, -y.hi))


def neg(x: Interval) -> Interval:
    return Interval(-x.hi, -x.lo)


def mul(x: Interval, y: Interval) -> Interval:
    """The product; of a number with itself it is not negative."""
    pairs: list[tuple[Any, Any]] = [(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    lo, hi = least(*[product_down(a, b) for a, b in pairs]), most(*[-product_down(-a, b) for a, b in pairs])
    return between(most(lo, 0.0) if x.lo is y.lo and x.hi is y.hi else lo, hi)


def div(x: Interval, y: Interval) -> Interval:
    """The quotient; of numbers of one sign it is not below 0, of such with different ones not above."""
    quotients = [a / b for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    lo, hi = least(*map(down, quotients)), most(*map(up, quotients))
    same = ((x.lo >= 0.0) & (y.lo > 0.0)) | ((x.hi <= 0.0) & (y.hi < 0.0))
    other = ((x.lo >= 0.0) & (y.hi < 0.0)) | ((x.hi <= 0.0) & (y.lo > 0.0))
    made = between(select(same, most(lo, 0.0), lo), select(other, least(hi, 0.0), hi))
    return everything_if(around_zero(y), made)


def magnitude(x: Interval) -> Interval:
    return Interval(most(x.lo, -x.hi, 0.0), most(-x.lo, x.hi))


def monotone(f: Op, falls: bool = False, at_least: float = -math.inf, at_most: float = math.inf) -> OfOne:
    """Of a function that grows or falls: its values at the ends, moved by the error of musl's, in its range."""

    def rule(x: Interval) -> Interval:
        lo, hi = (x.hi, x.lo) if falls else (x.lo, x.hi)
        return between(most(down(f(lo), ERROR), at_least), least(up(f(hi), ERROR), at_most))

    return rule


def wave(f: Op) -> OfOne:
    """Of a function whose slope is at most 1, and which is itself: its value in the middle, and half of the width."""

    def rule(x: Interval) -> Interval:
        middle = 0.5 * x.lo + 0.5 * x.hi
        y, far = f(middle), up(most(up(x.hi - middle), up(middle - x.lo)))
        narrow = between(down(down(y, ERROR) - far), up(up(y, ERROR) + far))
        bounded = Interval(most(narrow.lo, -1.0), least(narrow.hi, 1.0))
        return everything_if((x.lo == -math.inf) | (x.hi == math.inf), bounded)  # of infinity it has no value

    return rule


def root(x: Interval) -> Interval:
    return between(most(down(ops.sqrt(x.lo)), 0.0), up(ops.sqrt(x.hi)))


def power(x: Interval, y: Interval) -> Interval:
    """Of a positive number; of others nothing is known."""
    return everything_if(~(x.lo > 0.0), monotone(ops.exp)(mul(y, monotone(ops.log)(x))))


def less(x: Interval, y: Interval) -> Truth:
    return Truth(~(x.hi < y.lo), x.lo < y.hi)


def at_most(x: Interval, y: Interval) -> Truth:
    return Truth(~(x.hi <= y.lo), x.lo <= y.hi)


def equal(x: Interval, y: Interval) -> Truth:
    points = (x.lo == x.hi) & (y.lo == y.hi)
    return Truth(~(points & (x.lo == y.lo)), (x.lo <= y.hi) & (y.lo <= x.hi))


def opposite(x: Truth) -> Truth:
    return Truth(x.yes, x.no)


def either(x: Truth, y: Truth) -> Truth:
    return Truth(x.no & y.no, x.yes | y.yes)


def _after_sign(x: Interval, y: Interval) -> Interval:
    m = magnitude(x)
    return Interval(select(y.lo > 0.0, m.lo, -m.hi), select(y.hi < 0.0, -m.lo, m.hi))


def _sub(x: Interval, y: Interval) -> Interval:
    return add(x, neg(y))


def _min(x: Interval, y: Interval) -> Interval:
    return Interval(least(x.lo, y.lo), least(x.hi, y.hi))


def _max(x: Interval, y: Interval) -> Interval:
    return Interval(most(x.lo, y.lo), most(x.hi, y.hi))


def _tangent(x: Interval) -> Interval:
    return div(sine(x), cosine(x))


def _cosh(x: Interval) -> Interval:
    return monotone(ops.cosh, at_least=1.0)(magnitude(x))


def _hypot(x: Interval, y: Interval) -> Interval:
    a, b = magnitude(x), magnitude(y)
    return root(add(mul(a, a), mul(b, b)))


def _norm(x: Any) -> Interval:
    """The norm of an array: the root of the sum of squares."""
    return root(_squares(x, Interval(0.0, 0.0)))


def _squares(x: Any, total: Interval) -> Interval:
    """A sum, and the squares of the elements of an array."""
    if not isinstance(x, Value):
        size = magnitude(x)
        return add(total, mul(size, size))
    return scan(lambda i, s: _squares(x[i], s), total, as_vec(x.type).size)


def _fmod(x: Interval, y: Interval) -> Interval:
    return everything_if(around_zero(y), Interval(least(x.lo, 0.0), most(x.hi, 0.0)))


def _atan2(y: Interval, x: Interval) -> Interval:
    """The angles of a box: those of its corners, but where it has a point of the left axis, where angles jump."""
    angles = [ops.atan2(a, b) for a in (y.lo, y.hi) for b in (x.lo, x.hi)]
    jumps = around_zero(y) & (x.lo <= 0.0)
    lo, hi = select(jumps, -math.pi, least(*angles)), select(jumps, math.pi, most(*angles))
    return between(down(lo, ERROR), up(hi, ERROR))


def _unequal(x: Interval, y: Interval) -> Truth:
    return opposite(equal(x, y))


def _both(x: Truth, y: Truth) -> Truth:
    return opposite(either(opposite(x), opposite(y)))


def _one(x: Truth, y: Truth) -> Truth:
    return Truth((x.no & y.no) | (x.yes & y.yes), (x.no & y.yes) | (x.yes & y.no))


def _reached(x: Interval) -> Truth:
    return Truth((x.lo <= 0.0) & (x.hi >= 0.0), ops.reached(x.lo) | (x.lo < x.hi))


sine, cosine = wave(ops.sin), wave(ops.cos)


class Intervals(Meaning):
    """Numbers as intervals, and conditions as what they may be. `Interval(x, x)` is a number."""

    name = "intervals"
    carrier, truth = Interval, Truth
    rules: Mapping[Any, Rule] = {
        "add": add, "sub": _sub, "neg": neg, "mul": mul, "div": div, "abs": magnitude, "sqrt": root, "pow": power,
        "min": _min, "max": _max, "sin": sine, "cos": cosine, "tan": _tangent, "cosh": _cosh, "hypot": _hypot,
        "fmod": _fmod,
        "atan2": _atan2, "copysign": _after_sign, "norm": _norm,
        "lt": less, "le": at_most, "eq": equal, "ne": _unequal,
        "not": opposite, "or": either, "and": _both, "xor": _one, "reached": _reached,
    }  # fmt: skip

    def rule(self, op: Operation) -> Rule | None:
        known = super().rule(op)
        if known is None and isinstance(op, Op) and op.monotone is not None and not op.moves:
            return monotone(op, *op.monotone)
        return known

    def literal(self, x: Any) -> Any:
        return Interval(x, x) if x.type is Real else Truth(~x, x)

    def choose(self, c: Truth, x: Any, y: Any) -> Any:
        if isinstance(x, Truth):
            return Truth((c.yes & x.no) | (c.no & y.no), (c.yes & x.yes) | (c.no & y.yes))
        lo, hi = least(x.lo, y.lo), most(x.hi, y.hi)
        return Interval(select(c.no, select(c.yes, lo, y.lo), x.lo), select(c.no, select(c.yes, hi, y.hi), x.hi))

    def decide(self, c: Truth) -> Any:
        assert_(~(c.no & c.yes), "intervals: a while loop whose condition is certain")
        return c.yes
