"""The code of a branch (`cond`): a function that calls one of two others."""

from __future__ import annotations

from rose.ir import Branch, Func

from ..abi.layout import leaves, wasm_type
from .calls import enter, push_arguments
from .expressions import Expressions
from .frame import Frame


def write_branch(frame: Frame) -> None:
    """A branch: both functions put their aggregates where its own go, and their numbers into the same locals."""
    f, c = frame.f, frame.c
    assert isinstance(f.kind, Branch)
    expr = Expressions(frame)
    numbers = [c.local(wasm_type(t)) for t in leaves(f.result) if t.scalar]
    expr.push(f.params[0])
    c("if")
    _call(expr, f.kind.then, numbers)
    c("else")
    _call(expr, f.kind.otherwise, numbers, last=True)
    c("end")
    for k in numbers:
        c.get(k)


def _call(expr: Expressions, g: Func, numbers: list[int], *, last: bool = False) -> None:
    frame, c = expr.frame, expr.c
    args = frame.f.params[1:]
    parts = leaves(frame.f.result)
    push_arguments(expr, g, args)
    enter(expr, g, [to for t, to in zip(parts, frame.results, strict=True) if not t.scalar])
    for a in args if last else ():
        frame.give_back(a)
    own = [frame.take(wasm_type(t)) for t in parts if t.scalar]
    for k in reversed(own):
        c.set(k)
    for k, to in zip(own, numbers, strict=True):
        c.get(k)
        c.set(to)
