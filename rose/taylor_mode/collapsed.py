"""Second derivatives along many directions, of which only the sum is wanted: collapsed Taylor mode.

Beside a number stand its first derivatives along `n` directions, and the sum of its second coefficients along them. For
a second coefficient is linear in those of the arguments, and of the others it needs what is of first order only: the
linear part is computed once, of the sums. That is `n + 2` numbers in the place of `2 n + 1`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.jvp import Jvp, Mask, Mode, Pair, derivative, full_mask, interleaved
from ..errors import Loc
from ..ir import Builder, Func, Value
from ..ir.ops import select
from ..ir.types import Real, Tuple, Type, Unit, Vec, map_leaves, once, tuple_of
from .jets import Jets, shaped
from .recurrences import Recurrences
from .series import Coefficient, Series, number, plus, written


def collapsed(f: Func, directions: int, mask: Mask, loc: Loc | None = None) -> Jvp:
    """`f` on numbers with derivatives: each parameter of `mask` is followed by a pair for each Real in it.

    That is the vector of its derivatives along the directions, and the sum of half its second derivatives along them.
    """
    return derivative(Collapsed(directions), f, mask, loc)


@once
def _pairs(t: Type, directions: int) -> Type:
    return map_leaves(t, lambda s: tuple_of(Vec(directions, Real), Real) if s is Real else Unit)


class Collapsed(Mode):
    """The mode of so many directions."""

    name = "jet"

    def __init__(self, directions: int) -> None:
        self.directions, self.jets = directions, Jets(2)

    def key(self, mask: Mask) -> tuple[object, ...]:
        return collapsed, self.directions, mask

    def tangent(self, t: Type) -> Type:
        return _pairs(t, self.directions)

    def has_rule(self, v: Value) -> bool:
        return self.jets.has_rule(v)

    def row(self, b: Builder, v: Value, pairs: Sequence[Pair]) -> Pair:
        first = b.emit(v.op, tuple([x for x, _ in pairs]))
        rules = v.op.jvp or ([None, *pairs[1:]] if v.op is select else [])
        if all([dx is None or rule is None for (_, dx), rule in zip(pairs, rules, strict=True)]):
            return first, None

        def along(part: Callable[[Value], Value]) -> Series:
            """The series of the result along one direction, without the second coefficients of the arguments."""

            def series(x: Value, dx: Value | None) -> Series:
                return Series(x, None if dx is None else lambda k: part(dx) if k == 1 else None)

            return Recurrences(2, self.jets.called).of(v.op, tuple([series(x, dx) for x, dx in pairs]), first)

        def at(i: Value) -> tuple[Coefficient, Coefficient]:
            z = along(lambda dx: b.index(b.get(dx, 0), i))
            return z[1], z[2]

        return first, self._summed(b, at, along(lambda dx: b.get(dx, 1))[1])

    def _summed(self, b: Builder, at: Callable[[Value], tuple[Coefficient, Coefficient]], linear: Coefficient) -> Value:
        """The pair of a number, from its two coefficients along each direction, and what is linear of their sum."""
        straight = False

        def step(i: Value, total: Value) -> tuple[list[Value], list[Value]]:
            nonlocal straight
            one, two = at(i)
            straight = two is None
            return [written(plus(total, two))], [written(one)]

        (total,), (ones,) = b.loop(self.directions, step, [number(0.0)])
        return b.tuple([ones, written(linear if straight else plus(linear, total))])

    def by_rule(self, f: Func) -> Func:
        """The derivatives by a user's rule: those of second order are jets along each direction."""
        key = (collapsed, self.directions)
        if key not in f.memo:
            f.memo[key] = self._by_rule(f)
        return f.memo[key]

    def _by_rule(self, f: Func) -> Func:
        assert f.jvp is not None
        mask = full_mask(f)
        with ir.deriving(f, "jet") as b:
            values, pairs, types = list[Value](), list[Value](), list[Type]()
            for p, m in zip(f.params, mask, strict=True):
                b.loc = p.loc
                values.append(b.param(p.type, p.attr))
                if m:
                    types.append(p.type)
                    pairs.append(b.param(self.tangent(p.type), f"d{p.attr}"))
            if not f.result.real:
                return b.func(b.call(f, values))

            def given(leaf: Callable[[Value], Value]) -> list[Value]:
                dxs = [shaped(b, t, leaf, dx) for t, dx in zip(types, pairs, strict=True)]
                return interleaved(values, dxs, mask)

            both = b.call(untype(f.jvp), given(lambda dx: b.get(dx, 1)))
            curve: Callable[[Value], Callable[[Value], Value]] = lambda i: (
                lambda dx: b.pack([b.index(b.get(dx, 0), i), number(0.0)], Vec(2, Real))
            )
            jets = b.vec(self.directions, lambda i: b.get(b.call(self.jets.by_rule(f), given(curve(i))), 1))
            whole = self._gathered(b, f.result, lambda i: b.index(jets, i), b.get(both, 1))
            return b.func(b.tuple([b.get(both, 0), whole]))

    def _gathered(self, b: Builder, t: Type, at: Callable[[Value], Value], linear: Value) -> Value:
        """The pairs of a `t`, from its jets along each direction, and what is linear of their sums."""
        if not t.real:
            return b.zero(self.tangent(t))
        if isinstance(t, Vec):
            return b.vec(t.size, lambda j: self._gathered(b, t.elem, lambda i: b.index(at(i), j), b.index(linear, j)))
        if isinstance(t, Tuple):
            parts = [
                self._gathered(b, s, lambda i, k=k: b.get(at(i), k), b.get(linear, k)) for k, s in enumerate(t.items)
            ]
            return b.tuple(parts, t.of(tuple([p.type for p in parts])))
        return self._summed(b, lambda i: (b.index(at(i), 0), b.index(at(i), 1)), linear)
