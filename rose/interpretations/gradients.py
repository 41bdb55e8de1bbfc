"""Reverse mode as a meaning: a number goes forward, and its cotangent comes back."""

from __future__ import annotations

from typing import Any

from ..differentiation.linear_map import LinearMap
from ..frontend.function import from_func
from ..frontend.language.select import select
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Func, Op, Value
from ..ir.ops import reached, stop_gradient
from ..ir.types import Real
from .meanings import Operation, Optic, Rule, TwoWay


class Gradients(TwoWay):
    """The optic of a value and its pullback: `backward` is `rose.vjp(f)(x).grad`.

    The rules are those of the table: an operation of numbers is linear in the tangent of each argument, by a factor;
    the pullback multiplies by it. A copy sums what comes back, and where nobody reads, 0 comes back.
    """

    name = "gradients"

    def nothing(self) -> Any:
        """Of no reader -0.0 comes back, to which everything can be added, and which no reader sends."""
        return -0.0

    def rule(self, op: Operation) -> Rule | None:
        if isinstance(op, Op):
            return _of_row(op) if op.eval is not None and op is not stop_gradient else None
        return _of_function(op) if op.jvp is not None else None


def _sent(ct: Any, x: Any) -> Any:
    """What is sent on where `ct` came back: nothing where that is, whatever infinities the factor holds."""
    return select(reached(ct), x + 0.0, -0.0)


def _of_row(op: Op) -> Rule:
    def forward(*xs: Any) -> Any:
        z = op(*xs)
        return z, (*xs, z)

    def backward(kept: Any, ct: Any) -> Any:
        *xs, _ = kept
        out = [-0.0 if rule is None else _sent(ct, rule(ct, *kept)) for rule in op.jvp or [None] * len(xs)]
        return out[0] if len(out) == 1 else tuple(out)

    return Optic(forward, backward)


def _of_function(f: Func) -> Rule:
    """By the derivative rule that its user gave."""
    fn = from_func(f, [p.attr or f"x{k}" for k, p in enumerate(f.params)])
    lin = LinearMap(fn)

    def forward(*xs: Any) -> Any:
        values = lin.arguments(xs)
        y, tape = lin.primal(values)
        return view(y), (tuple(map(view, values)), tape)

    def backward(kept: Any, ct: Any) -> Any:
        xs, tape = kept
        given = dict(zip(lin.active, _pulled(lin, xs, tape, ct), strict=True))
        out = tuple([view(given[k]) if k in given else None for k in range(len(xs))])
        return out[0] if len(out) == 1 else out

    assert f.result is Real or f.result.real
    return Optic(forward, backward)


def _pulled(lin: LinearMap, xs: Any, tape: Any, ct: Any) -> list[Value]:
    values = lin.arguments(xs)
    return lin.pullback(values, to_value(tape, lin.tape_type()), to_value(ct, lin.result))
