"""Scalar replacement of small accumulators: each element has a sum of its own, and one in a single block is a value.

An accumulator of a few numbers, whose elements are told apart by literals, becomes one for each number, which the back
end keeps in a local. If nothing is added to it in a loop, it is the sum itself, as a value. The additions are the same,
in the same order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Builder,
    Func,
    Value,
    is_literal,
    loop_of,
)
from ..ir.accumulators import base, begins_at_zero
from ..ir.callgraph import instructions
from ..ir.ops import add
from ..ir.sizes import Size
from ..ir.types import Fin, Real, Ref, Tuple, Type, Vec, items_of
from . import costs
from .dead_code import remove_dead_code
from .rewriter import Env, Simplifier


def replace_accumulators(f: Func, without: Collection[str] = ()) -> Func:
    """`f` with its small accumulators taken apart."""
    found = _Found(f.body)
    return remove_dead_code(_Replacer(found, without).function(f)) if found.kept or found.added else f


def parts(t: Type) -> tuple[Type, ...] | None:
    """The types of the elements of a vector, or the items of a tuple, of a size that is known."""
    if isinstance(t, Vec):
        return None if isinstance(t.size, Size) or t.size > costs.REPLACED_NUMBERS else (t.elem,) * t.size
    return items_of(t) if isinstance(t, Tuple) else None


def numbers(t: Type) -> int:
    """The count of numbers in a value, up to one more than `REPLACED_NUMBERS`."""
    if t is Real or t.empty:
        return int(t is Real)
    inner = parts(t)
    return costs.REPLACED_NUMBERS + 1 if inner is None else min(sum(map(numbers, inner)), costs.REPLACED_NUMBERS + 1)


class _Found:
    """The accumulators that can be taken apart: for each, whether all additions to it are in its own block."""

    def __init__(self, body: Block) -> None:
        self.kept: dict[Value, bool] = {}
        self.added = False  # a small vector is added to a part of a larger accumulator
        for v in instructions(body):
            if v.op is ACCUM and numbers(v.args[0].type) <= costs.REPLACED_NUMBERS:
                self.kept[v] = True
            elif self.kept or v.op is ADD_TO:
                self._use(v)
        for v in instructions(body) if self.kept else ():
            for r in loop_of(v).results if v.op is FOR else ():
                self.kept.pop(base(r), None)

    def _use(self, v: Value) -> None:
        for k, a in enumerate(v.args):
            if not isinstance(a.type, Ref):
                continue
            ref = base(a)
            if v.op is ADD_TO and k == 0:
                self.added = self.added or (ref not in self.kept and a.type.inner is not Real and _is_few(a.type.inner))
                if ref in self.kept and v.block is not ref.block:
                    self.kept[ref] = False
            elif not (v.op is FREEZE or (v.op is AT and (len(v.args) == 1 or v.args[1].op is CONST))):
                self.kept.pop(ref, None)  # its elements are told apart at run time, or a call adds to it


def _is_few(t: Type) -> bool:
    return numbers(t) <= costs.REPLACED_NUMBERS


class _Cell:
    """The sum of one number: a value, or an open accumulator."""

    __slots__ = ("from_zero", "is_open", "sum")

    def __init__(self, sum: Value, from_zero: bool, is_open: bool) -> None:
        self.sum, self.from_zero, self.is_open = sum, from_zero, is_open


Cells = Any  # a cell; for an aggregate the list of those of its parts; None for an empty type


class _Replacer(Simplifier):
    """A copy of a function with cells in the place of small accumulators."""

    def __init__(self, found: _Found, without: Collection[str]) -> None:
        super().__init__({}, {}, without)
        self.found = found
        self.cells: dict[Value, Cells] = {}

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        op = v.op
        if op is ACCUM and v in self.found.kept:
            init = env[v.args[0]]
            self.cells[v] = self._opened(b, init, init.type, not self.found.kept[v])
            return b.unit()
        if op is AT and v.args[0] in self.cells:
            self.cells[v] = self.cells[v.args[0]][v.attr if len(v.args) == 1 else v.args[1].attr]
            return b.unit()
        if op is FREEZE and v.args[0] in self.cells:
            return self._closed(b, self.cells[v.args[0]], v.type)
        if op is ADD_TO:
            self._add(b, v.args[0], env, env[v.args[1]])
            return b.unit()
        return super().instruction(b, v, env)

    def _opened(self, b: Builder, init: Value, t: Type, is_open: bool) -> Cells:
        if t is Real:
            from_zero = is_literal(init, 0.0)
            return _Cell(b.accum(init) if is_open else init, from_zero, is_open)
        inner = parts(t)
        assert inner is not None or t.empty
        return [self._opened(b, _part(b, init, k), s, is_open) for k, s in enumerate(inner or ())]

    def _closed(self, b: Builder, cells: Cells, t: Type) -> Value:
        if isinstance(cells, _Cell):
            return b.freeze(cells.sum) if cells.is_open else cells.sum
        inner = parts(t)
        if inner is None or t.empty:
            return b.zero(t)
        made = [self._closed(b, x, s) for x, s in zip(cells, inner, strict=True)]
        return b.pack(made, t) if isinstance(t, Vec) else b.tuple(made, t)  # pyright: ignore[reportArgumentType]

    def _add(self, b: Builder, ref: Value, env: Env, x: Value) -> None:
        if ref in self.cells:
            self._add_to_cells(b, self.cells[ref], x)
        else:
            assert isinstance(ref.type, Ref)
            self._add_to_ref(b, env[ref], ref.type.inner, x)

    def _add_to_cells(self, b: Builder, cells: Cells, x: Value) -> None:
        if isinstance(cells, list):
            for k, cell in enumerate(cells):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                if not x.type.empty:
                    self._add_to_cells(b, cell, _part(b, x, k))
            return
        x = _bare(x) if cells.from_zero else x
        if cells.is_open:
            b.emit(ADD_TO, (cells.sum, x))
        elif not (cells.from_zero and is_literal(x, 0.0)):
            cells.sum = self.signed(b, add, (cells.sum, x))

    def _add_to_ref(self, b: Builder, ref: Value, t: Type, x: Value) -> None:
        inner = parts(t)
        if t.empty or (x.op is ZERO and begins_at_zero(ref)):
            return
        if t is not Real and inner is not None and (x.op is PACK or x.op is TUPLE) and _is_few(t):
            for k, s in enumerate(inner):
                if not s.empty:
                    i = b.const(k, Fin(t.size)) if isinstance(t, Vec) else k
                    self._add_to_ref(b, b.at(ref, i), s, _part(b, x, k))
            return
        x = _bare(x) if t is Real and begins_at_zero(ref) else x
        if not (is_literal(x, 0.0) and begins_at_zero(ref)):
            b.emit(ADD_TO, (ref, x))


def _part(b: Builder, x: Value, k: int) -> Value:
    """Element or item `k` of an aggregate."""
    if x.op is PACK or x.op is TUPLE:
        return x.args[k]
    return b.index(x, k) if isinstance(x.type, Vec) else b.get(x, k)


def _bare(x: Value) -> Value:
    """`x` for `0.0 + x`, which is the same where it is added to a sum that began at zero: that is never -0.0."""
    return x.args[1] if x.op is add and is_literal(x.args[0], 0.0) else x
