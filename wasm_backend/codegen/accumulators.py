"""Accumulators: a local for each number of one, memory for each vector; and what is added to them."""

from __future__ import annotations

from rose.ir import ZERO, Value
from rose.ir.ops import neg
from rose.ir.sizes import Size, times
from rose.ir.types import Stack, Type, Vec

from ..abi.layout import leaves, size, wasm_type
from .expressions import Expressions
from .heap import node_size
from .locations import Location, Mem, leaves_at
from .register_promotion import Promotion


def accum(expr: Expressions, promotion: Promotion, v: Value) -> None:
    """Open an accumulator, which begins at a value."""
    frame, c = expr.frame, expr.c
    (init,), t = v.args, v.args[0].type
    parts = leaves(t)
    if v in frame.escaping and (len(parts) != 1 or parts[0].scalar):
        locations: tuple[Location, ...] = leaves_at(t, frame.memory.reserve(t))
    else:
        locations = tuple([
            frame.local(v, wasm_type(s)) if s.scalar else frame.build_at(v, leaf, s)
            for leaf, s in enumerate(parts)
        ])  # fmt: skip
    frame.location[v] = locations
    for leaf, (s, to) in enumerate(zip(parts, locations, strict=True)):
        if isinstance(to, int):
            expr.push(init, leaf)
            c.set(to)
            continue
        assert isinstance(to, Mem)
        if init.op is ZERO and not s.scalar:
            n = promotion.written_first(v, s)  # a loop writes so many elements before all else
            if n:
                assert isinstance(s, Vec) and not isinstance(s.size, Size)
                s, to = Vec(s.size - n, s.elem), to.at(times(n, size(s.elem)))
            c.clear(s, to)
        else:
            expr.store(init, leaf, s, to)


def add_to(expr: Expressions, v: Value) -> None:
    """Add to an accumulator."""
    c, program = expr.c, expr.frame.program
    ref, x = v.args
    for leaf, (t, to) in enumerate(zip(leaves(x.type), expr.location[ref], strict=True)):
        if isinstance(to, int):
            c.get(to)
            _add(expr, t, x, leaf)
            c.set(to)
            continue
        assert isinstance(to, Mem)
        if t.scalar:
            c.base(to)
            c.load(t, to)
            _add(expr, t, x, leaf)
            c.write(t, to)
        elif t.stacked:
            program.heap.add(c, t, to, expr.frame.address(x, leaf), to)
        else:
            c.address(to)
            expr.push(x, leaf)
            c.size(size(t))
            c("call", program.adder())


def _add(expr: Expressions, t: Type, x: Value, leaf: int) -> None:
    """Add a leaf of `x` to what is on the stack."""
    if x.op is neg and x in expr.deferred:
        expr.push(x.args[0])
        expr.c("f64.sub")
        return
    expr.push(x, leaf)
    if isinstance(t, Stack):
        expr.c.size(node_size(t))
        expr.c("call", expr.frame.program.heap.join())
    else:
        expr.c.add(t)
