"""The body of a function, from its tree: each expression to the instructions that it stands for.

What the operators mean is in `operations.py`, and what is not a value yet in `bindings.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import NoField, OutOfRange, WrongSyntax
from .. import builder
from ..func import Branch, Func, Linear, While
from ..puts import PUT
from ..types import DEEPEST, Bool, Fin, Ref, Span, Tuple, Type, Unit, Vec, linear_part, tangent, tuple_of
from ..value import OPS, Value
from . import trees as tree
from .bindings import Bindings, Bound, Nothing, Pair, Rows
from .literals import constant, plain
from .operations import a, alias, row
from .trees import At, Expr


class Body(Bindings):
    """The instructions of one function."""

    def params(self, given: Sequence[Type]) -> None:
        """The parameters; patterns among them are taken apart once all of them are there."""
        patterns: list[tuple[tree.Several, Value]] = []
        for (pattern, _), t in zip(self.d.params, given, strict=True):
            self.b.loc = self.module.source.at(pattern.at)
            named = isinstance(pattern, tree.Name) and pattern.name != "_"
            p = self.b.param(t, pattern.name if isinstance(pattern, tree.Name) and named else None)
            if isinstance(pattern, tree.Name) and named:
                if pattern.name in self.env:
                    twice = f"there are two parameters {pattern.name}"
                    self.fail(twice, pattern.at, "give each its own name", WrongSyntax)
                self.env[pattern.name] = p
            elif isinstance(pattern, tree.Several):
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

    def bound(  # noqa: C901 (one case for each kind of expression)
        self, e: Expr, want: Type | None = None, *, here: bool = False, many: bool = False
    ) -> Bound:
        """The value of an expression. `here`: a literal is an instruction here; `many`: it is taken apart."""
        match e:
            case tree.Name():
                return self.lookup(e)
            case tree.Literal():
                return self.literal(e, want, here)
            case tree.Row():
                return row(self, e, want)
            case tree.Index():
                return self.index(e)
            case tree.Part():
                return self.part(e)
            case tree.Call():
                return self.call(e, want)
            case tree.AddTo():
                ref = self.ref(e.ref)
                assert isinstance(ref.type, Ref)
                x = self.value(e.x, ref.type.inner, "what is added")
                return self.raw(builder.ADD_TO, (ref, x), Unit, e.at)
            case tree.Items():
                return self.tuple(e, want)
            case tree.Listing():
                return self.listing(e, want, here)
            case tree.RefTo():
                return self.place(e.place)
            case tree.Freeze():
                return self.freeze(e)
            case tree.For():
                return self.loop(e, want, many)
            case tree.Accum():
                return self.accum(e, want)
            case tree.Block():
                return self.block(e, want, many)

    def lookup(self, e: tree.Name) -> Bound:
        found = self.env.get(e.name)
        if found is None:
            hint = (
                f"{e.name} is a function: call it" if e.name in self.module.defs else "define it with a let before it"
            )
            known = [] if e.name in self.module.defs else list(self.env)
            self.module.unknown("value", e.name, e.at, known, hint)
        return found

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
        if isinstance(pattern, tree.Several) and isinstance(e, tree.Items) and len(pattern.items) == len(e.items):
            wants = want.items if isinstance(want, Tuple) and len(want.items) == len(e.items) else [None] * len(e.items)
            made = [self.bound(x, t) for x, t in zip(e.items, wants, strict=True)]
            for p, x in zip(pattern.items, made, strict=True):
                self.bind(p, x)
            return
        x = self.bound(e, want, here=True, many=isinstance(pattern, tree.Several))
        if pattern is None:
            t = self.type_of(x)
            if not t.empty:
                self.fail(f"what stands before a ; gives nothing, and this is {a(t)}", e.at, "name it: let x = ... in")
            return
        self.fits(
            self.type_of(x), want, e.at, f"what {pattern.name} names" if isinstance(pattern, tree.Name) else "this"
        )
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

    def tuple(self, e: tree.Items, want: Type | None) -> Value:
        fits = isinstance(want, Tuple) and len(want.items) == len(e.items)
        wants = want.items if fits and isinstance(want, Tuple) else [None] * len(e.items)
        items = tuple([self.value(x, t, f"item {k}") for k, (x, t) in enumerate(zip(e.items, wants, strict=True))])
        t = want if fits and want is not None else tuple_of(*[v.type for v in items])
        return self.raw(builder.TUPLE, items, t, e.at)

    def listing(self, e: tree.Listing, want: Type | None, here: bool) -> Value:
        if isinstance(want, Vec) and len(e.items) != want.size:
            hint = "the size is a part of the type"
            self.fail(f"there are {len(e.items)} elements, and there must be {want.size}", e.at, hint)
        elem = want.elem if isinstance(want, Vec) else None
        if (known := constant(self, e, want)) is not None:
            t, x = known
            self.b.loc = self.module.source.at(e.at)
            return self.raw(builder.CONST, (), t, e.at, x) if here else self.b.const(x, t)
        items: list[Value] = []
        for x in e.items:
            items.append(self.value(x, elem, "an element"))
            elem = items[0].type
        if elem is None:
            self.fail("the type of this empty vector is not known", e.at, "give it: let v: [0]Real = [] in")
        t = Vec(len(items), elem)
        if t.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} lists lie in one another", e.at, "write fewer, of more elements")
        return self.raw(builder.PACK, tuple(items), t, e.at)

    def part(self, e: tree.Part) -> Bound:
        x = self.bound(e.of)
        if isinstance(x, Pair) and e.field in (0, 1):
            return x.out if e.field else x.sum
        if isinstance(x, Rows) and isinstance(e.field, int) and 1 < len(x.gets) > e.field:
            return x.gets[e.field]
        t = self.type_of(x)
        if isinstance(t, Ref):
            self.fail("an accumulator cannot be read", e.at, "&a.x is the accumulator of a part of it")
        k, item = self.item(t, e)
        return self.raw(builder.GET, (self.force(x, e.at),), item, e.at, k)

    def item(self, t: Type, e: tree.Part) -> tuple[int, Type]:
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

    def index(self, e: tree.Index) -> Value:
        vec = self.value(e.of)
        if not isinstance(vec.type, Vec):
            self.fail(f"{a(vec.type)} has no elements", e.of.at, "a vector has; of a tuple, write t.0")
        i = self.below(e.index, vec.type.size)
        return self.raw(builder.INDEX, (vec, i), vec.type.elem, e.at)

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

    def below(self, e: Expr, size: int) -> Value:
        """An index of a vector of this size."""
        i = self.value(e, Fin(size) if isinstance(e, tree.Literal) else None)
        if not isinstance(i.type, Fin):
            self.fail(
                f"{a(i.type)} is not an index", e.at, "an index comes from a loop, a parameter like i: 3, or a literal"
            )
        if i.type.size > size:
            what = f"an index below {i.type.size} may be out of range for {size} elements"
            self.fail(what, e.at, f"i % {size} is below {size}", OutOfRange)
        return i

    # accumulators

    def ref(self, e: Expr) -> Value:
        """An accumulator that can be added to."""
        x = self.place(e.place) if isinstance(e, tree.RefTo) else self.force(self.bound(e), e.at)
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
        if not isinstance(e, (tree.Index, tree.Part)):
            self.fail("this is not a part of an accumulator", e.at, "write &a[i], &a.x, or &fst a")
        whole = self.place(e.of)
        assert isinstance(whole.type, Ref)
        inner = whole.type.inner
        if isinstance(e, tree.Part):
            k, item = self.item(inner, e)
            return self.raw(builder.AT, (whole,), Ref(item), e.at, k)
        if not isinstance(inner, Vec):
            self.fail(f"{a(inner)} has no elements", e.of.at, "a vector has")
        return self.raw(builder.AT, (whole, self.below(e.index, inner.size)), Ref(inner.elem), e.at)

    def freeze(self, e: tree.Freeze) -> Value:
        ref = self.ref(e.ref)
        if ref.op is not builder.ACCUM or ref.block is not self.b.block:
            self.fail("an accumulator is frozen as a whole, where it was opened", e.at, "freeze it after the loop")
        self.frozen.add(ref)
        assert isinstance(ref.type, Ref)
        return self.raw(builder.FREEZE, (ref,), ref.type.inner, e.at)

    def accum(self, e: tree.Accum, want: Type | None) -> Bound:
        inner = want.inner if isinstance(want, Ref) else None
        first, second = want.items if isinstance(want, Tuple) and len(want.items) == 2 and e.body else (inner, None)
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
        return Pair(self.raw(builder.FREEZE, (ref,), init.type, e.at), out)

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
        made = Rows(self.raw(builder.FOR, tuple(inits), tuple_of(*types), e.at, block), [], unit)
        for j, t in enumerate(types):
            self.get(made, j, t, e.at)
        return made.gets[0] if len(types) == 1 else made

    def iteration(self, e: tree.For, result: Expr, inits: list[Value], want: Type | None, many: bool) -> list[Value]:
        """The results of one iteration: the states of the next, and an element of each vector."""
        k = len(inits)
        if k == 0 and is_unit(result):
            return []
        plain = isinstance(want, Tuple) and want.form is None
        whole = k == 1 and isinstance(inits[0].type, Tuple) and (want is inits[0].type or (want is None and not many))
        split = isinstance(result, tree.Items) and (many or plain if k == 0 else not whole)
        if isinstance(result, tree.Items) and split:
            own = want.items if isinstance(want, Tuple) and len(want.items) == len(result.items) else ()
            wants = [self.wanted(t, j >= k) for j, t in enumerate(own)] or [None] * len(result.items)
            wants[:k] = [v.type for v in inits][: len(wants)]
            values = [
                self.value(x, t, f"result {j} of an iteration")
                for j, (x, t) in enumerate(zip(result.items, wants, strict=True))
            ]
        else:
            one = inits[0].type if k else self.wanted(want, True)
            values = [self.value(result, one, "the result of an iteration")]
        if len(values) < k:
            self.fail(f"an iteration gives {len(values)} of {k} states", result.at, "it gives (states..., elements...)")
        return values

    def wanted(self, t: Type | None, is_vector: bool) -> Type | None:
        return (t.elem if isinstance(t, Vec) else None) if is_vector else t

    # calls

    def call(self, e: tree.Call, want: Type | None) -> Value:
        d = self.module.defs.get(e.name)
        if d is None:
            return self.named(e, want)
        if len(e.args) != len(d.params):
            self.fail(
                f"{e.name} takes {len(d.params)} arguments, got {len(e.args)}", e.at, f"see {e.name}'s definition"
            )
        given: list[Value] | None = None
        types: tuple[Type, ...] = ()
        if d.generics and e.types is None:
            given = [self.force(self.bound(x), x.at) for x in e.args]
            types = self.module.inferred(d, [v.type for v in given], e.at)
        elif e.types is not None:
            types = tuple([self.module.type(t, self.types) for t in e.types])
        f = self.module.func(e.name, types, e.at)
        if given is None:
            given = [self.argument(x, p) for x, p in zip(e.args, f.params, strict=True)]
        for x, v, p in zip(e.args, given, f.params, strict=True):
            self.fits(v.type, p.type, x.at, f"the argument {p.attr or ''}".rstrip())
        return self.calling(f, given, e.at)

    def argument(self, e: Expr, p: Value) -> Value:
        return (
            self.ref(e) if isinstance(p.type, Ref) else self.value(e, p.type, f"the argument {p.attr or ''}".rstrip())
        )

    def calling(self, f: Func, given: list[Value], at: At) -> Value:
        if not f.pure:
            self.b.pure = False
        adds = any([isinstance(v.type, Ref) for v in given])
        return self.raw(builder.PURE_CALL if f.pure and not adds else builder.CALL, tuple(given), f.result, at, f)

    def named(self, e: tree.Call, want: Type | None) -> Value:
        """A struct, or an operation, that is written as a call."""
        t = self.module.types.get(e.name)
        if isinstance(t, Tuple) and e.types is None:
            if len(t.items) != len(e.args):
                self.fail(f"{a(t)} has {len(t.items)} fields, got {len(e.args)}", e.at, "give each field, in order")
            return self.tuple(tree.Items(e.at, e.args), t)
        if e.name == PUT.name and len(e.args) > 2 and e.types is None:
            return self.put(e)
        if alias(e.name) not in OPS or e.types is not None:
            self.module.unknown("function", e.name, e.at, [*self.module.defs, *OPS], "define it with def")
        return row(self, tree.Row(e.at, e.name, e.args), want)

    def branch(self, e: tree.If, result: Type | None) -> Func:
        """The function that calls one of two others."""
        first, *rest = [p.attr for p in self.b.root.params] or [None]
        for call in (e.then, e.otherwise):
            names = [x.name if isinstance(x, tree.Name) else None for x in call.args]
            if e.condition.name != first or names != rest or call.name not in self.module.defs:
                hint = "c ? x : y chooses between two values"
                self.fail("an if is on the first parameter, and gives both functions all others", call.at, hint)
        own = [p.type for p in self.b.root.params[1:]]
        then, otherwise = [self.handed(c, own) for c in (e.then, e.otherwise)]
        for call, g in ((e.then, then), (e.otherwise, otherwise)):
            self.fits(g.result, result or then.result, call.at, "what an arm gives")
        self.fits(self.b.root.params[0].type, Bool, e.condition.at, "the condition")
        pure, kind = then.pure and otherwise.pure, Branch(then, otherwise)
        return Func(self.b.name, self.b.root, then.result, pure=pure, kind=kind)

    def handed(self, e: tree.Call, own: list[Type]) -> Func:
        """A function that is given parameters of these types, as they are."""
        d = self.module.defs[e.name]
        if len(d.params) != len(own):
            self.fail(f"{e.name} takes {len(d.params)} arguments, got {len(own)}", e.at, f"see {e.name}'s definition")
        if d.generics and e.types is None:
            f = self.module.func(e.name, self.module.inferred(d, own, e.at), e.at)
        else:
            f = self.module.func(e.name, tuple([self.module.type(t, self.types) for t in e.types or ()]), e.at)
        self.fits(tuple_of(*[p.type for p in f.params]), tuple_of(*own), e.at, f"what {e.name} takes")
        return f

    def given_all(self, calls: Sequence[tree.Call], what: str, hint: str) -> list[Type]:
        """The types of the parameters, if each of the calls is given all of them."""
        params = self.b.root.params
        for call in calls:
            if [x.name if isinstance(x, tree.Name) else None for x in call.args] != [p.attr for p in params]:
                self.fail(f"{what} gives both functions all parameters", call.at, hint)
            if call.name not in self.module.defs:
                self.module.unknown("function", call.name, call.at, [*self.module.defs], "define it with def")
        return [p.type for p in params]

    def while_loop(self, e: tree.While, result: Type | None) -> Func:
        """The function that calls another as long as a test holds."""
        own = self.given_all((e.test, e.step), "a while", "the first of them are its states")
        test, step = [self.handed(c, own) for c in (e.test, e.step)]
        self.fits(test.result, Bool, e.test.at, "the test")
        self.fits(step.result, result, e.step.at, "the result of an iteration")
        states = step.result.items if isinstance(step.result, Tuple) else ()
        if not states or list(states) != own[: len(states)]:
            hint = "it gives a tuple of the first parameters' types: the states of the next iteration"
            self.fail(f"the body of a loop gives its next state, not {a(step.result)}", e.step.at, hint)
        pure, kind = test.pure and step.pure, While(test, step, e.most)
        return Func(self.b.name, self.b.root, step.result, pure=pure, kind=kind)

    def linear(self, e: tree.Linear, result: Type | None) -> Func:
        """The function that calls another, which is linear in its first parameter, and whose transpose is a third."""
        hint = "the first of them is its tangent"
        first, *rest = self.given_all((e.by, e.transposed), "a linear function", hint) or [Unit]
        if first.empty or tangent(linear_part(first)) is not first:
            self.fail("a linear function takes a tangent first", self.d.name.at, "write Tan, or a vector of such")
        by = self.handed(e.by, [linear_part(first), *rest])
        back = self.handed(e.transposed, [by.result, *rest])
        self.fits(back.result, linear_part(first), e.transposed.at, "the transpose")
        self.fits(tangent(by.result), result, e.by.at, "the result")
        return Func(self.b.name, self.b.root, tangent(by.result), pure=by.pure and back.pure, kind=Linear(by, back))


def is_unit(e: Expr) -> bool:
    return isinstance(e, tree.Literal) and e.text == "()"
