"""Elements at once: of a function of one element of a batch, that of two, or of four in single precision.

What differs from element to element is a `Pair`, or a `Four`: one number for each, in one register. What is the same
for all elements stays as it is: literals, indices, arguments that are shared, and what is computed of them. So loops
and scans have their iterations once for all elements.

Where elements go different ways, each takes what is its own from what is computed for all: of a branch both sides are
computed, if some element takes them; a while loop goes on until all elements are done, and those that are done keep
their states. What may not end, or fails, is given the arguments of an element that does go this way, in the place of
those of the others. An assertion fails if that of some element does: the caller finds out which.

In each element the same operations are done in the same order, so it has the bits of a single call. Where indices
differ from element to element, where something is printed, and in a few more cases there is no such function: `Unfit`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import ir
from ..host.effects import Assertion
from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Branch,
    Builder,
    Func,
    Op,
    Value,
    While,
    is_call,
    loop_of,
)
from ..ir.callgraph import make_branch, make_while, reachable
from ..ir.lane_ops import BORROW, SPLATS, any_of, lane_op
from ..ir.ops import and_, not_, select, stop_gradient
from ..ir.puts import PUT
from ..ir.reshapes import RESHAPE
from ..ir.sizes import dims_of
from ..ir.stacks import JOIN, MORE, POP, PUSH
from ..ir.types import (
    Bool,
    Fin,
    Four,
    Mask,
    Pair,
    Ref,
    Span,
    Stack,
    Tuple,
    Type,
    Vec,
    as_tuple,
    as_vec,
    count_leaves,
    lane,
    lanes,
    once,
    tuple_of,
)
from . import costs
from .dead_code import remove_dead_code
from .if_conversion import steps
from .pipeline import OF_SEVERAL, in_stages, optimise
from .rewriter import Env
from .single_precision import to_single


class Unfit(Exception):
    """There is no function of several elements at once; the text says why."""


def form(f: Func, shared: Sequence[bool], *, single: bool = False) -> Func | None:
    """The function of several elements at once, in double or single precision, if there is one: see `several`."""
    if single:
        optimise([f])
        f = to_single(f)
    try:
        return several(f, shared)
    except Unfit:
        return None


def forms(funcs: Mapping[str, Func]) -> dict[str, Func]:
    """The functions of several elements at once for a page, of those that have one.

    Not where there is a while loop: that goes on until all elements are done, which may take longer than one after the
    other, and in a page nobody measures it; nor where sizes are those of a call.
    """

    def fits(f: Func) -> bool:
        sizes = any([dims_of(p.type) for p in f.params])
        return not sizes and not any([isinstance(g.kind, While) for g in reachable(f)])

    found = {name: form(f, [False] * len(f.params)) for name, f in funcs.items() if fits(f)}
    return {name: f for name, f in found.items() if f is not None}


def several(f: Func, shared: Sequence[bool]) -> Func:
    """The optimised function of several elements at once; which parameters are the same for all is said for each.

    It takes the tuple of the arguments, and gives a tuple of the result: each is in memory as a whole. `Unfit` is
    raised where there is no such function.
    """
    f = in_stages({"f": f}, OF_SEVERAL, simd=False)["f"]
    if len([*reachable(f)]) > costs.LANES_FUNCTIONS:
        raise Unfit("it has too many functions")
    types = tuple([p.type if same else _varied(p.type) for p, same in zip(f.params, shared, strict=True)])
    made = _made(f, types, masked=False, result=lanes(f.result))
    with ir.building(f.name) as b:
        given = b.param(tuple_of(*types), "given")
        x = b.call(made, [b.get(given, k) for k in range(len(types))])
        return b.func(b.tuple([x]))


@once
def _has_indices(t: Type) -> bool:
    return count_leaves(t, lambda leaf: isinstance(leaf, Fin)) > 0 if not isinstance(t, Stack) else True


def _varied(t: Type) -> Type:
    """The type of what differs from element to element."""
    if not t.empty and (t.stacked or _has_indices(t)):
        raise Unfit("an index differs from element to element")
    return lanes(t)


def _differs(t: Type) -> bool:
    """True if something in a `t` differs from element to element."""
    return lane(t) is not t


def _joined(s: Type, t: Type) -> Type:
    """The type of what may be an `s` or a `t`, which differ in what is the same for all elements."""
    if s is t:
        return s
    if isinstance(s, Tuple) and isinstance(t, Tuple) and len(s.items) == len(t.items):
        return s.of(tuple(map(_joined, s.items, t.items)))
    if isinstance(s, Vec) and isinstance(t, Vec):
        return Vec(s.size, _joined(s.elem, t.elem))
    if isinstance(s, Stack) and isinstance(t, Stack):
        return Stack(_joined(s.elem, t.elem))
    assert lane(s) is lane(t), (s, t)
    return lanes(s)


def _made(f: Func, types: tuple[Type, ...], *, masked: bool, result: Type | None = None) -> Func:
    """The function over parameters of these types. With a mask, its first parameter, it adds only where that holds."""
    key = (_made, types, masked, result)
    if key not in f.memo:
        f.memo[key] = _written(f, types, masked, result)
    return f.memo[key]


def _written(f: Func, types: tuple[Type, ...], masked: bool, result: Type | None) -> Func:
    if not f.has_body:
        return _wrapped(f, types, masked, result)
    with ir.copying(f) as b:
        mask = b.param(Mask) if masked else None
        writer, env = _Writer(b, mask), Env()
        for p, t in zip(f.params, types, strict=True):
            b.loc = p.loc
            env[p] = b.param(t, p.attr)
        writer.write(f.body.code, env)
        made = env[f.body.results[0]]
        return remove_dead_code(b.func(made if result is None else writer.to(made, result)))


def _wrapped(f: Func, types: tuple[Type, ...], masked: bool, result: Type | None) -> Func:
    """A branch or a while loop as a function with instructions."""
    with ir.copying(f) as b:
        mask = b.param(Mask) if masked else None
        writer = _Writer(b, mask)
        made = writer.call(f, [b.param(t) for t in types])
        return b.func(made if result is None else writer.to(made, result))


class _Writer:
    """Writes instructions over several elements."""

    def __init__(self, b: Builder, mask: Value | None) -> None:
        self.b, self.mask = b, mask

    def write(self, code: Sequence[Value], env: Env) -> None:
        for v in code:
            self.b.loc = v.loc
            env[v] = self.instruction(v, env)

    def instruction(self, v: Value, env: Env) -> Value:
        b, op = self.b, v.op
        if op is CONST:
            return b.const(v.attr, v.type)
        if op is ZERO:
            return b.zero(v.type)
        args = [env[a] for a in v.args]
        if op is FOR:
            return self.loop(v, args, env)
        if is_call(v):
            return self.call(v.attr, args)
        if op is select:
            return self.chosen(*args)
        rule = _RULES.get(op)
        return self.row(v, args) if rule is None else rule(self, v, args)

    def row(self, v: Value, args: list[Value]) -> Value:
        """A row of the table."""
        b, op = self.b, v.op
        if not any([_differs(a.type) for a in args]):
            return b.emit(op, tuple(args), v.attr, v.type)
        twin = lane_op(op)
        if twin is None or any([a.type.__class__ is Fin for a in args]) or v.type.__class__ is Fin:
            raise Unfit(f"{op.name} differs from element to element")
        return b.emit(twin, tuple([self.to(a, lanes(a.type)) for a in args]))

    # from what is the same for all elements to what is not

    def to(self, v: Value, t: Type) -> Value:
        """A value as one of another type, in which more may differ from element to element."""
        b = self.b
        if v.type is t:
            return v
        if v.op is ZERO:
            return b.zero(t)
        if v.type.scalar and not v.type.stacked:
            return b.emit(SPLATS[v.type], (v,))
        if isinstance(v.type, Tuple):
            items = [self.to(b.get(v, k), s) for k, s in enumerate(as_tuple(t).items)]
            return b.tuple(items, as_tuple(t))
        if isinstance(v.type, Vec):
            return b.vec(v.type.size, lambda i: self.to(b.index(v, i), as_vec(t).elem))
        raise Unfit("a tape of some iterations differs from element to element")

    def joined(self, x: Value, y: Value) -> tuple[Value, Value]:
        t = _joined(x.type, y.type)
        return self.to(x, t), self.to(y, t)

    def chosen(self, c: Value, x: Value, y: Value) -> Value:
        """`x` where a condition holds, else `y`."""
        x, y = self.joined(x, y)
        if c.type is Bool:
            return self.b.emit(select, (c, x, y))
        return self._chosen(c, x, y)

    def _chosen(self, c: Value, x: Value, y: Value) -> Value:
        b, t = self.b, x.type
        if x is y or t.empty:
            return x
        if isinstance(t, Tuple):
            items = [self._chosen(c, *self.joined(b.get(x, k), b.get(y, k))) for k in range(len(t.items))]
            return b.tuple(items, t.of(tuple([s.type for s in items])))
        if isinstance(t, Vec):
            return b.vec(t.size, lambda i: self._chosen(c, *self.joined(b.index(x, i), b.index(y, i))))
        if isinstance(t, Fin) or t.stacked:
            raise Unfit("an index differs from element to element")
        twin = lane_op(select)
        assert twin is not None
        return b.emit(twin, (c, self.to(x, lanes(t)), self.to(y, lanes(t))))

    def borrowed(self, c: Value, x: Value) -> Value:
        """What an element has in which a condition holds, for all those in which it does not."""
        b, t = self.b, x.type
        if not _differs(t):
            return x
        if t in BORROW:
            return b.emit(BORROW[t], (c, x))
        if isinstance(t, Tuple):
            items = [self.borrowed(c, b.get(x, k)) for k in range(len(t.items))]
            return b.tuple(items, t)
        if isinstance(t, Vec):
            return b.vec(t.size, lambda i: self.borrowed(c, b.index(x, i)))
        raise Unfit("a truth value, or an accumulator, is given to what may not end")

    def negated(self, c: Value) -> Value:
        twin = lane_op(not_)
        assert twin is not None
        return self.b.emit(twin, (c,))

    def both(self, c: Value, d: Value | None) -> Value:
        """Both conditions."""
        twin = lane_op(and_)
        assert twin is not None
        return c if d is None else self.b.emit(twin, (c, d))

    # loops

    def loop(self, v: Value, args: list[Value], env: Env) -> Value:
        """A loop, of whose states more may differ in a later iteration than in the first: then it is written again."""
        b, block = self.b, loop_of(v)
        while True:
            with b.nested() as body:
                for p, t in zip(block.params, [block.indices, *[a.type for a in args]], strict=True):
                    b.loc = p.loc
                    env[p] = b.param(t, p.attr)
                self.write(block.code, env)
                results = [env[r] for r in block.results]
                n = block.carried
                types = [_joined(a.type, r.type) for a, r in zip(args, results[:n], strict=True)]
                if same := types == [a.type for a in args]:
                    made = [self.to(r, t) for r, t in zip(results, types, strict=False)]
                    body.results = (*made, *results[n:])
            if same:
                vectors = [Vec(block.size, r.type) for r in results[n:]]
                return b.emit(FOR, tuple(args), body, Tuple((*types, *vectors), None))
            args = [self.to(a, t) for a, t in zip(args, types, strict=True)]

    # calls

    def call(self, f: Func, args: list[Value]) -> Value:
        b = self.b
        match f.kind:
            case Branch(then, otherwise):
                return self.branch(f, then, otherwise, args)
            case While(test, body, most):
                return self.loop_while(f, test, body, most, args)
            case _:
                pass
        if isinstance(f.impl, Assertion):
            (holds,) = args
            if holds.type is Mask:
                wrong = self.both(self.negated(holds), self.mask)
                holds = b.emit(not_, (b.emit(any_of, (wrong,)),))
            return b.call(f, [holds])
        if not f.has_body:
            raise Unfit(f"{f.name} is called once for each element")
        return self.of(f, args, self.mask)

    def of(self, f: Func, args: Sequence[Value], mask: Value | None, result: Type | None = None) -> Value:
        """The call of the function over several elements; with a mask, if it adds to what it is given."""
        if not any([_differs(a.type) for a in args]) and mask is None and result in (None, f.result):
            return self.b.call(f, args)
        made, given = self.prepared(f, args, mask, result)
        return self.b.call(made, given)

    def prepared(
        self, f: Func, args: Sequence[Value], mask: Value | None, result: Type | None = None
    ) -> tuple[Func, list[Value]]:
        masked = mask is not None and (not f.pure or any([isinstance(a.type, Ref) for a in args]))
        made = _made(f, tuple([a.type for a in args]), masked=masked, result=result)
        return made, [mask, *args] if masked and mask is not None else [*args]

    def branch(self, f: Func, then: Func, otherwise: Func, args: list[Value]) -> Value:
        c, *given = args
        if c.type is Bool:
            if not any([_differs(a.type) for a in given]) and self.mask is None:
                return self.b.call(f, args)
            return self._one_way(f.name, c, then, otherwise, given)
        if then.result.stacked:
            raise Unfit("a tape differs from element to element")
        mask = self.both(c, self.mask)
        x = self.side(then, given, mask)
        y = self.side(otherwise, given, self.both(self.negated(c), self.mask))
        return self.chosen(c, x, y)

    def _one_way(self, name: str, c: Value, then: Func, otherwise: Func, given: list[Value]) -> Value:
        """A branch that all elements go in the same way."""
        types = [self.prepared(g, given, self.mask)[0].result for g in (then, otherwise)]
        t = _joined(*types)
        x, xs = self.prepared(then, given, self.mask, t)
        y, ys = self.prepared(otherwise, given, self.mask, t)
        if len(xs) == len(ys):
            return self.b.call(make_branch(name, x, y), [c, *xs])
        raise Unfit("one side of a branch fails")

    def side(self, f: Func, given: list[Value], mask: Value) -> Value:
        """What one side of a branch gives, where a mask holds; anything where it does not."""
        if f.has_body and not _is_unsafe(f) and steps(f.body) <= costs.LANES_SIDE:
            return self.of(f, given, mask)
        if _is_unsafe(f):
            given = [self.borrowed(mask, x) for x in given]
        made, xs = self.prepared(f, given, mask)
        with ir.building(f.name) as b:
            for x in xs:
                b.param(x.type)
            other = b.func(b.zero(made.result))
        return self.b.call(make_branch(f.name, made, other), [self.b.emit(any_of, (mask,)), *xs])

    def loop_while(self, f: Func, test: Func, body: Func, most: int | None, args: list[Value]) -> Value:
        """A while loop, until it ends in all elements."""
        n = len(as_tuple(f.result).items)
        states, rest = args[:n], args[n:]
        while True:
            given = tuple([x.type for x in (*states, *rest)])
            tests = _made(test, given, masked=False)
            if tests.result is Mask:
                return self._until_all_are_done(f, test, body, most, states, rest)
            after = _made(body, given, masked=False).result
            types = [_joined(s.type, t) for s, t in zip(states, as_tuple(after).items, strict=True)]
            if types == [s.type for s in states]:
                bodies = _made(body, given, masked=False, result=tuple_of(*types))
                return self.b.call(make_while(f.name, tests, bodies, most), [*states, *rest])
            states = [self.to(s, t) for s, t in zip(states, types, strict=True)]

    def _until_all_are_done(
        self, f: Func, test: Func, body: Func, most: int | None, states: list[Value], rest: list[Value]
    ) -> Value:
        b = self.b
        states = [self.to(s, _varied(lane(s.type))) for s in states]
        if any([isinstance(x.type, Ref) for x in rest]):
            raise Unfit("a while loop adds to what is around it")
        types, n = [Mask, *[x.type for x in (*states, *rest)]], len(states)
        with ir.building(f.name) as inner:
            mask, *now = [inner.param(t) for t in types]
            tests = inner.func(inner.emit(any_of, (mask,)))
        with ir.building(f.name) as inner:
            mask, *now = [inner.param(t) for t in types]
            writer = _Writer(inner, None)
            given = [writer.borrowed(mask, x) for x in now] if _is_unsafe(body) else now
            made = writer.of(body, given, None)
            after = [writer.to(writer.chosen(mask, inner.get(made, k), now[k]), now[k].type) for k in range(n)]
            holds = writer.to(writer.of(test, [*after, *now[n:]], None), Mask)
            bodies = inner.func(inner.tuple([writer.both(mask, holds), *after]))
        first = self.to(self.of(test, [*states, *rest], None), Mask)
        if self.mask is not None:
            first = self.both(first, self.mask)
        made = b.call(make_while(f.name, tests, bodies, most), [first, *states, *rest])
        return b.tuple([b.get(made, k + 1) for k in range(n)], as_tuple(lanes(f.result)))

    # what is added to

    def add(self, ref: Value, x: Value) -> Value:
        b = self.b
        assert isinstance(ref.type, Ref)
        x = self.to(x, ref.type.inner)
        if self.mask is not None:
            x = self._chosen(self.mask, x, self.nothing(x.type))
        b.add_to(ref, x)
        return b.unit()

    def nothing(self, t: Type) -> Value:
        """What changes no bit where it is added."""
        b = self.b
        if t in (Pair, Four):
            return b.const(-0.0, t)
        if isinstance(t, Tuple):
            return b.tuple([self.nothing(s) for s in t.items], t)
        if isinstance(t, Vec):
            return b.vec(t.size, lambda i: self.nothing(t.elem))
        return b.zero(t)

    def put(self, v: Value, args: list[Value]) -> Value:
        vec, *path, x = args
        t: Type = vec.type
        for _ in path:
            t = as_vec(t).elem
        inner = _joined(t, x.type)
        whole = inner
        for i in range(len(path), 0, -1):
            at: Type = vec.type
            for _ in range(i - 1):
                at = as_vec(at).elem
            whole = Vec(as_vec(at).size, whole)
        return self.b.make(PUT, (self.to(vec, whole), *path, self.to(x, inner)), v.attr)

    def packed(self, v: Value, args: list[Value]) -> Value:
        t = args[0].type
        for a in args[1:]:
            t = _joined(t, a.type)
        return self.b.pack([self.to(a, t) for a in args], Vec(as_vec(v.type).size, t))

    def tuple(self, v: Value, args: list[Value]) -> Value:
        if isinstance(v.type, Span):
            return self.b.emit(TUPLE, tuple(args), type=v.type)
        return self.b.tuple(args, as_tuple(v.type).of(tuple([a.type for a in args])))

    def pushed(self, v: Value, args: list[Value]) -> Value:
        stack, x = args
        assert isinstance(stack.type, Stack)
        t = _joined(stack.type.elem, x.type)
        return self.b.emit(PUSH, (self.to(stack, Stack(t)), self.to(x, t)))


def _is_unsafe(f: Func) -> bool:
    """True if a function may fail, or not end, where it is not to be called."""
    return any([isinstance(g.kind, While) or not g.pure for g in reachable(f)])


_RULES: Mapping[Op, Callable[[_Writer, Value, list[Value]], Value]] = {
    GET: lambda w, v, xs: w.b.get(xs[0], v.attr),
    INDEX: lambda w, v, xs: w.b.index(*xs),
    PACK: _Writer.packed,
    TUPLE: _Writer.tuple,
    PUT: _Writer.put,
    RESHAPE: lambda w, v, xs: w.b.make(RESHAPE, tuple(xs), v.attr),
    ACCUM: lambda w, v, xs: w.b.accum(w.to(xs[0], lanes(xs[0].type))),
    AT: lambda w, v, xs: w.b.make(AT, tuple(xs), v.attr),
    ADD_TO: lambda w, v, xs: w.add(*xs),
    FREEZE: lambda w, v, xs: w.b.freeze(xs[0]),
    stop_gradient: lambda w, v, xs: xs[0],
    PUSH: _Writer.pushed,
    POP: lambda w, v, xs: w.b.emit(POP, tuple(xs)),
    MORE: lambda w, v, xs: w.b.emit(MORE, tuple(xs)),
    JOIN: lambda w, v, xs: w.b.emit(JOIN, w.joined(*xs)),
}  # fmt: skip
