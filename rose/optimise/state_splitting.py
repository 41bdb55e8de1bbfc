"""Splitting of what loops carry and branches take: numbers in the place of tuples and of short vectors.

A while loop, or a branch, is a function, and a vector that goes through a call is in memory. So each of its parts is
written again over numbers, and what calls it takes aggregates apart and puts them together. These instructions go when
the parts are simplified: an element of a vector of known elements is the element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import ir
from ..ir import Branch, Func, While
from ..ir.callgraph import declared, make_branch, make_while
from ..ir.types import Type, tuple_of
from . import costs
from .dead_code import remove_dead_code
from .parts import closed, opened, parts
from .rewriter import Simplifier


def split(f: Func) -> Func:
    """A branch or a while loop as a function that calls one over numbers; itself, if it is one."""
    chooses = isinstance(f.kind, Branch)
    types = [p.type for p in f.params[chooses:]]
    flat = [part for t in types for part in parts(t)]
    whole = [t for t in types if not t.empty]
    if len(flat) > costs.SPLIT_PARTS or (flat == whole and parts(f.result) == list(tuple_of(f.result).items)):
        return f
    again: Callable[[Func], Func] = lambda g: _over_parts(g, types, flat)
    match f.kind:
        case Branch(then, otherwise):
            made = make_branch(f.name, again(then), again(otherwise), origin=f.origin)
        case While(test, body, most):
            made = make_while(f.name, again(test), again(body), most, origin=f.origin)
        case _:
            return f
    with ir.copying(f) as b:
        params = declared(b, f.params)
        args = [part for p in params[chooses:] for part in opened(b, p)]
        out = b.call(made, [*params[:chooses], *args])
        return b.func(closed(b, f.result, opened(b, out)))


def _over_parts(g: Func, types: Sequence[Type], flat: Sequence[Type]) -> Func:
    """The same function over the parts of what it takes; of an aggregate that it makes, the tuple of its parts."""
    with ir.copying(g) as b:
        b.loc = g.loc
        given = iter([b.param(t) for t in flat])
        args = [closed(b, t, given) for t in types]
        y = Simplifier({}, {}).inlined(b, g, tuple(args)) if g.has_body else b.call(g, args)
        return remove_dead_code(b.func(y if y.type.scalar else b.tuple([*opened(b, y)])))
