"""Jam analysis: the inner loops of which unroll-and-jam makes several iterations of the loop around at once.

An inner loop is a single loop, or a nest of loops that does nothing but add, as the window of a convolution. A nest is
looked at after the loops in it: what is done together there stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import inf, prod

from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    FOR,
    FREEZE,
    GET,
    INDEX,
    ZERO,
    Block,
    Func,
    Loop,
    Value,
    loop_of,
    loops_around,
    span_of,
)
from ..ir.accumulators import aliases, base, begins_at_zero
from ..ir.affine import affine_of
from ..ir.callgraph import instructions, operations, weight
from ..ir.ops import iadd, idiv, ifrom, imod, imul
from ..ir.sizes import Size, differ
from ..ir.types import Fin, Real, Ref
from ..ir.users import users_of
from . import costs

_READS = {INDEX, GET, AT, ZERO}
_SUMS = {ADD_TO, ACCUM, FREEZE}
INDICES = {iadd, imul, ifrom, idiv, imod}


class Jam:
    """An inner loop that is taken out of the iterations of an outer one."""

    def __init__(self, outer: Value, inner: Value) -> None:
        self.outer, self.inner = outer, inner
        self.again: dict[Value, None] = {}  # what each lane recomputes, of the outer iteration
        self.kept: dict[Value, None] = {}  # numbers of the outer iteration that are stored in vectors
        self.around: Value | None = None  # the loop around both, if blocks are made
        self.first: dict[Value, None] = {}  # what each lane recomputes, of the iteration around
        self.sums: dict[Value, Value] = {}  # an accumulator of the outer iteration -> what reads it


class Jams:
    """The inner loops that are taken out, by the loops in which they stand."""

    def __init__(self, f: Func, simd: bool) -> None:
        self.simd = simd
        self.jams: dict[Value, list[Jam]] = {}
        self.whole: set[Value] = set()  # loops whose iterations are done together as they are
        self.held: dict[Value, list[Value]] = {}  # what such a loop, around another, adds to sums over both of them
        self.uses: dict[Value, dict[Value, int]] = {}  # of accumulators, in the iterations of a loop
        self.moved: set[Value] = set()  # sums that are vectors by now
        loops = [v for v in instructions(f.body) if v.op is FOR] if FOR in operations(f) else []
        self.around = around = [v for v in loops if _is_long(v)]
        pairs = [(v, w) for v in around for w in loop_of(v).code if _is_small(w)]
        if not pairs:
            return
        self.users = users_of(f)
        for nests in (False, True):
            for v, w in pairs:
                inside = [x for x in instructions(w.attr) if x.op is FOR]
                if bool(inside) == nests and not (nests and self.is_taken([v, w, *inside])):
                    self.take(v, w)
            for v in around:
                if self.is_whole_around(v):
                    self.whole.update([v, *[w for w in loop_of(v).code if w.op is FOR]])
        for v in around:
            for jam in [jam for w in loop_of(v).code for jam in self.jams.get(w, ())]:
                if self.fits_around(v, jam):
                    jam.around = v

    def is_taken(self, loops: Iterable[Value]) -> bool:
        return any([loop in self.whole or loop in self.jams for loop in loops])

    def take(self, v: Value, w: Value) -> None:
        """Choose what is done with an inner loop of a loop, if anything."""
        jam, short = Jam(v, w), _is_short(w)
        if v in self.whole or (not short and self.is_whole(v)):
            self.whole.add(v)
        elif self.makes_nothing(w) and self.fits(jam) and (not short or self.is_block(jam)):
            self.jams.setdefault(v, []).append(jam)
            self.moved.update(jam.sums.values())

    def is_block(self, jam: Jam) -> bool:
        """True if the inner loop can be taken out of the loop around, too."""
        return any([self.fits_around(v, jam) for v in self.around if jam.outer.block is v.attr])

    def makes_nothing(self, v: Value) -> bool:
        """True if nobody reads what a loop makes, but for what it adds."""
        return all([get.type.empty for get in self.users.gets(v)])

    def is_whole(self, v: Value, *, in_blocks: bool = False) -> bool:
        """True if iterations of a loop can be done together, and that pays: each sum keeps the order of its terms.

        In blocks it pays where each iteration adds to elements of its own, too: the loop around adds to them again.
        """
        block = loop_of(v)
        inner = [w for w in block.code if w.op is FOR]
        code = [x for x in block.code if x.op is not FOR]
        if (
            v.args
            or not self.makes_nothing(v)
            or not all(map(_is_small, inner))
            or weight(block) > costs.JAMMED_INSTRUCTIONS
        ):
            return False
        # a call, of the exponential, say, waits for the sums; in a loop of its own those of several iterations overlap
        if not all([x.op in _READS or x.op in _SUMS or is_quick(x) for x in code]) or not _is_bounded(v, block):
            return False
        touched, pays = self.touched(v), False
        for x in instructions(block):
            ref = base(x.args[0]) if x.op is ADD_TO or x.op is FREEZE else None
            if ref is None or ref.block is block:
                pays = pays or (ref is not None and x.block is not block)
                continue
            by = _told_by(x, block)
            if x.op is FREEZE or touched[ref] != 1 or (x.block is not block and not _is_kept(x, block, by)):
                return False
            pays = pays or (x.block is not block and (in_blocks or not all(by)))
        return pays and not aliases(touched)

    def is_whole_around(self, v: Value) -> bool:
        """True if blocks can be made of iterations of `v` and of a loop in it: each sum keeps its order."""
        block = loop_of(v)
        code = [x for x in block.code if x.op is not FOR]
        inner = [x for x in block.code if x.op is FOR]
        if v in self.whole or v.args or len(inner) != 1 or not self.makes_nothing(v):
            return False
        if not _is_long(inner[0]) or inner[0] in self.jams or not self.is_whole(inner[0], in_blocks=True):
            return False
        if not all([x.op in _READS or is_quick(x) for x in code]) or not _is_bounded(v, block):
            return False
        innermost = [x for x in loop_of(inner[0]).code if x.op is FOR]
        nest = [v, *[x for x in instructions(block) if x.op is FOR]]
        touched, held = self.touched(v), list[Value]()
        for x in instructions(block):
            if x.op is FREEZE or x.op is ADD_TO:
                ref = base(x.args[0])
                if ref.block.inside(block):
                    continue
                if x.op is FREEZE or touched[ref] != 1:
                    return False
                told = [
                    any([tells(i, loop_of(w).index) for i in indices_of(x.args[0])])
                    for w in nest
                    if x.block.inside(w.attr)
                ]
                # what is told of an element leaves one index open at most: its terms are in the order of that one
                if sum(told) < len(told) - 1:
                    if not self.simd or x.block is not inner[0].attr or not _is_sum(x.args[0], block):
                        return False
                    held.append(x)
        if aliases(touched) or not all([self.shares(v, inner[0], w) for w in innermost]):
            return False
        self.held[v] = held
        return True

    def shares(self, around: Value, outer: Value, inner: Value) -> bool:
        """True if numbers of an inner loop differ with the row alone, and others with the column: blocks pay.

        Blocks that add to elements elsewhere, as a product's derivative does, have more numbers than an engine has
        registers for, unless two are in one.
        """
        code = [*instructions(inner.attr)]
        adds = [x for x in code if x.op is ADD_TO]
        local = {x for x in adds if base(x.args[0]).block is outer.attr}
        rows = [x for x in code if x.type is Real and x.op not in _READS and x.op is not ADD_TO]
        sizes = [loop_of(loop).size for loop in (around, outer)]
        if span_of(outer) is not None or not all([isinstance(n, Size) or n >= costs.BLOCKED_ROWS for n in sizes]):
            return False
        if (
            inner.args
            or len(local) > 1
            or len(adds) > (2 if self.simd or outer not in self.whole else len(local))
            or len(rows) > costs.BLOCKED_OPERATIONS
        ):
            return False
        numbers = [x for x in code if x.op is INDEX and x.type is Real] + [x.args[0] for x in adds if x not in local]
        by = {(depends(x, loop_of(around).index), depends(x, loop_of(outer).index)) for x in numbers}
        if self.simd and _is_nest(inner) and not _is_short(inner):  # two products in one pay for what is not shared
            return all([{b[k] for b in by} == {True, False} for k in (0, 1)])
        return (True, False) in by and (False, True) in by

    def fits_around(self, v: Value, jam: Jam) -> bool:
        """True if the inner loop can be taken out of `v` too: its sums are what `v` makes, and need nothing else."""
        made = [r for r in loop_of(v).elements if r.op is GET and r.args[0] is jam.outer]
        if not jam.sums or jam.kept or not made or not self.shares(v, jam.outer, jam.inner):
            return False
        block = loop_of(v)
        needs = [a for x in (jam.inner, *instructions(jam.inner.attr), *jam.again) for a in x.args]
        return all([self.has_again(jam.first, block, a) for a in dict.fromkeys(needs)]) and _is_bounded(v, jam.first)

    def has_again(self, again: dict[Value, None], block: Loop, v: Value) -> bool:
        """Find what is recomputed of an iteration for `v`; false if that cannot be, or is too much."""
        if v.block is not block or v is block.index or v in again:
            return True
        if len(again) == costs.JAMMED_AGAIN or not (v.op in _READS or _is_row(v)):
            return False
        if not all([self.has_again(again, block, a) for a in v.args]):
            return False
        again[v] = None
        return True

    def fits(self, jam: Jam) -> bool:
        """True if the inner loop can be taken out, and that pays."""
        outer = loop_of(jam.outer)
        adds = [x for x in instructions(jam.inner.attr) if x.op is ADD_TO]
        local = [x for x in adds if base(x.args[0]).block is outer]
        outside = [x for x in adds if base(x.args[0]).block is not outer]
        if not adds:
            return False
        return self.makes_sums(jam, local) and self.adds_outside(jam, outside) and self.collect(jam)

    def makes_sums(self, jam: Jam, adds: list[Value]) -> bool:
        """True if these add to numbers of the outer iteration that began at 0, and are never -0.0: see `_Jammer`."""
        for ref in dict.fromkeys([base(x.args[0]) for x in adds]):
            users = [v for v in self.users.of_accumulator(ref) if not v.block.inside(jam.inner.attr)]
            if ref.type is not Ref(Real) or not begins_at_zero(ref) or len(users) != 1:
                return False
            if users[0].op is not FREEZE or users[0].block is not jam.outer.attr:
                return False
            jam.sums[ref] = users[0]
        return True

    def adds_outside(self, jam: Jam, adds: list[Value]) -> bool:
        """True if each of these is the only one to its accumulator in an outer iteration, and keeps its order."""
        touched = self.touched(jam.outer) if adds else {}
        pays = bool(jam.sums)
        for x in adds:
            ref = base(x.args[0])
            if ref.block.inside(jam.outer.attr) or touched[ref] != 1:
                return False
            by = _told_by(x, loop_of(jam.outer))
            if not _is_kept(x, jam.outer.attr, by):
                return False
            pays = pays or not all(by)
        return pays and not aliases(touched)

    def touched(self, outer: Value) -> dict[Value, int]:
        """The accumulators that an outer iteration uses, and how often."""
        if outer not in self.uses:
            refs = [
                base(a) for v in instructions(outer.attr) if v.op is not AT for a in v.args if isinstance(a.type, Ref)
            ]
            self.uses[outer] = Counter(refs)
        return self.uses[outer]

    def collect(self, jam: Jam) -> bool:
        """Find what the inner loop needs of the outer iteration; False if that cannot be had elsewhere."""
        inner = loop_of(jam.inner)
        needs = [a for v in (jam.inner, *instructions(inner)) for a in v.args] + [*inner.following]
        if not all([self.has(jam, a) for a in dict.fromkeys(needs)]):
            return False
        return _is_bounded(jam.outer, inner) and _is_bounded(jam.outer, jam.again)

    def has(self, jam: Jam, v: Value, depth: int = 0) -> bool:
        """Find what is needed for `v`, which is recomputed, or stored."""
        outer = loop_of(jam.outer)
        if v.block is not outer or v is outer.index or v in jam.sums or v in jam.again or v in jam.kept:
            return True
        arithmetic = _is_row(v) and (bool(jam.sums) or v.type is not Real)
        before = list(jam.again)
        short = max(depth, len(before)) < costs.JAMMED_AGAIN
        if v in self.moved or (
            short and (v.op in _READS or arithmetic) and all([self.has(jam, a, depth + 1) for a in v.args])
        ):
            jam.again[v] = None
            return True
        jam.again = dict.fromkeys(before)
        if v.type is Real and not jam.sums:
            jam.kept[v] = None
            return True
        return False


def _is_small(w: Value) -> bool:
    """True for a loop of few operations, that goes on for some time; or for a nest of loops that only adds."""
    if w.op is not FOR or not all([a.type is Real for a in w.args]):
        return False
    block = loop_of(w)
    if not all([r.type.empty or r.type is Real for r in block.elements]):
        return False
    iterations, innermost = _iterations(w), w
    while True:
        inner = [v for v in loop_of(innermost).code if v.op is FOR]
        if not inner:
            break
        if (
            len(inner) > 1
            or w.args
            or any([v.op is ADD_TO for v in loop_of(innermost).code])
            or not _only_adds(inner[0])
        ):
            return False
        (innermost,) = inner
        iterations *= _iterations(innermost)
    code = [v for v in instructions(block) if v.op not in _READS and v.op is not ADD_TO and v.op is not FOR]
    return iterations > costs.UNROLLED_ITERATIONS and len(code) <= costs.JAMMED_OPERATIONS and all(map(is_quick, code))


def _is_short(w: Value) -> bool:
    """True for a nest that is unrolled if it is left alone: it is done together for a block only."""
    nest = [w, *[x for x in instructions(w.attr) if x.op is FOR]]
    return _is_nest(w) and prod(map(_iterations, nest)) * len(loop_of(nest[-1]).code) <= costs.UNROLLED_INSTRUCTIONS


def _is_nest(w: Value) -> bool:
    return any([x.op is FOR for x in loop_of(w).code])


def _iterations(loop: Value) -> float:
    """The number of iterations; of a size that is not known, many."""
    t = loop_of(loop).indices
    return inf if isinstance(t.size, Size) else t.size


def _only_adds(loop: Value) -> bool:
    """True for a loop that has no state, and makes nothing but what it adds."""
    return not loop.args and all([r.type.empty for r in loop_of(loop).results])


def is_quick(v: Value) -> bool:
    return _is_row(v) and not v.op.library


def _is_row(v: Value) -> bool:
    """True for a scalar operation. Of one with indices the type depends on theirs, which here are others."""
    return v.op.eval is not None and v.type.scalar and (v.op in INDICES or not isinstance(v.type, Fin))


def _is_bounded(outer: Value, code: Block | Iterable[Value]) -> bool:
    """True unless the iterations are as many as a size, and indices are computed from others, with unknown bounds."""
    code = instructions(code) if isinstance(code, Block) else code
    return not isinstance(loop_of(outer).size, Size) or not any([v.op in INDICES for v in code])


def _is_long(v: Value) -> bool:
    n = loop_of(v).size
    return span_of(v) is None and (isinstance(n, Size) or n > 1)


def depends(v: Value, index: Value) -> bool:
    """True if `v` is computed from the index of a loop, in that loop or in one in it."""
    seen, todo = {v}, [v]
    while todo and index not in seen:
        new = {a for a in todo.pop().args if a.block.inside(index.block)} - seen
        seen |= new
        todo += new
    return index in seen


def _is_sum(ref: Value, block: Block) -> bool:
    """True for a number that a block adds to, which is from outside and never -0.0: `x + t` is `x + (0.0 + t)`."""
    return ref.type is Ref(Real) and not ref.block.inside(block) and begins_at_zero(ref)


def indices_of(ref: Value) -> list[Value]:
    """The indices of the location of `ref` in an accumulator."""
    found: list[Value] = []
    while ref.op is AT:
        found += ref.args[1:]
        ref = ref.args[0]
    return found


def tells(i: Value, index: Value, block: Block | None = None) -> bool:
    """True if `i` is another one in each iteration of the loop of `index`, whatever iteration of `block` that is in."""
    terms = affine_of(i).terms
    known = [x is index or (block is not None and not x.block.inside(block)) for x, k in terms.items() if differ(k, 0)]
    return isinstance(k := terms.get(index, 0), int) and k != 0 and all(known)


def _told_by(add: Value, outer: Loop) -> tuple[bool, bool]:
    """Whether each iteration of a loop adds to another element; and each iteration of the loops in it, alike in all."""
    at = indices_of(add.args[0])
    by = [any([tells(i, loop.index, outer) for i in at]) for loop in (outer, *loops_around(add.block, outer))]
    return by[0], all(by[1:])


def _is_kept(add: Value, outer: Block, by: tuple[bool, bool]) -> bool:
    """True if an addition keeps its order; in a nest, if each of its iterations has an element of its own, too.

    Else some loop in the nest adds to one element in a row: alone, it keeps that in a register.
    """
    return by[1] if add.block.parent is not outer else any(by)


def loops_out_of(jam: Jam) -> list[Value]:
    """The loops that an inner one is taken out of."""
    return [jam.outer] if jam.around is None else [jam.around, jam.outer]
