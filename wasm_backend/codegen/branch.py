"""The code of a branch (`cond`): one of two functions is called, or what it does is written here."""

from __future__ import annotations

from rose.ir import Branch

from ..abi.layout import leaves, wasm_type
from .calls import enter
from .expressions import Expressions
from .frame import Frame


def write_branch(frame: Frame) -> None:
    """A branch: both functions put their aggregates where its own go, and their numbers into the same locals."""
    f, c = frame.f, frame.c
    assert isinstance(f.kind, Branch)
    expr = Expressions(frame)
    parts = leaves(f.result)
    built = [to for t, to in zip(parts, frame.results, strict=True) if not t.scalar]
    numbers = [(wasm_type(t), frame.take(wasm_type(t))) for t in parts if t.scalar]
    condition, *args = f.params
    expr.push(condition)
    c("if")
    for g, after in ((f.kind.then, "else"), (f.kind.otherwise, "end")):
        enter(expr, g, args, built)
        for _, k in reversed(numbers):
            c.set(k)
        c(after)
    for type, k in numbers:
        c.get(k)
        frame.free[type].append(k)
