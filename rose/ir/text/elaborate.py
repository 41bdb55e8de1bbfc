"""The body of a function, from its tree: each expression to the instructions that it stands for.

What the operators mean is in `operations.py`, and what is not a value yet in `bindings.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from ...errors import NoField, OutOfRange, WrongSyntax
from .. import builder
from ..func import Branch, Func, Kind, Linear, While
from ..puts import PUT
from ..reshapes import RESHAPE, apart, axes_of, reshaped_type
from ..sizes import Size
from ..types import DEEPEST, Bool, Fin, Ref, Span, Tuple, Type, Unit, Vec, linear_part, tangent, tuple_of
from ..value import OPS, Value
from . import trees as tree
from .bindings import Bindings, Bound, Nothing, Several, Units
from .literals import constant, is_unit, items_wanted, plain
from .operations import a, row, rows
from .trees import At, Expr


class Body(Bindings):
    """The instructions of one function."""

    def params(self, given: Sequence[Type]) -> None:
        """The parameters; patterns among them are taken apart once all of them are there."""
        patterns: list[tuple[tree.Apply, Value]] = []
        for (pattern, _), t in zip(self.d.params, given, strict=True):
            self.b.loc = self.module.source.at(pattern.at)
            name = pattern.name if isinstance(pattern, tree.Name) and pattern.name != "_" else None
            p = self.b.param(t, name)
            if name is not None:
                if name in self.env:
                    self.fail(f"there are two parameters {name}", pattern.at, "give each its own name", WrongSyntax)
                self.env[name] = p
            elif isinstance(pattern, tree.Apply):
                patterns.append((pattern, p))
        for pattern, p in patterns:
            self.bind(pattern, p)

    # expressions

    def value(self, e: Expr, want: Type | None = None, what: str = "this") -> Value:
        """The value of an expression, which must be a `want` if that is known."""
        v = self.force(self.bound(e, want), e.at)
        self.fits(v.type, want, e.at, what)
        if isinstance(v.type, Ref) and want is None:
            self.fail("an accumulator is only added to, frozen, or given to a function", e.at, "write a += x")
        return v

    def bound(self, e: Expr, want: Type | None = None, *, here: bool = False, many: bool = False) -> Bound:
        """The value of an expression. `here`: a literal is an instruction here; `many`: it is taken apart."""
        match e:
            case tree.Name():
                return self.lookup(e)
            case tree.Literal():
                return self.literal(e, want, here)
            case tree.Apply():
                return self.apply(e, want, here)
            case tree.Field():
                return self.part(e)
            case tree.Call():
                return self.call(e, want)
            case tree.For():
                return self.loop(e, want, many)
            case tree.Accum():
                return self.accum(e, want)
            case tree.Block():
                return self.block(e, want, many)

    def lookup(self, e: tree.Name) -> Bound:
        found = self.env.get(e.name)
        if found is None:
            is_function = e.name in self.module.defs
            hint = f"{e.name} is a function: call it" if is_function else "define it with a let before it"
            self.module.unknown("value", e.name, e.at, [] if is_function else list(self.env), hint)
        return found

    def apply(self, e: tree.Apply, want: Type | None, here: bool) -> Bound:
        match e.head, e.args:
            case "(", _:
                return self.tuple(e, want)
            case "[", _:
                return self.listing(e, want, here)
            case "[]", [of, index]:
                return self.index(of, index, e.at)
            case "&", [place]:
                return self.place(place)
            case "freeze", [whole]:
                return self.freeze(whole, e.at)
            case "+=", [whole, x]:
                ref = self.ref(whole)
                return self.raw(builder.ADD_TO, (ref, self.value(x, inner(ref), "what is added")), Unit, e.at)
            case _:
                return row(self, e, want)

    # blocks

    def lets(self, e: tree.Block) -> Expr:
        """Do what the lets of a block say; return its result, which is not a block."""
        while True:
            for let in e.lets:
                self.let(let)
            if not isinstance(e.result, tree.Block):
                return e.result
            e = e.result

    def block(self, e: tree.Block, want: Type | None, many: bool) -> Bound:
        mark = len(self.trail)
        made = self.bound(self.lets(e), want, many=many)
        self.leave(mark)
        return made

    def let(self, let: tree.Let) -> None:
        want = None if let.type is None else self.module.type(let.type, self.types)
        pattern, e = let.pattern, let.value
        if isinstance(pattern, tree.Apply) and is_tuple(e) and len(pattern.args) == len(e.args):
            made = [self.bound(x, t) for x, t in zip(e.args, items_wanted(want, len(e.args)), strict=True)]
            for p, x in zip(pattern.args, made, strict=True):
                self.bind(p, x)
            return
        x = self.bound(e, want, here=True, many=isinstance(pattern, tree.Apply))
        if pattern is None:
            t = self.type_of(x)
            if not t.empty:
                self.fail(f"what stands before a ; gives nothing, and this is {a(t)}", e.at, "name it: let x = ... in")
            return
        what = f"what {pattern.name} names" if isinstance(pattern, tree.Name) else "this"
        self.fits(self.type_of(x), want, e.at, what)
        self.bind(pattern, x)

    # literals and aggregates

    def literal(self, e: tree.Literal, want: Type | None, here: bool) -> Value:
        op, x, t = plain(self, e, want)
        block = self.b.block
        if here:
            made = self.raw(op, (), t, e.at, x)
            if block.parent is None:
                self.literals.setdefault((t, e.text), made)
            return made
        made = self.literals.get((t, e.text))
        if made is None:
            self.b.loc = self.module.source.at(e.at)
            made = self.b.const(x, t) if op is builder.CONST else self.b.zero(t)
            self.literals[t, e.text] = made
        return made

    def tuple(self, e: tree.Apply | tree.Call, want: Type | None) -> Value:
        wants = enumerate(zip(e.args, items_wanted(want, len(e.args)), strict=True))
        items = tuple([self.value(x, t, f"item {k}") for k, (x, t) in wants])
        fits = isinstance(want, Tuple) and len(want.items) == len(items)
        return self.raw(builder.TUPLE, items, want if fits and want else tuple_of(*[v.type for v in items]), e.at)

    def listing(self, e: tree.Apply, want: Type | None, here: bool) -> Value:
        if isinstance(want, Vec) and len(e.args) != want.size:
            hint = "the size is a part of the type"
            self.fail(f"there are {len(e.args)} elements, and there must be {want.size}", e.at, hint)
        elem = want.elem if isinstance(want, Vec) else None
        if (known := constant(self, e, want)) is not None:
            t, x = known
            self.b.loc = self.module.source.at(e.at)
            return self.raw(builder.CONST, (), t, e.at, x) if here else self.b.const(x, t)
        items: list[Value] = []
        for x in e.args:
            items.append(self.value(x, elem, "an element"))
            elem = items[0].type
        if elem is None:
            self.fail("the type of this empty vector is not known", e.at, "give it: let v: [0]Real = [] in")
        t = Vec(len(items), elem)
        if t.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} lists lie in one another", e.at, "write fewer, of more elements")
        return self.raw(builder.PACK, tuple(items), t, e.at)

    def part(self, e: tree.Field) -> Bound:
        x = self.bound(e.of)
        if isinstance(x, Several) and isinstance(e.field, int) and e.field < len(x.items):
            return x.items[e.field]
        t = self.type_of(x)
        if isinstance(t, Ref):
            self.fail("an accumulator cannot be read", e.at, "&a.x is the accumulator of a part of it")
        k, item = self.field(t, e)
        return self.raw(builder.GET, (self.force(x, e.at),), item, e.at, k)

    def field(self, t: Type, e: tree.Field) -> tuple[int, Type]:
        """The number of an item of a tuple, and its type."""
        if not isinstance(t, Tuple):
            self.fail(f"{a(t)} has no parts", e.at, "a tuple has; of a vector, write v[i]", NoField)
        if isinstance(e.field, int):
            if e.field < len(t.items):
                return e.field, t.items[e.field]
        elif t.form is not None and e.field in t.form.fields:
            k = t.form.fields.index(e.field)
            return k, t.items[k]
        has = ", ".join(t.form.fields) if t.form is not None else f"0 to {len(t.items) - 1}, as in t.0"
        self.fail(f"{a(t)} has no part {e.field}", e.at, f"it has {has}", NoField)

    def index(self, of: Expr, index: Expr, at: At) -> Value:
        vec = self.value(of)
        if not isinstance(vec.type, Vec):
            self.fail(f"{a(vec.type)} has no elements", of.at, "a vector has; of a tuple, write t.0")
        return self.raw(builder.INDEX, (vec, self.below(index, vec.type.size)), vec.type.elem, at)

    def put(self, e: tree.Call) -> Value:
        """`put(v, i, x)`, or `put(v, i, j, x)` of a vector of vectors."""
        vec, path = self.value(e.args[0]), list[Value]()
        t = vec.type
        for x in e.args[1:-1]:
            if not isinstance(t, Vec):
                self.fail(f"{a(t)} has no elements", x.at, "give one index for each vector, and then the element")
            path.append(self.below(x, t.size))
            t = t.elem
        return self.raw(PUT, (vec, *path, self.value(e.args[-1], t, "the element")), vec.type, e.at)

    def reshape(self, e: tree.Call, want: Type | None) -> Value:
        """`reshape(v)`, of the type that is written."""
        vec = self.value(e.args[0])
        hint = "write let x: [2][3]Real = reshape(y), of an array with as many elements"
        if want is None:
            self.fail(f"{a(vec.type)} is reshaped to a type that is not known", e.at, hint)
        old, new = apart(axes_of(vec.type), axes_of(want))
        if reshaped_type(vec.type, len(old), new) is not want:
            self.fail(f"{a(vec.type)} is not reshaped to {a(want)}", e.at, hint)
        return self.raw(RESHAPE, (vec,), want, e.at, (len(old), new))

    def below(self, e: Expr, size: int | Size) -> Value:
        """An index of a vector of this size."""
        i = self.value(e, Fin(size) if isinstance(e, tree.Literal) else None)
        if not isinstance(i.type, Fin):
            hint = "an index comes from a loop, a parameter like i: 3, or a literal"
            self.fail(f"{a(i.type)} is not an index", e.at, hint)
        if i.type.size > size:
            what = f"an index below {i.type.size} may be out of range for {size} elements"
            self.fail(what, e.at, f"i % {size} is below {size}", OutOfRange)
        return i

    # accumulators

    def ref(self, e: Expr) -> Value:
        """An accumulator that can be added to."""
        x = self.force(self.bound(e), e.at)
        if not isinstance(x.type, Ref):
            self.fail(f"{a(x.type)} is not an accumulator", e.at, "accum a from x in ... opens one")
        whole = x
        while whole.op is builder.AT:
            whole = whole.args[0]
        if whole in self.frozen:
            self.fail("this accumulator was frozen before", e.at, "add to it before its freeze")
        return x

    def place(self, e: Expr) -> Value:
        """`&` of something: the accumulator of a part of another."""
        if isinstance(e, tree.Name):
            return self.ref(e)
        match e:
            case tree.Field():
                whole = self.place(e.of)
                k, item = self.field(inner(whole), e)
                return self.raw(builder.AT, (whole,), Ref(item), e.at, k)
            case tree.Apply(head="[]", args=[of, index]):
                whole = self.place(of)
                t = inner(whole)
                if not isinstance(t, Vec):
                    self.fail(f"{a(t)} has no elements", of.at, "a vector has")
                return self.raw(builder.AT, (whole, self.below(index, t.size)), Ref(t.elem), e.at)
            case _:
                self.fail("this is not a part of an accumulator", e.at, "write &a[i], &a.x, or &fst a")

    def freeze(self, e: Expr, at: At) -> Value:
        ref = self.ref(e)
        if ref.op is not builder.ACCUM or ref.block is not self.b.block:
            self.fail("an accumulator is frozen as a whole, where it was opened", at, "freeze it after the loop")
        self.frozen.add(ref)
        return self.raw(builder.FREEZE, (ref,), inner(ref), at)

    def accum(self, e: tree.Accum, want: Type | None) -> Bound:
        first, second = items_wanted(want if e.body is not None else None, 2)
        if isinstance(want, Ref):
            first = want.inner
        init = self.value(e.init, first, "what the sum starts from")
        ref = self.raw(builder.ACCUM, (init,), Ref(init.type), e.at)
        if e.body is None or e.name is None:
            return ref
        mark = len(self.trail)
        self.name(e.name.name, ref)
        result = self.lets(e.body)
        out = Nothing() if is_unit(result) else self.bound(result, second)
        if isinstance(out, Value) and isinstance(out.type, Ref):
            self.fail("an accumulator cannot leave its region", result.at, "add to it inside")
        self.leave(mark)
        self.frozen.add(ref)
        return Several([self.raw(builder.FREEZE, (ref,), init.type, e.at), out])

    # loops

    def loop(self, e: tree.For, want: Type | None, many: bool) -> Bound:
        size = self.module.type(e.size, self.types)
        if not isinstance(size, Fin):
            self.fail(f"a loop goes over an index, not over {a(size)}", e.size.at, "write [for i: 3, ...]")
        wants = [None if s.type is None else self.module.type(s.type, self.types) for s in e.states]
        inits = [self.value(s.init, t, "what a state starts from") for s, t in zip(e.states, wants, strict=True)]
        if any([isinstance(v.type, Span) and (k > 0 or v.type.size != size.size) for k, v in enumerate(inits)]):
            what = f"a span of indices below {size.size} is the first state of this loop, or no state of it is a span"
            self.fail(what, e.at, "write [for i: 4, s: Span[4, 1, 5] from (a, b), ...]")
        mark, unit = len(self.trail), None
        with self.b.nested() as block:
            self.b.loc = self.module.source.at(e.index.at)
            self.name(e.index.name, self.b.param(size))
            for s, v in zip(e.states, inits, strict=True):
                self.name(s.name.name, self.b.param(v.type))
            results = self.iteration(e, self.lets(e.body), inits, want, many)
            if not inits and len(results) == 1 and results[0].type is Unit and block.code[-1:] == results:
                unit = results.pop()
            block.results = tuple(results)
        if inits and isinstance(inits[0].type, Span) and results[0] is not block.params[1]:
            hint = f"give {e.states[0].name.name} first in each iteration"
            self.fail("the span of a loop stays as it is", e.at, hint)
        self.leave(mark)
        k = len(inits)
        types = [v.type if j < k else Vec(size.size, v.type) for j, v in enumerate(results)]
        made = self.raw(builder.FOR, tuple(inits), tuple_of(*types), e.at, block)
        gets: list[Bound] = [self.raw(builder.GET, (made,), t, e.at, j) for j, t in enumerate(types)]
        return gets[0] if len(gets) == 1 else Several(gets) if gets else Units(made, unit)

    def iteration(self, e: tree.For, result: Expr, inits: list[Value], want: Type | None, many: bool) -> list[Value]:
        """The results of one iteration: the states of the next, and an element of each vector."""
        k = len(inits)
        if k == 0 and is_unit(result):
            return []
        plain = isinstance(want, Tuple) and want.form is None
        whole = k == 1 and isinstance(inits[0].type, Tuple) and (want is inits[0].type or (want is None and not many))
        if is_tuple(result) and (many or plain if k == 0 else not whole):
            count = len(result.args)
            wants = [*[v.type for v in inits], *[_elem(t) for t in items_wanted(want, count)[k:]]][:count]
            given = enumerate(zip(result.args, wants, strict=True))
            values = [self.value(x, t, f"result {j} of an iteration") for j, (x, t) in given]
        else:
            values = [self.value(result, inits[0].type if k else _elem(want), "the result of an iteration")]
        if len(values) < k:
            self.fail(f"an iteration gives {len(values)} of {k} states", result.at, "it gives (states..., elements...)")
        return values

    # calls

    def call(self, e: tree.Call, want: Type | None) -> Value:
        if e.name not in self.module.defs:
            return self.named(e, want)
        known = self.takes(e, len(e.args)).generics and e.types is None
        given = [self.force(self.bound(x), x.at) for x in e.args] if known else []
        f = self.callee(e, [v.type for v in given])
        names = [f"the argument {p.attr or ''}".rstrip() for p in f.params]
        if not known:
            given = [
                self.ref(x) if isinstance(p.type, Ref) else self.value(x, p.type, name)
                for x, p, name in zip(e.args, f.params, names, strict=True)
            ]
        for x, v, p, name in zip(e.args, given, f.params, names, strict=True):
            self.fits(v.type, p.type, x.at, name)
        if not f.pure:
            self.b.pure = False
        adds = any([isinstance(v.type, Ref) for v in given])
        return self.raw(builder.PURE_CALL if f.pure and not adds else builder.CALL, tuple(given), f.result, e.at, f)

    def takes(self, e: tree.Call, count: int) -> tree.Def:
        """The definition of what is called, if it takes so many arguments."""
        d = self.module.defs[e.name]
        if len(d.params) != count:
            self.fail(f"{e.name} takes {len(d.params)} arguments, got {count}", e.at, f"see {e.name}'s definition")
        return d

    def callee(self, e: tree.Call, given: Sequence[Type]) -> Func:
        """The function that is called: of a generic one, for the types that are written, or those of the arguments."""
        d = self.module.defs[e.name]
        if d.generics and e.types is None:
            return self.module.func(e.name, self.module.inferred(d, given, e.at), e.at)
        return self.module.func(e.name, tuple([self.module.type(t, self.types) for t in e.types or ()]), e.at)

    def named(self, e: tree.Call, want: Type | None) -> Value:
        """A struct, or an operation, that is written as a call."""
        t = self.module.types.get(e.name)
        if isinstance(t, Tuple) and e.types is None:
            if len(t.items) != len(e.args):
                self.fail(f"{a(t)} has {len(t.items)} fields, got {len(e.args)}", e.at, "give each field, in order")
            return self.tuple(e, t)
        if e.name == PUT.name and len(e.args) > 2 and e.types is None:
            return self.put(e)
        if e.name == RESHAPE.name and len(e.args) == 1 and e.types is None:
            return self.reshape(e, want)
        if not rows(e.name) or e.types is not None:
            self.module.unknown("function", e.name, e.at, [*self.module.defs, *OPS], "define it with def")
        return row(self, tree.Apply(e.at, e.name, e.args), want)

    # functions that call two others

    def of_two(self, e: tree.OfTwo, result: Type | None) -> Func:
        made = {"if": self.branch, "while": self.while_loop, "linear": self.linear}[e.word]
        t, first, second, kind = made(e, result)
        return Func(self.b.name, self.b.root, t, pure=first.pure and second.pure, kind=kind)

    def branch(self, e: tree.OfTwo, result: Type | None) -> tuple[Type, Func, Func, Kind]:
        """Of what an `if` gives, and its arms."""
        first, *rest = [p.attr for p in self.b.root.params] or [None]
        assert e.condition is not None
        for call in (e.first, e.second):
            if e.condition.name != first or _names(call) != rest or call.name not in self.module.defs:
                hint = "c ? x : y chooses between two values"
                self.fail("an if is on the first parameter, and gives both functions all others", call.at, hint)
        own = [p.type for p in self.b.root.params[1:]]
        then, otherwise = self.handed(e.first, own), self.handed(e.second, own)
        for call, g in ((e.first, then), (e.second, otherwise)):
            self.fits(g.result, result or then.result, call.at, "what an arm gives")
        self.fits(self.b.root.params[0].type, Bool, e.condition.at, "the condition")
        return then.result, then, otherwise, Branch(then, otherwise)

    def while_loop(self, e: tree.OfTwo, result: Type | None) -> tuple[Type, Func, Func, Kind]:
        """Of what a `while` gives, its test and its step."""
        own = self.given_all(e, "a while", "the first of them are its states")
        test, step = self.handed(e.first, own), self.handed(e.second, own)
        self.fits(test.result, Bool, e.first.at, "the test")
        self.fits(step.result, result, e.second.at, "the result of an iteration")
        states = step.result.items if isinstance(step.result, Tuple) else ()
        if not states or list(states) != own[: len(states)]:
            hint = "it gives a tuple of the first parameters' types: the states of the next iteration"
            self.fail(f"the body of a loop gives its next state, not {a(step.result)}", e.second.at, hint)
        return step.result, test, step, While(test, step, e.most)

    def linear(self, e: tree.OfTwo, result: Type | None) -> tuple[Type, Func, Func, Kind]:
        """Of what is linear in its first parameter, the function, and its transpose."""
        first, *rest = self.given_all(e, "a linear function", "the first of them is its tangent") or [Unit]
        if first.empty or tangent(linear_part(first)) is not first:
            self.fail("a linear function takes a tangent first", self.d.name.at, "write Tan, or a vector of such")
        by = self.handed(e.first, [linear_part(first), *rest])
        back = self.handed(e.second, [by.result, *rest])
        self.fits(back.result, linear_part(first), e.second.at, "the transpose")
        self.fits(tangent(by.result), result, e.first.at, "the result")
        return tangent(by.result), by, back, Linear(by, back)

    def given_all(self, e: tree.OfTwo, what: str, hint: str) -> list[Type]:
        """The types of the parameters, if both functions are given all of them."""
        for call in (e.first, e.second):
            if _names(call) != [p.attr for p in self.b.root.params]:
                self.fail(f"{what} gives both functions all parameters", call.at, hint)
            if call.name not in self.module.defs:
                self.module.unknown("function", call.name, call.at, [*self.module.defs], "define it with def")
        return [p.type for p in self.b.root.params]

    def handed(self, e: tree.Call, own: list[Type]) -> Func:
        """A function that is given parameters of these types, as they are."""
        self.takes(e, len(own))
        f = self.callee(e, own)
        self.fits(tuple_of(*[p.type for p in f.params]), tuple_of(*own), e.at, f"what {e.name} takes")
        return f


def is_tuple(e: Expr) -> TypeGuard[tree.Apply]:
    return isinstance(e, tree.Apply) and e.head == "("


def inner(ref: Value) -> Type:
    """The type of what an accumulator sums."""
    assert isinstance(ref.type, Ref)
    return ref.type.inner


def _elem(t: Type | None) -> Type | None:
    return t.elem if isinstance(t, Vec) else None


def _names(call: tree.Call) -> list[str | None]:
    """The names that a function is given."""
    return [x.name if isinstance(x, tree.Name) else None for x in call.args]
