"""The derivative of a function at a point, as a linear map in the function that is being traced.

`jvp`, `transpose` and `linearize` make functions of the IR that take and give what suits the passes: primals beside
tangents, tapes, accumulators. A `LinearMap` calls them with values of the types that a user sees. A gradient has the
type of what it is the gradient in; a member that has no derivative (a Bool, an index) comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import ir
from ..autodiff.cotangents import Cotangent
from ..autodiff.erase_tangents import untype
from ..autodiff.half_signature import Arguments, Total, opened
from ..autodiff.jvp import Mask, full_mask, interleaved, jvp
from ..autodiff.linearize import linearize
from ..autodiff.sweep import Sweep
from ..autodiff.transpose import Halves, transpose
from ..autodiff.vector_mode import vector_mode, widened
from ..errors import TypeMismatch, here
from ..frontend.eager import Now
from ..frontend.function import AnyFn
from ..frontend.values import to_value
from ..ir import Builder, Func, Origin, Value, types
from ..ir.hooks import above
from ..ir.progress import timed
from ..ir.types import Real, Tuple, Type, as_tuple, has_complex, linear_part, tangent, tuple_of, untyped
from ..optimise.dead_arguments import without_dead_parts


class LinearMap:
    """The derivative of a function in some of its parameters; without `active`, in all that can have one.

    With `directions` it is in vector mode: each number of a tangent is a vector of so many. With `constants`, parts of
    what is called in `f` are constants there: of these no derivative is made, which might be infinite.
    """

    def __init__(
        self, f: AnyFn, active: Sequence[int] | None = None, directions: int | None = None, *, constants: bool = False
    ) -> None:
        self.f, self.directions, self.constants = f, directions, constants
        self.types = [untyped(t) for t in f.types]
        self.active = tuple([k for k, t in enumerate(self.types) if t.real] if active is None else active)
        self.result = untyped(f.result)

    def func(self) -> tuple[Func, Func | None]:
        """The function over numbers, and its derivative; None where that is zero everywhere."""
        func = self.primal_func
        d = jvp(func, self.mask, here())
        if d.flat:
            return func, None
        made = without_dead_parts(d.func) if self.constants else d.func
        return func, made if self.directions is None else vector_mode(made, self.directions)

    @property
    def primal_func(self) -> Func:
        """The function that is derived, over numbers."""
        return without_dead_parts(untype(self.f.func))

    @property
    def mask(self) -> Mask:
        """The parameters that have a tangent in the derivative."""
        func = self.primal_func
        if func.has_rule:  # a user's rule takes a tangent for every parameter
            return full_mask(func)
        return tuple([k in self.active for k in range(len(func.params))])

    @property
    def moving(self) -> list[int]:
        return [k for k, m in enumerate(self.mask) if m]

    def arguments(self, args: Sequence[Any]) -> list[Value]:
        """The arguments as traced values, with those that the function captures."""
        given = [to_value(x, t, (n,)) for x, t, n in zip(args, self.types, self.f.names, strict=True)]
        return [*given, *self.captured()]

    def captured(self) -> list[Value]:
        b = ir.current_builder()
        _ = self.f.func  # tracing it finds them
        return [b.reach(v) for v in self.f.captured]

    def jvp(self, xs: Sequence[Value], dxs: Mapping[int, Value], *, numbers: bool = True) -> tuple[Value, Value]:
        """The value, and the derivative along the tangents `dxs` of some parameters: numbers, or else of type `Tan`."""
        b = ir.current_builder()
        func, d = self.func()
        zero: Callable[[Type], Value] = lambda t: b.zero(self._tangent(t) if numbers else tangent(t))
        if d is None:
            return b.call(func, xs), zero(self.result)
        tangents = [dxs[k] if k in dxs else zero(xs[k].type) for k in self.moving]
        y = b.call(untype(d) if numbers else d, interleaved(xs, tangents, self.mask))
        return b.get(y, 0), b.get(y, 1)

    # reverse mode, and forward mode from a tape

    def halves(self) -> Halves | None:
        _, d = self.func()
        return None if d is None else transpose(d)

    def primal(self, xs: Sequence[Value]) -> tuple[Value, Value]:
        """The value at `xs`, and the tape, by the forward half."""
        b = ir.current_builder()
        halves = self.halves()
        if halves is None:
            return b.call(self.func()[0], xs), b.tuple([])
        both = halves.signature.call_forward(b, halves.fwd, self._by_position(xs))
        return b.get(b.get(both, 0), 0), b.get(both, 1)

    def tape_type(self) -> Type:
        halves = self.halves()
        return tuple_of() if halves is None else halves.signature.tape

    def pullback(self, xs: Sequence[Value], tape: Value, ct: Value) -> list[Value]:
        """The gradient in each active parameter, by the backward half."""
        b = ir.current_builder()
        halves = self.halves()
        if halves is None:
            return [filled(b, None, xs[k]) for k in self.active]
        signature, totals = halves.signature, self._totals(xs)
        given = Arguments(self._linear(totals), self._by_position(xs), [self._cotangent(b, ct)], tape)
        signature.call_backward(b, halves.bwd, given)
        return [filled(b, totals[k].close(b), xs[k]) for k in self.active]

    def at(self, xs: Sequence[Value]) -> tuple[Value, Callable[[Value], list[Value]]]:
        """The value at `xs`, and the map from its cotangent to the gradients, for a short function in one sweep."""
        b = ir.current_builder()
        sweep = self._sweep(b, short=True)
        if sweep is None:
            y, tape = self.primal(xs)
            return y, lambda ct: self.pullback(xs, tape, ct)
        around, xs = b.block, [b.reach(x) for x in xs]
        with timed("sweep"):
            y = b.get(sweep.forward(b, self._by_position(xs)), 0)

        def pull(ct: Value) -> list[Value]:
            now = ir.current_builder()
            if now is not b or not now.block.inside(around):
                return self.pullback(xs, self.primal(xs)[1], ct)
            return self._swept(now, sweep, xs, self._opened(now, xs), ct)

        return y, pull

    def _sweep(self, b: Builder, *, short: bool = False) -> Sweep | None:
        """The sweep of the derivative into what a builder records; one that evaluates at once calls the halves."""
        _, d = self.func()
        return None if d is None or isinstance(b, Now) else Sweep.of_func(d, short=short)

    def _swept(
        self, b: Builder, sweep: Sweep, xs: Sequence[Value], totals: Mapping[int, Cotangent], ct: Value
    ) -> list[Value]:
        with timed("sweep"):
            sweep.backward(b, self._linear(totals), self._cotangent(b, ct))
            return [filled(b, totals[k].close(b), xs[k]) for k in self.active]

    def reverse(self, xs: Sequence[Value], ct: Value, *, in_halves: bool = False) -> tuple[Value, list[Value]]:
        """The value at `xs`, and the gradient in each active parameter, in one sweep where that can be."""
        b = ir.current_builder()
        sweep = None if in_halves else self._sweep(b)
        if sweep is None:
            y, tape = self.primal(xs)
            return y, self.pullback(xs, tape, ct)
        b.origin = Origin("sweep", sweep.of.signature.g)
        totals = self._opened(b, xs)  # first: what adds to them may then move up to what it reads
        with timed("sweep"):
            y = b.get(sweep.forward(b, self._by_position(xs)), 0)
        return y, self._swept(b, sweep, xs, totals, ct)

    def _totals(self, xs: Sequence[Value]) -> dict[int, Cotangent]:
        """The sums of the cotangents of the parameters that have a tangent, by position."""
        return {k: Cotangent(linear_part(tangent(xs[k].type))) for k in self.moving}

    def _opened(self, b: Builder, xs: Sequence[Value]) -> dict[int, Cotangent]:
        """The same sums, with accumulators for all vectors in them."""
        totals = self._totals(xs)
        for total in totals.values():
            opened(b, total)
        return totals

    def _linear(self, totals: Mapping[int, Cotangent]) -> dict[int, Total]:
        """The same by the positions of the tangents in the derivative."""
        _, d = self.func()
        assert d is not None
        return dict(zip([k for k, p in enumerate(d.params) if p.type.linear], totals.values(), strict=True))

    def _cotangent(self, b: Builder, ct: Value) -> Value:
        """The cotangent of the result of the derivative: a pair, of which the primal has none."""
        _, d = self.func()
        assert d is not None
        t = as_tuple(linear_part(d.result))
        return b.tuple([b.zero(t.items[0]), as_cotangent(b, ct)], t)

    def check_tangents(self, dxs: Sequence[Any]) -> None:
        if len(dxs) != len(self.active):
            want = ", ".join([f"d{self.f.names[k]}" for k in self.active])
            count = f"{len(self.active)} tangent{'s' * (len(self.active) != 1)}"
            message = f"the derivative of {self.f.name} takes {count} ({want}), got {len(dxs)}"
            raise TypeMismatch(message, here(), "one for each parameter that has a derivative")

    def pushforward(self, xs: Sequence[Value], y: Value, tape: Value, dxs: Sequence[Any]) -> Value:
        """The derivative along tangents of the active parameters, as a user gives them, by the linear half."""
        b = ir.current_builder()
        self.check_tangents(dxs)
        given = [to_value(x, self.types[k], ("a tangent",)) for k, x in zip(self.active, dxs, strict=True)]
        out = self.linear(xs, tape, {k: as_cotangent(b, x) for k, x in zip(self.active, given, strict=True)})
        return filled(b, out, y)

    def linear(self, xs: Sequence[Value], tape: Value, dxs: Mapping[int, Value]) -> Value:
        """The derivative along the tangents `dxs` of some parameters, by the linear half."""
        b = ir.current_builder()
        _, d = self.func()
        if d is None:
            return b.zero(self._tangent(self.result))
        _, lin, signature = linearize(d)
        tangents = [dxs[k] if k in dxs else b.zero(self._tangent(xs[k].type)) for k in self.moving]
        linear = dict(zip(signature.linear, tangents, strict=True))
        return b.get(signature.call(b, lin, Arguments(linear, self._by_position(xs), [], tape)), 1)

    def _tangent(self, t: Type) -> Type:
        """The type of a tangent of a `t`, as numbers."""
        t = linear_part(tangent(t))
        return t if self.directions is None else widened(t, self.directions, Real)

    def _by_position(self, xs: Sequence[Value]) -> dict[int, Value]:
        """The primals by their positions in the derivative, which has tangents between them."""
        return dict(enumerate(interleaved(xs, [xs[k] for k in self.moving], self.mask)))


def conjugated(v: Value) -> Value:
    """A cotangent, or a gradient, as users have it, of what passes have, and the other way: see `complex_jacobians`."""
    return above().complex.conjugated(v) if has_complex(v.type) else v


def as_cotangent(b: Builder, ct: Value) -> Value:
    """`ct`, with units in the place of members without a derivative."""
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
