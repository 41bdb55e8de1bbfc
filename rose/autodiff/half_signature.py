"""The calling convention of the halves of a derivative: declared, called and accumulated here, and nowhere else.

    fwd : primal parameters                           -> (primal result, tape)
    bwd : accumulators, residual parameters, ct, tape -> the cotangents that are summed by value
    lin : tangents, residual parameters, tape         -> the tangent of the result

Residual parameters are the primal parameters that `bwd` and `lin` read as well. For each linear parameter `bwd` takes
an accumulator for each vector in it, and returns the sum for each number or stack in it, in order (`by_value`). For a
parameter that is itself an accumulator, `bwd` takes the cotangent of its sum, and `lin` takes an accumulator.

There are two backward halves: one whose cotangents are plain, and one whose cotangents are all marked, both those that
it takes and those that it gives (`select_masks.py`). The forward half, and so the tape, is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from ..ir import Builder, Func, Origin, Value, building
from ..ir.accumulators import is_ref
from ..ir.types import Ref, Type, linear_part, primal_part
from .cotangents import Cotangent, by_value, plain


class Way(Enum):
    """The two ways through the linear instructions, by the suffix of the half that is made."""

    BACKWARD = "bwd"
    LINEAR = "lin"


Total = Cotangent | Value  # the sum for a linear parameter; for an accumulator, the cotangent of its sum


class Arguments(NamedTuple):
    """The parameters of a backward or a linear half, or what it is called with."""

    linear: Mapping[int, Total]  # for each linear parameter, by position: its total; in a linear half, its tangent
    primals: Mapping[int, Value]  # by position: at least the residual parameters
    ct: Sequence[Value]  # the cotangent of the result; a linear half has none
    tape: Value


class Kept(NamedTuple):
    """What the forward half keeps for the other half, which that takes beside cotangents or tangents."""

    tape: Type
    residuals: tuple[int, ...] = ()  # the positions of the residual parameters
    items: Mapping[int, Iterable[int]] = MappingProxyType({})  # of those that are tuples, what is read, if not all


class HalfSignature:
    """The calling convention of the halves of `g`, a function that has tangents. What is kept is asked for last."""

    def __init__(self, g: Func, kept: Callable[[], Kept], *, chooses: bool, unread: Iterable[int] = ()) -> None:
        self.g, self._kept = g, kept
        self.chooses = chooses  # there may be a branch in it that is not taken
        self.unread = frozenset(unread)  # linear parameters to which it contributes nothing
        self.primal = [k for k, p in enumerate(g.params) if has_primal(p)]
        self.linear = [k for k, p in enumerate(g.params) if p.type.linear]

    @cached_property
    def kept(self) -> Kept:
        return self._kept()

    @property
    def tape(self) -> Type:
        return self.kept.tape

    @property
    def residuals(self) -> tuple[int, ...]:
        return self.kept.residuals

    def name(self, way: Way, marked: bool = False) -> str:
        return f"{self.g.name}.{way.value}" + ".marked" * marked

    def origin(self, way: Way) -> Origin:
        return Origin("bwd" if way is Way.BACKWARD else "lin", self.g)

    def building(self, way: Way, marked: bool = False) -> AbstractContextManager[Builder]:
        """A builder for the backward or the linear half."""
        return building(self.name(way, marked), self.origin(way))

    # parameters

    def declare(self, b: Builder, way: Way, marked: bool = False) -> Arguments:
        """The parameters of the backward or the linear half."""
        if way is Way.BACKWARD:
            linear = {k: self.declare_total(b, k, marked) for k in self.linear}
        else:
            linear = {k: self.declare_tangent(b, k) for k in self.linear}
        primals = {k: declare_primal(b, self.g.params[k]) for k in self.residuals}
        ct = [b.param(linear_part(self.g.result), "ct")] if way is Way.BACKWARD else []
        return Arguments(linear, primals, ct, b.param(self.tape, "tape"))

    def declare_tangent(self, b: Builder, k: int) -> Value:
        p = self._at(b, k)
        return b.param(tangent_type(p), p.attr)

    def declare_total(self, b: Builder, k: int, marked: bool, *, numbers: bool = False) -> Total:
        """The total of a linear parameter, in accumulators that are parameters; with `numbers`, those too."""
        p = self._at(b, k)
        if is_ref(p):
            return b.param(linear_part(p.type), f"ct_{p.attr}")
        total = Cotangent(linear_part(p.type), lambda path: marked)
        for leaf in total.leaves():
            if numbers or not by_value(leaf.type):
                leaf.ref = b.param(Ref(leaf.type), f"ct_{p.attr}")
        return total

    def _at(self, b: Builder, k: int) -> Value:
        """The parameter of `g` at a position, whose location the builder takes."""
        p = self.g.params[k]
        b.loc = p.loc
        return p

    # calls

    def call_forward(self, b: Builder, forward: Func, primals: Mapping[int, Value]) -> Value:
        """The primal result and the tape, as a pair."""
        return b.call(forward, [primals[k] for k in self.primal])

    def call(self, b: Builder, half: Func, given: Arguments) -> Value:
        return b.call(half, self.in_order(b, given))

    def in_order(self, b: Builder, given: Arguments) -> list[Value]:
        linear = [x for k in self.linear for x in opened(b, given.linear[k])]
        return [*linear, *[given.primals[k] for k in self.residuals], *given.ct, given.tape]

    def call_backward(self, b: Builder, backward: Func, given: Arguments, marked: bool = False) -> None:
        """Call the backward half, and add what it returns to the totals."""
        out = self.call(b, backward, given)
        for n, leaf in enumerate(self._by_value(given.linear)):
            part = b.get(out, n)
            leaf.add(b, plain(b, part) if marked and not leaf.marked else part)

    # results

    def result(self, b: Builder, totals: Mapping[int, Total]) -> Value:
        """The result of the backward half."""
        return b.tuple([leaf.total(b) for leaf in self._by_value(totals)])

    def _by_value(self, totals: Mapping[int, Total]) -> Iterator[Cotangent]:
        for k in self.linear:
            total = totals[k]
            if isinstance(total, Cotangent):
                yield from [leaf for leaf in total.leaves() if by_value(leaf.type)]


def declare_forward(b: Builder, g: Func) -> dict[int, Value]:
    """The parameters of the forward half of `g`, by position."""
    return {k: declare_primal(b, p) for k, p in enumerate(g.params) if has_primal(p)}


def declare_primal(b: Builder, p: Value) -> Value:
    b.loc = p.loc
    return b.param(primal_part(p.type), p.attr)


def opened(b: Builder, total: Total, *, numbers: bool = False) -> list[Value]:
    """The accumulators of a total, which are opened if they are not; with `numbers`, those of its numbers too."""
    if isinstance(total, Value):
        return [total]
    return [leaf.open(b) for leaf in total.leaves() if numbers or not by_value(leaf.type)]


def has_primal(v: Value) -> bool:
    return not primal_part(v.type).empty


def tangent_type(v: Value) -> Type:
    """The type that stands for that of `v` in the linear half."""
    return Ref(linear_part(v.type)) if is_ref(v) else linear_part(v.type)
