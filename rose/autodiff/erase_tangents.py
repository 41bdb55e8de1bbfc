"""Erasure of tangent types: the same function with `Real` for `Tan`, to be called and differentiated like any other."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Body, Branch, Builder, Func, Linear, Opaque, Value, While
from ..ir.callgraph import has_tangents, make_branch, make_while, memoised
from ..ir.types import Type, untyped
from ..optimise.rewriter import Rewriter


def untype(f: Func) -> Func:
    """The copy of `f` over numbers only; `f` itself, if it has no tangents."""
    return memoised(f, untype, _untype, has_tangents) if has_tangents(f) else f


def _untype(f: Func) -> Func:
    return f.kind.by if isinstance(f.kind, Linear) else retyped(f, lambda g: _Erasure().function(g), untype)


def retyped(f: Func, of_body: Callable[[Func], Func], of_part: Callable[[Func], Func]) -> Func:
    """The copy of `f` over other types: of its instructions by `of_body`, of a branch or a while loop by its parts."""
    match f.kind:
        case Body():
            made = of_body(f)
        case Branch(then, otherwise):
            made = make_branch(f.name, of_part(then), of_part(otherwise))
        case While(test, body, most):
            made = make_while(f.name, of_part(test), of_part(body), most)
        case Opaque() | Linear():
            raise AssertionError(f"{f} has no parts over tangents")
    made.origin = f.origin
    made.mark(remat=f.remat)
    return made


class _Erasure(Rewriter):
    def type(self, t: Type) -> Type:
        return untyped(t)

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.call(untype(v.attr), args)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.make(v.op, args, v.attr, untyped(v.type))
