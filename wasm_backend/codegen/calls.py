"""Calls: arguments and results as a function of the module takes them, or one of the host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rose.host.effects import Assertion
from rose.ir import Func, Value
from rose.ir.types import Ref

from ..abi.layout import dynamic_sizes, is_aggregate, leaf_offsets, leaves, wasm_type
from .expressions import Expressions
from .frame import Frame
from .locations import ADDRESS, Location, Mem, leaves_at


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
    parts = leaves(v.type)
    built = {leaf: frame.build_at(v, leaf, t) for leaf, t in enumerate(parts) if not t.scalar}
    enter(expr, f, v.args, [*built.values()])
    frame.release(frame.lives.start[v])
    numbers = {leaf: frame.local(v, wasm_type(t)) for leaf, t in enumerate(parts) if t.scalar}
    for k in reversed(numbers.values()):
        expr.c.set(k)
    frame.location[v] = tuple([built[leaf] if leaf in built else numbers[leaf] for leaf in range(len(parts))])


def enter(expr: Expressions, f: Func, args: Sequence[Value], built: Sequence[Mem]) -> None:
    """Call a function of the module, or write it here; its aggregates are built at addresses, its numbers pushed."""
    if f in expr.frame.program.placed:
        place(expr, f, args, built)
        return
    _push_arguments(expr, f, args)
    _jump(expr, f, built)


def place(expr: Expressions, f: Func, args: Sequence[Value], built: Sequence[Mem]) -> None:
    """Write a function where it is called. What it takes stays where it is."""
    outer = expr.frame
    frame = Frame(outer.program, f, outer.memory, outer=outer)
    taken: list[tuple[int, int]] = []
    for p, a in zip(f.params, args, strict=True):
        frame.location[p] = _where(expr, a, taken)
    to = iter(built)
    parts = [t for r in f.body.results for t in leaves(r.type)] if f.has_body else leaves(f.result)
    frame.results = [Mem(None, -1) if t.scalar else next(to) for t in parts]
    outer.program.code(frame)
    frame.leave()
    for type, k in taken:
        frame.free[type].append(k)


def _where(expr: Expressions, a: Value, taken: list[tuple[int, int]]) -> tuple[Location, ...]:
    """The locations of an argument; a number that has none yet goes into a local, which is `taken`."""
    frame = expr.frame
    if isinstance(a.type, Ref):
        return () if a.type.empty else leaves_at(a.type.inner, frame.address(a))
    found: list[Location] = []
    for leaf, t in enumerate(leaves(a.type)):
        if not t.scalar:
            found.append(frame.address(a, leaf))
            continue
        where = None if a in expr.deferred else frame.all_locations(a)[leaf]
        if where is None or isinstance(where, Mem):
            expr.push(a, leaf)
            where = frame.take(wasm_type(t))
            expr.c.set(where)
            taken.append((wasm_type(t), where))
        found.append(where)
    return tuple(found)


def _push_arguments(expr: Expressions, f: Func, args: Sequence[Value]) -> None:
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


def _jump(expr: Expressions, f: Func, built: Iterable[Mem]) -> None:
    """Call what has its arguments, with the addresses for its aggregates: its numbers are left on the stack."""
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
        _jump(expr, f, ())
        frame.location[v] = ()
    elif is_aggregate(v.type):
        to = frame.memory.reserve(v.type)
        _jump(expr, f, (to,))
        frame.location[v] = leaves_at(v.type, to)
    else:
        _jump(expr, f, ())
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
