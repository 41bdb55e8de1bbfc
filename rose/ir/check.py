"""Is a function well formed? What every pass may rely on, and leaves true.

Each value is defined once, before it is used, in its block; each has the type that its operation gives,
so that a tangent is only used linearly; and an accumulator is only added to, until it is frozen, once,
in the block that opened it. What is wrong here is an error of the compiler, so it is an AssertionError.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn

from . import builder
from .builder import Op, is_call
from .callgraph import is_current
from .func import Block, Body, Branch, Func, Linear, Loop, Opaque, While
from .numbers import Numbers, shown
from .reshapes import RESHAPE, reshaped_type
from .sizes import Size, at_most, differ, plus
from .types import Bool, Fin, Real, Ref, Single, Span, Tuple, Type, Unit, Vec, lane, linear_part, once
from .value import Value

CHECKS = os.environ.get("ROSE_CHECK") in ("1", "values")  # each function that is made: see `hooks`

TAKES_REF = {
    builder.ADD_TO,
    builder.AT,
    builder.FREEZE,
    builder.CALL,
}  # the only operations that an accumulator is given to


def check(f: Func) -> Func:
    """`f`, if it and all that it calls are well formed; else an AssertionError says what is not."""
    todo, seen = [f], {f}
    while todo:
        for g in _Check(todo.pop()).callees():
            if g not in seen:
                seen.add(g)
                todo.append(g)
    return f


def check_alone(f: Func) -> Func:
    """`f`, if it is well formed, whatever it calls."""
    _Check(f).callees()
    return f


class _Check:
    """The check of one function: one walk through its instructions, in order."""

    def __init__(self, f: Func) -> None:
        self.func = f
        self.calls: dict[Func, None] = {}
        self.defined: set[Value] = set()  # all values so far, of closed blocks too
        self.blocks: set[Block] = set()  # all blocks so far
        self.open: set[Block] = set()  # the block we are in, and those around it
        self.whole: dict[Value, Value] = {}  # from each accumulator to the one that it is a part of
        self.frozen: set[Value] = set()

    def callees(self) -> dict[Func, None]:
        """The functions that this one calls, if it is well formed."""
        f = self.func
        match f.kind:
            case Body():
                self._block(f.body, None)
                if [r.type for r in f.body.results] != [f.result]:
                    self._fail(f"it gives {_types(f.body.results)}, not one {f.result!r}")
                if not is_current(f) or (f.users is not None and not f.users.is_current()):
                    self._fail("it was edited in place after its calls or users were found: see callgraph.changed")
                return self.calls
            case Opaque():
                self._opaque(f)
                return {}
            case Branch(then, otherwise):
                self._branch(f, (then, otherwise))
                return dict.fromkeys((then, otherwise))
            case While(test, body):
                self._while(f, test, body)
                return dict.fromkeys((test, body))
            case Linear(by, transposed):
                self._linear(f, by, transposed)
                return dict.fromkeys((by, transposed))

    def _opaque(self, f: Func) -> None:
        if f.body.code or f.body.results:
            self._fail("it is opaque, but has a body")
        if any(t.linear or _has_ref(t) for t in [f.result, *[p.type for p in f.params]]):
            self._fail("it is opaque, but sees a tangent or an accumulator")

    def _branch(self, f: Func, branches: tuple[Func, Func]) -> None:
        params = [Bool, *[p.type for p in branches[0].params]]
        if f.body.code or f.body.results or [p.type for p in f.params] != params:
            self._fail("it is a branch, so it has no body, and takes a Bool and what its branches take")
        for g in branches:
            if [p.type for p in g.params] != params[1:] or g.result is not f.result:
                self._fail("the branches take and give the same types")
            if f.pure and not g.pure:
                self._fail("it is marked as pure, and one of its branches is not")

    def _while(self, f: Func, test: Func, body: Func) -> None:
        params, states = [p.type for p in f.params], f.result.items if isinstance(f.result, Tuple) else None
        if f.body.code or f.body.results or states != tuple(params[: len(states or ())]):
            self._fail("it is a while loop, so it has no body, and gives the states that it takes")
        if any(isinstance(t, Ref) for t in states or ()):
            self._fail("a loop carries an accumulator")
        for g in (test, body):
            if [p.type for p in g.params] != params or g.result is not (Bool if g is test else f.result):
                self._fail("the test and the body of a loop take what it takes")
            if f.pure and not g.pure:
                self._fail("it is marked as pure, and what it calls is not")

    def _linear(self, f: Func, by: Func, transposed: Func) -> None:
        rest = [p.type for p in f.params[1:]]
        for g, x, y in ((by, f.params[0].type, f.result), (transposed, f.result, f.params[0].type)):
            if [p.type for p in g.params] != [linear_part(x), *rest] or g.result is not linear_part(y):
                self._fail("it is linear, and what it calls takes and gives the same, over numbers")
        if f.body.code or f.body.results or any(t.linear or _has_ref(t) for t in rest):
            self._fail("it is linear in its first parameter, so it has no body, and the rest are primals")

    def _fail(self, why: str, v: Value | None = None) -> NoReturn:
        where = self.func.name
        if v is not None:
            k = next((f" {k}" for k, u in enumerate(v.block.code) if u is v), "")
            where += f": instruction{k}, {v.op.name}({_types(v.args)}): {v.type!r}, from {v.loc}"
        raise AssertionError(f"{where}: {why}")

    def _block(self, block: Block, around: Block | None) -> None:
        if block in self.blocks or block.parent is not around:
            self._fail("a block is not in its place: each belongs to one loop, in the block around it")
        self.blocks.add(block)
        self.open.add(block)
        for p in block.params:
            if p.op is not builder.PARAM or p.args:
                self._fail("a parameter of a block is not a `param`", p)
            if around is not None and isinstance(p.type, Ref):
                self._fail("a loop carries an accumulator", p)
            self._define(p, block)
        for v in block.code:
            self._instruction(v, block)
        for r in block.results:
            wrong = (
                "a loop or an accumulator" if r.op is builder.FOR or isinstance(r.type, Ref) else self._unreadable(r)
            )
            if wrong is not None:
                self._fail(f"a block gives back what it cannot: {wrong}", r)
        self.open.remove(block)

    def _define(self, v: Value, block: Block) -> None:
        if v in self.defined or v.block is not block:
            self._fail("it does not belong to the block that it is in, or is in two places", v)
        if _has_ref(v.type.inner if isinstance(v.type, Ref) else v.type):
            self._fail("an accumulator is in a vector, a tuple or another accumulator", v)
        self.defined.add(v)
        if isinstance(v.type, Ref):
            self.whole[v] = self.whole[v.args[0]] if v.op is builder.AT else v

    def _unreadable(self, v: Value) -> str | None:
        """Why `v` cannot be used here, if it cannot."""
        if v not in self.defined:
            return f"{v.op.name} is used before it is defined"
        return None if v.block in self.open else f"{v.op.name} is used outside of its block"

    def _instruction(self, v: Value, block: Block) -> None:
        for a in v.args:
            if (wrong := self._unreadable(a)) is not None:
                self._fail(wrong, v)
            if a.op is builder.FOR and v.op is not builder.GET:
                self._fail("a loop is used by something other than `get`", v)
            if isinstance(a.type, Ref) and v.op not in TAKES_REF:
                self._fail("an accumulator is only added to, frozen, or given to a `call`", v)
        if v.op is builder.FOR and isinstance(v.attr, Block):
            self._block(v.attr, block)
        wrong = _RULES.get(v.op, _row)(v) or self._wrong_effect(v)
        if wrong is not None:
            self._fail(wrong, v)
        self._define(v, block)

    def _wrong_effect(self, v: Value) -> str | None:
        if v.op is builder.FREEZE:
            return self._wrong_freeze(v)
        if is_call(v):
            self.calls[v.attr] = None
            if self.func.pure and not v.attr.pure:
                return "a function that is marked as pure makes a call that is not"
        adds = v.op is builder.ADD_TO or v.op is builder.CALL
        late = adds and any([a in self.whole and self.whole[a] in self.frozen for a in v.args])
        return "an accumulator is added to after its freeze" if late else None

    def _wrong_freeze(self, v: Value) -> str | None:
        (ref,) = v.args
        if ref.op is not builder.ACCUM or ref.block is not v.block:
            return "an accumulator is frozen as a whole, in the block that opened it"
        if ref in self.frozen:
            return "an accumulator is frozen twice"
        self.frozen.add(ref)
        return None


def _types(values: Any) -> str:
    return ", ".join([repr(v.type) for v in values])


@once
def _has_ref(t: Type) -> bool:
    if isinstance(t, (Vec, Tuple)):
        return any(map(_has_ref, [t.elem] if isinstance(t, Vec) else t.items))
    return isinstance(t, Ref)


# What is wrong with an instruction by itself, if anything is.


def _expect(v: Value, t: Type | None, *, args: int | None = None) -> str | None:
    if args is not None and len(v.args) != args:
        return f"{v.op.name} takes {args} arguments"
    if t is None:
        return f"{v.op.name} does not accept ({_types(v.args)})"
    return None if v.type is t else f"its type must be {t!r}"


def _row(v: Value) -> str | None:
    """The rows of the table, and the structural operations whose types need no more than their arguments."""
    if v.attr is not None:
        return f"{v.op.name} has no attribute"
    try:
        t = v.op.type(*v.args)
    except TypeError:
        return f"{v.op.name} takes another number of arguments"
    return _expect(v, t)


def _literal(x: Any, t: Type) -> bool:
    """True if `x` is the plain value of a literal of type `t`."""
    if isinstance(t, Vec):
        return x.__class__ in (tuple, Numbers) and len(x) == t.size and all([_literal(y, t.elem) for y in x])
    if isinstance(t, Tuple):
        return x.__class__ is tuple and len(x) == len(t.items) and all(map(_literal, x, t.items))
    if isinstance(t, Fin):
        if isinstance(x, Size):  # below zero only where there is no index
            return at_most(plus(x, 1), t.size)
        return x.__class__ is int and 0 <= x and at_most(x + 1, t.size)
    if t is Unit:
        return x is None
    t = lane(t)
    return x.__class__ is float if t is Real or t is Single else x.__class__ is bool and t is Bool


def _const(v: Value) -> str | None:
    if not _literal(v.attr, v.type) or not (v.type.scalar or isinstance(v.type, Vec)):
        return f"{shown(v.attr)} is not a literal of type {v.type!r}"
    return _expect(v, v.type, args=0)


def _zero(v: Value) -> str | None:
    return "there is no zero of an accumulator" if isinstance(v.type, Ref) else _expect(v, v.type, args=0)


def _tuple(v: Value) -> str | None:
    items = v.type.items if isinstance(v.type, Tuple) else None
    if isinstance(v.type, Span):
        high = v.type.items[1]
        if not isinstance(high, Fin) or not at_most(high.size, plus(v.type.size, 1)):
            return "a span ends where its indices end, or before"
    return None if items == tuple([a.type for a in v.args]) else "its type must be a tuple of those of its arguments"


def _item(t: Type, k: Any) -> Type | None:
    """Item `k` of a tuple type, if there is one."""
    return t.items[k] if isinstance(t, Tuple) and isinstance(k, int) and 0 <= k < len(t.items) else None


def _get(v: Value) -> str | None:
    t = _item(v.args[0].type, v.attr) if len(v.args) == 1 else None
    return f"there is no item {v.attr} to get" if t is None else _expect(v, t)


def _pack(v: Value) -> str | None:
    t = v.type
    ok = isinstance(t, Vec) and len(v.args) == t.size and all([a.type is t.elem for a in v.args])
    return None if ok else "its type must be a vector of its arguments"


def _for(v: Value) -> str | None:
    block = v.attr
    if not isinstance(block, Loop) or not block.params or not isinstance(block.params[0].type, Fin):
        return "a loop needs a block whose first parameter is an index"
    states, k, n = [a.type for a in v.args], len(v.args), block.size
    if [p.type for p in block.states] != states or [r.type for r in block.results[:k]] != states:
        return "the states of a loop have other types before, in, or after an iteration"
    if any(isinstance(t, Span) for t in states):
        span, *others = states
        if not isinstance(span, Span) or any(isinstance(t, Span) for t in others):
            return "the span of a loop is its first state, and its only one"
        if differ(span.size, n) or block.results[0] is not block.params[1]:
            return "the span of a loop is of its indices, and stays as it is"
    return _expect(v, Tuple((*states, *[Vec(n, r.type) for r in block.results[k:]]), None))


def _call(v: Value) -> str | None:
    f = v.attr
    if not isinstance(f, Func):
        return "a call names no function"
    if v.op is builder.PURE_CALL and not f.pure:
        return f"`pure_call` of {f.name}, which is not pure"
    if [a.type for a in v.args] != [p.type for p in f.params]:
        return f"{f.name} takes ({_types(f.params)})"
    return _expect(v, f.result)


def _at(v: Value) -> str | None:
    if len(v.args) != 1:
        return _row(v)
    ref = v.args[0].type
    t = _item(ref.inner, v.attr) if isinstance(ref, Ref) else None
    return f"there is no item {v.attr} to add to" if t is None else _expect(v, Ref(t))


def _freeze(v: Value) -> str | None:
    t = v.args[0].type if v.args else Unit
    return _expect(v, t.inner if isinstance(t, Ref) else None, args=1)


def _reshape(v: Value) -> str | None:
    return _expect(v, reshaped_type(v.args[0].type, *v.attr) if v.args else None, args=1)


_RULES: dict[Op, Callable[[Value], str | None]] = {
    builder.PARAM: lambda v: "a parameter is among the instructions",
    builder.CONST: _const, builder.ZERO: _zero, builder.TUPLE: _tuple, builder.GET: _get, builder.PACK: _pack,
    builder.FOR: _for, builder.CALL: _call, builder.PURE_CALL: _call, builder.AT: _at, builder.FREEZE: _freeze,
    RESHAPE: _reshape,
}  # fmt: skip
