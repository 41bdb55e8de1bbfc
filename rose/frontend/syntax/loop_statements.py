"""Plain `while` and `for` under `@fn(syntax=True)`: if they are traced, their bodies are recorded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import Loc, RoseError, TypeMismatch, edge, here
from ...ir import CALL, Loop, Origin, Value, current_builder
from ...ir.callgraph import make_while
from ...ir.types import Bool, Type
from ..language import loops
from ..language.control import repeatable
from ..operators import view
from ..values import to_value
from .recorded_parts import NOTHING, Part, Variables, check_place, described, is_traced, kind_of, lifted, pack, unpacked


class Carried:
    """The variables that a loop hands from iteration to iteration: values, and host objects that stay the same."""

    def __init__(self, names: Sequence[str], live: Sequence[str], there: Variables, loc: Loc) -> None:
        self.names, self.loc, self.first, self.kept = names, loc, dict[str, Value](), Variables()
        for k in names:
            if k not in there:
                if k in live:
                    what = f"{k} has no value before this loop, and may be used before an iteration gives it one"
                    raise TypeMismatch(what, loc, f"give {k} a value before the loop")
            elif (v := lifted(there[k])) is None:
                self.kept[k] = there[k]
            else:
                self.first[k] = v

    def now(self, state: Value) -> Variables:
        """The values of all variables; `state` has those that change."""
        return {**dict.fromkeys(self.names, NOTHING), **self.kept, **unpacked(state, list(self.first))}

    def after(self, there: Variables) -> Value:
        """The state after an iteration."""
        self.check(there)
        return pack([self._value(k, there.get(k, NOTHING), v.type) for k, v in self.first.items()])

    def check(self, there: Variables) -> None:
        """Check that the host objects have stayed the same."""
        for k, x in self.kept.items():
            if (y := there.get(k, NOTHING)) is not x:
                to = "loses its value" if y is NOTHING else f"becomes {described(y)}"
                what = f"{k} is {described(x)} before this loop, and {to} in it"
                raise TypeMismatch(what, self.loc, "change numbers, or vectors and structs of them")

    def _value(self, name: str, x: Any, t: Type) -> Value:
        if x is NOTHING:
            what = f"{name} has no value after an iteration of this loop"
            raise TypeMismatch(what, self.loc, "give it one in each iteration")
        try:
            return current_builder().reach(to_value(x, t))
        except RoseError:
            v = lifted(x)
            now = described(x) if v is None else kind_of(x, v)
        what = f"{name} is a {t!r} before this loop, and {now} after an iteration"
        raise TypeMismatch(what, self.loc, f"let {name} keep its type, or use another variable")


class Repeat:
    """A `while`. From the first test that is traced on, it is a loop of the compiled function."""

    def __init__(self, open: list[Part], names: Sequence[str], live: Sequence[str], under: str) -> None:
        self.open, self.names, self.live, self.under = open, names, live, under
        self.traced = self.done = False

    def more(self) -> bool:
        """False once the loop is recorded. The test comes next: note whether it is pure."""
        if self.done:
            return False
        b = current_builder()
        self.pure, b.pure, self.code = b.pure, True, len(b.block.code)
        return True

    @edge
    def holds(self, test: Any, there: Variables) -> Any:
        """The first `test`, or a later one of Python's; if it is traced, begin to record the loop's own test."""
        b = current_builder()
        calls = [v.attr for v in b.block.code[self.code :] if v.op is CALL]
        effect, b.pure = not (b.pure or all(map(repeatable, calls))), b.pure and self.pure
        if not is_traced(test, "a `while`"):
            return test
        loc = here()
        check_place(self.under, "while", loc)
        if effect:
            raise TypeMismatch("the test of a traced `while` has an effect", loc, "let it compare, and nothing else")
        self.traced, self.loc, self.there = True, loc, Variables(there)
        self.carried = Carried(self.names, self.live, there, loc)
        self.first = pack(list(self.carried.first.values()))
        self.test = self._part("test")
        return True

    def _part(self, name: str) -> tuple[Part, Value]:
        part = Part(self.open, "while", name, self.there)
        state = part.b.param(self.first.type, "state")
        self.variables = self.carried.now(state)
        return part, state

    @edge
    def asked(self, test: Any) -> None:
        """End the recording of the test, on the variables of any iteration, and begin that of the body."""
        self.answer = current_builder().reach(to_value(test, Bool, ("the test of a `while`",)))
        self.test[0].finish()
        self.body = self._part("body")

    def take(self, name: str) -> Any:
        return self.variables[name]

    @edge
    def end(self, there: Variables) -> None:
        """End the recording of the body, and emit the loop."""
        (test, asked), (body, state) = self.test, self.body
        after = body.b.tuple([self.carried.after(there)])
        body.finish()
        outside = list(dict.fromkeys([*test.b.captured, *body.b.captured]))
        parts = test.func([asked], outside, self.answer), body.func([state], outside, after)
        loop = make_while("while", *parts, origin=Origin("while"))
        b = current_builder()
        last = b.get(b.call(loop, [self.first, *[b.reach(v) for v in outside]]), 0)
        self.variables, self.done = self.carried.now(last), True


class Each:
    """A `for`. Over `rose.range` it is a loop that carries the variables to which its body gives new values."""

    def __init__(
        self,
        open: list[Part],
        items: Iterator[Any],
        names: Sequence[str],
        live: Sequence[str],
        under: str,
        there: Variables,
        flag: str | None = None,
    ) -> None:
        self.flag, self.stopped = flag, False
        self.open, self.items, self.there, self.loc = open, items, Variables(there), here()
        self.traced, self.carried, self.bounds = False, None, loops.range_of(items)
        if self.bounds is not None:
            self.carried = Carried(names, live, there, self.loc)
            self.traced = bool(self.carried.first)
        if self.traced:
            check_place(under, "for", self.loc)

    def iterations(self) -> Iterator[Any]:
        if self.traced:
            return self._recorded()
        return self._until_stopped(self._plain() if self.carried is not None else self.items)

    def _until_stopped(self, items: Iterator[Any]) -> Iterator[Any]:
        """The items before a `break` for which no traced condition was asked."""
        for x in items:
            yield x
            if self.stopped:
                return

    def _plain(self) -> Iterator[Any]:
        for x in self.items:
            part = Part(self.open, "for", "", self.there)
            yield x
            if part in self.open:
                self.open.remove(part)

    def take(self, name: str) -> Any:
        return self.variables[name]

    def _recorded(self) -> Iterator[Any]:
        assert self.carried is not None and self.bounds is not None
        first = pack(list(self.carried.first.values()))
        self.part = part = Part(self.open, "for", "", self.there)
        b = part.b
        b.block = block = Loop(part.block)
        i, state = self.bounds.opened(b), b.param(first.type)
        self.variables = self.carried.now(state)
        yield view(i)
        part.leave()
        span = [] if self.bounds.span is None else [self.bounds.span]
        block.results = (*block.states[: len(span)], *block.results)
        (*_, last), _ = b.close(block, [*span, first])
        self.variables = self.carried.now(last)

    @edge
    def end(self, there: Variables) -> None:
        """End an iteration."""
        self.stopped = self.flag is not None and there.get(self.flag) is False
        if self.carried is None:
            return
        if not self.traced:
            self.carried.check(there)
            return
        b, last = self.part.b, self.carried.after(there)
        if b.block.parent is not self.part.block:
            hint = "write it as `for i in rose.range(n)`, which ends it"
            raise RoseError("a loop is still open where an iteration of this one ends", self.loc, hint)
        b.block.results = (b.reach(last),)
