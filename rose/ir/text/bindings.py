"""The meaning of names in a function of the text form, and what makes a value of it.

A name stands for a value; or for what is not one yet: the pair that a region of an accumulator gives, the
results of a loop, nothing. It becomes one where it is used as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ...errors import NotLinear, RoseError, TypeMismatch
from .. import builder
from ..builder import Builder, Op
from ..types import Fin, Real, Tan, Tuple, Type, Unit, Vec, items_of, tuple_of
from ..value import Value
from . import trees as tree
from .operations import NOT_LINEAR, a
from .trees import At, Def

if TYPE_CHECKING:
    from .module import Module


@dataclass(slots=True, eq=False)
class Several:
    """A tuple that no instruction has made: the sum and the result of a region, or the results of a loop."""

    items: Sequence[Bound]


@dataclass(slots=True, eq=False)
class Units:
    """What a loop gives that gives nothing, until somebody asks for its vector of units."""

    loop: Value
    unit: Value | None
    made: Value | None = None


@dataclass(slots=True, eq=False)
class Nothing:
    """A `()` that need not be an instruction."""


Bound = Value | Several | Units | Nothing


class Bindings:
    """The values of names, in a function that is being made."""

    def __init__(self, b: Builder, module: Module, types: dict[str, Type], d: Def) -> None:
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
        if isinstance(pattern, tree.Apply):
            x = self.of_items(x, len(pattern.args), pattern.at)
            for k, p in enumerate(pattern.args):
                if not (isinstance(p, tree.Name) and p.name == "_"):
                    self.bind(p, self.item(x, k, pattern.at))
        elif not isinstance(pattern, tree.Name):
            if not self.type_of(x).empty:
                what = f"() stands for nothing, and this is {a(self.type_of(x))}"
                self.fail(what, pattern.at, "give it a name, or _")
        elif pattern.name != "_":
            self.name(pattern.name, x)
        elif isinstance(x, Units):
            self.force(x, pattern.at)

    # what a name stands for

    def of_items(self, x: Bound, count: int, at: At) -> Value | Several:
        """A tuple of so many items."""
        if isinstance(x, Several) and len(x.items) == count:
            return x
        t = self.type_of(x)
        if not isinstance(t, Tuple) or len(t.items) != count:
            hint = f"it has {len(t.items)}" if isinstance(t, Tuple) else "name it"
            self.fail(f"{a(t)} is not {count} things", at, hint)
        return self.force(x, at)

    def item(self, x: Value | Several, k: int, at: At) -> Bound:
        if isinstance(x, Several):
            return x.items[k]
        return self.raw(builder.GET, (x,), items_of(x.type)[k], at, k)

    def type_of(self, x: Bound) -> Type:
        match x:
            case Value():
                return x.type
            case Several():
                return tuple_of(*[self.type_of(y) for y in x.items])
            case Units():
                return Vec(x.loop.attr.params[0].type.size, Unit)
            case Nothing():
                return Unit

    def force(self, x: Bound, at: At) -> Value:
        """The value that something stands for."""
        match x:
            case Value():
                return x
            case Several():
                made = self.raw(builder.TUPLE, tuple([self.force(y, at) for y in x.items]), self.type_of(x), at)
                x.items = [self.force(y, at) for y in x.items]  # one that is Several has a tuple of its own from here
                return made
            case Units():
                if x.made is None:
                    x.made = self.units(x, at)
                return x.made
            case Nothing():
                return self.b.unit()

    def units(self, x: Units, at: At) -> Value:
        """The vector of units that a loop gives, as a result that it is given now."""
        t, loop = self.type_of(x), x.loop
        loop.attr.results = (self.b.unit() if x.unit is None else x.unit,)
        loop.type = tuple_of(t)
        made = Value(builder.GET, t, (loop,), 0, self.module.source.at(at), loop.block)
        loop.block.code.append(made)
        return made

    def fits(self, t: Type, want: Type | None, at: At, what: str) -> None:
        if want is None or t is want:
            return
        kind, hint = TypeMismatch, "both types must be the same"
        if want is Tan or t is Tan:
            kind, hint = NotLinear, NOT_LINEAR
        elif isinstance(t, Fin) and want is Real:
            hint = "real i makes a number of an index"
        self.fail(f"{what} is {a(t)}, and must be {a(want)}", at, hint, kind)
