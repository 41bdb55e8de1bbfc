"""The rewriter of functions, instruction by instruction."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    PACK,
    TUPLE,
    ZERO,
    Block,
    Builder,
    Func,
    Op,
    Value,
    is_call,
)
from ..ir.accumulators import begins_at_zero
from ..ir.callgraph import is_table
from ..ir.stacks import POP, PUSH
from ..ir.types import Fin, Real, Vec, items_of, tuple_of
from .hoisting import home
from .if_conversion import chosen
from .negations import signed
from .recomputation import element
from .scheduling import FLAT

Env = dict[Value, Value]


class Writer:
    """Writes a function again."""

    def __init__(self, made: Mapping[Func, Func], here: Mapping[Value, Func]) -> None:
        self.made, self.here = made, here

    def function(self, f: Func) -> Func:
        with ir.building(f.name) as b:
            env: Env = {}
            for p in f.params:
                b.loc = p.loc
                env[p] = b.param(p.type, p.attr)
            self.block(b, f.body, env)
            _open_early(b.root)
            return b.func(env[f.body.results[0]])

    def block(self, b: Builder, block: Block, env: Env) -> None:
        here = self.here
        for v in block.code:
            b.loc = v.loc
            if v in here:
                env[v] = self.inlined(b, here[v], [env[a] for a in v.args])
            else:
                env[v] = self.value(b, v, env)

    def inlined(self, b: Builder, g: Func, args: list[Value]) -> Value:
        """The result of `g`, whose instructions are written here. It is done itself: its own calls stay."""
        if g.arms is not None:
            return chosen(b, args[0], *[self.inlined(b, arm, args[1:]) for arm in g.arms])
        env: Env = dict(zip(g.params, args, strict=True))
        self.block(b, g.body, env)
        return env[g.body.results[0]]

    def value(self, b: Builder, v: Value, env: Env) -> Value:
        op = v.op
        if op is CONST:
            return b.const(v.attr, v.type)
        if op is ZERO:
            return b.zero(v.type)
        args = tuple([env[a] for a in v.args])
        if op is FOR:
            return self.loop(b, v, args, env)
        if is_call(v):
            return _at_root(b, is_table(v), lambda: b.call(self.made.get(v.attr, v.attr), args))
        if op is TUPLE or op is PACK:
            return _at_root(b, _is_literal(op, args), lambda: b.emit(op, args, type=v.type))
        if op is ACCUM or op is FREEZE:
            return b.emit(op, args, type=v.type)
        if op is ADD_TO:
            return _add(b, *args)
        if op is POP and args[0].op is PUSH:
            below, item = args[0].args
            return b.tuple([item, below])
        inner, b.block = b.block, home(b.block, v, args)
        made = _plain(b, v, args)
        b.block = inner
        return made

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        block: Block = v.attr
        more = self.kept(v)
        with b.nested() as body:
            for p in block.params:
                b.loc = p.loc
                env[p] = b.param(p.type, p.attr)
            self.block(b, block, env)
            body.results = tuple([env[r] for r in (*block.results, *more)])
            _open_early(body)
        n = block.params[0].type
        assert isinstance(n, Fin)
        rows = [Vec(n.size, x.type) for x in more]
        return b.emit(FOR, args, body, tuple_of(*items_of(v.type), *rows) if rows else v.type)

    def kept(self, v: Value) -> list[Value]:
        """The numbers in the turns of a loop of which it is to give vectors, too."""
        return []


def _plain(b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
    """What reads its arguments and nothing else."""
    if v.op is GET:
        return b.get(args[0], v.attr)
    if v.op is INDEX:
        return element(b, args[0], args[1])
    if v.op is AT:
        return b.at(args[0], args[1] if len(args) > 1 else v.attr)
    return signed(b, v.op, args) if v.op.eval is not None and v.type is Real else b.emit(v.op, args, v.attr, v.type)


def _at_root(b: Builder, moves: bool, make: Callable[[], Value]) -> Value:
    """What is the same in all turns of all loops is made before them."""
    inner, b.block = b.block, b.root if moves else b.block
    made = make()
    b.block = inner
    return made


def _is_literal(op: Op, args: tuple[Value, ...]) -> bool:
    """True for what is made of literals. A short vector is not: a turn that makes it stores it where it is to be."""
    return (op is TUPLE or len(args) > FLAT) and all([a.op in _LITERAL and a.block.parent is None for a in args])


_LITERAL = {CONST, ZERO, TUPLE, PACK}


def _open_early(block: Block) -> None:
    """Open the accumulators of vectors before all else. To clear memory is a call: what is in a register then, such
    as the sum of a loop, an engine may keep in memory, in the loop too. Measured: twice the time of a gradient."""
    early = [v for v in block.code if v.op is ACCUM and v.args[0].op is ZERO and isinstance(v.args[0].type, Vec)]
    if early:
        first = dict.fromkeys([*[v for v in block.code if v.op is ZERO], *early])
        block.code = [*first, *[v for v in block.code if v not in first]]


def _add(b: Builder, ref: Value, x: Value) -> Value:
    """An addition. One of zeros changes nothing, if the sum began at a zero: then it never is -0.0."""
    if x.op is ZERO and begins_at_zero(ref):
        return b.unit()
    return b.emit(ADD_TO, (ref, x))
