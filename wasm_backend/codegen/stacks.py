"""Stacks: an item is pushed into a new node of the heap, and the top of a stack is read where it lies."""

from __future__ import annotations

from rose.ir import Value
from rose.ir.sizes import plus
from rose.ir.types import Stack

from ..abi.layout import leaf_offsets, leaves, offsets
from ..binary.encoder import I32
from .expressions import Expressions
from .heap import HEADER, node, node_size
from .locations import Mem, leaves_at


def push(expr: Expressions, v: Value) -> None:
    """Write a new node: the item, and the stack below."""
    below, x = v.args
    frame, c = expr.frame, expr.c
    assert isinstance(v.type, Stack)
    item, rest = offsets(node(v.type))
    c.size(node_size(v.type))
    frame.program.heap.why(c, v.loc)
    c("call", frame.program.heap.alloc())
    k = frame.set(v, v.type)
    frame.location[v] = (k,)
    c.get(k)
    c.i32_const(0)
    c("i32.store", 0)
    expr.store(below, 0, v.type, Mem(k, HEADER).at(rest))
    for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
        expr.store(x, leaf, t, Mem(k, HEADER).at(plus(item, at)))


def pop(expr: Expressions, v: Value) -> None:
    """Find the top of a stack, which stays where it is."""
    (s,) = v.args
    frame, c = expr.frame, expr.c
    assert isinstance(s.type, Stack)
    expr.push(s)
    c("call", frame.program.heap.force(s.type))
    k = frame.local(v, I32)
    c.set(k)
    frame.location[v] = leaves_at(v.type, Mem(k, HEADER))


def join(expr: Expressions, v: Value) -> None:
    """Add two stacks."""
    frame, c = expr.frame, expr.c
    assert isinstance(v.type, Stack)
    for a in v.args:
        expr.push(a)
    c.size(node_size(v.type))
    c("call", frame.program.heap.join())
    frame.release(frame.lives.start[v])
    frame.location[v] = (frame.set(v, v.type),)
