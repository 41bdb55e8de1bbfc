"""The way back: from the residual of a function, and what comes back for its result, to what goes back for parameters.

A block is walked from its end. What has come back for a value so far is kept in `_Back.due`, of an aggregate part by
part, and what comes back for a part of one goes to its place there. A loop runs in reverse; what comes back for values
from around it are states of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .. import ir
from ..errors import Loc, RoseError
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import CONST, FOR, GET, INDEX, PACK, TUPLE, ZERO, Block, Branch, Builder, Func, Value, loop_of
from ..ir.callgraph import instructions, make_branch
from ..ir.ops import ibeyond, ifrom, select
from ..ir.puts import PUT, put
from ..ir.reshapes import RESHAPE, reshaped_back
from ..ir.sizes import differ, plus
from ..ir.types import Bool, Fin, Real, Tuple, Type, Vec, as_tuple, as_vec
from .forward import Made, knows_index
from .meanings import Refusal, TwoWay

Due = Value | dict[int, Any]  # what comes back; of a struct or a tuple, of some of its items
Path = list[Value | int]


def backward(made: Made, meaning: TwoWay) -> Func:
    """The way back of a function: from its residual, and what comes back, to a tuple with one item per parameter."""
    todo = [made]
    while todo:
        one = todo[-1]
        if missing := [m for m in (*one.calls.values(), *one.parts) if m.back is None]:
            todo += missing
            continue
        todo.pop()
        if one.back is None:
            one.back = _of_branch(one, meaning) if one.parts else _Back(one, meaning).func()
    assert made.back is not None
    return made.back


def _of_branch(made: Made, meaning: TwoWay) -> Func:
    """The way back of the arm that was taken: the residual has those of both."""
    assert isinstance(made.of.kind, Branch)
    parts = list[Func]()
    for k, arm in enumerate(made.parts):
        with ir.building(f"{arm.of.name}.back") as b:
            b.loc = made.of.loc
            kept = b.param(as_tuple(made.func.result).items[1], "residual")
            due = b.param(meaning.backs(made.of.result), "due")
            assert arm.back is not None
            parts.append(b.func(b.call(arm.back, [b.get(kept, k), due])))
    return make_branch(f"{made.of.name}.back", *parts)


class _Back:
    """Makes the way back of one function with instructions."""

    def __init__(self, made: Made, meaning: TwoWay) -> None:
        self.made, self.meaning, self.returns = made, meaning, meaning.returns
        self.due: dict[Value, Due] = {}
        self.index: dict[Value, Value] = {}  # indices of loops
        self.kept: dict[Value, Value] = {}  # what an instruction keeps
        self.deletes = type(meaning).delete is not TwoWay.delete

    def func(self) -> Func:
        f = self.made.of
        with ir.building(f"{f.name}.back") as b:
            b.loc = f.loc
            kept = b.param(as_tuple(self.made.func.result).items[1], "residual")
            self.give(b, f.body.results[0], b.param(self.meaning.backs(f.result), "due"))
            self.block(b, f.body, kept)
            given = list[Value]()
            for p in f.params:
                b.loc = p.loc
                if p.type.scalar and self.returns(p.type) and p not in self.due and self.deletes:
                    self.due[p] = self.deleted(b)
                given.append(self.whole(b, p.type, self.due.get(p)))
            return b.func(b.tuple(given))

    def block(self, b: Builder, block: Block, kept: Value) -> None:
        """Walk the instructions of a block, whose residual is `kept`, from the end."""
        slots = self.made.slots
        self.kept.update({v: b.get(kept, slots[v]) for v in block.code if v in slots})
        for v in reversed(block.code):
            b.loc = v.loc
            if v.op is FOR:
                self.loop(b, v)
            elif self.returns(v.type) and v.op is not CONST and v.op is not ZERO:
                self.instruction(b, v)

    def instruction(self, b: Builder, v: Value) -> None:
        due = self.due.pop(v, None)
        if due is None and v.type.scalar and self.deletes:
            due = self.deleted(b)
        if due is None:
            return
        op, args = v.op, v.args
        if v in self.made.rules:
            self.ruled(b, v, self.whole(b, v.type, due))
        elif ir.is_call(v):
            self.call(b, v, self.whole(b, v.type, due))
        elif op.moves:
            self.moved(b, v, due)
        elif any([self.returns(a.type) for a in args]):
            hint = f'let its row be an Optic: rules = {{"{op.name}": Optic(forward, backward)}}'
            raise RoseError(f"{self.meaning.name} has no way back through {op.name}", v.loc, hint)

    def moved(self, b: Builder, v: Value, due: Due) -> None:
        """What comes back for what was only moved goes back to where it was."""
        op, args = v.op, v.args
        if op is TUPLE:
            for k, a in enumerate(args):
                if (part := _item(b, due, k)) is not None:
                    self.give(b, a, self.whole(b, a.type, part))
            return
        whole = self.whole(b, v.type, due)
        if op is GET or op is INDEX:
            self.give(b, *self.place(b, v), whole)
        elif op is PACK:
            for k, a in enumerate(args):
                self.give(b, a, b.index(whole, k))
        elif op is RESHAPE:
            self.give(b, args[0], reshaped_back(b, v, whole))
        elif op is PUT:
            self.put(b, v, whole)
        elif op is select:
            self.select(b, v, whole)
        elif op.transpose is not None:
            for a, x in zip(args, op.transpose(whole, *args), strict=True):
                if x is not None:
                    self.give(b, a, x)

    def ruled(self, b: Builder, v: Value, due: Value) -> None:
        """By the rule of an operation, or of a function."""
        out = self.called(self.made.rules[v].backward, view(self.restored(b, v)), view(due), loc=v.loc)
        gives = zip(v.args, out if len(v.args) > 1 else [out], strict=True)
        back = [(a, x) for a, x in gives if self.returns(a.type)]
        given = [(a, to_value(x, self.meaning.backs(a.type), ("what goes back",), v.loc)) for a, x in back]
        if (
            len(given) == 2 and given[0][0] is given[1][0] and given[0][1] is given[1][1]
        ):  # of x * x both are one: as the derivative of a square has it
            a, x = given.pop()
            given = [(a, self.merged(b, a.type, x, x))]
        for a, x in reversed(given):
            self.give(b, a, x)

    def restored(self, b: Builder, v: Value) -> Value:
        """The residual of a rule, of which each value was kept once."""
        kept, shape = self.kept[v], self.made.shapes.get(v)
        return kept if shape is None else b.tuple([b.get(kept, k) for k in shape[0]], shape[1])

    def call(self, b: Builder, v: Value, due: Value) -> None:
        callee = self.made.calls[v]
        assert callee.back is not None
        kept = self.kept[v]
        given = [b.get(kept, 0), b.get(kept, 1)] if callee.parts else [kept]
        out = b.call(callee.back, [*given, due])
        skipped = len(v.args) - len(as_tuple(out.type).items)  # the condition of a branch
        for k, a in enumerate(v.args[skipped:]):
            if self.returns(a.type):
                self.give(b, a, b.get(out, k))

    def put(self, b: Builder, v: Value, due: Value) -> None:
        vec, *path, x = v.args
        where = self.indices(b, v, path)
        part = due
        for i in where:
            part = b.index(part, i)
        self.give(b, x, part)
        self.give(b, vec, put(b, due, where, self.whole(b, x.type, None)))

    def select(self, b: Builder, v: Value, due: Value) -> None:
        if self.meaning.choose is None:
            c, nothing = self.kept[v], self.whole(b, v.type, None)
            self.give(b, v.args[1], b.emit(select, (c, due, nothing)))
            self.give(b, v.args[2], b.emit(select, (c, nothing, due)))
            return
        for a, x in zip(v.args, self.chosen(b, v.type, self.kept[v], due), strict=True):
            self.give(b, a, x)

    def chosen(self, b: Builder, t: Type, kept: Value, due: Value) -> tuple[Value, Value, Value]:
        """What goes back for the condition of a choice, and for each of the two values, of type `t`."""
        if t.scalar and self.returns(t):
            assert self.meaning.choose is not None
            out = self.called(self.meaning.choose.backward, view(kept), view(due), loc=b.loc)
            c, x, y = [to_value(x, self.meaning.backs(Real), ("what goes back",), b.loc) for x in out]
            return c, x, y
        nothing = self.whole(b, Bool, None)
        if isinstance(t, Vec) and self.returns(t) and not t.empty:

            def body(i: Value, c: Value) -> tuple[Sequence[Value], Sequence[Value]]:
                own, x, y = self.chosen(b, t.elem, b.index(kept, i), b.index(due, i))
                return [self.merged(b, Bool, c, own)], [x, y]

            (c,), (x, y) = b.loop(t.size, body, [nothing])
            return c, x, y
        if isinstance(t, Tuple):
            parts = [self.chosen(b, s, b.get(kept, k), b.get(due, k)) for k, s in enumerate(t.items)]
            own = [c for (c, _, _), s in zip(parts, t.items, strict=True) if self.returns(s)]
            c = reduce(lambda c, d: self.merged(b, Bool, c, d), own) if own else nothing
            x, y = [b.tuple([part[k] for part in parts], as_tuple(due.type)) for k in (1, 2)]
            return c, x, y
        return nothing, due, due

    # loops

    def loop(self, b: Builder, v: Value) -> None:
        """A loop, from its last iteration to its first."""
        block = loop_of(v)
        n, k = block.size, block.carried
        around = self.around(b, block)
        kept, *spans = [b.get(self.kept[v], j) for j in range(len(as_tuple(self.kept[v].type).items))]
        dues = self.due.pop(v, {})
        parts = [self.whole(b, t, _item(b, dues, j)) for j, t in enumerate(as_tuple(v.type).items)]
        before = {a: self.due.pop(a, None) for a in around}  # a number's begins anew, and is merged after the loop
        begins = [self.whole(b, a.type, None if a.type.scalar else before[a]) for a in around]
        states = [*parts[:k], *begins]
        last = b.const(plus(n, -1), Fin(n))

        def body(j: Value, *now: Value) -> tuple[Sequence[Value], Sequence[Value]]:
            i = self.index[block.index] = b.emit(ifrom, (j, last))
            self.due.update(zip(around, now[k:], strict=True))
            for r, x in zip(block.results, [*now[:k], *[b.index(p, i) for p in parts[k:]]], strict=True):
                self.give(b, r, x)
            self.block(b, block, b.index(kept, i))
            given = [self.whole(b, p.type, self.due.pop(p, None)) for p in block.states]
            carried = [self.whole(b, a.type, self.due.pop(a, None)) for a in around]
            return [*given, *carried], []

        span = None
        if spans:
            low, high = b.get(spans[0], 0), b.get(spans[0], 1)
            end = b.const(n, Fin(plus(n, 1)))
            span = b.span(n, b.emit(ibeyond, (end, high)), b.emit(ibeyond, (end, low)))
        after = b.loop(n, body, states, span)[0] if differ(n, 0) else states
        for a, x in zip(around, after[k:], strict=True):
            old = before[a] if a.type.scalar else None
            self.due[a] = x if old is None else self.merged(b, a.type, self.whole(b, a.type, old), x)
        for a, x in zip(v.args, after[:k], strict=True):
            if self.returns(a.type):
                self.give(b, a, x)

    def around(self, b: Builder, block: Block) -> list[Value]:
        """The values from around a block that it reads, and for which something comes back; of parts, the whole."""
        read = [a for v in instructions(block) for a in v.args]
        read += [r for v in instructions(block) if v.op is FOR for r in loop_of(v).results]
        found = dict[Value, None]()
        for a in (*read, *block.results):
            if self.returns(a.type) and a.op is not CONST and a.op is not ZERO and not a.block.inside(block):
                found[self.root(a)] = None
        return list(found)

    # what comes back

    def give(self, b: Builder, a: Value, *rest: Any) -> None:
        """Let something come back for `a`, or for the part of it to which a path leads."""
        *given, x = rest
        if a.op is CONST or a.op is ZERO or not self.returns(a.type):
            return
        path: Path = given[0] if given else []
        if not given and a.op in (GET, INDEX) and not a.type.scalar:
            a, path = self.place(b, a)
        self.due[a] = self.joined(b, a.type, self.due.get(a), path, x)

    def root(self, a: Value) -> Value:
        """The value for which something comes back where it comes back for `a`."""
        while a.op in (GET, INDEX) and not a.type.scalar:
            a = a.args[0]
        return a

    def place(self, b: Builder, v: Value) -> tuple[Value, Path]:
        """The value of which `v` is a part, and the path to it."""
        path: Path = []
        while True:
            path.append(v.attr if v.op is GET else self.indices(b, v, v.args[1:])[0])
            v = v.args[0]
            if v.op not in (GET, INDEX):
                return v, path[::-1]

    def indices(self, b: Builder, v: Value, path: Sequence[Value]) -> list[Value]:
        """The indices of an instruction: literals, those of loops, and else those that it kept."""
        if all([knows_index(i) for i in path]):
            return [b.const(i.attr, i.type) if i.op is CONST else self.index[i] for i in path]
        return [b.get(self.kept[v], k) for k in range(len(path))]

    def joined(self, b: Builder, t: Type, old: Due | None, path: Path, x: Value) -> Due:
        """What comes back for a `t`, after `old`, where `x` comes back for the part at a path."""
        if not path:
            return x if old is None else self.merged(b, t, self.whole(b, t, old), x)
        step = path[0]
        if not isinstance(step, Value):
            items = as_tuple(t).items
            parts = {k: y for k in range(len(items)) if (y := _item(b, old, k)) is not None}
            return {**parts, step: self.joined(b, items[step], parts.get(step), path[1:], x)}
        whole, indices = self.whole(b, t, old), list[Value]()
        part = whole
        for i in path:
            if not isinstance(i, Value):
                break
            indices.append(i)
            part, t = b.index(part, i), as_vec(t).elem
        new = self.joined(b, t, part, path[len(indices) :], x)
        return put(b, whole, indices, self.whole(b, t, new))

    def merged(self, b: Builder, t: Type, x: Value, y: Value) -> Value:
        if t.scalar and self.returns(t):
            out = self.meaning.merge(view(x), view(y))
            return to_value(out, self.meaning.backs(t), ("what merge gives",))
        if isinstance(t, Vec) and self.returns(t):
            return b.vec(t.size, lambda i: self.merged(b, t.elem, b.index(x, i), b.index(y, i)))
        if isinstance(t, Tuple):
            items = [self.merged(b, s, b.get(x, k), b.get(y, k)) for k, s in enumerate(t.items)]
            return b.tuple(items, as_tuple(x.type))
        return x

    def whole(self, b: Builder, t: Type, x: Due | None) -> Value:
        """What comes back for a `t`, as one value: nothing, where nothing does."""
        if isinstance(x, Value):
            return x
        back = self.meaning.backs(t)
        if t.scalar and self.returns(t):
            return to_value(self.meaning.nothing(), back, ("what nothing gives",))
        if isinstance(t, Vec) and self.returns(t) and not t.empty:
            return b.vec(t.size, lambda _: self.whole(b, t.elem, None))
        if isinstance(t, Tuple):
            parts = x or {}
            return b.tuple([self.whole(b, s, parts.get(k)) for k, s in enumerate(t.items)], as_tuple(back))
        return b.zero(back)

    def deleted(self, b: Builder) -> Value:
        assert b.loc is not None
        return to_value(self.called(self.meaning.delete, loc=b.loc), self.meaning.backs(Real), ("what delete gives",))

    def called(self, rule: Callable[..., Any], *xs: Any, loc: Loc | None) -> Any:
        """What a rule gives; what it refuses is an error at the user's expression."""
        try:
            return rule(*xs)
        except Refusal as e:
            raise RoseError(f"{self.meaning.name}: {e.message}", loc, e.hint) from None


def as_fin(t: Type) -> Fin:
    assert isinstance(t, Fin)
    return t


def _item(b: Builder, due: Due | None, k: int) -> Due | None:
    if due is None:
        return None
    return due.get(k) if isinstance(due, dict) else b.get(due, k)
