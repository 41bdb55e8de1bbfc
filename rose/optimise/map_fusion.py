"""Map fusion: what reads the elements of a vector that a loop has just made computes them, and the vector goes.

A *map* is a loop without a state: each iteration gives one element of a vector. Arithmetic on arrays is one map for
each operation, and so is a vector that a user makes of another. A map is put in place of the reads of its elements,
`v[e]`, where that computes nothing again that is worth storing:

- if it only moves elements (a slice, a transpose, what is broadcast), wherever they are read;
- else, if the loops around a read visit each element at most once, and carry no state (`fuse_loops` puts it into one
  that does, where two iterations are not computed at once). A few such reads may compute a few simple
  operations again: that takes no longer than to store and to read.

A vector that is used as a whole (an argument, a result, a state, what an accumulator is given) stays one.

Unlike the passes of `pipeline.py` it runs before anything is derived: the derivative of one loop has no vector
between loops. It rewrites a function when its trace ends, and hands on one in which each instruction stands once.

Maps are taken from the last to the first: when one is looked at, all that reads it stands where it will stand. Its body
moves to the beginning of the block that reads it, or is copied if there are several. Nothing is written until the end:
`_Fusion` decides what stands where and in whose place, and `_Writer` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..ir import (
    ACCUM,
    ADD_TO,
    CALL,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    PARAM,
    PURE_CALL,
    Block,
    Builder,
    Func,
    Loop,
    Value,
    loop_of,
    loops_around,
)
from ..ir.accumulators import base
from ..ir.affine import affine_of, parts_of
from ..ir.callgraph import instructions
from ..ir.ops import iadd, ibeyond, idiv, ieq, ifrom, ile, ilt, imod, imul, real
from ..ir.sizes import Size, minus, plus
from ..ir.types import Fin, Vec
from . import costs
from .instruments import run
from .rewriter import Env, Rewriter

_NEVER = 1_000_000  # the cost of what is not computed twice

_ON_INDICES = {INDEX, real, iadd, imul, idiv, imod, ifrom, ibeyond, ieq, ilt, ile}  # of any range
_AFFINE = {iadd, ifrom, imul}


def fuse_maps(f: Func, maps: Sequence[Value]) -> Func:
    """`f` with fewer vectors. `maps` has the results of its loops without states, in the order of their ends.

    The instructions of `f` are taken apart: it is not to be used any more.
    """
    return run("fuse-maps", f, lambda f: _fused(f, maps), edits=True)


def _fused(f: Func, maps: Sequence[Value]) -> Func:
    fusion = _Fusion(f, maps)
    fusion.run()
    return _Writer(fusion).function(f) if fusion.gone else f


class _Fusion:
    """What takes the place of what, and where it stands."""

    def __init__(self, f: Func, maps: Sequence[Value]) -> None:
        self.todo = [v for v in maps if v.op is GET]  # loop distribution makes elements of a vector of some
        self.known = dict.fromkeys(self.todo)
        self.gone: dict[Value, None] = {}  # the loops and their vectors that are not written any more
        self.instead: dict[Value, Value] = {}  # what takes the place of an element, or of the index of a loop
        self.first: dict[Block, list[list[Value]]] = {}  # what stands at the beginning of a block, last things first
        self.before: dict[Value, list[Value]] = {}  # what stands before an instruction
        self.sizes: dict[Block, int] = {}
        self.users: dict[Value, dict[Value | Block, None]] = {}  # of vectors; a block, where one is its result
        self.use(instructions(f.body))
        for r in f.body.results:
            self.users.setdefault(r, {})[f.body] = None

    def use(self, code: Iterator[Value] | Sequence[Value]) -> None:
        """Enter what these instructions read."""
        for v in code:
            for a in v.args:
                if a.type.__class__ is Vec:
                    self.users.setdefault(self.found(a), {})[v] = None
            if v.op is FOR:
                for r in loop_of(v).results:
                    self.users.setdefault(self.found(r), {})[v.attr] = None

    def found(self, v: Value) -> Value:
        """What stands in the place of `v` now."""
        end = v
        while end in self.instead:
            end = self.instead[end]
        while v is not end:
            self.instead[v], v = end, self.instead[v]
        return end

    def run(self) -> None:
        while self.todo:
            vector = self.todo.pop()
            loop = vector.args[0]
            if not _is_pure(loop.attr):
                continue
            users = self.users.get(vector, {})
            if not users:
                self.drop(loop, vector)
                continue
            reads = [u for u in users if isinstance(u, Value) and u.op is INDEX and self.found(u.args[0]) is vector]
            if len(reads) == len(users):
                places = self.places(reads, loop)
                if self.pays(loop, places):
                    self.inline(loop, vector, places)

    def drop(self, loop: Value, vector: Value) -> None:
        """Leave out a vector that nobody reads, so that what it reads counts one reader less."""
        self.gone |= {loop: None, vector: None}
        for v in instructions(loop.attr):
            for a in v.args:
                self.users.get(self.found(a), {}).pop(v, None)
            if v.op is FOR:
                for r in loop_of(v).results:
                    self.users.get(self.found(r), {}).pop(v.attr, None)
        for r in loop_of(loop).results:
            self.users.get(self.found(r), {}).pop(loop.attr, None)

    # is it worth it?

    def places(self, reads: Sequence[Value], loop: Value) -> list[list[Value]]:
        """The reads of one element each: those in a block whose indices are the same expression."""
        out: dict[Any, list[Value]] = {}
        for v in reads:
            e = self.found(v.args[1])
            movable = e.op is CONST if v.block is loop.block else self.indices(e) is not None
            out.setdefault((v.block, self.key(e)) if movable else v, []).append(v)
        return list(out.values())

    def key(self, e: Value) -> Any:
        """Equal for index expressions that are the same."""
        form = affine_of(self.found(e), self.operands)
        return e.type, form.constant, frozenset(form.terms.items())

    def operands(self, e: Value) -> list[tuple[Value | None, int | Size]] | None:
        """The operands of a sum of indices, or what stands in their places now."""
        found = parts_of(e)
        return None if found is None else [(None if x is None else self.found(x), k) for x, k in found]

    def indices(self, e: Value) -> set[Value] | None:
        """The indices of loops on which an index depends, with a factor; None if it depends on anything else."""
        terms = affine_of(self.found(e), self.operands).terms
        return set(terms) if all([x.op is PARAM for x in terms]) else None

    def pays(self, loop: Value, places: list[list[Value]]) -> bool:
        """True if computing the elements at these places takes no longer than storing the vector."""
        block = loop_of(loop)
        size = len(block.code)
        sizes = [self.sizes.get(p[0].block, len(p[0].block.code)) for p in places]
        if any([n + size > costs.FUSED_BLOCK_INSTRUCTIONS for n in sizes]):
            return False
        cost = self.cost(block, [v for p in places for v in p])
        if cost == 0:
            return True
        visits = [self.visits(p, block, loop.block, set()) for p in places]
        dear = cost > costs.RECOMPUTED_COST
        if None in visits or (dear and any([_has_state(p[0].block, loop.block) for p in places])):
            return False
        if all([p[0].block is loop.block for p in places]):  # no more elements than there are
            return len(places) == 1 or len(places) * (size + cost) <= costs.FUSED_COPIES_INSTRUCTIONS
        return (sum([n for n in visits if n is not None]) - 1) * cost <= costs.RECOMPUTED_COST

    def cost(self, block: Block, reads: Sequence[Value]) -> int:
        """The cost of one number of a map; `reads` are those of its elements, which may be vectors."""
        total, deeper = 0, self.elements(reads)
        for v in block.code:
            if v.op is FOR:
                row = self.row(block)
                if row is None or row.args[0] is not v or deeper is None:
                    return _NEVER
                total += self.cost(v.attr, deeper)
            elif v.op is PACK and deeper is not None and all([u.args[1].op is CONST for u in deeper]):
                continue  # the element that is read is one of these
            elif v.op not in _AFFINE:
                total += _NEVER if v.op is PURE_CALL or v.op is ACCUM else v.op.cost
        return total

    def elements(self, reads: Sequence[Value]) -> list[Value] | None:
        """The reads of the elements of these elements; None if one of them is used as a whole."""
        users = [u for r in reads for u in self.users.get(r, {})]
        found = [u for u in users if isinstance(u, Value) and u.op is INDEX]
        return None if len(found) < len(users) else found

    def row(self, block: Block) -> Value | None:
        """The result of a map, if it is a vector that another map in it makes."""
        r = self.found(block.results[0])
        return r if r in self.known and r not in self.gone and r.args[0].block is block else None

    def visits(self, reads: list[Value], block: Block, outside: Block, seen: set[Value]) -> int | None:
        """How often each element is computed for reads at one place, at most; None if that is more than once each.

        The indices of all loops around a read must be among those of the element, or of an element of it.
        """
        v = reads[0]
        around = [loop.index for loop in loops_around(v.block, outside)]
        mine = self.indices(v.args[1])
        if mine is None:
            return None if around else 1
        if len(mine & set(around)) > 1:
            return None
        seen = seen | mine
        if all([i in seen for i in around]):
            return 1
        row = self.row(block)
        inner = self.elements(reads)
        if row is None or not inner:
            return None
        groups: dict[Any, list[Value]] = {}
        for u in inner:
            groups.setdefault((u.block, self.key(u.args[1])), []).append(u)
        counts = [self.visits(g, row.args[0].attr, outside, seen) for g in groups.values()]
        return None if None in counts else sum([n for n in counts if n is not None])

    # what stands where

    def inline(self, loop: Value, vector: Value, places: list[list[Value]]) -> None:
        """Put the body of a map in place of the reads of its elements, which are at these places."""
        self.gone |= {loop: None, vector: None}
        del self.users[vector]
        for k, reads in enumerate(places):
            self.place(loop, reads, last=k == len(places) - 1)

    def place(self, loop: Value, reads: list[Value], *, last: bool) -> None:
        v, block = reads[0], loop_of(loop)
        code: list[Value] = []
        e, target = self.found(v.args[1]), v.block
        starts = target is not loop.block and self.indices(e) is not None
        if starts and e.op in _AFFINE:
            e = self.rebuilt(e, target, code)
        i = block.index
        if e.type is not i.type and not _is_narrow(block):
            e = _widened(e, i, target, code)
        body, result = self.moved(block, e, target) if last else self.copied(block, e, target)
        code += body
        self.sizes[target] = self.sizes.get(target, len(target.code)) + len(code)
        if starts:
            self.first.setdefault(target, []).append(code)
        else:
            self.before.setdefault(loop if e.op is CONST and target is loop.block else v, []).extend(code)
        for read in reads:
            self.instead[read] = result
            self.gone[read] = None
            if (users := self.users.pop(read, None)) is not None:
                self.users.setdefault(self.found(result), {}).update(users)

    def rebuilt(self, e: Value, block: Block, code: list[Value]) -> Value:
        """An index expression again, at the beginning of a block."""
        e = self.found(e)
        if e.op not in _AFFINE:
            return e
        made = Value(e.op, e.type, tuple([self.rebuilt(a, block, code) for a in e.args]), None, e.loc, block)
        code.append(made)
        return made

    def moved(self, block: Loop, e: Value, target: Block) -> tuple[list[Value], Value]:
        """The instructions of a map, in another block, and its element there."""
        (r,) = block.results
        self.instead[block.index] = e
        r = self.found(r)
        self.users.get(r, {}).pop(block, None)
        for v in block.code:
            v.block = target
            if v.op is FOR:
                loop_of(v).parent = target
        return block.code, r

    def copied(self, block: Loop, e: Value, target: Block) -> tuple[list[Value], Value]:
        """A copy of them."""
        env: Env = {block.index: e}
        made: list[Value] = []
        self.copy(block, target, env, made)
        self.use(made)
        r = self.found(block.results[0])
        return made, _in(env, r)

    def copy(self, block: Block, target: Block, env: Env, made: list[Value]) -> None:
        for v in block.code:
            attr = v.attr
            if v.op is FOR:
                attr = Loop(target)
                for p in loop_of(v).params:
                    env[p] = Value(PARAM, p.type, (), p.attr, p.loc, attr)
                attr.params = [env[p] for p in loop_of(v).params]
                inner: list[Value] = []
                self.copy(v.attr, attr, env, inner)
                attr.code = inner
                attr.results = tuple([_in(env, self.found(r)) for r in loop_of(v).results])
                self.use(inner)
            args = tuple([_in(env, self.found(a)) for a in v.args])
            env[v] = Value(v.op, v.type, args, attr, v.loc, target)
            made.append(env[v])
            if v in self.known and v.args[0] in env:
                self.known[env[v]] = None
                self.todo.append(env[v])

    def flat(self, code: list[Value]) -> Iterator[Value]:
        """Instructions in order, each after those that stand before it, without what is gone."""
        todo = [*reversed(code)]
        waits = set[Value]()
        while todo:
            v = todo.pop()
            if v in self.before and v not in waits:
                waits.add(v)
                todo.append(v)
                todo += reversed(self.before[v])
            elif v not in self.gone:
                yield v


def _in(env: Env, v: Value) -> Value:
    return env.get(v, v)


def _is_pure(block: Block) -> bool:
    """True if a map does nothing but make its elements."""
    for v in instructions(block):
        if v.op in (ADD_TO, FREEZE):
            if not base(v.args[0]).block.inside(block):
                return False
        elif v.op is CALL:
            return False
    return True


def _has_state(block: Block, outside: Block) -> bool:
    """True if a loop around a read carries a state: apart from it, two iterations of a map can be computed at once."""
    return any([loop.carried for loop in loops_around(block, outside)])


def _is_narrow(block: Block) -> bool:
    """True if what a map does with its index can be done with one of a smaller range, with results of one type."""
    if isinstance(block.results[0].type, Fin):
        return False
    return all([v.op in _ON_INDICES or not any([isinstance(a.type, Fin) for a in v.args]) for v in instructions(block)])


def _widened(e: Value, i: Value, block: Block, code: list[Value]) -> Value:
    """The index `e`, of the type of `i`."""
    assert isinstance(e.type, Fin) and isinstance(i.type, Fin)
    zero = Value(CONST, Fin(plus(minus(i.type.size, e.type.size), 1)), (), 0, i.loc, block)
    wide = Value(iadd, i.type, (e, zero), None, i.loc, block)
    code += [zero, wide]
    return wide


class _Writer(Rewriter):
    """Writes a function through the builder, which shares what is the same by now."""

    def __init__(self, fusion: _Fusion) -> None:
        self.fusion = fusion

    def block(self, b: Builder, block: Block, env: Env) -> None:
        fusion = self.fusion
        parts = [*reversed(fusion.first.get(block, [])), block.code]
        for v in [v for part in parts for v in fusion.flat(part)]:
            b.loc = v.loc
            self.ready(b, v.args, env)
            env[v] = self.instruction(b, v, env)
        self.ready(b, block.results, env)

    def ready(self, b: Builder, values: Sequence[Value], env: Env) -> None:
        """Enter what is read: what stands in its place, or a literal, which may have stood later."""
        for v in values:
            if v not in env:
                found = self.fusion.found(v)
                env[v] = env[found] if found in env else self.instruction(b, found, env)

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.call(v.attr, args)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.make(v.op, args, v.attr, v.type)
