"""Liveness of values, for the linear scan that gives them locals: how long each lives, and which never gets one.

A number that is read once, in its own block, is *deferred*: computed where it is read, on WebAssembly's
stack. An *alias* makes no code: it is a part of its arguments, or they are its parts. Every other number
gets a local, which is free again after its last use: browsers are slow at functions with many locals.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Sequence
from functools import cache

from rose.ir import (
    ACCUM,
    ADD_TO,
    AT,
    CALL,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    PURE_CALL,
    TUPLE,
    ZERO,
    Block,
    Func,
    Op,
    Value,
    loop_of,
)
from rose.ir.callgraph import operations
from rose.ir.ops import stop_gradient
from rose.ir.puts import PUT
from rose.ir.reshapes import RESHAPE
from rose.ir.types import MANY

from ..abi.layout import is_flat
from . import costs

_MAY_BE_ALIAS = {GET, INDEX, AT, TUPLE, FREEZE, RESHAPE, stop_gradient}
_TAKES = {ADD_TO, CALL, PURE_CALL, FOR, ACCUM, PACK, TUPLE, INDEX, AT, PUT}  # what reads a number from the stack
_LOADS = {INDEX, GET}


@cache
def reads(op: Op) -> tuple[int, ...]:
    """The arguments that a row reads, in the order of its `wasm` column."""
    return tuple([int(k) for k in re.findall(r"\$(\d)", op.wasm)])


def is_alias(v: Value) -> bool:
    """True for an alias: an instruction that makes no code."""
    op = v.op
    if op is GET:
        whole = v.args[0]
        return whole.op is FOR or is_flat(whole.type) or not v.type.scalar
    if op is INDEX:
        return v.args[1].op is CONST and not v.type.scalar
    if op is AT:
        return len(v.args) == 1 or v.args[1].op is CONST
    if op is TUPLE:
        return is_flat(v.type) or v.type.empty
    return op is FREEZE or op is RESHAPE or op is stop_gradient


def _is_load(v: Value) -> bool:
    """True for a number of an element that lies in memory, where a put may write before the number is read."""
    if v.op is not GET or not v.type.scalar:
        return False
    while v.op is GET:
        v = v.args[0]
    return v.op is INDEX


def operands(v: Value) -> Sequence[Value]:
    """The arguments of `v`, as often as its code reads them."""
    if "$" not in v.op.wasm:
        return v.args
    if v.type.scalar:
        return [v.args[k] for k in reads(v.op)]
    # to select an aggregate reads the condition once for each of its leaves
    return [*v.args, v.args[0]]


class Lives:
    """The liveness of the values of a function: what is deferred, what is stored early, and what dies where.

    Instructions are numbered in order; a loop has one number at its start and one at its end.
    """

    many = MANY  # an aggregate of more items is stored as they are made

    def __init__(self, f: Func) -> None:
        self.start: dict[Value, int] = {}
        self.end: dict[Block, int] = {}
        self.reader: dict[Value, Value | Block | None] = {}  # what reads a value; None if several do
        self.aliases: dict[Value, None] = {}
        self.computed: dict[Value, None] = {}  # the numbers that an expression makes
        self.items: dict[tuple[Value, int], None] = {}  # the results of loops that somebody reads
        self.deferred: dict[Value, int] = {}  # -> how deep it stands in its expression
        self.early: dict[Value, list[tuple[Value, int]]] = {}  # -> the aggregates, and which item of each
        self.stored: dict[tuple[Value, int], None] = {}  # the items that are stored early
        self.dies: dict[int, list[Value]] = {}  # number -> what is not needed after it, of what may have a local
        self.calls: list[int] = []  # the numbers of what calls a function
        self.puts: list[int] = []  # those of puts, and of accumulators beside them, which may write where it is read
        self._when: dict[Value, int] = {}  # the number of the instruction with which a deferred one is written
        self._last: dict[Value, int] = {}
        self._writes = PUT in operations(f)
        self._number(f.body, 0)
        self._visit(f.body)
        deferred, aliases, dies = self.deferred, self.aliases, self.dies
        for v, n in self._last.items():
            if v not in deferred and v not in aliases and v.op is not CONST and v.op is not ZERO:
                if n in dies:
                    dies[n].append(v)
                else:
                    dies[n] = [v]

    def _number(self, block: Block, n: int) -> int:
        reader, start, computed = self.reader, self.start, self.computed
        for v in block.code:
            start[v] = n
            op, args = v.op, v.args
            if op is CALL or op is PURE_CALL or op.library:
                self.calls.append(n)
            elif op is PUT or (self._writes and op is ACCUM and not args[0].type.scalar):
                self.puts.append(n)
            n += 1
            if op in _MAY_BE_ALIAS:
                if is_alias(v) and not (self._writes and _is_load(v)):
                    self.aliases[v] = None
                elif v.type.scalar:
                    computed[v] = None
                if op is GET and args[0].op is FOR:
                    self.items[(args[0], v.attr)] = None
            elif op.wasm and v.type.scalar:
                computed[v] = None
            elif op is FOR:
                n = self._number(v.attr, n)
            for a in args if "$" not in op.wasm else operands(v):
                reader[a] = None if a in reader else v
        for r in block.results:
            reader[r] = None if r in reader else block
        self.end[block] = n
        return n + 1

    def _visit(self, block: Block) -> None:  # noqa: C901 (the one loop that all compiling waits for)
        """Backwards: what reads a value is known before the value."""
        last, early, start, computed, aliases = self._last, self.early, self.start, self.computed, self.aliases
        for r in block.results:
            self._keep(r, self.end[block], block)
        for v in reversed(block.code):
            n = start[v]
            if v in computed:
                if v not in early and (user := self.reader.get(v)) is not None:
                    n = self._defer(v, user, block)
            elif v in aliases:
                n = max(last.get(v, 0), n)
            elif v.op is FOR:
                self._visit(v.attr)
                for x in (v, *loop_of(v).params):
                    last[x] = max(last.get(x, 0), self.end[v.attr])
            elif (v.op is PACK or v.op is TUPLE) and len(v.args) > self.many:
                for k, a in enumerate(v.args):
                    if a in computed and a.block is block:
                        early.setdefault(a, []).append((v, k))
                        self.stored[(v, k)] = None
                        last[a] = max(last.get(a, 0), start[a])
                    else:
                        self._keep(a, n, block)
                last.setdefault(v, n)
                continue
            for a in v.args:
                if a.block is block:
                    if last.get(a, -1) < n:
                        last[a] = n
                else:
                    self._keep(a, n, block)
            if v not in last:
                last[v] = n

    def written(self, v: Value) -> int:
        """The number with which a value is written: of what is deferred, that of its reader."""
        return self._when.get(v, self.start[v])

    def outlives_a_call(self, loop: Value) -> bool:
        """True if the last states of a loop are read after a function was called."""
        k = bisect(self.calls, self.end[loop.attr])
        return k < len(self.calls) and self.calls[k] < self._last[loop]

    def _defer(self, v: Value, user: Value | Block, block: Block) -> int:
        """Defer `v` to its one reader, if that is in its block and pops it; the number of when `v` is written."""
        if isinstance(user, Block):
            if user is not block or self._is_stale(v, self.end[user]):
                return self.start[v]
            self.deferred[v] = 1
            n = self._when[v] = self.end[user]
            return n
        depth = self.deferred.get(user, 0) + 1
        if user.block is not block or depth > costs.STACK_DEPTH:
            return self.start[v]
        if user not in self.computed and (user.op not in _TAKES or user in self.aliases):
            return self.start[v]
        n = self._when.get(user, self.start[user])
        if (n - self.start[v] > costs.STACK_DISTANCE and v.op.eval is not None) or self._is_stale(v, n):
            return self.start[v]
        self.deferred[v] = depth
        self._when[v] = n
        return n

    def _is_stale(self, v: Value, n: int) -> bool:
        """True if a number that is read from memory may be another one when instruction `n` is written."""
        return v.op in _LOADS and bisect(self.puts, self.start[v]) < bisect_left(self.puts, n)

    def _keep(self, v: Value, n: int, block: Block) -> None:
        """`v` is needed at number `n`, in a block; if that is a loop around which it was made, to the loop's end."""
        if v.op is CONST or v.op is ZERO:
            return
        while v.block is not block and block.parent is not v.block:
            assert block.parent is not None, v
            block = block.parent
        if v.block is not block:
            n = max(n, self.end[block])
        self._last[v] = max(self._last.get(v, 0), n)
