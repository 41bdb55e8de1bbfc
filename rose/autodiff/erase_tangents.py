"""The same function over other numbers: `untype` forgets that a `Tan` is one, `as_linear` proves that it may be."""

from __future__ import annotations

from collections.abc import Callable

from .. import ir
from ..ir import (
    AT,
    CALL,
    CONST,
    FOR,
    GET,
    INDEX,
    PACK,
    PURE_CALL,
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
)
from ..ir.callgraph import callees_first, make_branch, make_while
from ..ir.types import Fin, as_tuple, as_vec, untyped

Env = dict[Value, Value]


def untype(f: Func) -> Func:
    """`f` with `Real` for `Tan`: over numbers only, so that it can be called and differentiated like any other."""
    for g in callees_first(f, lambda g: _has_tangents(g) and "untype" not in g.memo):
        made = g.memo["untype"] = _untype_by_kind(g)
        made.remat = g.remat
    return _untyped(f)


def _has_tangents(f: Func) -> bool:
    return f.result.linear or any([p.type.linear for p in f.params])


def _untyped(f: Func) -> Func:
    """What is made of `f`, when it is made."""
    return f.memo["untype"] if _has_tangents(f) else f


def _untype_by_kind(f: Func) -> Func:
    match f.kind:
        case Body():
            return _untype(f)
        case Branch(then, otherwise):
            return make_branch(f.name, _untyped(then), _untyped(otherwise), origin=Origin("copy", f))
        case While(test, body, most):
            return make_while(f.name, _untyped(test), _untyped(body), most, origin=Origin("copy", f))
        case Opaque():
            raise AssertionError(f"{f} is opaque, and sees a tangent")


def _untype(f: Func) -> Func:
    with ir.copying(f) as b:
        env: Env = {}
        for p in f.params:
            b.loc = p.loc
            env[p] = b.param(untyped(p.type), p.attr)
        _untype_block(b, f.body, env)
        return b.func(env[f.body.results[0]])


def _untype_block(b: Builder, block: Block, env: Env) -> None:
    for v in block.code:
        b.loc = v.loc
        env[v] = untype_one(b, v, env)


def untype_one(b: Builder, v: Value, env: Env) -> Value:
    xs = tuple([env[a] for a in v.args])
    if v.op is FOR:
        block: Block = v.attr

        def body(*params: Value) -> tuple[list[Value], list[Value]]:
            env.update(zip(block.params, params, strict=True))
            _untype_block(b, block, env)
            results = [env[r] for r in block.results]
            return results[: len(xs)], results[len(xs) :]

        size = block.params[0].type
        assert isinstance(size, Fin)
        after, vecs = b.loop(size.size, body, xs)
        return b.tuple([*after, *vecs])
    special: dict[ir.Op, Callable[[], Value]] = {
        CONST: lambda: b.const(v.attr, v.type),
        ZERO: lambda: b.zero(untyped(v.type)),
        TUPLE: lambda: b.tuple(xs, as_tuple(untyped(v.type))),
        GET: lambda: b.get(xs[0], v.attr),
        INDEX: lambda: b.index(*xs),
        PACK: lambda: b.pack(xs, as_vec(untyped(v.type))),
        AT: lambda: b.at(xs[0], xs[1] if len(xs) > 1 else v.attr),
        PURE_CALL: lambda: b.call(_untyped(v.attr), xs),
        CALL: lambda: b.call(_untyped(v.attr), xs),
    }
    return special[v.op]() if v.op in special else b.emit(v.op, xs, v.attr)
