"""Scalar replacement of small accumulators: each element has a sum of its own, and one in a single block is a value.

An accumulator of a few numbers, whose elements are told apart by literals, becomes one for each number, which the back
end keeps in a local. If nothing is added to it in a loop, it is the sum itself, as a value. The additions are the same,
in the same order.
"""

from __future__ import annotations

from collections.abc import Collection

from ..ir import ACCUM, ADD_TO, AT, CONST, FREEZE, PACK, TUPLE, ZERO, Block, Builder, Func, Value, is_literal
from ..ir.accumulators import base, begins_at_zero
from ..ir.callgraph import instructions, operations
from ..ir.ops import add
from ..ir.types import Fin, Real, Ref, Tuple, Type, Vec
from . import costs
from .dead_code import remove_dead_code
from .parts import closed, opened, parts
from .rewriter import Env, Simplifier


def replace_accumulators(f: Func, without: Collection[str] = ()) -> Func:
    """`f` with its small accumulators taken apart."""
    if operations(f).isdisjoint(_SUMS):
        return f
    found = _Found(f.body)
    return remove_dead_code(_Replacer(found, without).function(f)) if found.kept or found.added else f


_SUMS = {ACCUM, ADD_TO}


class _Found:
    """The accumulators that can be taken apart: for each, whether all additions to it are in its own block."""

    def __init__(self, body: Block) -> None:
        self.kept: dict[Value, bool] = {}
        self.added = False  # a small vector is added to a part of a larger accumulator
        for v in instructions(body):
            if v.op is ACCUM and _is_few(v.args[0].type):
                self.kept[v] = True
            elif self.kept or v.op is ADD_TO:
                self._use(v)

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


_FEW = costs.REPLACED_NUMBERS


def _is_few(t: Type) -> bool:
    """True for a value that is a few numbers, and nothing else."""
    found = parts(t, _FEW)
    return len(found) <= _FEW and all([x is Real for x in found])


class _Cell:
    """The sum of one number: a value, or an open accumulator."""

    __slots__ = ("from_zero", "is_open", "sum")

    def __init__(self, sum: Value, from_zero: bool, is_open: bool) -> None:
        self.sum, self.from_zero, self.is_open = sum, from_zero, is_open


class _Replacer(Simplifier):
    """A copy of a function with cells in the place of small accumulators."""

    def __init__(self, found: _Found, without: Collection[str]) -> None:
        super().__init__({}, {}, without)
        self.found = found
        self.cells: dict[Value, list[_Cell]] = {}  # of its parts, in order

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        op = v.op
        if op is ACCUM and v in self.found.kept:
            self.cells[v] = self._opened(b, env[v.args[0]], not self.found.kept[v])
            return b.unit()
        if op is AT and v.args[0] in self.cells:
            self.cells[v] = self.cells[v.args[0]][_cells_of(v)]
            return b.unit()
        if op is FREEZE and v.args[0] in self.cells:
            sums = (b.freeze(x.sum) if x.is_open else x.sum for x in self.cells[v.args[0]])
            return closed(b, v.type, sums, _FEW)
        if op is ADD_TO:
            self._add(b, v.args[0], env, env[v.args[1]])
            return b.unit()
        return super().instruction(b, v, env)

    def _opened(self, b: Builder, init: Value, is_open: bool) -> list[_Cell]:
        found = opened(b, init, _FEW)
        return [_Cell(b.accum(x) if is_open else x, is_literal(x, 0.0), is_open) for x in found]

    def _add(self, b: Builder, ref: Value, env: Env, x: Value) -> None:
        if ref not in self.cells:
            self._add_to_ref(b, env[ref], x)
            return
        for cell, part in zip(self.cells[ref], opened(b, x, _FEW), strict=True):
            term = _bare(part) if cell.from_zero else part
            if cell.is_open:
                b.emit(ADD_TO, (cell.sum, term))
            elif not (cell.from_zero and is_literal(term, 0.0)):
                cell.sum = self.signed(b, add, (cell.sum, term))

    def _add_to_ref(self, b: Builder, ref: Value, x: Value) -> None:
        t = x.type
        if t.empty or (x.op is ZERO and begins_at_zero(ref)):
            return
        if (x.op is PACK or x.op is TUPLE) and _is_few(t):
            for k in range(len(x.args)):
                i = b.const(k, Fin(t.size)) if isinstance(t, Vec) else k
                item = b.get(x, i) if isinstance(i, int) else b.index(x, i)
                if not item.type.empty:
                    self._add_to_ref(b, b.at(ref, i), item)
            return
        x = _bare(x) if t is Real and begins_at_zero(ref) else x
        if not (is_literal(x, 0.0) and begins_at_zero(ref)):
            b.emit(ADD_TO, (ref, x))


def _cells_of(at: Value) -> slice:
    """The cells of a part, among those of the accumulator that it is a part of."""
    whole, part = at.args[0].type, at.type
    assert isinstance(whole, Ref) and isinstance(part, Ref)
    count = len(parts(part.inner, _FEW))
    if isinstance(whole.inner, Tuple):
        start = sum([len(parts(t, _FEW)) for t in whole.inner.items[: at.attr]])
    else:
        start = at.args[1].attr * count
    return slice(start, start + count)


def _bare(x: Value) -> Value:
    """`x` for `0.0 + x`, which is the same where it is added to a sum that began at zero: that is never -0.0."""
    return x.args[1] if x.op is add and is_literal(x.args[0], 0.0) else x
