"""Calls: arguments and results as a function of the module takes them, or one of the host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rose.host.effects import Assertion
from rose.ir import Func, Value
from rose.ir.types import Ref

from ..abi.layout import dynamic_sizes, is_aggregate, leaf_offsets, leaves, wasm_type
from .expressions import Expressions
from .locations import ADDRESS, Mem, leaves_at


def call(expr: Expressions, v: Value) -> None:
    """Write a call."""
    f: Func = v.attr
    if isinstance(f.impl, Assertion):
        _assert(expr, v, f.impl)
        return
    if f.is_opaque:
        _call_host(expr, v, f)
        return
    frame = expr.frame
    push_arguments(expr, f, v.args)
    parts = leaves(v.type)
    built = {leaf: frame.build_at(v, leaf, t) for leaf, t in enumerate(parts) if not t.scalar}
    enter(expr, f, built.values())
    frame.release(frame.lives.start[v])
    numbers = {leaf: frame.local(v, wasm_type(t)) for leaf, t in enumerate(parts) if t.scalar}
    for k in reversed(numbers.values()):
        expr.c.set(k)
    frame.location[v] = tuple([built[leaf] if leaf in built else numbers[leaf] for leaf in range(len(parts))])


def push_arguments(expr: Expressions, f: Func, args: Sequence[Value]) -> None:
    """Put the arguments of a call on the stack, or where `f` finds them in memory."""
    c = expr.c
    mailbox = expr.frame.program.mailbox.get(f, [None] * len(args))
    for a, at in zip(args, mailbox, strict=True):
        if a.type.empty:
            continue
        if isinstance(a.type, Ref):
            if at is not None:
                c.base(at)
            c.address(expr.frame.address(a))
            if at is not None:
                c.write(ADDRESS, at)
            continue
        for leaf, (t, start) in enumerate(zip(leaves(a.type), leaf_offsets(a.type), strict=True)):
            if at is None:
                expr.push(a, leaf)
            else:
                expr.store(a, leaf, t, at.at(start))


def enter(expr: Expressions, f: Func, built: Iterable[Mem]) -> None:
    """Call a function of the module, with the addresses for its aggregates: its numbers are left on the stack."""
    for to in built:
        expr.c.address(to)
    expr.c("call", expr.frame.program.index[f])


def _assert(expr: Expressions, v: Value, assertion: Assertion) -> None:
    expr.push(v.args[0])
    expr.c("i32.eqz")
    expr.c("if")
    expr.c.fail(expr.frame.program.failure(assertion))
    expr.c("end")
    expr.location[v] = ()


def _call_host(expr: Expressions, v: Value, f: Func) -> None:
    frame, c = expr.frame, expr.c
    for a in v.args:
        for x in dynamic_sizes(a.type):
            frame.program.sizes.export(x)
        if a.type.scalar:
            expr.push(a)
        elif not a.type.empty:
            c.address(_in_memory(expr, a))
    if v.type.empty:
        enter(expr, f, ())
        frame.location[v] = ()
    elif is_aggregate(v.type):
        to = frame.memory.reserve(v.type)
        enter(expr, f, (to,))
        frame.location[v] = leaves_at(v.type, to)
    else:
        enter(expr, f, ())
        frame.release(frame.lives.start[v])
        frame.location[v] = (frame.set(v, v.type),)


def _in_memory(expr: Expressions, v: Value) -> Mem:
    """An aggregate as a whole, at one address."""
    if leaves(v.type) == (v.type,):
        return expr.frame.address(v)
    to = expr.frame.memory.reserve(v.type)
    for leaf, (t, start) in enumerate(zip(leaves(v.type), leaf_offsets(v.type), strict=True)):
        expr.store(v, leaf, t, to.at(start))
    return to
