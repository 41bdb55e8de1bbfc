"""What an interpretation is made of: a carrier for numbers and truths, a rule for each operation, and policies.

A rule sees carriers as a user's function does, and is traced as one: it is written in the language.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from ..errors import TypeMismatch, edge, here
from ..frontend.annotations import as_type, struct
from ..frontend.arrays.shapes import leaf_of
from ..frontend.function import Fn
from ..frontend.language.lenses import Lens
from ..frontend.values import is_number
from ..ir import Func, Op, Value, current_builder, shown
from ..ir.columns import Powers, UnitRule
from ..ir.forms import form_of
from ..ir.lengths import NORM, norm_of, scaling
from ..ir.types import Bool, Real, Tuple, Type, Unit, Vec, map_leaves
from ..ir.value import OPERATORS, is_function
from ..optimise.code_motion import hoisted

Operation = Op | Func


@dataclass(frozen=True)
class Optic:
    """A rule with a way back.

    `forward` takes carriers, and gives a carrier and a residual: any value that the way back needs. `backward` takes
    the residual and what comes back for the carrier, and gives what goes back for each argument: a tuple; of one
    argument, just that. `o >> p` is `p` after `o`, and `Optic.of(lens)` a lens.

    In a block, `o(f, x)` is what goes back if `f` gives what comes back; and `y, back = o(x)` is its continuation.
    """

    forward: Callable[..., tuple[Any, Any]]
    backward: Callable[[Any, Any], Any]

    @classmethod
    @edge
    def of(cls, lens: Any) -> Optic:
        """A lens as an optic: forward it gives the part, and keeps the whole; backward the whole with another part."""
        if not isinstance(lens, Lens):
            what = f"Optic.of takes a lens, not {shown(lens)}"
            raise TypeMismatch(what, here(), "write rose.lens(lambda s: s.x)")
        forward: Callable[[Any], tuple[Any, Any]] = lambda x: (lens.get(x), x)
        return cls(forward, lens.set)

    @edge
    def __rshift__(self, after: Any) -> Optic:
        if not isinstance(after, Optic):
            what = f"an optic is followed by another, not by {shown(after)}"
            raise TypeMismatch(what, here(), "write Optic(forward, backward)")

        def forward(*xs: Any) -> Any:
            y, one = self.forward(*xs)
            z, other = after.forward(y)
            return z, (one, other)

        return Optic(forward, lambda kept, due: self.backward(kept[0], after.backward(kept[1], due)))

    @edge
    def __call__(self, *args: Any) -> Any:
        return both_ways(self.forward, self.backward, args)


def both_ways(forward: Callable[..., Any], backward: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What goes back if the first argument, a function, gives what comes back; without one, the continuation."""
    if args and is_function(args[0]):
        y, residual = forward(*args[1:])
        return backward(residual, args[0](y))
    y, residual = forward(*args)
    return y, lambda due: backward(residual, due)


Rule = Callable[..., Any] | Optic


class Meaning:
    """A meaning of programs: a subclass says what it is.

    `carrier` is the type that stands for a `Real`, and `truth` that for a `Bool`; an index stays an index, so loops are
    loops of as many iterations. A vector is a vector of carriers, and a struct a struct of them.

    `rules` has a rule for each operation, by the name that `rose ops` prints, and for each `@fn` that is not to be
    looked into, by itself. It is a function from carriers to the carrier of the result, or an `Optic`. An operation
    that occurs and has none is an error at the user's expression. `row` may be overridden, to be the rule of all
    others, and `rule`, to make rules. Of the library's functions "norm" and "scaling" may have rules, by these names,
    too; `row` is that of those in `whole`, and into others it is looked.
    """

    name: ClassVar[str] = "this meaning"
    carrier: Any = Real
    truth: Any = Bool
    rules: Mapping[Any, Rule] = {}
    whole: Sequence[str] = ()

    def row(self, op: Any, *xs: Any) -> Any:
        """What an operation without a rule does with carriers: `op.name` is its name, and `op(*numbers)` its result."""
        raise NotImplementedError

    def rule(self, op: Operation) -> Rule | None:
        """The rule of an operation, or of a function."""
        if isinstance(op, Func):
            named = [(key.func, r) for key, r in self.rules.items() if isinstance(key, Fn)]
            known = next((r for f, r in named if op is f or op is hoisted(f)), None)
            if known is not None or (ours := _of_library(op)) is None:
                return known
            return self.rules.get(ours.name, partial(self.row, ours) if ours.name in self.whole else None)
        known = self.rules.get(op.name)
        has_row = op.eval is not None and type(self).row is not Meaning.row
        return partial(self.row, op) if known is None and has_row else known

    def literal(self, x: Any) -> Any:
        """The carrier of a number or a truth that the program says, and of an index as a number."""
        return x

    def parameter(self, name: str, t: Type) -> Type:
        """The carrier of a parameter of type `t`."""
        return self.carriers(t)

    def choose(self, c: Any, x: Any, y: Any) -> Any:
        """The carrier of what is `x` or `y`, by a condition whose carrier is no `Bool`: both were evaluated."""
        what = f"a choice by a condition whose carrier is a {c.type!r}, which is no Bool"
        raise Refusal(what, "define choose(self, c, x, y), which gives the carrier of what is x or y")

    def decide(self, c: Any) -> Any:
        """Whether a while loop goes on, as a `Bool`, of a condition whose carrier is none."""
        what = f"a while loop goes on by a condition whose carrier is a {c.type!r}, which is no Bool"
        raise Refusal(what, "define decide(self, c), which gives a Bool")

    def wider(self, s: Type, t: Type) -> Type | None:
        """The carrier for values of two different ones, where they meet: in a vector, a branch, the state of a loop."""
        return None

    def widened(self, x: Any, t: Type) -> Any:
        """A carrier as one of the type that `wider` gave."""
        raise NotImplementedError

    def carriers(self, t: Type, of: Any = None) -> Type:
        """`t` with the carriers in the places of numbers and truths; `of` is another for numbers, or those by field."""
        if isinstance(of, Mapping) and isinstance(t, Vec):
            return Vec(t.size, self.carriers(t.elem, of))
        if isinstance(of, Mapping) and isinstance(t, Tuple):
            names = t.form.fields if t.form is not None else range(len(t.items))
            return t.of(tuple([self.carriers(s, of[k]) for k, s in zip(names, t.items, strict=True)]))
        number, truth = as_type(self.carrier if of is None else of), as_type(self.truth)
        return map_leaves(t, lambda s: number if s is Real else truth if s is Bool else s)


class Library(NamedTuple):
    """A function of the library, as an operation."""

    name: str
    of: Callable[..., Any]
    unit: UnitRule | Powers

    def __call__(self, *xs: Any) -> Any:
        return self.of(*xs)


def _scaled(n: Value) -> Value:
    return current_builder().call(scaling(), (n,))


LENGTH = Library("norm", norm_of, "same")
SCALING = Library("scaling", _scaled, (-1,))  # of a norm, in its derivatives: it is brought near 1


def _of_library(f: Func) -> Library | None:
    if f.origin is NORM:  # it compares sizes with pure numbers, lest a square overflows
        return LENGTH
    return SCALING if f is scaling() else None


def tagged(name: str, tag: Any) -> Any:
    """A class of numbers of a type of its own, with a `tag`: structs with one field, `value`. A plain number is one."""
    made: Any = struct(dataclasses.make_dataclass(name, [("value", Real)]))
    made.tag = tag
    form = form_of(made)
    assert form is not None
    form.other = lambda x: [x] if is_number(x) else None
    return made


class Tally(Meaning):
    """A meaning with a total: the interpreted function gives its result, and the sum of the entries of all that ran.

    A rule gives a carrier and an entry, or `None` for no entry. `entry` is the type of entries, whose numbers are added
    one by one: those of a loop for all its iterations, of a branch those of the side that is taken. Where both sides
    are evaluated, because `truth` is no `Bool`, those of both.
    """

    entry: Any = Real


class TwoWay(Meaning):
    """A meaning with a way back, whose rules are `Optic`s.

    `back` is the type of what comes back for a number; for anything else nothing does. A number that is read several
    times is copied: each reader gets `copy` of it, and `merge` unites two things that come back. `nothing` is what
    comes back where nobody read an element of a vector or a part of a struct, and `delete` where nobody read a number:
    by default nothing goes back from there.

    A condition takes one of two values, and gets nothing back, unless `choose` is an `Optic` of `(condition, x, y)`:
    then a `back` comes back for each truth, too, and both sides of a branch are evaluated.
    """

    back: Any = Real
    choose: Optic | None = None  # pyright: ignore[reportIncompatibleMethodOverride]

    def copy(self, x: Any) -> Any:
        """What a reader gets of a number that has several."""
        return x

    def merge(self, x: Any, y: Any) -> Any:
        """What comes back for a number of which two things did."""
        return OPERATORS["+"](x, y)

    def nothing(self) -> Any:
        """What comes back from no reader: `merge` with it changes nothing."""
        return 0.0

    def delete(self) -> Any:
        """What comes back for a number that nobody reads; it may raise a `Refusal`."""
        return self.nothing()

    def backs(self, t: Type) -> Type:
        """The type of what comes back for a `t`."""
        back = as_type(self.back)
        return map_leaves(t, lambda s: back if self.returns(s) else Unit)

    def returns(self, t: Type) -> bool:
        """True where something comes back for a `t`: for numbers, and, if a choice gives them something, for truths."""
        return t.real or (self.choose is not None and map_leaves(t, lambda s: Unit if s is Bool else s) is not t)


def tag_of(x: Any) -> Any:
    """The tag of a number of a class that `tagged` made, or of the numbers in an array of them; None of others."""
    form = getattr(leaf_of(x.type), "form", None) if isinstance(x, Value) else form_of(x.__class__)
    return None if form is None else getattr(form.cls, "tag", None)


class Refusal(Exception):
    """Raised by a rule: what it was given has no meaning. The user sees an error at the expression."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = message, hint
        super().__init__(message)
