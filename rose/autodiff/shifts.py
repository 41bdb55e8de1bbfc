"""Maxima whose derivative cancels: `m + log(sum(exp(x - m)))` and `exp(x - m) / sum(exp(x - m))` are those of any `m`.

The idiom of a stable exponential takes out the largest number and puts it back, so that nothing that is given depends
on it; then its derivative is zero, and is not computed. What each value is in `m` is found in one walk: `m` plus
something (a *shift*, of degree 1), `exp(m)` times something (a *scale*), or nothing. The derivative of a shift of
degree k by `m` is k, that of a scale `v` is `k * v`: the rules below are derivatives, and a condition has none.

A value may be one for each iteration of the loops around `m`: the row of a matrix whose maximum `m` is. So `slots` has,
for each of these loops, the index at which `m` stands; in a vector over such a loop, `axes` has which slot each axis
fills.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ..ir import ACCUM, ADD_TO, FOR, FREEZE, GET, INDEX, PACK, Block, Loop, Op, Value, is_call, loop_of
from ..ir.accumulators import base, begins_at_zero, is_ref
from ..ir.ops import add, div, exp, log, max_, min_, mul, neg, select, stop_gradient, sub
from .extremes import extreme_of


class _In(NamedTuple):
    """What a value is in a maximum `of`."""

    of: Value
    scale: bool
    degree: int
    slots: tuple[Value | None, ...]
    axes: tuple[int | None, ...] = ()

    def stands_as(self, x: _In) -> bool:
        """True if two values are something in the same maximum, at the same indices."""
        slots = len(self.slots) == len(x.slots) and all([i is j for i, j in zip(self.slots, x.slots, strict=True)])
        return self.of is x.of and slots and self.axes == x.axes

    def equals(self, x: _In | None) -> bool:
        return x is not None and (self.scale, self.degree) == (x.scale, x.degree) and self.stands_as(x)


def without_derivative(block: Block) -> set[Value]:
    """The loops of a function that carry an extreme whose derivative cancels in all that the function gives."""
    walk = _Walk()
    walk.block(block, ())
    for r in block.results:
        walk.lose(r)
    return walk.seen - walk.lost


class _Walk:
    """What each value is in which maximum; the maxima of which something is not known are `lost`."""

    def __init__(self) -> None:
        self.found: dict[Value, _In] = {}
        self.plain: set[Value] = set()  # the sums to which something was added that has nothing of a maximum
        self.vectors: dict[tuple[Value, int], _In] = {}  # by the loop and the place among its results
        self.seen, self.lost = set[Value](), set[Value]()

    def lose(self, *values: Value) -> None:
        self.lost.update([self.found[v].of for v in values if v in self.found])

    def block(self, block: Block, around: tuple[Value, ...]) -> None:
        for v in block.code:
            if is_call(v):
                self.plain.update([base(a) for a in v.args if is_ref(a)])
            if v.op is FOR:
                self.loop(v, around)
            elif v.op is GET and v.args[0] in self.seen and not v.attr:
                self.found[v] = _In(v.args[0], scale=False, degree=1, slots=around)
            elif v.op is GET and (v.args[0], v.attr) in self.vectors:
                self.found[v] = self.vectors[v.args[0], v.attr]
            elif v.op is ADD_TO or any([a in self.found for a in v.args]):
                kind = self.kind(v)
                if kind is None:
                    self.lose(*v.args)
                elif kind.degree:
                    self.found[v] = kind

    def loop(self, v: Value, around: tuple[Value, ...]) -> None:
        loop = loop_of(v)
        if extreme_of(v) is not None:
            self.seen.add(v)
        self.block(loop, (*around, loop.index))
        self.lose(*v.args, *loop.following)
        for k, r in enumerate(loop.elements):
            if (x := self.found.get(r)) is not None:
                if (made := _gathered(x, loop)) is None:
                    self.lose(r)
                else:
                    self.vectors[v, loop.carried + k] = made

    def kind(self, v: Value) -> _In | None:
        """What a value is in the maximum that one of its operands depends on: of degree 0, nothing; None if unknown."""
        if v.op is ADD_TO:
            return self.added(*v.args)
        kinds = [self.found.get(a) for a in v.args]
        x = next(k for k in kinds if k is not None)
        if not v.type.real or v.op is stop_gradient:
            return x._replace(degree=0)
        if not all([k is None or k.stands_as(x) for k in kinds]):
            return None
        if v.op is INDEX:
            return _element(x, v.args[1]) if x.axes else None
        if v.op is PACK:
            return x._replace(axes=(None, *x.axes)) if _all_same(kinds) else None
        if v.op is FREEZE or (v.op is select and _all_same(kinds[1:])):
            return x
        rule = RULES.get(v.op)
        return rule(*kinds) if rule is not None and not x.axes else None

    def added(self, ref: Value, x: Value) -> _In | None:
        """A sum of scales is one, if all that is added to it is."""
        kind = self.found.get(x)
        before = self.found.get(ref)
        if kind is None:
            self.plain.add(base(ref))
            return None
        opened = ref.op is ACCUM and begins_at_zero(ref) and ref not in self.plain
        if not opened or not kind.scale or not _stands(kind, ref.block) or not (before is None or kind.equals(before)):
            return None
        self.found[ref] = kind
        return kind._replace(degree=0)


def _all_same(kinds: Sequence[_In | None]) -> bool:
    return all([k is not None and k.equals(kinds[0]) for k in kinds])


def _stands(x: _In, block: Block) -> bool:
    """True if the indices at which a maximum stands are known in a block."""
    return all([i is None or block.inside(i.block) for i in x.slots])


def _element(x: _In, i: Value) -> _In:
    slot, *axes = x.axes
    slots = x.slots if slot is None else (*x.slots[:slot], i, *x.slots[slot + 1 :])
    return x._replace(slots=slots, axes=tuple(axes))


def _gathered(x: _In, loop: Loop) -> _In | None:
    """What the vector of a value is, of all iterations of a loop."""
    filled = [k for k, i in enumerate(x.slots) if i is loop.index]
    if len(filled) > 1 or loop.parent is None:
        return None
    slot = filled[0] if filled else None
    slots = tuple([None if i is loop.index else i for i in x.slots])
    made = x._replace(slots=slots, axes=(slot, *x.axes))
    return made if _stands(made, loop.parent) else None


# what becomes of operands, of which some have nothing of the maximum


def _sum(x: _In | None, y: _In | None, sign: int = 1) -> _In | None:
    if x is not None and y is not None:
        if x.scale or y.scale:
            return _same(x, y)
        return x._replace(degree=x.degree + sign * y.degree)
    one = x or y
    assert one is not None
    return None if one.scale else one._replace(degree=one.degree * (sign if x is None else 1))


def _product(x: _In | None, y: _In | None, sign: int = 1) -> _In | None:
    given = [k for k in (x, y) if k is not None]
    degree = (x.degree if x is not None else 0) + sign * (y.degree if y is not None else 0)
    return given[0]._replace(degree=degree) if all([k.scale for k in given]) else None


def _same(x: _In | None, y: _In | None) -> _In | None:
    return x if x is not None and x.equals(y) else None


def _negated(x: _In) -> _In | None:
    return x if x.scale else x._replace(degree=-x.degree)


def _exponential(x: _In) -> _In | None:
    return None if x.scale else x._replace(scale=True)


def _logarithm(x: _In) -> _In | None:
    return x._replace(scale=False) if x.scale else None


RULES: dict[Op, Callable[..., _In | None]] = {
    add: _sum,
    sub: partial(_sum, sign=-1),
    mul: _product,
    div: partial(_product, sign=-1),
    neg: _negated,
    exp: _exponential,
    log: _logarithm,
    max_: _same,
    min_: _same,
}
