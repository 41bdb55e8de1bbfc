"""Erasure of tangent types: the same function with `Real` for `Tan`, to be called and differentiated like any other."""

from __future__ import annotations

from ..ir import AT, GET, INDEX, PACK, TUPLE, Body, Branch, Builder, Func, Opaque, Origin, Value, While
from ..ir.callgraph import callees_first, make_branch, make_while
from ..ir.types import Type, untyped
from ..optimise.rewriter import Rewriter


def untype(f: Func) -> Func:
    """The copy of `f` over numbers only; `f` itself, if it has no tangents."""
    for g in callees_first(f, lambda g: _has_tangents(g) and "untype" not in g.memo):
        made = g.memo["untype"] = _untype_by_kind(g)
        made.remat = g.remat
    return _untyped(f)


def _has_tangents(f: Func) -> bool:
    return f.result.linear or any([p.type.linear for p in f.params])


def _untyped(f: Func) -> Func:
    """The copy of `f`, which its callers find in the memo; `f` itself, if it has no tangents."""
    return f.memo["untype"] if _has_tangents(f) else f


def _untype_by_kind(f: Func) -> Func:
    match f.kind:
        case Body():
            return _Erasure().function(f)
        case Branch(then, otherwise):
            return make_branch(f.name, _untyped(then), _untyped(otherwise), origin=Origin("copy", f))
        case While(test, body, most):
            return make_while(f.name, _untyped(test), _untyped(body), most, origin=Origin("copy", f))
        case Opaque():
            raise AssertionError(f"{f} is opaque, and sees a tangent")


class _Erasure(Rewriter):
    def type(self, t: Type) -> Type:
        return untyped(t)

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.call(_untyped(v.attr), args)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return emitted(b, v, args, untyped(v.type))


def emitted(b: Builder, v: Value, args: tuple[Value, ...], t: Type) -> Value:
    """`v` with other arguments, simplified and shared by the builder; `t` is the type of a tuple or a vector."""
    if v.op is GET:
        return b.get(args[0], v.attr)
    if v.op is INDEX:
        return b.index(*args)
    if v.op is AT:
        return b.at(args[0], args[1] if len(args) > 1 else v.attr)
    return b.emit(v.op, args, type=t) if v.op is TUPLE or v.op is PACK else b.emit(v.op, args, v.attr)
