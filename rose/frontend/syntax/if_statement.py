"""A plain `if` under `@fn(syntax=True)`: if its condition is traced, both branches are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import ir
from ...errors import RoseError, TypeMismatch, edge, here
from ...ir import CONST, Value, current_builder
from ...ir.callgraph import make_branch
from ...ir.types import Real, Type
from .. import operators
from ..values import is_number, to_value
from .converter import RESULT
from .recorded_parts import (
    NOTHING,
    Part,
    Variables,
    check_place,
    described,
    is_traced,
    kind_of,
    lifted,
    packed,
    unpacked,
)


class Choice:
    """An `if`. If it is traced, both branches are recorded, and each variable that they assign is chosen."""

    def __init__(
        self, open: list[Part], test: Any, names: Sequence[str], live: Sequence[str], late: Sequence[str], under: str,
        now: Variables, there: Variables,
    ) -> None:  # fmt: skip
        self.open, self.test, self.loc = open, test, here()
        self.names, self.live, self.late = names, live, late
        self.now, self.taken, self.branches = now, False, list[tuple[Part, Variables]]()
        self.before = now
        self.traced = is_traced(test, "an `if`")
        if self.traced and test.op is CONST:
            self.traced, self.test = False, test.attr
        if self.traced:
            self.there = Variables(there)
            check_place(under, "if", self.loc)

    def then(self) -> Any:
        if self.traced:
            self.part = Part(self.open, "if", "then", self.there)
            return True
        return self.test

    def otherwise(self) -> bool:
        if self.traced:
            self.now, self.part = self.before, Part(self.open, "if", "otherwise", self.there)
        return not self.taken

    def take(self, name: str) -> Any:
        return self.now[name]

    @edge
    def end(self, there: Variables) -> None:
        if not self.traced:
            self.taken = True
            return
        self.part.finish()
        self.branches.append((self.part, {k: there.get(k, NOTHING) for k in self.names}))
        if len(self.branches) == 2:
            self._join()

    def _join(self) -> None:
        (then, x), (otherwise, y) = self.branches
        self.now = {k: x[k] if _same(x[k], y[k]) else NOTHING for k in self.names}
        chosen: dict[str, tuple[Value, Value]] = {}
        for k in self.names:
            read = k in self.live or k in self.late
            if read and not _same(x[k], y[k]) and (pair := self._pair(k, x[k], y[k])) is not None:
                chosen[k] = pair
        results = [packed(part, [pair[j] for pair in chosen.values()]) for j, (part, _) in enumerate(self.branches)]
        outside = list(dict.fromkeys([v for part in (then, otherwise) for v in part.b.captured]))
        f = make_branch("cond", then.func([], outside, results[0]), otherwise.func([], outside, results[1]))
        b = current_builder()
        out = b.call(f, [self.test, *[b.reach(v) for v in outside]])
        self.now.update(unpacked(out, list(chosen)))

    def _pair(self, name: str, x: Any, y: Any) -> tuple[Value, Value] | None:
        """The values of a variable after the two branches, of one type; None if it is dead."""
        if name not in self.live and (x is NOTHING or y is NOTHING):
            return None
        if x is NOTHING or y is NOTHING:
            what = f"{name} has a value after one branch of this `if` only, and may be used later"
            raise TypeMismatch(what, self.loc, f"give {name} a value before the `if`, or in both branches")
        (a, _), (b, _) = self.branches
        v, w = self._lifted(name, x, a), self._lifted(name, y, b)
        if v is None or w is None:
            return None
        v, w = _agreed(a, v, x, w.type), _agreed(b, w, y, v.type)
        if v.type is w.type:
            return v, w
        if name not in self.live:
            return None
        what = f"{name} is {kind_of(x, v)} after one branch of this `if`, and {kind_of(y, w)} after the other"
        if name == RESULT:
            what = f"one branch of this `if` returns {kind_of(x, v)}, and the other {kind_of(y, w)}"
        raise TypeMismatch(what, self.loc, "let both be of one type")

    def _lifted(self, name: str, x: Any, part: Part) -> Value | None:
        with ir.resumed(part.b):
            v = lifted(x)
        if v is None and name in self.live:
            of = "the result" if name == RESULT else name
            what = f"{of} is {described(x)} after one branch of this `if`, which no compiled function can choose"
            raise TypeMismatch(what, self.loc, "choose numbers, truth values, or vectors and structs of them")
        return v


def _same(x: Any, y: Any) -> bool:
    """True for one object, and for two equal Python numbers or strings."""
    plain = x.__class__ is y.__class__ and isinstance(x, (int, float, str))
    return x is y or (plain and repr(x) == repr(y))


def _agreed(part: Part, v: Value, given: Any, t: Type) -> Value:
    """`v` as a `t`, if it was `given` as a host number, or is an index where a Real is wanted."""
    if v.type is t:
        return v
    with ir.resumed(part.b) as b:
        try:
            return b.reach(to_value(given, t)) if is_number(given) else _as_real(v, t)
        except RoseError:
            return v


def _as_real(v: Value, t: Type) -> Value:
    return operators.as_real(v) if t is Real else v
