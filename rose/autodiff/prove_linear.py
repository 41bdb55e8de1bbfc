"""A proof that a function is linear in a parameter, for `linear_transpose`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..errors import Loc, NotLinear, is_ours
from ..ir import (
    ADD_TO,
    AT,
    CONST,
    FOR,
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
    Linear,
    Opaque,
    Value,
    While,
    element_of,
    is_call,
    loop_of,
)
from ..ir.accumulators import base
from ..ir.callgraph import Work, calls, done, make_branch, make_while
from ..ir.ops import mul
from ..ir.types import Real, Ref, Tan, Type, items_of, of_leaves
from ..optimise.rewriter import Env, Rewriter


def as_linear(f: Func, mask: Sequence[bool]) -> Func:
    """`f` with `Tan` for `Real` in the parameters of `mask`, and in all that depends on them.

    It is an error if `f` is not linear in them: the error points at what is not.
    """
    return done(_linear(f, mask))


def assume_linear(f: Func, made: Func) -> None:
    """Let `made`, which is linear because its maker says so, be `f` with a tangent for its first parameter."""
    f.mark(linear=made)


def _linear(f: Func, mask: Sequence[bool]) -> Work[Func]:
    if f.marks.linear is not None and mask[0] and not any(mask[1:]):
        return f.marks.linear
    key = (as_linear, tuple(mask))
    made = f.memo.get(key)
    if made is None:
        match f.kind:
            case Opaque() | Linear():
                raise NotLinear(f"{f.name} is opaque, so nothing says that it is linear", None, _HINT)
            case Branch(then, otherwise):
                ways = (yield _linear(then, mask[1:])), (yield _linear(otherwise, mask[1:]))
                made = make_branch(f.name, *ways, origin=f.origin)
            case While():
                made = yield _while_as_linear(f, f.kind, mask)
            case Body():
                made = yield _body_as_linear(f, mask)
        made.mark(remat=f.remat)
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
    return make_while(f.name, test, body, loop.most, origin=f.origin)


def _body_as_linear(f: Func, mask: Sequence[bool]) -> Work[Func]:
    work = _AsLinear(f, mask)
    for v in [v for v in calls(f) if v in work.depends]:
        if v.attr.is_opaque:
            raise NotLinear(f"{v.attr.name} is opaque, so nothing says that it is linear", v.loc, _HINT)
        try:
            work.made[v] = yield _linear(v.attr, [a in work.depends for a in v.args])
        except NotLinear as e:
            ours = isinstance(e.loc, Loc) and _is_of_ours(e.loc, v.attr)
            raise (e.at(v.loc) if ours else e) from None  # what a user called, and not how we do it
    return work.function(f)


def _is_of_ours(loc: Loc, f: Func) -> bool:
    """True for a location in our files, and for that of the call for which a function of ours was traced, once."""
    of = f.loc
    return is_ours(loc.code.co_filename) or (isinstance(of, Loc) and of.code is loc.code and of.code.co_name != f.name)


_HINT = "a linear function adds, and multiplies and divides by what does not depend on its parameters"


@of_leaves
def _linear_type(t: Type) -> Type:
    return Tan if t is Real else t


def _is_zero(x: Value) -> bool:
    """True for a literal, or a vector of one, of which all numbers are 0, for a part of it, and where there is none."""
    if x.op is INDEX:
        return _is_zero(x.args[0])
    if x.op is TUPLE or x.op is PACK:
        return all(map(_is_zero, x.args))
    if (element := element_of(x)) is not None:
        return _is_zero(element)
    return x.op is ZERO or x.type.empty or (x.op is CONST and _all_zero(x.attr))


def _all_zero(x: Any) -> bool:
    return all(map(_all_zero, cast("tuple[Any, ...]", x))) if isinstance(x, tuple) else x == 0.0


class _AsLinear(Rewriter):
    """A copy with `Tan` for what depends on the linear parameters."""

    def __init__(self, f: Func, mask: Sequence[bool]) -> None:
        self.f = f
        self.made: dict[Value, Func] = {}  # the functions for calls that depend on the parameters
        self.depends = {p: None for p, yes in zip(f.params, mask, strict=True) if yes}
        before = -1
        while len(self.depends) > before:  # until nothing more is found: a state or a sum depends on what comes later
            before = len(self.depends)
            self.find(f.body)

    def find(self, block: Block) -> None:
        for v in block.code:
            if v.op is FOR:
                inner = loop_of(v)
                for p, a, r in zip(inner.states, v.args, inner.results, strict=False):
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
        block = loop_of(loop)
        return (block.state(k) if k < block.carried else block.results[k]) in self.depends

    def result(self, b: Builder, v: Value, env: Env) -> Value:
        return self.linear(b, v, env) if v.type.real else env[v]

    def param(self, b: Builder, p: Value) -> Value:
        return b.param(_linear_type(p.type) if p in self.depends else p.type, p.attr)

    def linear(self, b: Builder, v: Value, env: Env) -> Value:
        """`v` as a tangent: it depends on the parameters, or it is zero."""
        x = env[v]
        if v in self.depends or not v.type.real:
            return x
        if _is_zero(x):
            return b.zero(_linear_type(v.type))
        raise NotLinear("a number that does not depend on the parameters is added to some that do", v.loc, _HINT)

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        op, args = v.op, v.args
        if op is FOR or op is CONST or op is ZERO or is_call(v):
            return super().instruction(b, v, env)
        if v not in self.depends and not (op is ADD_TO and base(args[0]) in self.depends):
            return b.make(op, tuple([env[a] for a in args]), v.attr, v.type)
        if op is mul and args[0] not in self.depends:
            args = (args[1], args[0])
        joins = op.linear_in != (0,)  # else it is the one linear argument that depends on the parameters
        linear = zip(args, op.is_linear_in(len(args)), strict=True)
        xs = tuple([self.linear(b, a, env) if m and joins and a.type.real else env[a] for a, m in linear])
        if not op.linear_in or (op.transpose is not None and op.type(*xs) is None):
            raise NotLinear(f"{op.name} is not linear in the parameters of {self.f.name}", v.loc, _HINT)
        return b.make(op, xs, v.attr, _linear_type(v.type))

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.call(self.made[v] if v in self.made else v.attr, args)

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        block = loop_of(v)

        def joined(values: Sequence[Value]) -> list[Value]:
            return [self.linear(b, x, env) if self.moves(v, j) else env[x] for j, x in enumerate(values)]

        inits = joined(v.args)
        with b.nested() as body:
            env.update(zip(block.params, [self.param(b, p) for p in block.params], strict=True))
            self.block(b, block, env)
            body.results = tuple([b.reach(x) for x in joined(block.results)])
        after, vecs = b.close(body, inits)
        return b.tuple([*after, *vecs])
