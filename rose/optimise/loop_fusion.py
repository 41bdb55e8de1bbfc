"""Loop fusion: two loops over the same range become one, if the second reads of the first only its own iteration's.

So the backward half of a sum runs in the iterations of the forward half: what was a vector between them is a number.
An accumulator is added to by one of the two loops at most, or by both in the element of their index alone: so additions
to each number keep their order, and their bits.

With `simd`, a loop without a state stays apart from one that has a state: the back end can vectorise the first. A
product of large matrices stays apart, too: with other code in the loop over its rows it is not made in register blocks.

Long loops stay apart, unless the second reads what the first one made: then each number between them is stored, and
read again, whatever the length, and in one loop only those are that have no register.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir import ACCUM, ADD_TO, AT, CALL, FOR, FREEZE, GET, INDEX, PARAM, Block, Func, Value, is_call, loop_of, span_of
from ..ir.accumulators import base, may_alias
from ..ir.callgraph import instructions, weight
from ..ir.sizes import Size
from ..ir.types import Ref, Vec, count_leaves, items_of, tuple_of
from ..ir.users import Users, users_of
from . import costs


def fuse_loops(f: Func, *, simd: bool = False) -> Func:
    """`f` with fewer loops, edited in place."""
    _block(f.body, f, simd)
    if f.users is not None:
        f.users.sweep()
    return f


def _block(block: Block, f: Func, simd: bool) -> None:
    code: list[Value] = []
    for v in block.code:
        if v.op is not FOR or not _joined(code, v, f, simd):
            code.append(v)
    if len(code) < len(block.code):
        users_of(f).arrange(block, code)
    for v in code:
        if v.op is FOR:
            _block(v.attr, f, simd)


def _joined(code: list[Value], v: Value, f: Func, simd: bool) -> bool:
    """Fuse the loop `v`, which comes next, with the last one before it that fits; False if none does."""
    total, taped = _weight(v), None
    for k in range(len(code) - 1, -1, -1):
        total += _weight(code[k])
        if total > costs.FUSED_LOOP_INSTRUCTIONS:
            taped = _read_by(v) if taped is None else taped
            if not taped or total > costs.FUSED_TAPE_INSTRUCTIONS:
                break
            if code[k] not in taped:
                continue
            taped.remove(code[k])
        if code[k].op is FOR and _same_range(code[k], v) and not _apart(code[k], v, simd):
            pair = _Pair(code[k], v, code[k + 1 :])
            if pair.fits():
                before, after = pair.join(users_of(f))
                code[k:] = [*before, pair.first, *after]
                return True
    return False


def _read_by(v: Value) -> set[Value]:
    """The loops before a loop that made vectors of which it reads elements: a tape, if they stay two."""
    read = {a for w in instructions(loop_of(v)) if w.op is INDEX for a in w.args if a.op is GET}
    return {a.args[0] for a in read if a.args[0].op is FOR and a.block is v.block}


def _same_range(x: Value, y: Value) -> bool:
    return loop_of(x).indices is loop_of(y).indices and span_of(x) is span_of(y)


def _apart(x: Value, y: Value, simd: bool) -> bool:
    """True of a large product; with `simd` also if one loop has no state, and the other has: see above."""
    if _is_product(x) or _is_product(y):
        return True
    bare = [v for v in (x, y) if not v.args]
    if not simd or len(bare) != 1 or _weight(bare[0]) < costs.UNFUSED_SIMD_INSTRUCTIONS:
        return False
    return not any([is_call(v) or v.op.library for v in instructions(bare[0].attr)])


def _is_product(v: Value, depth: int = 3) -> bool:
    """True for a nest of so many loops, each of `UNFUSED_PRODUCT_ROWS` iterations at least."""
    n = loop_of(v).size
    if isinstance(n, Size) or n < costs.UNFUSED_PRODUCT_ROWS or span_of(v) is not None:
        return False
    return depth == 1 or any([w.op is FOR and _is_product(w, depth - 1) for w in loop_of(v).code])


def _weight(v: Value) -> int:
    return 1 + weight(v.attr) if v.op is FOR else 1


class _Pair:
    """Two loops of a block, and what lies between them."""

    def __init__(self, first: Value, second: Value, between: list[Value]) -> None:
        self.first, self.second, self.between = first, second, between
        self.one = loop_of(first)
        self.two = loop_of(second)
        self.after: dict[Value, None] = {}  # the instructions between the loops that need the first one

    def fits(self) -> bool:
        """True if the second loop can run in the iterations of the first one."""
        inner = [list(instructions(b)) for b in (self.one, self.two)]
        between = [w for v in self.between for w in ([v, *instructions(v.attr)] if v.op is FOR else [v])]
        adds = [_adds(code, b) for code, b in zip(inner, (self.one, self.two), strict=True)]
        both = adds[0] & adds[1]
        calls = [any([is_call(v) for v in code]) for code in inner]
        if (all(calls) and not both and not self.has_large_tape()) or any(
            [v.op is CALL and not v.attr.pure for code in (*inner, between) for v in code]
        ):
            return False
        if may_alias(adds[0] - both, adds[1]) or may_alias(adds[0], adds[1] - both):
            return False
        if both and not self.add_to_their_element(both, inner):
            return False
        self.sort(adds[0])
        late = _touched([w for v in self.after for w in ([v, *instructions(v.attr)] if v.op is FOR else [v])])
        if may_alias(late, adds[1]):
            return False
        return self.reads_its_iteration(inner[1])

    def has_large_tape(self) -> bool:
        """True if the vectors that the first loop makes and the second reads do not fit into the fastest cache."""
        read = [v.args[0] for v in instructions(self.two) if v.op is INDEX]
        taped = {a.attr: a.type for a in read if a.op is GET and a.args[0] is self.first}
        numbers = sum([count_leaves(t.elem) for t in taped.values() if isinstance(t, Vec)])
        return isinstance(self.one.size, int) and 8 * numbers * self.one.size > costs.CACHED_BYTES

    def add_to_their_element(self, both: set[Value], inner: Sequence[Sequence[Value]]) -> bool:
        """True if what both loops add to is, in each iteration, one element of an accumulator: that of the index."""
        seen: dict[Value, Value] = {}
        for block, code in zip((self.one, self.two), inner, strict=True):
            for v in code:
                for a in v.args:
                    if isinstance(a.type, Ref) and not a.block.inside(block) and base(a) in both:
                        is_own = v.op is AT and len(v.args) == 2 and v.args[1] is block.index
                        if not is_own or seen.setdefault(base(a), a) is not a:
                            return False
        return sum([ref.op is PARAM for ref in both]) <= 1

    def sort(self, added: set[Value]) -> None:
        """Find what needs the first loop: the readers of its results and of what it adds to, and their readers."""
        late = set(added)
        for v in self.between:
            code = [v, *instructions(v.attr)] if v.op is FOR else [v]
            reads = [a for w in code for a in (*w.args, *(loop_of(w).results if w.op is FOR else ()))]
            touched = _touched(code)
            if any([a is self.first or a in self.after for a in reads]) or may_alias(late, touched):
                self.after[v] = None
                late |= touched

    def reads_its_iteration(self, code: list[Value]) -> bool:
        """True if the second loop reads of the first one nothing but the elements of its own iteration."""
        if any([a in self.after for a in self.second.args]):
            return False
        results = [r for v in code if v.op is FOR for r in loop_of(v).results]
        if any([r in self.after for r in (*results, *self.two.results)]):
            return False
        states, index = self.one.carried, self.two.index
        for v in code:
            for k, a in enumerate(v.args):
                if a is self.first or (
                    a in self.after
                    and not (
                        v.op is INDEX and k == 0 and v.args[1] is index and a.op is GET and a.args[0] is self.first
                        and a.attr >= states
                    )
                ):  # fmt: skip
                    return False
        return True

    def join(self, users: Users) -> tuple[list[Value], list[Value]]:
        """Fuse the loops; give the instructions between them that come before the new loop, and those after it."""
        first, second, one, two = self.first, self.second, self.one, self.two
        if span_of(second) is not None:
            self.without_span(users)
        n, m, vecs = one.carried, two.carried, len(one.elements)
        self.write(users)
        users.end(one, *one.following, *two.following, *one.elements, *two.elements)
        users.end(two)
        for p in two.states:
            p.block = one
        one.params += two.states
        s, t = items_of(first.type), items_of(second.type)
        first.type = tuple_of(*s[:n], *t[:m], *s[n:], *t[m:])
        for v in users.gets(first):
            v.attr = v.attr if v.attr < n else v.attr + m
        for v in users.gets(second):
            v.attr = v.attr + n if v.attr < m else v.attr + n + vecs
        users.replace(second, first)
        users.give(first, *first.args, *second.args)
        users.erase(second)
        return [v for v in self.between if v not in self.after], list(self.after)

    def without_span(self, users: Users) -> None:
        """Let the second loop go over the span of the first one."""
        second, two = self.second, self.two
        users.give(second, *second.args[1:])
        users.end(two, *two.results[1:])
        second.type = tuple_of(*items_of(second.type)[1:])
        del two.params[1]
        for v in users.gets(second):
            v.attr -= 1

    def write(self, users: Users) -> None:
        """Move the instructions of the second loop to the first, but for common subexpressions."""
        one, two = self.one, self.two
        users.replace(two.index, one.index)
        for get in users.gets(self.first):
            k: int = get.attr
            if k >= one.carried:
                for v in [v for v in users.of(get) if isinstance(v, Value) and v.block.inside(two)]:
                    users.replace(v, one.results[k])
                    users.erase(v)
        users.sweep(two)
        available = {_key(v): v for v in one.code if _shared(v)}
        for v in two.code:
            if _shared(v) and (same := available.setdefault(_key(v), v)) is not v:
                users.replace(v, same)
                users.erase(v)
                continue
            v.block = one
            if v.op is FOR:
                loop_of(v).parent = one
            one.code.append(v)


def _key(v: Value) -> Any:
    return v.op, v.args, v.attr, v.type


def _shared(v: Value) -> bool:
    """True for an instruction that is the same on the same arguments. Literals stand outside of loops."""
    return v.op.effect is None and bool(v.args)


def _adds(code: list[Value], block: Block) -> set[Value]:
    """The accumulators from outside of a loop that it adds to."""
    return {ref for ref in _touched(code) if not ref.block.inside(block)}


def _touched(code: list[Value]) -> set[Value]:
    """The accumulators that instructions add to, or freeze."""
    found = [a for v in code if v.op in (ADD_TO, FREEZE, ACCUM) or is_call(v) for a in v.args]
    return {base(a) for a in found if isinstance(a.type, Ref)}
