"""Outlining: long functions become calls of shorter ones, as engines refuse long functions, and are slow at them.

A block of many instructions becomes a row of calls, each of a piece of it: what a piece reads is its
parameters, and what others read of it is its result. This happens right after tracing, so what is derived
from a long function is short as well; and once more at the end, to what `join_halves.py` made longer.

Lambda lifting makes a function of a block, with what it reads from outside as parameters.
"""

from __future__ import annotations

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
from ..ir.callgraph import weight, weight_of
from ..ir.types import Tuple
from . import costs
from .instruments import run
from .rewriter import Env, Rewriter


def outline(f: Func, longest: int = costs.TRACED_INSTRUCTIONS) -> Func:
    """`f`, finished, with pieces of it as functions of their own if it has more than `longest` instructions."""
    f.body.known.clear()  # which takes more memory than the instructions
    return f if weight(f.body) <= longest else run("outline", f, _in_pieces)


def outline_again(f: Func) -> Func:
    """The same at the end of the pipeline, where nothing is derived from it any more."""
    return f if weight(f.body) <= costs.DERIVED_INSTRUCTIONS else _in_pieces(f)


def _in_pieces(f: Func) -> Func:
    with ir.building(f.name, f.origin) as b:
        b.pure = f.pure
        env: Env = {}
        for p in f.params:
            b.loc = p.loc
            env[p] = b.param(p.type, p.attr)
        outliner = _Outliner(f.name)
        outliner.block(b, f.body, env)
        outliner.make_again(b, f.body.results, env)
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

    def block(self, b: Builder, block: Block, env: Env) -> None:
        if weight(block) <= costs.TRACED_INSTRUCTIONS:
            super().block(b, block, env)
            return
        pieces = _pieces(block)
        outs = _read_later(block, pieces)
        for piece in pieces:
            is_loop = [v.op is FOR for v in piece]
            if is_loop == [True] or (len(piece) < max(costs.PIECE_INSTRUCTIONS // 10, 2) and not any(is_loop)):
                self.code(b, piece, env)
            else:
                self.piece(b, piece, outs, env)

    def code(self, b: Builder, code: Iterable[Value], env: Env) -> None:
        for v in code:
            env[v] = self.instruction(b, v, env)

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        self.make_again(b, _uses(v) if v.op is FOR else v.args, env)
        b.loc = v.loc
        return super().instruction(b, v, env)

    def make_again(self, b: Builder, values: Iterable[Value], env: Env) -> None:
        """Make those of these values here that another piece has made, and that can be made here."""
        for a in values:
            if a not in env and _is_remade(a) and all([_reachable(x, env) for x in a.args]):
                env[a] = self.instruction(b, a, env)

    def piece(self, b: Builder, piece: Sequence[Value], outs: dict[Value, None], env: Env) -> None:
        """A piece as a function, and its call."""
        params = _read_from_outside(piece)
        results = [v for v in piece if v in outs]
        self.count += 1
        with ir.building(f"{self.name}.{self.count}") as inner:
            own: Env = {}
            for v in params:
                inner.loc = v.loc
                own[v] = inner.param(v.type)
            self.code(inner, piece, own)
            part = inner.func(inner.tuple([_whole(inner, own[v]) for v in results]))
        self.made.append(part)
        b.loc = piece[0].loc
        self.make_again(b, params, env)
        out = b.call(part, [_whole(b, env[v]) for v in params])
        for k, v in enumerate(results):
            env[v] = b.get(out, k)


def _whole(b: Builder, v: Value) -> Value:
    """A value as an argument or a result: a loop's by its items, which is how the back end knows that they are read."""
    if v.op is not FOR:
        return v
    assert isinstance(v.type, Tuple)
    return b.tuple([b.get(v, k) for k in range(len(v.type.items))], v.type)


def _is_remade(v: Value) -> bool:
    """True for what each piece makes for itself: literals, and parts of its parameters."""
    return (v.op in (CONST, ZERO, AT, GET) and not (v.op is GET and v.args[0].op is FOR)) or (
        v.op is INDEX and v.args[1].op is CONST
    )


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
    pieces: list[list[Value]] = [[]]
    last = 0
    for v in block.code:
        if v in apart or number[v] != last:
            pieces.append([])
            last = number[v]
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


def _reachable(a: Value, env: Env) -> bool:
    return a in env or (_is_remade(a) and all([_reachable(x, env) for x in a.args]))
