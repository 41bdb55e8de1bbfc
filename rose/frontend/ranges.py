"""Numbers as indices, by what is certain of them: `np.floor(x).astype(int) % n`, `np.clip(i, 0, n - 1)`.

NumPy has whole numbers of a type of their own; here they are Reals, which `floor` and its kind have made. `range_of`
reads the expression of a number, or of the elements of an array, and finds between which whole numbers it lies, and
whether it is one. If that makes it an index of an axis, `itrunc` converts it, and what is out of range after all, as a
nan is in no range, is the nearest index.

Sizes that only the module knows count as 1 or more: of an axis without elements there is no index, which is a trap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NamedTuple

from ..ir import CONST, FOR, GET, INDEX, PACK, PARAM, ZERO, Op, Value, building, element_of
from ..ir.ops import (
    abs_,
    add,
    ceil,
    floor,
    fmod,
    imod,
    itrunc,
    max_,
    min_,
    mod,
    mul,
    neg,
    real,
    round_,
    select,
    sign,
    stop_gradient,
    sub,
    trunc,
)
from ..ir.sizes import Size, at_most, differ, plus, times
from ..ir.types import Fin, Real, Vec
from .index_expressions import Whole, literal, within

DEEPEST = 40  # operations in one another that are looked into
LONGEST = 64  # elements of a vector that is written out


class Range(NamedTuple):
    """The numbers from one to another, of which a bound may be none; perhaps only the whole ones."""

    low: Whole | None
    high: Whole | None
    whole: bool

    @property
    def size(self) -> Whole | None:
        """The size of an axis of which each is certain to be an index; None if there need not be one."""
        is_index = self.whole and self.low is not None and self.high is not None and _at_most(0, self.low)
        return plus(self.high, 1) if is_index and self.high is not None else None

    @property
    def number(self) -> Whole | None:
        """The only number in it."""
        low, high = self.low, self.high
        is_one = self.whole and low is not None and high is not None and not differ(low, high)
        return low if is_one else None


def range_of(v: Value) -> Range:
    """The range of a number, or of each number of an array."""
    return _range_of(v, {}, DEEPEST)


def as_index_below(x: Value, n: Whole) -> Value:
    """The Real `x` as an index below `n`: the nearest one."""
    i = within(itrunc(x), n)
    return imod(i, literal(n)) if isinstance(n, Size) and not at_most(1, n) else i  # a rest by 0 is a trap


def _range_of(v: Value, known: dict[Value, Range], depth: int) -> Range:
    """The range of `v`; `known` has those that were found before."""
    if v not in known:
        known[v] = ANY
        known[v] = _read(v, lambda x: _range_of(x, known, depth - 1)) if depth else ANY
    return known[v]


def _read(v: Value, of: Callable[[Value], Range]) -> Range:
    leaf = v.type
    while isinstance(leaf, Vec):
        leaf = leaf.elem
    if v.op is CONST and v.type is leaf and isinstance(leaf, Fin):
        return Range(v.attr, v.attr, True)
    if isinstance(leaf, Fin):
        return Range(0, plus(leaf.size, -1), True)
    if v.op is CONST or v.op is ZERO:
        return _of_numbers(_flat(v.attr)) if v.op is CONST and leaf is Real else ZEROS
    if v.op is INDEX:
        return of(v.args[0])
    if v.op is GET and v.args[0].op is FOR:
        return ANY if (x := element_of(v)) is None else of(x)
    if v.op is PACK:
        return reduce(_either, map(of, v.args)) if 0 < len(v.args) <= LONGEST else ANY
    if v.op is select:
        rest = _rest(v)
        return _either(of(v.args[1]), of(v.args[2])) if rest is None else _wrapped(of(rest.args[0]), of(rest.args[1]))
    rule = _RULES.get(v.op)
    return rule(*map(of, v.args)) if rule is not None else ANY


def _rest(v: Value) -> Value | None:
    """The `fmod` of which `v` is the `%`, as the table writes it."""
    z = v.args[2].args[2] if v.args[2].op is select else v
    if z.op is not fmod:
        return None
    with building("mod") as b:
        b.loc = v.loc
        x, y = [b.const(a.attr, a.type) if a.op is CONST else b.param(Real) for a in z.args]
        pattern = mod(x, y)
    return z if _matches(pattern, v, {}) else None


def _matches(pattern: Value, v: Value, seen: dict[Value, Value]) -> bool:
    """True if `v` is the expression `pattern`, whose parameters are anything."""
    if pattern in seen:
        return seen[pattern] is v
    seen[pattern] = v
    if pattern.op is PARAM:
        return True
    if pattern.op is not v.op or pattern.type is not v.type or (pattern.op is CONST and pattern.attr != v.attr):
        return False
    return all([_matches(p, a, seen) for p, a in zip(pattern.args, v.args, strict=True)])


# ranges


ANY, ZEROS = Range(None, None, False), Range(0, 0, True)


def _flat(x: Any) -> Iterator[Any]:
    """The numbers of a literal."""
    todo = [x]
    while todo:
        y = todo.pop()
        if isinstance(y, (tuple, list)):
            todo += y
        else:
            yield y


def _of_numbers(xs: Iterator[Any]) -> Range:
    numbers = [*xs]
    if not all([not isinstance(x, Size) and math.isfinite(x) for x in numbers]):
        return ANY
    whole = all([float(x).is_integer() for x in numbers])
    return Range(math.floor(min(numbers)), math.ceil(max(numbers)), whole) if numbers else ZEROS


def _at_most(x: Whole, y: Whole) -> bool:
    """True if `x <= y` is certain, where each size is 1 or more."""
    return at_most(_from_one(x), _from_one(y))


def _from_one(x: Whole) -> Whole:
    return x.at({d.key: plus(d, 1) for d in x.dims}) if isinstance(x, Size) else x


def _least(*xs: Whole | None) -> Whole | None:
    """The least of some numbers, if it is known which that is."""
    known = [x for x in xs if x is not None]
    return next((x for x in known if all([_at_most(x, y) for y in known])), None) if len(known) == len(xs) else None


def _most(*xs: Whole | None) -> Whole | None:
    found = _least(*[None if x is None else times(-1, x) for x in xs])
    return None if found is None else times(-1, found)


def _certain(of: Callable[..., Whole | None], x: Whole | None, y: Whole | None) -> Whole | None:
    """A bound, where each of two is one: the tighter, if it is known which that is."""
    if x is None or y is None:
        return y if x is None else x
    found = of(x, y)
    return y if found is None else found


def _either(x: Range, y: Range) -> Range:
    return Range(_least(x.low, y.low), _most(x.high, y.high), x.whole and y.whole)


def _added(x: Range, y: Range) -> Range:
    low, high = [None if a is None or b is None else plus(a, b) for a, b in ((x.low, y.low), (x.high, y.high))]
    return Range(low, high, x.whole and y.whole)


def _negated(x: Range) -> Range:
    low, high = [None if k is None else times(-1, k) for k in (x.high, x.low)]
    return Range(low, high, x.whole)


def _scaled(x: Range, k: Whole) -> Range:
    if not _at_most(0, k):
        return _negated(_scaled(x, times(-1, k))) if _at_most(k, 0) else ANY._replace(whole=x.whole)
    low, high = [None if a is None else times(a, k) for a in (x.low, x.high)]
    return Range(low, high, x.whole)


def _multiplied(x: Range, y: Range) -> Range:
    for one, other in ((x, y), (y, x)):
        if (k := other.number) is not None:
            return _scaled(one, k)
    corners = [None if a is None or b is None else times(a, b) for a in x[:2] for b in y[:2]]
    return Range(_least(*corners), _most(*corners), x.whole and y.whole)


def _distance(x: Range) -> Range:
    """Of absolute values."""
    if x.low is not None and _at_most(0, x.low):
        return x
    return Range(0, _most(x.high, _negated(x).high), x.whole)


def _wrapped(x: Range, n: Range) -> Range:
    """Of rests of a division by a literal above zero; of numbers that are not whole, one may round to `n` itself."""
    k = n.number
    return ANY if k is None or not _at_most(1, k) else Range(0, plus(k, -1) if x.whole else k, x.whole)


def _left(x: Range, n: Range) -> Range:
    """Of `fmod`, whose result has the sign of `x`."""
    rest = _wrapped(x, n)
    natural = x.low is not None and _at_most(0, x.low)
    return rest if natural else Range(_negated(rest).low, rest.high, rest.whole)


def _smaller(x: Range, y: Range) -> Range:
    return Range(_least(x.low, y.low), _certain(_least, x.high, y.high), x.whole and y.whole)


def _larger(x: Range, y: Range) -> Range:
    return _negated(_smaller(_negated(x), _negated(y)))


def _difference(x: Range, y: Range) -> Range:
    return _added(x, _negated(y))


def _itself(x: Range) -> Range:
    return x


def _whole(x: Range) -> Range:
    return x._replace(whole=True)


_RULES: dict[Op, Callable[..., Range]] = {
    **dict.fromkeys((floor, ceil, trunc, round_), _whole),
    **dict.fromkeys((real, stop_gradient), _itself),
    neg: _negated,
    abs_: _distance,
    sign: lambda _: Range(-1, 1, True),
    add: _added,
    sub: _difference,
    mul: _multiplied,
    min_: _smaller,
    max_: _larger,
    fmod: _left,
}
