"""The meaning of names in a function of the text form, and what makes a value of it.

A name stands for a value; or for what is not one yet: the pair that a region of an accumulator gives, the
results of a loop, nothing. It becomes one where it is used as one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ...errors import NotLinear, RoseError, TypeMismatch
from .. import builder
from ..builder import Builder, Op
from ..types import Fin, Real, Tan, Tuple, Type, Unit, Vec, tuple_of
from ..value import Value
from . import trees as tree
from .operations import Names, a
from .trees import At, Def


@dataclass(slots=True, eq=False)
class Pair:
    """The results of a region: the sum, and that of its block."""

    sum: Value
    out: Bound


@dataclass(slots=True, eq=False)
class Rows:
    """The results of a loop. One that gives nothing has none, until somebody asks for its vector of units."""

    loop: Value
    gets: list[Value]
    unit: Value | None = None


@dataclass(slots=True, eq=False)
class Nothing:
    """A `()` that need not be an instruction."""


Bound = Value | Pair | Rows | Nothing


class Bindings:
    """The values of names, in a function that is being made."""

    def __init__(self, b: Builder, module: Names, types: dict[str, Type], d: Def) -> None:
        self.b, self.module, self.types, self.d = b, module, types, d
        self.env: dict[str, Bound] = {}
        self.trail: list[tuple[str, Bound | None]] = []  # what names stood for before, to be put back
        self.frozen: set[Value] = set()
        self.literals: dict[tuple[Type, str], Value] = {}  # those that stand in the outermost block

    def fail(self, message: str, at: At, hint: str, kind: type[RoseError] = TypeMismatch) -> NoReturn:
        self.module.fail(kind, message, at, hint)

    def raw(self, op: Op, args: tuple[Value, ...], type: Type, at: At, attr: Any = None) -> Value:
        """Just this instruction."""
        value = Value(op, type, args, attr, self.module.source.at(at), self.b.block)
        self.b.block.code.append(value)
        return value

    # names

    def name(self, name: str, x: Bound) -> None:
        self.trail.append((name, self.env.get(name)))
        self.env[name] = x

    def leave(self, mark: int) -> None:
        """Forget the names since a mark."""
        while len(self.trail) > mark:
            name, before = self.trail.pop()
            if before is None:
                del self.env[name]
            else:
                self.env[name] = before

    def bind(self, pattern: tree.Pattern, x: Bound) -> None:
        if isinstance(pattern, tree.Literal):
            if not self.type_of(x).empty:
                self.fail(
                    f"() stands for nothing, and this is {a(self.type_of(x))}", pattern.at, "give it a name, or _"
                )
        elif isinstance(pattern, tree.Name):
            if pattern.name != "_":
                self.name(pattern.name, x)
            elif isinstance(x, Rows):
                self.force(x, pattern.at)
        else:
            parts = self.apart(x, len(pattern.items), pattern.at)
            for p, part in zip(pattern.items, parts, strict=True):
                if not (isinstance(p, tree.Name) and p.name == "_"):
                    self.bind(p, part())

    def apart(self, x: Bound, count: int, at: At) -> list[Callable[[], Bound]]:
        """The items of a tuple, each made when it is asked for."""
        if isinstance(x, Pair) and count == 2:
            return [lambda: x.sum, lambda: x.out]
        if isinstance(x, Rows) and len(x.gets) == count:
            return [lambda v=v: v for v in x.gets]
        t = self.type_of(x)
        if not isinstance(t, Tuple) or len(t.items) != count:
            self.fail(
                f"{a(t)} is not {count} things", at, f"it has {len(t.items)}" if isinstance(t, Tuple) else "name it"
            )
        v, items = self.force(x, at), t.items
        return [lambda k=k: self.raw(builder.GET, (v,), items[k], at, k) for k in range(count)]

    def type_of(self, x: Bound) -> Type:
        match x:
            case Value():
                return x.type
            case Pair():
                return tuple_of(x.sum.type, self.type_of(x.out))
            case Rows():
                index = x.loop.attr.params[0].type
                units = [] if x.gets else [Vec(index.size, Unit)]
                types = [*[v.type for v in x.gets], *units]
                return types[0] if len(types) == 1 else tuple_of(*types)
            case Nothing():
                return Unit

    def force(self, x: Bound, at: At) -> Value:
        """The value that something stands for."""
        match x:
            case Value():
                return x
            case Pair():
                made = self.raw(builder.TUPLE, (x.sum, self.force(x.out, at)), self.type_of(x), at)
                x.out = self.force(x.out, at)
                return made
            case Rows():
                return self.rows(x, at)
            case Nothing():
                return self.b.unit()

    def rows(self, x: Rows, at: At) -> Value:
        if len(x.gets) > 1:
            return self.raw(builder.TUPLE, tuple(x.gets), self.type_of(x), at)
        if not x.gets:
            t, loop = self.type_of(x), x.loop
            loop.attr.results = (x.unit if x.unit is not None else self.b.unit(),)
            loop.type = tuple_of(t)
            self.get(x, 0, t, at)
        return x.gets[0]

    def get(self, x: Rows, k: int, t: Type, at: At) -> None:
        """Append a result of a loop, in the block that the loop is in."""
        made = Value(builder.GET, t, (x.loop,), k, self.module.source.at(at), x.loop.block)
        x.loop.block.code.append(made)
        x.gets.append(made)

    def fits(self, t: Type, want: Type | None, at: At, what: str) -> None:
        if want is None or t is want:
            return
        if want is Tan or t is Tan:
            hint = "a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear"
            self.fail(f"{what} is {a(t)}, and must be {a(want)}", at, hint, NotLinear)
        hint = (
            "real i makes a number of an index"
            if isinstance(t, Fin) and want is Real
            else "both types must be the same"
        )
        self.fail(f"{what} is {a(t)}, and must be {a(want)}", at, hint)
