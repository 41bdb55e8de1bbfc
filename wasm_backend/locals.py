"""Which value lives how long, and which never gets a local.

A number that is read once, in its own block, is *deferred*: computed where it is read, on WebAssembly's
stack. An *alias* makes no code: it is a part of its arguments, or they are its parts. Every other number
gets a local, which is free again after its last use: browsers are slow at functions with many locals.
"""

from __future__ import annotations

import re
from functools import cache

from rose.ir import ACCUM, ADD_TO, AT, CALL, CONST, FOR, FREEZE, GET, INDEX, PACK, PURE_CALL, TUPLE, ZERO
from rose.ir import Block, Op, Value

from .layout import is_flat, is_scalar, leaves

_TAKES = {ADD_TO, CALL, PURE_CALL, FOR, ACCUM, PACK, TUPLE, INDEX, AT}  # what reads a number from the stack

HEIGHT = 20  # of an expression on the stack: it is written by recursion
EARLY = 8  # the items of an aggregate with more than so many are stored when they are made


@cache
def reads(op: Op) -> tuple[int, ...]:
    """The arguments that a row reads, in the order of its `wasm` column."""
    return tuple([int(k) for k in re.findall(r"\$(\d)", op.wasm)])


def is_alias(v: Value) -> bool:
    """True for what makes no code."""
    op = v.op
    if op is GET:
        whole = v.args[0]
        return whole.op is FOR or is_flat(whole.type) or not is_scalar(v.type)
    if op is INDEX:
        return v.args[1].op is CONST and not is_scalar(v.type)
    if op is AT:
        return len(v.args) == 1 or v.args[1].op is CONST
    if op is TUPLE:
        return is_flat(v.type) or v.type.empty
    return op is FREEZE or op.wasm == "$0"


def is_computed(v: Value) -> bool:
    """True for a number that an expression makes: a row of the table, or a load from memory."""
    return is_scalar(v.type) and (v.op.wasm != "" or v.op is INDEX or v.op is GET) and not is_alias(v)


def operands(v: Value) -> list[Value]:
    """The arguments of `v`, as often as its code reads them."""
    if v.op.wasm and is_scalar(v.type):
        return [v.args[k] for k in reads(v.op)] if reads(v.op) else list(v.args)
    # to select an aggregate reads the condition once for each of its leaves
    return [*v.args, v.args[0]] if v.op.wasm else list(v.args)


class Lives:
    """For the body of a function: what is deferred, what is stored early, and what dies where.

    Instructions are numbered in order; a loop has one number at its start and one at its end.
    """

    def __init__(self, body: Block) -> None:
        self.start: dict[Value, int] = {}
        self.end: dict[Block, int] = {}
        self.uses: dict[Value, int] = {}
        self.deferred: dict[Value, int] = {}  # -> the height of its expression
        self.early: dict[Value, list[tuple[Value, int]]] = {}  # -> the aggregates, and which item of each
        self.dies: dict[int, list[Value]] = {}  # number -> what is not needed after it
        self._user: dict[Value, Value | Block] = {}
        self._last: dict[Value, int] = {}
        self._number(body, 0)
        self._defer(body)
        self._visit(body)
        for v, n in self._last.items():
            self.dies.setdefault(n, []).append(v)

    def _number(self, block: Block, n: int) -> int:
        for v in block.code:
            self.start[v] = n
            n += 1
            if v.op is FOR:
                n = self._number(v.attr, n)
            for a in operands(v):
                self._use(a, v)
        for r in block.results:
            self._use(r, block)
        self.end[block] = n
        return n + 1

    def _use(self, v: Value, user: Value | Block) -> None:
        self.uses[v] = self.uses.get(v, 0) + 1
        self._user[v] = user

    def _defer(self, block: Block) -> None:
        for v in block.code:
            if v.op is FOR:
                self._defer(v.attr)
            elif (v.op is PACK or v.op is TUPLE) and not is_alias(v) and len(v.args) > EARLY:
                for k, a in enumerate(v.args):
                    if is_computed(a) and a.block is block:
                        self.early.setdefault(a, []).append((v, k))
            elif is_computed(v) and self.uses.get(v) == 1 and self._can_wait(v, block):
                height = 1 + max([self.deferred.get(a, 0) for a in v.args], default=0)
                if height <= HEIGHT:
                    self.deferred[v] = height
        for v in block.code:
            if v in self.early:
                self.deferred.pop(v, None)

    def _can_wait(self, v: Value, block: Block) -> bool:
        """True if the one reader of `v` is in the same block, and takes it from the stack."""
        user = self._user[v]
        if isinstance(user, Block):
            return user is block
        return user.block is block and not is_alias(user) and (user.op in _TAKES or is_computed(user))

    def when(self, v: Value) -> int:
        """The number of the instruction with which the code of `v` is written."""
        while v in self.deferred:
            user = self._user[v]
            if isinstance(user, Block):
                return self.end[user]
            v = user
        return self.start[v]

    def _visit(self, block: Block) -> None:
        for r in block.results:
            self._keep(r, self.end[block], block)
        for v in reversed(block.code):
            if v.op is FOR:
                self._visit(v.attr)
                self._last[v] = max(self._last.get(v, 0), self.end[v.attr])
                for p in v.attr.params:
                    self._last[p] = max(self._last.get(p, 0), self.end[v.attr])
            n = max(self._last.get(v, 0), self.start[v]) if is_alias(v) else self.when(v)
            for a in v.args:
                early = a in self.early and any([c is v for c, _ in self.early[a]])
                self._keep(a, self.start[a] if early else n, block)
            self._last.setdefault(v, self.start[v])

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
