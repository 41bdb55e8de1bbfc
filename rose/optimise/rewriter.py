"""The rewriter of functions, instruction by instruction: what passes that copy a function have in common.

`Rewriter` copies. A subclass says, by overriding one or two of its methods, what becomes another:

    function(f)               a new function; `param` and `type` say what its parameters are
    block(b, block, env)      the instructions of a block, written into the block of `b` that is open
    write(b, code, env)       some instructions, likewise
    instruction(b, v, env)    the new value of one instruction, by kind: a literal, `loop`, `call`, or `plain`

`env` is from old values to new ones: when an instruction is written, it has all of its arguments, and what the method
returns is entered under it. Whoever writes an instruction has set `b.loc` to where the old one comes from.

`Simplifier` writes through `Builder.emit`, so that what is simpler by now is simplified, and equal expressions become
one; it inlines calls; and it asks the `RULES` of each instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from .. import ir
from ..ir import (
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
    Branch,
    Builder,
    Func,
    Op,
    Value,
    loop_of,
)
from ..ir.accumulators import begins_at_zero
from ..ir.callgraph import is_table
from ..ir.ops import select
from ..ir.puts import PUT
from ..ir.stacks import POP, PUSH
from ..ir.types import MANY, Real, Type, Vec
from .if_conversion import chosen, is_cheap
from .invariants import outermost
from .negations import signed
from .recomputation import element

Env = dict[Value, Value]


class Iteration(dict[Value, Value]):
    """The environment of an iteration that is written elsewhere: values from outside of it are as they were."""

    def __init__(self, outer: Env) -> None:
        super().__init__()
        self.outer = outer

    def __missing__(self, v: Value) -> Value:
        return self.outer[v]


class Rewriter:
    """A copy of a function."""

    def function(self, f: Func) -> Func:
        with ir.copying(f) as b:
            env: Env = {}
            for p in f.params:
                b.loc = p.loc
                env[p] = self.param(b, p)
            self.block(b, f.body, env)
            return b.func(self.result(b, f.body.results[0], env))

    def result(self, b: Builder, v: Value, env: Env) -> Value:
        """What the copy returns, for the result of the function."""
        return env[v]

    def type(self, t: Type) -> Type:
        """The type of what was of type `t`."""
        return t

    def param(self, b: Builder, p: Value) -> Value:
        return b.param(self.type(p.type), p.attr)

    def block(self, b: Builder, block: Block, env: Env) -> None:
        self.write(b, block.code, env)

    def write(self, b: Builder, code: Iterable[Value], env: Env) -> None:
        for v in code:
            b.loc = v.loc
            env[v] = self.instruction(b, v, env)

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        op = v.op
        if op is CONST:
            return b.const(v.attr, v.type)
        if op is ZERO:
            return b.zero(self.type(v.type))
        args = tuple([env[a] for a in v.args])
        if op is FOR:
            return self.loop(b, v, args, env)
        if op is PURE_CALL or op is CALL:
            return self.call(b, v, args)
        return self.plain(b, v, args)

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        block = loop_of(v)
        with b.nested() as body:
            for p in block.params:
                b.loc = p.loc
                env[p] = self.param(b, p)
            self.block(b, block, env)
            body.results = tuple([env[r] for r in block.results])
        return b.emit(FOR, args, body, self.type(v.type))

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.again(v, args)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        """An instruction that is neither a literal, nor a loop, nor a call."""
        return b.get(args[0], v.attr) if v.op is GET else b.again(v, args)


class Rule(NamedTuple):
    """A question that the simplifier asks of each instruction, by the name under which it is switched off."""

    name: str
    ask: Callable[..., Any]
    otherwise: Callable[..., Any]  # what is asked where it is switched off
    why: str

    def chosen(self, without: Collection[str]) -> Callable[..., Any]:
        return self.otherwise if self.name in without else self.ask


HOIST = Rule("hoist", outermost, lambda block, v, args: block, "least squares, 1000 x 10")
RECOMPUTE = Rule("recompute", element, Builder.index, "GradBench kmeans")
NEGATIONS = Rule("negations", signed, Builder.emit, "Rosenbrock, 1000")
IF_CONVERT = Rule("if-convert", is_cheap, lambda f: False, "a condition in a sum")
RULES = (HOIST, RECOMPUTE, NEGATIONS, IF_CONVERT)


class Simplifier(Rewriter):
    """A copy that is as simple as the builder and the rules can make it, with some calls inlined.

    `made` is what takes the place of the functions that are called, and `here` the calls that are inlined, each with
    the function to inline.
    """

    def __init__(self, made: Mapping[Func, Func], here: Mapping[Value, Func], without: Collection[str] = ()) -> None:
        self.made, self.here = made, here
        self.outermost, self.element, self.signed = [r.chosen(without) for r in (HOIST, RECOMPUTE, NEGATIONS)]

    def function(self, f: Func) -> Func:
        made = super().function(f)
        _open_early(made.body)
        return made

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        op = v.op
        if op is CONST:
            return b.const(v.attr, v.type)
        if op is ZERO:
            return b.zero(v.type)
        args = tuple([env[a] for a in v.args])
        if op is FOR:
            return self.loop(b, v, args, env)
        if op is PURE_CALL or op is CALL:
            return self.call(b, v, args)
        if op is TUPLE or op is PACK:
            return _at_root(b, _is_literal(op, args), lambda: b.emit(op, args, type=v.type))
        if op is ACCUM or op is FREEZE:
            return b.emit(op, args, type=v.type)
        if op is ADD_TO:
            return _add(b, *args)
        if op is POP and args[0].op is PUSH:
            below, item = args[0].args
            return b.tuple([item, below])
        inner, b.block = b.block, self.outermost(b.block, v, args)
        made = self.plain(b, v, args)
        b.block = inner
        return made

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        if v in self.here:
            return self.inlined(b, self.here[v], args)
        return _at_root(b, is_table(v), lambda: b.call(self.made.get(v.attr, v.attr), args))

    def inlined(self, b: Builder, g: Func, args: tuple[Value, ...]) -> Value:
        """The result of `g`, whose instructions are written here. It is rewritten already, so its own calls stay."""
        if isinstance(g.kind, Branch):
            return chosen(b, args[0], *[self.inlined(b, h, args[1:]) for h in (g.kind.then, g.kind.otherwise)])
        env: Env = dict(zip(g.params, args, strict=True))
        self.block(b, g.body, env)
        return env[g.body.results[0]]

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        made = super().loop(b, v, args, env)
        _open_early(made.attr)
        return made

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        """An instruction that reads its arguments and nothing else."""
        if v.op is GET:
            copied = _copied(args[0], v.attr)
            return b.get(args[0], v.attr) if copied is None else copied
        if v.op is INDEX:
            return self.element(b, args[0], args[1])
        if v.op is PUT or v.op is AT:
            return b.make(v.op, args, v.attr)
        if v.op is select and isinstance(v.type, Vec):
            return chosen(b, *args)
        return (
            self.signed(b, v.op, args)
            if v.op.eval is not None and v.type is Real
            else b.emit(v.op, args, v.attr, v.type)
        )


def _copied(loop: Value, k: int) -> Value | None:
    """The vector of which a loop makes a copy, element by element, as its result `k`."""
    if loop.op is not FOR or k < (block := loop_of(loop)).carried:
        return None
    r = block.results[k]
    if r.op is not INDEX or r.block is not block or r.args[1] is not block.index:
        return None
    x = r.args[0]
    return x if x.type == Vec(block.size, r.type) and not x.block.inside(block) else None


def _at_root(b: Builder, moves: bool, make: Callable[[], Value]) -> Value:
    """Make a value before all loops, if it `moves`: it is the same in all iterations."""
    inner, b.block = b.block, b.root if moves else b.block
    made = make()
    b.block = inner
    return made


def _is_literal(op: Op, args: tuple[Value, ...]) -> bool:
    """True for an aggregate of literals; not for a short vector, which is stored at its destination when it is made."""
    return (op is TUPLE or len(args) > MANY) and all([a.op in _LITERAL and a.block.parent is None for a in args])


_LITERAL = {CONST, ZERO, TUPLE, PACK}


def _open_early(block: Block) -> None:
    """Open the accumulators of vectors before all else. To clear memory is a call: what is in a register then, such
    as the sum of a loop, an engine may keep in memory, in the loop too. Measured: twice the time of a gradient."""
    early = [v for v in block.code if v.op is ACCUM and v.args[0].op is ZERO and isinstance(v.args[0].type, Vec)]
    if early:
        first = dict.fromkeys([*[v for v in block.code if v.op is ZERO], *early])
        block.code = [*first, *[v for v in block.code if v not in first]]


def _add(b: Builder, ref: Value, x: Value) -> Value:
    """An addition. One of zeros changes nothing if the sum began at zero, as then it is never -0.0."""
    if x.op is ZERO and begins_at_zero(ref):
        return b.unit()
    return b.emit(ADD_TO, (ref, x))
