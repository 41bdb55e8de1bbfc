"""The types of the IR. Equal types are the same object, so `is` compares them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

from .forms import COMPLEX, Form

if TYPE_CHECKING:
    from .sizes import Size

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Type")
T = TypeVar("T")

MANY = 8  # of an aggregate with more items than these, each is stored when it is made, and not with the last


class Interned(type):
    """Makes every call with equal arguments return the same instance."""

    _made: ClassVar[dict[tuple[Any, ...], Any]] = {}  # those in which there is a class have their table with its form

    def __call__(cls: type[T], *args: Any) -> T:
        key = (cls, *args)
        made = Interned._made.get(key)
        if made is None:
            home = _home(args)
            table = Interned._made if home is None else home.types
            if (made := table.get(key)) is None:
                made = table[key] = super().__call__(*args)  # pyright: ignore
                made.home = home
        return made


def _home(args: tuple[Any, ...]) -> Form | None:
    """The form with which a type of these arguments goes: of a class of the user's, if there is one."""
    inner: list[Any] = [y for x in args for y in (x if x.__class__ is tuple else (x,))]
    forms = [x if isinstance(x, Form) else x.home if isinstance(x, Type) else None for x in reversed(inner)]
    found = [f for f in forms if f is not None and not f.is_dict]
    return next((f for f in found if not f.stays), found[0] if found else None)


DEEPEST = 200  # vectors and tuples that may lie in one another in a type that a user writes; those of tapes are deeper


class Type(metaclass=Interned):
    """Base of all types, and what passes ask of every type: computed once, when the type is made."""

    __slots__ = ("depth", "empty", "home", "known", "linear", "numeric", "real", "scalar", "stacked")

    home: Form | None  # of a class in it, with which it goes
    known: dict[Any, Any]  # the results of functions of it, by the function: they go with it, too

    def __init__(
        self, *, real: bool, linear: bool, empty: bool, numeric: bool, depth: int = 0, scalar: bool = False,
        stacked: bool = False,
    ) -> None:  # fmt: skip
        self.known = {}
        self.depth = depth  # how many vectors and tuples lie in one another, down to a `Stack`
        self.numeric = numeric  # all leaves are numbers: values of this type can be added
        self.stacked = stacked  # some leaf is a `Stack`
        self.scalar = scalar  # a number, a truth value or an index: what one local holds
        self.real = real  # some leaf is a `Real`: a value of this type can have a derivative
        self.linear = linear  # some leaf is a `Tan`
        self.empty = empty  # no leaf holds anything: only `Unit`, or vectors of no elements


def once(f: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """The function of a type, and more, that does what `f` does once for each, and keeps no class of the user's."""
    work: Callable[..., R] = f

    @wraps(f)
    def of(t: S, *more: Any) -> R:
        known: dict[Any, R] = t.known
        key = (f, *more) if more else f
        found = known.get(key)
        if found is None:
            found = known[key] = work(t, *more)
        return found

    return cast("Callable[Concatenate[S, P], R]", of)


class Scalar(Type):
    """`Real`, `Tan`, `Single`, `Bool`, `Unit`, and those of several elements at once: there are no others."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        real, linear, empty = name == "Real", name == "Tan", name == "Unit"
        super().__init__(real=real, linear=linear, empty=empty, numeric=name not in ("Bool", "Mask"), scalar=not empty)
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


Real = Scalar("Real")
Tan = Scalar("Tan")  # a tangent: only the linear operations accept one
Single = Scalar("Single")  # a Real of 32 bits: in a module that is compiled to single precision, and nowhere else
Bool = Scalar("Bool")
Unit = Scalar("Unit")
Pair, Four = Scalar("Pair"), Scalar("Four")  # a Real of each of two elements of a batch, and a Single of each of four
Mask = Scalar("Mask")  # a Bool of each


class Fin(Type):
    """The integers 0, ..., size - 1: the only type that indexes a `Vec`."""

    __slots__ = ("size",)

    def __init__(self, size: int | Size) -> None:
        super().__init__(real=False, linear=False, empty=False, numeric=False, scalar=True)
        self.size = size

    def __repr__(self) -> str:
        return f"Fin[{self.size!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Fin, (self.size,)


class Vec(Type):
    """`size` values of type `elem`, in a row."""

    __slots__ = ("elem", "size")

    def __init__(self, size: int | Size, elem: Type) -> None:
        empty = (size.__class__ is int and size == 0) or elem.empty
        super().__init__(
            real=elem.real, linear=elem.linear, empty=empty, numeric=empty or elem.numeric, depth=1 + elem.depth,
            stacked=elem.stacked,
        )  # fmt: skip
        self.size, self.elem = size, elem

    def __repr__(self) -> str:
        return f"Vec[{self.size!r}]" if self.elem is Real else f"Vec[{self.size!r}, {self.elem!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vec, (self.size, self.elem)


class Tuple(Type):
    """Several values as one. With a `form`, a struct; without, a plain tuple."""

    __slots__ = ("form", "items")

    def __init__(self, items: tuple[Type, ...], form: Form | None = None) -> None:
        super().__init__(
            real=any(t.real for t in items),
            linear=any(t.linear for t in items),
            empty=all(t.empty for t in items),
            numeric=all(t.numeric for t in items),
            depth=1 + max([t.depth for t in items], default=0),
            stacked=any(t.stacked for t in items),
        )
        self.items, self.form = items, form

    def __repr__(self) -> str:
        if self.form is not None and not self.form.is_dict:
            return self.form.name
        if self.form is not None:
            return "{" + ", ".join(f"{k}: {t!r}" for k, t in zip(self.form.fields, self.items, strict=True)) + "}"
        return f"({', '.join(map(repr, self.items))}{',' if len(self.items) == 1 else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Tuple, (self.items, self.form)

    @property
    def names(self) -> Sequence[str | int]:
        """The fields of a struct, or the numbers of the items."""
        return self.form.fields if self.form is not None else range(len(self.items))

    @property
    def make(self) -> Callable[[Sequence[Any]], Any]:
        """The function that makes the value that a user sees, of those of its items."""
        return self.form.make if self.form is not None else tuple

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """A tuple of items of these types, with the same names."""
        if items == self.items:
            return self
        keeps = self.form is not COMPLEX or (items[0] is items[1] and items[0].scalar)
        return Tuple(items, self.form if keeps else None)  # a pair of vectors, say, is no complex number


class Span(Tuple):
    """The indices from `low` to before `high`, of those below `size`: the pair of the two.

    A loop whose first state is a span has an iteration for each of these indices, and none if `high` is not above
    `low`. The state stays the same in all of them. A vector that it makes has `size` elements, of which those of other
    indices are never read.
    """

    __slots__ = ("size",)

    def __init__(self, size: int | Size, low: Fin, high: Fin) -> None:
        super().__init__((low, high))
        self.size = size

    def __repr__(self) -> str:
        low, high = self.items
        return f"Span[{self.size!r}, {low!r}, {high!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Span, (self.size, *self.items)


class Ref(Type):
    """An accumulator: it can be added to, but not read, until it is frozen."""

    __slots__ = ("inner",)

    def __init__(self, inner: Type) -> None:
        super().__init__(
            real=inner.real, linear=inner.linear, empty=inner.empty, numeric=inner.numeric, depth=inner.depth
        )
        self.inner = inner

    def __repr__(self) -> str:
        return f"&{self.inner!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Ref, (self.inner,)


class Stack(Type):
    """Any number of values of type `elem`: what a loop of unknown length leaves for its derivative."""

    __slots__ = ("elem",)

    def __init__(self, elem: Type) -> None:
        super().__init__(
            real=elem.real, linear=elem.linear, empty=False, numeric=elem.numeric, scalar=True, stacked=True
        )
        self.elem = elem

    def __repr__(self) -> str:
        return f"Stack[{self.elem!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return Stack, (self.elem,)


def tuple_of(*items: Type) -> Tuple:
    """The plain tuple of these types."""
    return Tuple(items, None)


Complex = Tuple((Real, Real), COMPLEX)  # a complex number: see `frontend/complex`
COMPLEX.written = Complex


def is_complex(t: Type) -> bool:
    """True for a complex number, of whatever numbers its parts are: Reals, tangents, or Singles."""
    return t.__class__ is Tuple and cast("Tuple", t).form is COMPLEX


@once
def has_complex(t: Type) -> bool:
    """True if there is a complex number in a `t`."""
    return is_complex(t) or any([has_complex(s) for s in components(t)])


def items_of(t: Type) -> tuple[Type, ...]:
    """The items of a tuple."""
    assert isinstance(t, Tuple), t
    return t.items


def as_tuple(t: Type) -> Tuple:
    """`t`, which is a tuple."""
    assert isinstance(t, Tuple), t
    return t


def struct_in(t: Type) -> Tuple | None:
    """The struct or tuple that the elements of an array are, if they are; None of what is no array of them."""
    leaf = t
    while isinstance(leaf, Vec):
        leaf = leaf.elem
    return leaf if isinstance(leaf, Tuple) and leaf is not t else None


def as_vec(t: Type) -> Vec:
    """`t`, which is a vector."""
    assert isinstance(t, Vec), t
    return t


def count_leaves(t: Type, counts: Callable[[Type], bool] = lambda leaf: True) -> int:
    """The count of the leaves of a `t`: numbers, truth values and indices, of types that `counts` holds for."""
    if isinstance(t, Vec):
        return t.size * count_leaves(t.elem, counts)
    return sum([count_leaves(x, counts) for x in t.items]) if isinstance(t, Tuple) else int(counts(t))


def count_reals(t: Type) -> int:
    return count_leaves(t, lambda leaf: leaf is Real)


def map_leaves(t: Type, leaf: Callable[[Type], Type], known: _Known | None = None) -> Type:
    """`t` with `leaf(s)` in the place of each scalar or index type `s`; its shape is kept.

    `known` has what was made before. The type of a tape is as deep as a program is, so nothing recurs here.
    """
    made: dict[Type, Type] | _Known = {} if known is None else known
    for s in components_first(t, made):
        made[s] = _mapped(s, leaf, made)
    return made[t]


def components_first(t: Type, known: Container[Type]) -> Iterator[Type]:
    """Yield the components of `t` that are not in `known`, in post-order: each after its own.

    The caller must add each to `known` before it asks for the next.
    """
    todo = [t]
    while todo:
        missing = [x for x in components(todo[-1]) if x not in known]
        if missing:
            todo += reversed(missing)
        elif (s := todo.pop()) not in known:
            yield s


def components(t: Type) -> tuple[Type, ...]:
    """The types that a type is made of."""
    match t:
        case Vec() | Stack():
            return (t.elem,)
        case Tuple():
            return t.items
        case Ref():
            return (t.inner,)
        case _:
            return ()


def _mapped(t: Type, leaf: Callable[[Type], Type], made: dict[Type, Type] | _Known) -> Type:
    match t:
        case Vec():
            return Vec(t.size, made[t.elem])
        case Tuple():
            return t.of(tuple([made[x] for x in t.items]))
        case Ref():
            return Ref(made[t.inner])
        case Stack():
            return Unit if made[t.elem].empty else Stack(made[t.elem])
        case _:
            return leaf(t)


def of_leaves(leaf: Callable[[Type], Type]) -> Callable[[Type], Type]:
    """The function of a type that does this with each leaf of it, once for each type."""
    known = _Known(leaf)

    @wraps(leaf)
    def mapped(t: Type) -> Type:
        found: Type | None = t.known.get(leaf)
        return map_leaves(t, leaf, known) if found is None else found

    return mapped


class _Known:
    """The results of one function for all types, each of which goes with its type."""

    def __init__(self, f: Callable[[Type], Type]) -> None:
        self.f = f

    def __contains__(self, t: object) -> bool:
        return isinstance(t, Type) and self.f in t.known

    def __getitem__(self, t: Type) -> Type:
        made: Type = t.known[self.f]
        return made

    def __setitem__(self, t: Type, made: Type) -> None:
        t.known[self.f] = made


@of_leaves
def tangent(t: Type) -> Type:
    """The type of a tangent of a `t`: `Tan` for each `Real`, `Unit` for what has no derivative."""
    return Tan if t is Real else Unit


@of_leaves
def _primal_part(t: Type) -> Type:
    return Unit if t is Tan else t


def primal_part(t: Type) -> Type:
    """The type of a `t` in the forward half: `Unit` in the place of each `Tan`."""
    part = _primal_part(t)
    return Unit if part.empty and isinstance(t, Ref) else part


@of_leaves
def _linear_part(t: Type) -> Type:
    return Real if t is Tan else Unit


def linear_part(t: Type) -> Type:
    """The type of a cotangent of a `t`: `Real` for each `Tan`, `Unit` for the rest, no accumulators."""
    return _linear_part(t.inner if isinstance(t, Ref) else t)


@of_leaves
def untyped(t: Type) -> Type:
    """`t` with `Real` for `Tan`: outside a derivative rule a tangent is a number like any other."""
    return Real if t is Tan else t


@of_leaves
def single(t: Type) -> Type:
    """`t` in single precision: `Single` for each `Real`, and for each `Tan`, which is a number like any other."""
    return Single if t is Real or t is Tan else t


@of_leaves
def double(t: Type) -> Type:
    """`t` with `Real` for `Single`; `t` itself, if it holds none."""
    return Real if t is Single else t


_LANES: dict[Type, Type] = {Real: Pair, Tan: Pair, Single: Four, Bool: Mask}
_LANE: dict[Type, Type] = {many: one for one, many in _LANES.items() if one is not Tan}


@of_leaves
def lanes(t: Type) -> Type:
    """`t` of several elements at once, number by number; indices are those of all of them."""
    return _LANES.get(t, t)


@of_leaves
def lane(t: Type) -> Type:
    """`t` of one of several elements; `t` itself, if it is of one."""
    return _LANE.get(t, t)
