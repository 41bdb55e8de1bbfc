"""The series of what a row of the table gives, from those of its arguments.

Some rows have a recurrence of their own, in `elementary.py` and `powers.py`. All others that move have a derivative
rule, an equation `z' = rule(x', x, z)`, which is solved order by order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ..errors import Loc, NotDifferentiable
from ..ir import CONST, PURE_CALL, ZERO, Func, Op, Origin, Value, building, current_builder
from ..ir.callgraph import instructions
from ..ir.ops import pow_, select
from ..ir.types import Real
from .elementary import RECURRENCES
from .powers import power
from .series import Coefficient, Series, derivative_of, integral, shifted

Called = Callable[[Func, Sequence[Series]], Series]  # what a call gives, of series of its arguments


class Recurrences:
    """The series of rows, each made once: that of a cosine, which a sine needs, has the sine's."""

    def __init__(self, order: int, called: Called) -> None:
        self.order, self.called = order, called
        self._made: dict[tuple[object, ...], Series] = {}

    def of(self, op: Op, xs: tuple[Series, ...], first: Value | None = None) -> Series:
        """The series of this row; `first` is its first coefficient, if that is there."""
        key = (op, *xs)
        if key not in self._made:
            self._made[key] = self._series(op, xs, first)
        return self._made[key]

    def _series(self, op: Op, xs: tuple[Series, ...], first: Value | None) -> Series:
        z = current_builder().emit(op, tuple([x.first for x in xs])) if first is None else first
        if not any([not x.is_constant and _has_rule(op, k) for k, x in enumerate(xs)]):
            return Series(z)
        if op is pow_:
            return power(z, xs[0], xs[1], self.order)
        return RECURRENCES[op](z, *xs) if op in RECURRENCES else self._solution(op, xs, z)

    def _solution(self, op: Op, xs: tuple[Series, ...], first: Value) -> Series:
        """The solution of the equation that the derivative rule is."""
        moving = tuple([not x.is_constant and _has_rule(op, k) for k, x in enumerate(xs)])
        slope, flat = _slope(op, moving)
        known: list[Series] = []

        def slopes(k: int) -> Coefficient:
            if not known:
                of = shifted if flat else derivative_of
                known.append(self._inside(op, slope, [*[of(x) for x, m in zip(xs, moving, strict=True) if m], *xs, z]))
            return known[0][k]

        z = Series(first, lambda k: slopes(k - 1)) if flat else integral(first, slopes)
        return z

    def _inside(self, op: Op, slope: Func, args: Sequence[Series]) -> Series:
        """The series of what a derivative rule gives."""
        env = dict(zip(slope.params, args, strict=True))
        b = current_builder()
        for v in slope.body.code:
            xs = tuple([env[a] for a in v.args])
            if v.op is CONST or v.op is ZERO:
                env[v] = Series(b.const(v.attr, v.type) if v.op is CONST else b.zero(v.type))
            elif v.op is PURE_CALL and v.type is Real:
                env[v] = self.called(v.attr, xs)
            elif v.op.eval is not None:
                env[v] = self.of(v.op, xs)
            else:
                what = f"the derivative rule of {op} has the instruction {v.op}, which has no series"
                raise NotDifferentiable(what, b.loc, f"write a recurrence of {op} in rose/taylor_mode/recurrences.py")
        return env[slope.body.results[0]]


def _has_rule(op: Op, k: int) -> bool:
    return op is select or (op.jvp is not None and op.jvp[k] is not None)


@cache
def _slope(op: Op, moving: tuple[bool, ...]) -> tuple[Func, bool]:
    """The derivative of a row: a function of the tangents of the arguments that move, all arguments, and the result.

    Beside it, whether it is the same for all orders: where the arguments only decide which multiple of a tangent it is.
    """
    rules = op.jvp or ()
    with building(f"{op.name}.slope", Origin("library")) as b:
        b.loc = Loc(_slope.__wrapped__.__code__, -1)
        ds = [b.param(Real) if m else None for m in moving]
        xs = [b.param(Real) for _ in moving]
        z = b.param(Real)
        parts = [rule(d, *xs, z) for rule, d in zip(rules, ds, strict=True) if d is not None and rule is not None]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        made = b.func(total)
    given = {*xs, z}
    readers = [v for v in instructions(made.body) if not given.isdisjoint(v.args)]
    return made, all([v.op.jvp is None and v.op.eval is not None and v.op is not select for v in readers])
