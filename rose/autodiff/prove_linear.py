"""A proof that a function is linear in a parameter, for `linear_transpose`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import ir
from ..errors import NotLinear
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
    Body,
    Branch,
    Builder,
    Func,
    Opaque,
    Origin,
    Value,
    While,
    is_call,
)
from ..ir.accumulators import base
from ..ir.callgraph import Work, done, make_branch, make_while
from ..ir.ops import add, mul, neg, select, sub
from ..ir.stacks import LINEAR
from ..ir.types import Real, Ref, Tan, Type, as_tuple, as_vec, items_of, of_leaves
from .erase_tangents import Env, untype_one


def as_linear(f: Func, mask: Sequence[bool]) -> Func:
    """`f` with `Tan` for `Real` in the parameters of `mask`, and in all that depends on them.

    It is an error if `f` is not linear in them: the error points at what is not.
    """
    return done(_linear(f, mask))


def _linear(f: Func, mask: Sequence[bool]) -> Work[Func]:
    key = ("linear", tuple(mask))
    made = f.memo.get(key)
    if made is None:
        match f.kind:
            case Opaque():
                raise NotLinear(f"{f.name} is opaque, so nothing says that it is linear", None, _HINT)
            case Branch(then, otherwise):
                ways = (yield _linear(then, mask[1:])), (yield _linear(otherwise, mask[1:]))
                made = make_branch(f.name, *ways, origin=Origin("copy", f))
            case While():
                made = yield _while_as_linear(f, f.kind, mask)
            case Body():
                made = yield _as_linear(f, mask)
        made.remat = f.remat
        f.memo[key] = made
    return made


def _while_as_linear(f: Func, loop: While, mask: Sequence[bool]) -> Work[Func]:
    """A loop whose states that are Reals all depend on the parameters."""
    for p, t, yes in zip(f.params, items_of(f.result), mask, strict=False):
        if t.real and not yes:
            raise NotLinear(
                f"{p.attr or 'a state'} is carried along, and does not depend on the parameters", p.loc, _HINT
            )
    test, body = (yield _linear(loop.test, mask)), (yield _linear(loop.body, mask))
    return make_while(f.name, test, body, loop.most, origin=Origin("copy", f))


def _as_linear(f: Func, mask: Sequence[bool]) -> Work[Func]:
    with ir.copying(f) as b:
        work = _AsLinear(f, mask)
        for p, yes in zip(f.params, mask, strict=True):
            b.loc = p.loc
            work.env[p] = b.param(_linear_type(p.type) if yes else p.type, p.attr)
        yield from work.block(b, f.body)
        result = f.body.results[0]
        return b.func(work.linear(b, result) if result.type.real else work.env[result])


_HINT = "a linear function adds, and multiplies and divides by what does not depend on its parameters"


@of_leaves
def _linear_type(t: Type) -> Type:
    return Tan if t is Real else t


_JOINS = {neg, add, sub, select, *LINEAR, TUPLE, PACK, ACCUM, ADD_TO}  # linear in all of their arguments at once


class _AsLinear:
    """One function again, with `Tan` for what depends on its linear parameters."""

    def __init__(self, f: Func, mask: Sequence[bool]) -> None:
        self.f = f
        self.env: Env = {}
        self.depends = {p: None for p, yes in zip(f.params, mask, strict=True) if yes}
        before = -1
        while len(self.depends) > before:  # until nothing more is found: a state or a sum depends on what comes later
            before = len(self.depends)
            self.find(f.body)

    def find(self, block: Block) -> None:
        for v in block.code:
            if v.op is FOR:
                inner: Block = v.attr
                for p, a, r in zip(inner.params[1:], v.args, inner.results, strict=False):
                    if a in self.depends or r in self.depends:
                        self.depends[p] = None
                self.find(inner)
            elif v.op is GET and v.args[0].op is FOR:
                if self.moves(v.args[0], v.attr):
                    self.depends[v] = None
            elif v.op is ADD_TO:
                if v.args[1] in self.depends:
                    self.depends[base(v.args[0])] = None
            elif is_call(v) and any([a in self.depends for a in v.args]):
                self.depends[v] = None
                for a in v.args:
                    if isinstance(a.type, Ref):
                        self.depends[base(a)] = None
            elif (v.type.real or v.op is AT) and any([a in self.depends for a in v.args]):
                self.depends[v] = None

    def moves(self, loop: Value, k: int) -> bool:
        """True if a result of a loop depends on the parameters."""
        block: Block = loop.attr
        return (block.params[1 + k] if k < len(loop.args) else block.results[k]) in self.depends

    def linear(self, b: Builder, v: Value) -> Value:
        """`v` as a tangent: it depends on the parameters, or it is zero."""
        x = self.env[v]
        if v in self.depends or not v.type.real:
            return x
        if x.op is ZERO or (x.op is CONST and x.attr == 0.0):
            return b.zero(_linear_type(v.type))
        raise NotLinear("a number that does not depend on the parameters is added to some that do", v.loc, _HINT)

    def block(self, b: Builder, block: Block) -> Work[None]:
        for v in block.code:
            b.loc = v.loc
            if v.op is FOR:
                self.env[v] = yield from self.loop(b, v)
            elif is_call(v) and v in self.depends:
                self.env[v] = yield from self.call(b, v)
            else:
                self.env[v] = self.instruction(b, v)

    def instruction(self, b: Builder, v: Value) -> Value:
        op, args = v.op, v.args
        if v not in self.depends and not (op is ADD_TO and base(args[0]) in self.depends):
            return untype_one(b, v, self.env)
        if op is mul and args[0] not in self.depends:
            args = (args[1], args[0])
        xs = [self.linear(b, a) if op in _JOINS and a.type.real else self.env[a] for a in args]
        special: dict[ir.Op, Callable[[], Value]] = {
            TUPLE: lambda: b.tuple(xs, as_tuple(_linear_type(v.type))),
            PACK: lambda: b.pack(xs, as_vec(_linear_type(v.type))),
            GET: lambda: b.get(xs[0], v.attr),
            INDEX: lambda: b.index(xs[0], xs[1]),
            AT: lambda: b.at(xs[0], xs[1] if len(xs) > 1 else v.attr),
        }
        if op in special:
            return special[op]()
        accepts = op in (ACCUM, ADD_TO, FREEZE, select) or (op.transpose is not None and op.type(*xs) is not None)
        if not accepts:
            raise NotLinear(f"{op.name} is not linear in the parameters of {self.f.name}", v.loc, _HINT)
        return b.emit(op, tuple(xs))

    def call(self, b: Builder, v: Value) -> Work[Value]:
        callee: Func = v.attr
        if callee.is_opaque:
            raise NotLinear(f"{callee.name} is opaque, so nothing says that it is linear", v.loc, _HINT)
        made = yield _linear(callee, [a in self.depends for a in v.args])
        return b.call(made, [self.env[a] for a in v.args])

    def loop(self, b: Builder, v: Value) -> Work[Value]:
        block: Block = v.attr
        n = block.params[0].type
        inits = [self.linear(b, a) if self.moves(v, j) else self.env[a] for j, a in enumerate(v.args)]
        with b.nested() as body:
            params = [b.param(t) for t in (n, *[x.type for x in inits])]
            self.env.update(zip(block.params, params, strict=True))
            yield from self.block(b, block)
            body.results = tuple([
                b.reach(self.linear(b, r) if self.moves(v, j) else self.env[r]) for j, r in enumerate(block.results)
            ])  # fmt: skip
        after, vecs = b.close(body, inits)
        return b.tuple([*after, *vecs])
