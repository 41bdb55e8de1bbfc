"""What the branches and loops of a function under `@fn(syntax=True)` do, while it is traced.

`syntax.py` writes calls of these around the statements of the user's, which stay where they are, in the user's own
frame. Where a condition is Python's, Python goes on as ever. Where it is traced, both branches run, one after the
other, each recorded as a function of its own; then the variables that they assign take their values from the choice.
A loop's body runs once, on variables that stand for those of any turn.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import ir, loops, operators, trace
from .calls import choice, repeated
from .control import cond, inside
from .errors import Loc, RoseError, TypeMismatch, edge, here
from .ir import CONST, Block, Func, Value, a_traced, builder, shown
from .operators import view
from .structs import infer, is_number, to_value
from .types import Bool, Fin, Real, Type

Variables = dict[str, Any]


class _Nothing:
    """What stands for the value of a variable that has none."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()
RESULT = "@result"  # the variable that holds what the function returns, where it returns in branches


class _Part:
    """A branch, a test or a turn that is being recorded: as a function of its own, or as a block of a loop."""

    def __init__(self, run: Run, kind: str, name: str, there: Variables) -> None:
        self.run, self.kind, self.outside = run, kind, [*there.values()]
        self.cm = ir.building(name, inside=True) if kind != "for" else None
        self.b = builder() if self.cm is None else self.cm.__enter__()
        self.block, self.loc = self.b.block, here()
        self.outer = self.b.outer
        run.open.append(self)

    def leave(self) -> None:
        assert self.run.open.pop() is self
        if self.cm is None:
            self.b.block = self.block
        else:
            self.cm.__exit__(None, None, None)

    def finish(self) -> None:
        """End what is recorded as a function; a loop that is still open in it is an error."""
        trace.finish(self.b, lambda: None, lambda *_: self.b.unit(), self.loc)
        self.leave()

    def func(self, first: list[Value], outside: list[Value], result: Value) -> Func:
        with ir.resumed(self.b) as b:
            b.root.params = [*first, *inside(b, outside)]
            return b.func(result)


class Run:
    """One trace of a rewritten function: what of it is being recorded."""

    nothing = NOTHING
    iter = staticmethod(builtins.iter)
    locals = staticmethod(builtins.locals)

    def __init__(self) -> None:
        self.open: list[_Part] = []

    def close(self) -> None:
        """Leave what an exception came out of."""
        while self.open:
            self.open[-1].leave()

    @edge
    def choose(self, test: Any, names: Sequence[str], live: Sequence[str], under: str, there: Variables) -> Choice:
        return Choice(self, test, names, live, under, {k: there.get(k, NOTHING) for k in names}, there)

    def repeat(self, names: Sequence[str], live: Sequence[str], under: str) -> Repeat:
        return Repeat(self, names, live, under)

    @edge
    def each(self, items: Any, names: Sequence[str], live: Sequence[str], under: str, there: Variables) -> Each:
        return Each(self, items, names, live, under, there)

    # statements that have no meaning where both branches run, or a body runs once for all turns

    @edge
    def refuse(self, what: str, instead: str) -> None:
        if self.open:
            raise TypeMismatch(f"{what} inside of {self._innermost()}", here(), instead)

    def _innermost(self) -> str:
        part = self.open[-1]
        where = {"if": "a branch that is taken only when the compiled function decides", "for": "a traced loop"}
        return where.get(part.kind, "a traced loop")

    @edge
    def leave(self, what: str, *between: Choice | Repeat | Each) -> None:
        """`what` is break, continue or return: refused if it would leave something that is traced."""
        if any(x.traced for x in between):
            hint = "let a `while` test for it: while (k < n) and not done"
            if what == "return":
                hint = "keep the result in a variable, and return it after the loop"
            elif what == "continue":
                hint = "put the rest of the turn into an `if`"
            raise RoseError(f"{what} inside of a loop, where it depends on a traced value", here(), hint)

    @edge
    def adds(self, x: Any) -> None:
        if self.open and loops.is_elsewhere(x):
            what = f"an accumulator is added to inside of {self._innermost()}, and was opened outside of it"
            raise TypeMismatch(what, here(), "choose what is added: total += x if c else 0.0; or sum into a variable")

    @edge
    def stores(self, x: Any, local: bool) -> None:
        """An attribute or an element of `x` is assigned."""
        if self.open and not isinstance(x, loops.Accum) and self._from_outside(x, local):
            what = f"a part of {_described(x)} is assigned inside of {self._innermost()}"
            raise TypeMismatch(what, here(), "give a variable of its own a new value: x = ..., which may be a struct")

    @edge
    def calls(self, x: Any, name: str, local: bool) -> None:
        """A method of `x` is called for what it does."""
        if self.open and isinstance(x, (list, dict, set, bytearray)) and self._from_outside(x, local):
            if name in dir(x) and name not in dir(tuple) and name not in ("copy", "get", "items", "keys", "values"):
                what = f"{_described(x)} is changed by .{name} inside of {self._innermost()}"
                raise TypeMismatch(what, here(), "give a variable a new value: x = ...; rose.vec makes a vector")

    def _from_outside(self, x: Any, local: bool) -> bool:
        return not local or any(x is y for part in self.open for y in part.outside)

    # expressions

    @edge
    def ifexp(self, c: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        if not _is_traced(c, "a conditional expression"):
            return then() if c else otherwise()
        return cond(c, then, otherwise)

    @edge
    def both(self, x: Any, *rest: Callable[[], Any]) -> Any:
        """`x and y and ...`"""
        return _join(x, rest, True)

    @edge
    def either(self, x: Any, *rest: Callable[[], Any]) -> Any:
        """`x or y or ...`"""
        return _join(x, rest, False)

    @edge
    def negate(self, x: Any) -> Any:
        return operators.OPERATORS["~"](x, None) if _is_traced(x, "`not`") else not x

    @edge
    def chain(self, symbols: Sequence[str], x: Any, *rest: Callable[[], Any]) -> Any:
        """`x < y < z`: each is evaluated once, and only if what is before it holds."""
        y = rest[0]()
        holds = _COMPARE[symbols[0]](x, y)
        if len(rest) == 1:
            return holds
        return _join(holds, [lambda: self.chain(symbols[1:], y, *rest[1:])], True)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq,
    "NotEq": operator.ne, "Is": operator.is_, "IsNot": operator.is_not, "In": lambda x, y: x in y,
    "NotIn": lambda x, y: x not in y,
}  # fmt: skip


def _is_traced(c: Any, what: str) -> bool:
    """True for a condition that the compiled function decides."""
    if c.__class__ is not Value:
        return False
    if c.type is not Bool:
        hint = "compare it: x != 0.0" if c.type is Real or isinstance(c.type, Fin) else "compare a part of it"
        raise TypeMismatch(f"{what} asks for a Bool, not {a_traced(c)}", here(), hint)
    return True


def _join(x: Any, rest: Sequence[Callable[[], Any]], both: bool) -> Any:
    """The conjunction or disjunction of `x` and what `rest` gives, from left to right, as lazy as Python's."""
    for make in rest:
        if _is_traced(x, "`and`" if both else "`or`"):
            x = _with_right(x, make, both)
        elif bool(x) is both:
            x = make()
        else:
            return x
    return x


def _with_right(x: Value, make: Callable[[], Any], both: bool) -> Any:
    if x.op is CONST:
        return make() if x.attr is both else x
    with ir.building("right", inside=True) as b:
        loc = here()
        right = trace.finish(b, make, lambda y, at: to_value(y, Bool, (f"the right side of {_WORDS[both]}",), at), loc)
    if not all(v.op is CONST or (v.op.pure and v.op.eval is not None) for v in right.body.code):
        return cond(x, make, lambda: False) if both else cond(x, lambda: True, make)
    env = {p: v for v, p in b.captured.items()}
    return operators.OPERATORS["&" if both else "|"](x, _spliced(right, env))


_WORDS = {True: "and", False: "or"}


def _spliced(f: Func, env: dict[Value, Value]) -> Value:
    """The instructions of `f`, which are all operations on numbers, again in what is recorded now."""
    b = builder()
    for v in f.body.code:
        env[v] = b.const(v.attr, v.type) if v.op is CONST else b.emit(v.op, tuple([env[x] for x in v.args]), v.attr)
    (result,) = f.body.results
    return env[result]


# branches


class Choice:
    """An `if`: where it is traced, both branches are recorded, and what they assign is chosen between."""

    def __init__(
        self, run: Run, test: Any, names: Sequence[str], live: Sequence[str], under: str, now: Variables,
        there: Variables,
    ) -> None:  # fmt: skip
        self.run, self.test, self.names, self.live, self.loc = run, test, names, live, here()
        self.now, self.taken, self.arms = now, False, list[tuple[_Part, Variables]]()
        self.before = now
        self.traced = _is_traced(test, "an `if`")
        if self.traced and test.op is CONST:
            self.traced, self.test = False, test.attr
        if self.traced:
            self.there = Variables(there)
            _check_place(under, "if", self.loc)

    def then(self) -> Any:
        if self.traced:
            self.part = _Part(self.run, "if", "then", self.there)
            return True
        return self.test

    def otherwise(self) -> bool:
        if self.traced:
            self.now, self.part = self.before, _Part(self.run, "if", "otherwise", self.there)
        return not self.taken

    def take(self, name: str) -> Any:
        return self.now[name]

    @edge
    def end(self, there: Variables) -> None:
        if not self.traced:
            self.taken = True
            return
        self.part.finish()
        self.arms.append((self.part, {k: there.get(k, NOTHING) for k in self.names}))
        if len(self.arms) == 2:
            self._join()

    def _join(self) -> None:
        (then, x), (otherwise, y) = self.arms
        self.now = {k: x[k] if _same(x[k], y[k]) else NOTHING for k in self.names}
        chosen: dict[str, tuple[Value, Value]] = {}
        for k in self.names:
            if not _same(x[k], y[k]) and (pair := self._pair(k, x[k], y[k])) is not None:
                chosen[k] = pair
        results = [_packed(arm, [pair[j] for pair in chosen.values()]) for j, (arm, _) in enumerate(self.arms)]
        outside = list(dict.fromkeys([v for arm in (then, otherwise) for v in arm.b.captured]))
        f = choice("cond", *[arm.func([], outside, r) for (arm, _), r in zip(self.arms, results, strict=True)])
        b = builder()
        out = b.call(f, [self.test, *[b.reach(v) for v in outside]])
        self.now.update(_unpacked(out, list(chosen)))

    def _pair(self, name: str, x: Any, y: Any) -> tuple[Value, Value] | None:
        """The values of a variable after the branches, of one type; None if it is not read any more."""
        if name not in self.live and (x is NOTHING or y is NOTHING):
            return None
        if x is NOTHING or y is NOTHING:
            what = f"{name} has a value after one branch of this `if` only, and may be used later"
            raise TypeMismatch(what, self.loc, f"give {name} a value before the `if`, or in both branches")
        (a, _), (b, _) = self.arms
        v, w = self._lifted(name, x, a), self._lifted(name, y, b)
        if v is None or w is None:
            return None
        v, w = _agreed(a, v, x, w.type), _agreed(b, w, y, v.type)
        if v.type is w.type:
            return v, w
        if name not in self.live:
            return None
        what = f"{name} is {_kind(x, v)} after one branch of this `if`, and {_kind(y, w)} after the other"
        if name == RESULT:
            what = f"one branch of this `if` returns {_kind(x, v)}, and the other {_kind(y, w)}"
        raise TypeMismatch(what, self.loc, "let both be of one type")

    def _lifted(self, name: str, x: Any, arm: _Part) -> Value | None:
        with ir.resumed(arm.b):
            v = lifted(x)
        if v is None and name in self.live:
            of = "what is returned" if name == RESULT else name
            what = f"{of} is {_described(x)} after one branch of this `if`, which no compiled function can choose"
            raise TypeMismatch(what, self.loc, "only numbers, truth values, and vectors and structs of them are chosen")
        return v


def _same(x: Any, y: Any) -> bool:
    """True for one object, and for two numbers of Python's, or strings, that nothing tells apart."""
    plain = x.__class__ is y.__class__ and isinstance(x, (int, float, str))
    return x is y or (plain and repr(x) == repr(y))


def _agreed(arm: _Part, v: Value, given: Any, t: Type) -> Value:
    """`v` as a `t`, if it is a number of Python's, or an index where a Real is wanted."""
    if v.type is t:
        return v
    with ir.resumed(arm.b) as b:
        try:
            return b.reach(to_value(given, t)) if is_number(given) else _as_real(v, t)
        except RoseError:
            return v


def _as_real(v: Value, t: Type) -> Value:
    return operators.as_real(v) if t is Real else v


def lifted(x: Any) -> Value | None:
    """`x` as a traced value, where it can be one."""
    try:
        return builder().reach(infer(x))
    except RoseError:
        return None


def _packed(part: _Part, values: list[Value]) -> Value:
    with ir.resumed(part.b) as b:
        return b.reach(_pack(values))


def _pack(values: list[Value]) -> Value:
    b = builder()
    return values[0] if len(values) == 1 else b.tuple(values) if values else b.unit()


def _unpacked(v: Value, names: list[str]) -> Variables:
    if len(names) == 1:
        return {names[0]: view(v)}
    return {k: view(builder().get(v, j)) for j, k in enumerate(names)}


def _described(x: Any) -> str:
    return a_traced(x) if isinstance(x, Value) else shown(x)


def _kind(x: Any, v: Value) -> str:
    return "nothing (None)" if x is None else f"a {v.type!r}"


def _check_place(under: str, what: str, loc: Loc) -> None:
    if under:
        hint = f"put it outside of the `{under}`, or into an @fn(syntax=True) function that is called there"
        raise TypeMismatch(f"a traced `{what}` inside of `{under}`", loc, hint)


# loops


class _Carried:
    """The variables that a loop hands from turn to turn: those that are numbers, and objects that stay the same."""

    def __init__(self, names: Sequence[str], live: Sequence[str], there: Variables, loc: Loc) -> None:
        self.names, self.loc, self.first, self.kept = names, loc, dict[str, Value](), Variables()
        for k in names:
            if k not in there:
                if k in live:
                    what = f"{k} has no value before this loop, and may be used before a turn of it gives it one"
                    raise TypeMismatch(what, loc, f"give {k} a value before the loop")
            elif (v := lifted(there[k])) is None:
                self.kept[k] = there[k]
            else:
                self.first[k] = v

    def now(self, state: Value) -> Variables:
        """All the variables, where `state` has those that change."""
        return {**dict.fromkeys(self.names, NOTHING), **self.kept, **_unpacked(state, list(self.first))}

    def after(self, there: Variables) -> Value:
        """The state after a turn."""
        self.check(there)
        return _pack([self._value(k, there.get(k, NOTHING), v.type) for k, v in self.first.items()])

    def check(self, there: Variables) -> None:
        for k, x in self.kept.items():
            if (y := there.get(k, NOTHING)) is not x:
                to = "loses its value" if y is NOTHING else f"becomes {_described(y)}"
                what = f"{k} is {_described(x)} before this loop, and {to} in it"
                raise TypeMismatch(what, self.loc, "a traced loop changes numbers, and vectors and structs of them")

    def _value(self, name: str, x: Any, t: Type) -> Value:
        if x is NOTHING:
            raise TypeMismatch(f"{name} has no value after a turn of this loop", self.loc, "give it one in each turn")
        try:
            return builder().reach(to_value(x, t))
        except RoseError:
            v = lifted(x)
            now = _described(x) if v is None else _kind(x, v)
        what = f"{name} is a {t!r} before this loop, and {now} after a turn"
        raise TypeMismatch(what, self.loc, f"let {name} keep its type, or use another variable")


class Repeat:
    """A `while`: from the first test on that is traced, it is a loop of the compiled function."""

    def __init__(self, run: Run, names: Sequence[str], live: Sequence[str], under: str) -> None:
        self.run, self.names, self.live, self.under = run, names, live, under
        self.traced = self.done = False

    def more(self) -> bool:
        """True unless it is recorded already; what comes next is the test."""
        if self.done:
            return False
        b = builder()
        self.pure, b.pure = b.pure, True
        return True

    @edge
    def holds(self, test: Any, there: Variables) -> Any:
        b = builder()
        effect, b.pure = not b.pure, b.pure and self.pure
        if not _is_traced(test, "a `while`"):
            return test
        loc = here()
        _check_place(self.under, "while", loc)
        if effect:
            raise TypeMismatch("the test of a traced `while` has an effect", loc, "let it compare, and nothing else")
        self.traced, self.loc, self.there = True, loc, Variables(there)
        self.carried = _Carried(self.names, self.live, there, loc)
        self.first = _pack(list(self.carried.first.values()))
        self.test = self._part("test")
        return True

    def _part(self, name: str) -> tuple[_Part, Value]:
        part = _Part(self.run, "while", name, self.there)
        state = part.b.param(self.first.type, "state")
        self.variables = self.carried.now(state)
        return part, state

    @edge
    def asked(self, test: Any) -> None:
        """The test, on the variables of any turn."""
        self.answer = builder().reach(to_value(test, Bool, ("the test of a `while`",)))
        self.test[0].finish()
        self.body = self._part("body")

    def take(self, name: str) -> Any:
        return self.variables[name]

    @edge
    def end(self, there: Variables) -> None:
        (test, asked), (body, state) = self.test, self.body
        after = body.b.tuple([self.carried.after(there)])
        body.finish()
        outside = list(dict.fromkeys([*test.b.captured, *body.b.captured]))
        loop = repeated("while", test.func([asked], outside, self.answer), body.func([state], outside, after), 1)
        b = builder()
        last = b.get(b.call(loop, [self.first, *[b.reach(v) for v in outside]]), 0)
        self.variables, self.done = self.carried.now(last), True


class Each:
    """A `for`: over `rose.range`, where its body gives new values to variables, a loop that carries them."""

    def __init__(
        self, run: Run, items: Iterator[Any], names: Sequence[str], live: Sequence[str], under: str, there: Variables
    ) -> None:
        self.run, self.items, self.there, self.loc = run, items, Variables(there), here()
        self.traced, self.carried, self.size = False, None, loops.size_of(items)
        if self.size is not None:
            self.carried = _Carried(names, live, there, self.loc)
            self.traced = bool(self.carried.first)
        if self.traced:
            _check_place(under, "for", self.loc)

    def turns(self) -> Iterator[Any]:
        return self._recorded() if self.traced else self._plain() if self.carried is not None else self.items

    def _plain(self) -> Iterator[Any]:
        for x in self.items:
            part = _Part(self.run, "for", "", self.there)
            yield x
            if part in self.run.open:
                self.run.open.remove(part)

    def take(self, name: str) -> Any:
        return self.variables[name]

    def _recorded(self) -> Iterator[Any]:
        assert self.carried is not None and self.size is not None
        first = _pack(list(self.carried.first.values()))
        self.part = part = _Part(self.run, "for", "", self.there)
        b = part.b
        b.block = block = Block(part.block)
        i, state = b.param(Fin(self.size)), b.param(first.type)
        self.variables = self.carried.now(state)
        yield view(i)
        part.leave()
        (last,), _ = b.close(block, [first])
        self.variables = self.carried.now(last)

    @edge
    def turn(self, there: Variables) -> None:
        """The end of a turn."""
        if self.carried is None:
            return
        if not self.traced:
            self.carried.check(there)
            return
        b, last = self.part.b, self.carried.after(there)
        if b.block.parent is not self.part.block:
            hint = "write it as `for i in rose.range(n)`, which ends it"
            raise RoseError("a loop is still open where a turn of this one ends", self.loc, hint)
        b.block.results = (b.reach(last),)
