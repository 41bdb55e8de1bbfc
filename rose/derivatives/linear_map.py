"""A function and its derivative in some of its parameters, as calls in the function that is being traced.

What `forward`, `transpose` and `linearize` make of the IR takes and gives what suits the passes: pairs,
tapes, accumulators. Here is the one place that knows how to call it, with values of the types that a user
sees. A gradient has the type of what it is the gradient in; a member that has no derivative (a Bool, an
index) comes back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ir
from ..autodiff.cotangents import Cotangent
from ..autodiff.erase_tangents import untype
from ..autodiff.jvp import jvp
from ..autodiff.linearize import linearize
from ..autodiff.transpose import Halves, transpose
from ..errors import TypeMismatch, here
from ..frontend.function import AnyFn
from ..frontend.values import to_value
from ..ir import Builder, Func, Value, types
from ..ir.types import Real, Tuple, Type, linear_part, tangent, tuple_of, untyped


class Halved:
    """A function and its derivative in some of its parameters, as calls in the function being traced."""

    def __init__(self, f: AnyFn, active: Sequence[int]) -> None:
        self.f, self.active = f, tuple(active)
        self.types = [untyped(t) for t in f.types]
        self.result = untyped(f.result)

    def func(self) -> tuple[Func, Func | None]:
        """The function over numbers, and its derivative; None where that is zero everywhere."""
        func = untype(self.f.func)
        captured = len(func.params) - len(self.types)
        mask = tuple([k in self.active for k in range(len(self.types))]) + (False,) * captured
        if func.jvp is not None:  # a user's rule takes a tangent for every parameter
            mask = tuple([p.type.real for p in func.params])
        d = jvp(func, mask, here())
        self.mask = mask
        return func, None if d.flat else d.func

    def values(self, args: Sequence[Any]) -> list[Value]:
        """The arguments as traced values, with those that the function captures."""
        b = ir.current_builder()
        given = [to_value(x, t, (n,)) for x, t, n in zip(args, self.types, self.f.names, strict=True)]
        _ = self.f.func
        return [*given, *[b.reach(v) for v in self.f.captured]]

    def forward(self, xs: Sequence[Value], dxs: dict[int, Value]) -> tuple[Value, Value]:
        """The value, and the derivative along the tangents `dxs` of the active parameters (as numbers)."""
        b = ir.current_builder()
        func, d = self.func()
        if d is None:
            return b.call(func, xs), b.zero(untyped(tangent(self.result)))
        args: list[Value] = []
        for k, (x, m) in enumerate(zip(xs, self.mask, strict=True)):
            args.append(x)
            if m:
                args.append(dxs[k] if k in dxs else b.zero(untyped(tangent(x.type))))
        y = b.call(untype(d), args)
        return b.get(y, 0), b.get(y, 1)

    def halves(self) -> Halves | None:
        _, d = self.func()
        return None if d is None else transpose(d)

    def start(self, xs: Sequence[Value]) -> tuple[Value, Value]:
        """The forward half at `xs`: the value, and the tape."""
        b = ir.current_builder()
        halves = self.halves()
        if halves is None:
            return b.call(self.func()[0], xs), b.tuple([])
        both = b.call(halves.fwd, [x for x in xs if not x.type.empty])
        return b.get(b.get(both, 0), 0), b.get(both, 1)

    def tape(self) -> Type:
        """The type of the tape."""
        halves = self.halves()
        assert halves is None or isinstance(halves.fwd.result, Tuple)
        return tuple_of() if halves is None else halves.fwd.result.items[1]  # pyright: ignore

    def back(self, xs: Sequence[Value], tape: Value, ct: Value) -> list[Value]:
        """The backward half: the gradient in each active parameter."""
        b = ir.current_builder()
        halves = self.halves()
        if halves is None:
            return [filled(b, None, xs[k]) for k in self.active]
        _, d = self.func()
        assert d is not None
        totals = {k: Cotangent(linear_part(tangent(xs[k].type))) for k, m in enumerate(self.mask) if m}
        leaves = [leaf for total in totals.values() for leaf in total.leaves()]
        refs = [leaf.open(b) for leaf in leaves if leaf.type is not Real]
        whole = linear_part(d.result)
        assert isinstance(whole, Tuple)
        back = b.tuple([b.zero(whole.items[0]), as_cotangent(b, ct)], whole)
        primals = self.pairs(xs)
        out = b.call(halves.bwd, [*refs, *[primals[k] for k in halves.saved], back, tape])
        for k, leaf in enumerate([leaf for leaf in leaves if leaf.type is Real]):
            leaf.add(b, b.get(out, k))
        return [filled(b, totals[k].close(b), xs[k]) for k in self.active]

    def check_tangents(self, dxs: Sequence[Any]) -> None:
        if len(dxs) != len(self.active):
            want = ", ".join([f"d{self.f.names[k]}" for k in self.active])
            count = f"{len(self.active)} tangent{'s' * (len(self.active) != 1)}"
            message = f"the derivative of {self.f.name} takes {count} ({want}), got {len(dxs)}"
            raise TypeMismatch(message, here(), "one for each parameter that has a derivative")

    def along(self, xs: Sequence[Value], y: Value, tape: Value, dxs: Sequence[Any]) -> Value:
        """The linear half: the derivative along tangents of the active parameters."""
        b = ir.current_builder()
        self.check_tangents(dxs)
        _, d = self.func()
        if d is None:
            return filled(b, None, y)
        given = {
            k: as_cotangent(b, to_value(x, self.types[k], ("a tangent",)))
            for k, x in zip(self.active, dxs, strict=True)
        }
        _, lin, saved = linearize(d)
        moving = [k for k, m in enumerate(self.mask) if m]
        tangents = [given[k] if k in given else b.zero(linear_part(tangent(xs[k].type))) for k in moving]
        primals = self.pairs(xs)
        out = b.call(lin, [*tangents, *[primals[k] for k in saved], tape])
        return filled(b, b.get(out, 1), y)

    def pairs(self, xs: Sequence[Value]) -> list[Value]:
        """What stands at each position of the parameters of the derivative, which has primals and tangents."""
        return [x for x, m in zip(xs, self.mask, strict=True) for x in ((x, x) if m else (x,))]


def as_cotangent(b: Builder, ct: Value) -> Value:
    """`ct` with nothing in the place of what has no derivative."""
    want = linear_part(tangent(ct.type))
    if want is ct.type:
        return ct
    if isinstance(ct.type, Tuple) and isinstance(want, Tuple):
        return b.tuple([as_cotangent(b, b.get(ct, k)) for k in range(len(want.items))], want)
    if isinstance(ct.type, types.Vec) and not want.empty:
        return b.vec(ct.type.size, lambda i: as_cotangent(b, b.index(ct, i)))
    return b.zero(want)


def filled(b: Builder, ct: Value | None, x: Value) -> Value:
    """The gradient in `x`, with the members of `x` that have no derivative in their places."""
    t = x.type
    if not t.real:
        return x
    want = linear_part(tangent(t))
    if ct is None:
        ct = b.zero(want)
    if want is t:
        return ct
    whole = ct
    if isinstance(t, Tuple):
        return b.tuple([filled(b, b.get(whole, k), b.get(x, k)) for k in range(len(t.items))], t)
    assert isinstance(t, types.Vec)
    return b.vec(t.size, lambda i: filled(b, b.index(whole, i), b.index(x, i)))
