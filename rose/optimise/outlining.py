"""Outlining: long functions become calls of shorter ones, as engines refuse long functions, and are slow at them.

A block of many instructions becomes a row of calls, each of a piece of it: what a piece reads is its parameters, and
what others read of it is its result, which they are given as a whole. It is the last of all passes: what is derived
from a function does not depend on how long it is.

Lambda lifting makes a function of a block, with what it reads from outside as parameters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .. import ir
from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PARAM,
    ZERO,
    Block,
    Builder,
    Func,
    Origin,
    Value,
    loop_of,
)
from ..ir.callgraph import length, weight, weight_of
from ..ir.types import Tuple
from . import costs
from .rewriter import Env, Rewriter


def outline(f: Func) -> Func:
    """`f`, with pieces of it as functions of their own if it is long."""
    return f if length(f) <= costs.LONG_INSTRUCTIONS else _in_pieces(f)


def _in_pieces(f: Func) -> Func:
    with ir.building(f.name, f.origin) as b:
        b.pure = f.pure
        env: Env = {}
        for p in f.params:
            b.loc = p.loc
            env[p] = b.param(p.type, p.attr)
        outliner = _Outliner(f.name)
        outliner.block(b, f.body, env)
        made = b.func(env[f.body.results[0]])
    made.memo = f.memo
    for piece in outliner.made:
        piece.origin = Origin("piece", made)
    made.marks = f.marks
    return made


def lambda_lift(name: str, block: Block, origin: Origin) -> tuple[Func, list[Value]]:
    """A block with one result as a function of its own, and the values from outside that are its last parameters.

    Of a tuple these are the items: in a derivative they are summed one by one, as in a loop.
    """
    outer = ir.current_builder()
    reads = [*[a for v in block.code for a in _uses(v)], *block.results]
    with ir.building(name, origin) as b:
        env: Env = {p: _param(b, p) for p in block.params}
        outside: Env = {}
        for a in reads:
            if a not in env and not a.block.inside(block):
                env[a] = _argument(b, outer, a, outside)
        Rewriter().block(b, block, env)
        (result,) = block.results
        return b.func(env[result]), list(outside)


def _argument(b: Builder, outer: Builder, v: Value, outside: Env) -> Value:
    if v.op is CONST or v.op is ZERO:
        return b.const(v.attr, v.type) if v.op is CONST else b.zero(v.type)
    if isinstance(v.type, Tuple):
        return b.tuple([_argument(b, outer, outer.get(v, k), outside) for k in range(len(v.type.items))], v.type)
    if v not in outside:
        outside[v] = _param(b, v)
    return outside[v]


def _param(b: Builder, v: Value) -> Value:
    b.loc = v.loc
    return b.param(v.type, v.attr if v.op is PARAM else None)


class _Outliner(Rewriter):
    """A copy, with the pieces of long blocks as calls. Each piece makes again what is cheaper to make than to pass."""

    def __init__(self, name: str) -> None:
        self.name, self.count, self.made = name, 0, list[Func]()
        self.places: dict[Value, tuple[Value, int]] = {}  # results of pieces: the tuple that has them, and where

    def block(self, b: Builder, block: Block, env: Env) -> None:
        if weight(block) <= costs.LONG_BLOCK_INSTRUCTIONS:
            super().block(b, block, env)
            return
        pieces = _pieces(block)
        outs = _read_later(block, pieces)
        for piece in pieces:
            is_loop = [v.op is FOR for v in piece if v.op is not GET]
            if is_loop == [True] or (len(piece) < max(costs.PIECE_INSTRUCTIONS // 10, 2) and not any(is_loop)):
                self.code(b, piece, env)
            else:
                self.piece(b, piece, outs, env)
        self.make_again(b, block.results, env)

    def code(self, b: Builder, code: Iterable[Value], env: Env) -> None:
        for v in code:
            env[v] = self.instruction(b, v, env)

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        self.make_again(b, _uses(v) if v.op is FOR else v.args, env)
        if v.op.eval is not None:
            return b.again(v, tuple([env[a] for a in v.args]))
        b.loc = v.loc
        return super().instruction(b, v, env)

    def make_again(self, b: Builder, values: Iterable[Value], env: Env) -> None:
        """Make those of these values here that another piece has made, and that can be made here."""
        for a in values:
            if a in env:
                continue
            if a in self.places:
                env[a] = b.get(*self.places[a])
            elif _is_remade(a) and all([self._reachable(x, env) for x in a.args]):
                env[a] = self.instruction(b, a, env)

    def _reachable(self, a: Value, env: Env) -> bool:
        return a in env or a in self.places or (_is_remade(a) and all([self._reachable(x, env) for x in a.args]))

    def piece(self, b: Builder, piece: Sequence[Value], outs: dict[Value, None], env: Env) -> None:
        """A piece as a function, and its call. What it reads of another piece is passed as a whole, by reference."""
        params, results, places = _read_from_outside(piece), [v for v in piece if v in outs], self.places
        reads = Counter([places[v][0] for v in params if v in places])
        apart = [v for v in params if v not in places or reads[places[v][0]] == 1]
        self.count += 1
        with ir.building(f"{self.name}.{self.count}") as inner:
            whole = {out: inner.param(out.type) for out, n in reads.items() if n > 1}
            self.places = {v: (whole[out], k) for v in params if v in places for out, k in [places[v]] if out in whole}
            own: Env = {}
            for v in apart:
                inner.loc = v.loc
                own[v] = inner.param(v.type)
            self.code(inner, piece, own)
            part = inner.func(inner.tuple([_whole(inner, own[v]) for v in results]))
        self.made.append(part)
        self.places = places
        b.loc = piece[0].loc
        self.make_again(b, apart, env)
        made = b.call(part, [*whole, *[_whole(b, env[v]) for v in apart]])
        self.places.update({v: (made, k) for k, v in enumerate(results)})


def _whole(b: Builder, v: Value) -> Value:
    """A value as an argument or a result: a loop's by its items, which is how the back end knows that they are read."""
    if v.op is not FOR:
        return v
    assert isinstance(v.type, Tuple)
    return b.tuple([b.get(v, k) for k in range(len(v.type.items))], v.type)


def _is_remade(v: Value) -> bool:
    """True for what each piece makes for itself: literals, and parts of parameters and of vectors."""
    if v.op is GET:
        return v.args[0].op is PARAM or _is_remade(v.args[0])
    return v.op in (CONST, ZERO, AT) or (v.op is INDEX and v.args[1].op is CONST)


def _pieces(block: Block) -> list[list[Value]]:
    """The code in pieces. An accumulator that is open at a cut is opened and frozen between two pieces."""
    size, number, cut = 0, dict[Value, int](), 0
    for v in block.code:
        size += weight_of(v) if v.op is FOR or v.op is ADD_TO else 1
        if size > costs.PIECE_INSTRUCTIONS:
            size, cut = 0, cut + 1
        number[v] = cut
    frozen = {v.args[0]: v for v in block.code if v.op is FREEZE}
    apart = {v for v in block.code if v.op is ACCUM and v not in frozen}
    while True:
        pieces = _cut(block, number, apart)
        if not frozen:
            return pieces
        piece = {v: k for k, vs in enumerate(pieces) for v in vs}
        torn = [(x, v) for x, v in frozen.items() if x not in apart and x in piece and piece[x] != piece[v]]
        if not torn:
            return pieces
        for pair in torn:
            apart.update(pair)


def _cut(block: Block, number: dict[Value, int], apart: set[Value]) -> list[list[Value]]:
    """The code at these cuts. An item of a tuple goes with the tuple: what later pieces read are items."""
    pieces: list[list[Value]] = [[]]
    at: dict[Value, list[Value]] = {}
    last = 0
    for v in block.code:
        if v.op is GET and v.args[0] in at:
            at[v] = at[v.args[0]]
            at[v].append(v)
            continue
        if v in apart or number[v] != last:
            pieces.append([])
            last = number[v]
        at[v] = pieces[-1]
        pieces[-1].append(v)
        if v in apart:
            pieces.append([])
    return [p for p in pieces if p]


def _uses(v: Value) -> list[Value]:
    """The values that an instruction reads, with those that the instructions in its loop read."""
    if v.op is not FOR:
        return list(v.args)
    out = list(v.args)
    for w in loop_of(v).code:
        out.extend(_uses(w))
    return [*out, *loop_of(v).results]


def _read_later(block: Block, pieces: list[list[Value]]) -> dict[Value, None]:
    """The values that are read outside of the piece that makes them, in order."""
    piece = {v: k for k, vs in enumerate(pieces) for v in vs}
    out: dict[Value, None] = {}

    def read(a: Value, k: int) -> None:
        while _is_remade(a) and a.args:
            for x in a.args[1:]:
                read(x, k)
            a = a.args[0]
            if piece.get(a, k) == k:
                return
        if a.op is not CONST and a.op is not ZERO:
            out[a] = None

    for k, vs in enumerate(pieces):
        own = set(vs)
        for v in vs:
            for a in v.args if v.op is not FOR else _uses(v):
                if a not in own and piece.get(a, k) != k:
                    read(a, k)
    for r in block.results:
        if r in piece:
            read(r, -1)
    return out


def _read_from_outside(piece: Sequence[Value]) -> list[Value]:
    """The values that a piece needs as parameters."""
    own = set(piece)
    inner: set[Block] = set()
    out: dict[Value, None] = {}

    def read(a: Value) -> None:
        if a in own or a.block in inner:
            return
        if _is_remade(a):
            for x in a.args:
                read(x)
        else:
            out[a] = None

    def enter(v: Value) -> None:
        if v.op is FOR:
            inner.add(v.attr)
            for w in loop_of(v).code:
                enter(w)
            for r in loop_of(v).results:
                read(r)
        for a in v.args:
            read(a)

    for v in piece:
        if v.op is FOR:
            enter(v)
            continue
        for a in v.args:
            if a not in own:
                read(a)
    return list(out)
