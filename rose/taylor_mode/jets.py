# pyright: reportUnknownArgumentType=false
"""Jets: the derivative of a function whose tangents are the further coefficients of Taylor series."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.jvp import Jvp, Mask, Mode, Pair, derivative, full_mask, interleaved
from ..errors import Loc
from ..ir import Builder, Func, Value, current_builder
from ..ir.ops import div, mul, select
from ..ir.types import Real, Tuple, Type, Unit, Vec, map_leaves, once
from .recurrences import Recurrences
from .series import Coefficient, Series, nonzero, number, written


def jet(f: Func, order: int, mask: Mask, loc: Loc | None = None) -> Jvp:
    """`f` on series: each parameter of `mask` is followed by a vector of `order` coefficients for each Real in it.

    They are those after the value, which is the parameter itself.
    """
    return derivative(Jets(order), f, mask, loc)


@once
def further(t: Type, order: int) -> Type:
    """The type of the coefficients beside a `t`."""
    return map_leaves(t, lambda s: Vec(order, Real) if s is Real else Unit)


class Jets(Mode):
    """The mode of so many coefficients beside each number."""

    name = "jet"

    def __init__(self, order: int) -> None:
        self.order = order

    def key(self, mask: Mask) -> tuple[object, ...]:
        return jet, self.order, mask

    def tangent(self, t: Type) -> Type:
        return further(t, self.order)

    def has_rule(self, v: Value) -> bool:
        return v.op.jvp is not None or (v.op is select and v.type is Real)

    def row(self, b: Builder, v: Value, pairs: Sequence[Pair]) -> Pair:
        first = b.emit(v.op, tuple([x for x, _ in pairs]))
        if all([dx is None for _, dx in pairs]):
            return first, None
        made = Recurrences(self.order, self.called).of(v.op, tuple([_series(b, x, dx) for x, dx in pairs]), first)
        return first, self._packed(b, made)

    def _packed(self, b: Builder, x: Series) -> Value | None:
        """The further coefficients as a vector; None if they are known to be zero."""
        known = [x[k] for k in range(1, self.order + 1)]
        return None if all([x is None for x in known]) else b.pack([written(x) for x in known], Vec(self.order, Real))

    def called(self, f: Func, xs: Sequence[Series]) -> Series:
        """The series of a call in a derivative rule, in which there are coefficients of one order less."""
        b, inner = current_builder(), Jets(self.order - 1)
        made: list[Series] = []

        def coefficient(k: int) -> Coefficient:
            if not made:
                dxs = [inner._packed(b, x) for x in xs]
                mask = tuple([dx is not None for dx in dxs])
                d = derivative(inner, f, mask, b.loc)
                y = b.call(d.func, interleaved([x.first for x in xs], [dx for dx in dxs if dx is not None], mask))
                made.append(Series(y) if d.flat else _series(b, b.get(y, 0), b.get(y, 1)))
            return made[0][k]

        return Series(b.call(f, [x.first for x in xs]), coefficient)

    def by_rule(self, f: Func) -> Func:
        """The coefficients by a user's rule, of one order less: those of the result's derivative."""
        key = (jet, self.order)
        if key not in f.memo:
            f.memo[key] = _by_rule(f, self.order)
        return f.memo[key]


def _series(b: Builder, x: Value, dx: Value | None) -> Series:
    return Series(x, None if dx is None else lambda k: nonzero(b.index(dx, k - 1)))


def _by_rule(f: Func, order: int) -> Func:
    """`f` on series, by its rule, which gives the derivative of the result from those of the parameters.

    Of series these are series of one order less, so that the rule is run on such.
    """
    assert f.jvp is not None
    mask = full_mask(f)
    with ir.deriving(f, "jet") as b:
        values, further_ones = list[Value](), list[Value]()
        for p, m in zip(f.params, mask, strict=True):
            b.loc = p.loc
            values.append(b.param(p.type, p.attr))
            if m:
                further_ones.append(b.param(further(p.type, order), f"d{p.attr}"))
        rule = untype(f.jvp)
        if not f.result.real:
            return b.func(b.call(f, values))
        types = [p.type for p, m in zip(f.params, mask, strict=True) if m]
        first = [shaped(b, t, lambda x: b.index(x, 0), dx) for t, dx in zip(types, further_ones, strict=True)]
        given = interleaved(values, first, mask)
        if order == 1:
            both = b.call(rule, given)
            return b.func(b.tuple([b.get(both, 0), _integral(b, f.result, 1, b.get(both, 1), None)]))
        d = derivative(Jets(order - 1), rule, full_mask(rule), b.loc)
        beside = [
            (shaped(b, t, lambda x: _up_to(b, x, order - 1), dx), shaped(b, t, lambda x: _slopes(b, x, order), dx))
            for t, dx in zip(types, further_ones, strict=True)
        ]
        both = b.call(d.func, interleaved(given, [x for pair in beside for x in pair], full_mask(rule)))
        (y, dy), higher = _halves(b, both, d.flat)
        return b.func(b.tuple([y, _integral(b, f.result, order, dy, higher)]))


def _halves(b: Builder, both: Value, flat: bool) -> tuple[tuple[Value, Value], Value | None]:
    """The parts of a rule's result on series: the value and its derivative, and the further coefficients of that."""
    whole = both if flat else b.get(both, 0)
    return (b.get(whole, 0), b.get(whole, 1)), None if flat else b.get(b.get(both, 1), 1)


def _up_to(b: Builder, x: Value, order: int) -> Value:
    return b.pack([b.index(x, k) for k in range(order)], Vec(order, Real))


def _slopes(b: Builder, x: Value, order: int) -> Value:
    """The coefficients of the derivative of a series, after its first."""
    return b.pack([b.emit(mul, (number(k + 1.0), b.index(x, k))) for k in range(1, order)], Vec(order - 1, Real))


def _integral(b: Builder, t: Type, order: int, dy: Value, higher: Value | None) -> Value:
    """The further coefficients of a `t`, from the value of its derivative and the further coefficients of that."""

    def leaf(first: Value, *rest: Value) -> Value:
        after = [b.emit(div, (b.index(x, k - 2), number(float(k)))) for x in rest for k in range(2, order + 1)]
        return b.pack([first, *(after or [number(0.0)] * (order - 1))], Vec(order, Real))

    return shaped(b, t, leaf, dy, *([] if higher is None else [higher]))


def shaped(
    b: Builder, t: Type, leaf: Callable[..., Value], *xs: Value, rest: Callable[..., Value] | None = None
) -> Value:
    """A value shaped as `t`, with `leaf` of what the `xs` have there for each Real in it.

    What holds no Real is `rest` of the `xs`; without, units.
    """
    if not t.real:
        return b.zero(further(t, 1)) if rest is None else rest(*xs)
    if isinstance(t, Vec):
        return b.vec(t.size, lambda i: shaped(b, t.elem, leaf, *[b.index(x, i) for x in xs], rest=rest))
    if isinstance(t, Tuple):
        parts = [shaped(b, s, leaf, *[b.get(x, k) for x in xs], rest=rest) for k, s in enumerate(t.items)]
        return b.tuple(parts, t.of(tuple([p.type for p in parts])))
    return leaf(*xs)
