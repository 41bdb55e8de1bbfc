"""Sizes that are known at a call: `n = rose.dim("n")`, and what is written with them, such as `n + 1`.

In the types of a function they are symbols: a `Vec` or a `Fin` holds one in the place of its size. While an
instance of the function is traced they are the numbers of that instance, here as everywhere: see `bound`.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, cast

from .errors import OutOfRange, TypeMismatch, edge, here
from .types import Fin, Tuple, Type, Vec

Sizes = Mapping[str, int]
Binary = Callable[[Any, Any], Any]

LARGEST = 2**32  # no vector can have more elements: a WebAssembly memory has no more bytes


class _Bound(threading.local):
    def __init__(self) -> None:
        self.sizes: Sizes = {}


_bound = _Bound()


def current() -> Sizes:
    """The sizes of the instance that is being traced."""
    return _bound.sizes


@contextmanager
def bound(sizes: Sizes) -> Generator[None]:
    """Inside, these are the sizes, and no others: those of a caller are not those of what it calls."""
    outer, _bound.sizes = _bound.sizes, sizes
    try:
        yield
    finally:
        _bound.sizes = outer


def _exact(name: str) -> Any:
    """An operator whose result is a size, also of sizes that are not known yet."""
    of: Binary = getattr(operator, name)

    @edge
    def method(self: Size, other: Any) -> Any:
        return self.combined(name, of, other, False)

    @edge
    def reflected(self: Size, other: Any) -> Any:
        return self.combined(name, of, other, True)

    return method, reflected


def _known(do: Any) -> Any:
    """An operation on the number that a size is."""

    @edge
    def method(self: Size, *others: Any) -> Any:
        return do(int(self), *others)

    @edge
    def reflected(self: Size, other: Any) -> Any:
        return do(other, int(self))

    return method, reflected


class Size:
    """A number that is known at a call: a `Dim`, or arithmetic with one. Two that are written alike are one object."""

    __slots__ = ("args", "dims", "of", "text")
    __array_ufunc__ = None  # of NumPy: an array leaves the operators to us

    _made: ClassVar[dict[tuple[Any, ...], Size]] = {}
    instead: ClassVar[str] = "its number is known inside of a function with it in the types of its parameters"

    def __init__(self, text: str, of: Binary | None, args: tuple[Any, ...]) -> None:
        self.text, self.of, self.args = text, of, args
        found = [d for a in args if isinstance(a, Size) for d in a.dims]
        self.dims: tuple[Dim, ...] = tuple(dict.fromkeys(found))

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return str(k) if isinstance(k := self.at(current()), int) else repr(k)

    def __format__(self, spec: str) -> str:
        return format(k, spec) if isinstance(k := self.at(current()), int) else format(repr(k), spec)

    def at(self, sizes: Sizes) -> int | Size:
        """The number for these sizes; what is left to be known, if they are not all."""
        x, y = [a.at(sizes) if isinstance(a, Size) else a for a in self.args]
        assert self.of is not None
        try:
            return self.of(x, y)
        except ZeroDivisionError:
            given = ", ".join([f"{d!r} = {sizes[d.text]}" for d in self.dims])
            raise OutOfRange(f"{self!r} is no size, for {given}", here(), "a size is divided by 1 or more") from None

    @edge
    def __index__(self) -> int:
        k = self.at(current())
        if isinstance(k, Size):
            raise _unknown(k)
        return k

    __int__ = __index__

    def combined(self, name: str, of: Binary, other: Any, swap: bool) -> Any:
        """This and another number: a number if this one is known, else a size."""
        x = self.at(current())
        if isinstance(x, Size) and other.__class__ is not int and not isinstance(other, Size):
            raise _unknown(x)
        if not isinstance(x, Size):
            return of(other, x) if swap else of(x, other)
        y: Any = other.at(current()) if isinstance(other, Size) else other
        return _written(name, of, *((y, x) if swap else (x, y)))

    __add__, __radd__ = _exact("add")
    __sub__, __rsub__ = _exact("sub")
    __mul__, __rmul__ = _exact("mul")
    __floordiv__, __rfloordiv__ = _exact("floordiv")
    __mod__, __rmod__ = _exact("mod")

    __rtruediv__ = _known(lambda x, y: x / y)[1]
    __pow__, __rpow__ = _known(lambda x, y: x**y)
    __divmod__, __rdivmod__ = _known(divmod)
    __lt__ = _known(operator.lt)[0]
    __le__ = _known(operator.le)[0]
    __gt__ = _known(operator.gt)[0]
    __ge__ = _known(operator.ge)[0]
    __neg__ = _known(operator.neg)[0]
    __pos__ = _known(operator.pos)[0]
    __abs__ = _known(operator.abs)[0]
    __float__ = _known(float)[0]
    __bool__ = _known(bool)[0]

    @edge
    def __truediv__(self, other: Any) -> Any:
        if isinstance(self.at(current()), Size):
            hint = f"a size is an integer: write {self!r} // {other}; a number only inside of the function"
            raise TypeMismatch(f"{self!r} / {other} is not always an integer", here(), hint)
        return int(self) / other

    @edge
    def __eq__(self, other: Any) -> Any:
        return True if self is other else self._compared(operator.eq, other)

    @edge
    def __ne__(self, other: Any) -> Any:
        return False if self is other else self._compared(operator.ne, other)

    def _compared(self, of: Binary, other: Any) -> Any:
        x, y = self.at(current()), other.at(current()) if isinstance(other, Size) else other
        if not isinstance(x, Size) and not isinstance(y, Size):
            return of(x, y)
        if not isinstance(other, Size):
            raise _unknown(self)
        return of(id(x), id(y))

    def __hash__(self) -> int:
        return id(self)


class Dim(Size):
    """A size by its name."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, None, ())
        self.dims = (self,)

    def at(self, sizes: Sizes) -> int | Size:
        return sizes.get(self.text, self)


_SIGNS = {"add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "floordiv": ("//", 2), "mod": ("%", 2)}


def _written(name: str, of: Binary, x: Any, y: Any) -> Size:
    """The size that an operator makes of two of which one is not known."""
    key = (name, x, y)
    made = Size._made.get(key)  # pyright: ignore[reportPrivateUsage]
    if made is None:
        sign, binds = _SIGNS[name]
        made = Size(f"{_operand(x, binds)} {sign} {_operand(y, binds + 1)}", of, (x, y))
        Size._made[key] = made  # pyright: ignore[reportPrivateUsage]
    return made


def _operand(x: Any, binds: int) -> str:
    """The text of an operand of an operator that binds so closely."""
    loose = isinstance(x, Size) and x.of is not None and _SIGNS[x.of.__name__][1] < binds
    return f"({x!r})" if loose else repr(x)


def _unknown(size: Size) -> TypeMismatch:
    dims = " and ".join([d.text for d in size.dims])
    hint = f"it has one inside of an @fn with {dims} in the types of its parameters; elsewhere, len(v) of a vector v"
    return TypeMismatch(f"{dims} has no size here", here(), hint)


@edge
def dim(name: str) -> Dim:
    """A size that is inferred at each call: `n = rose.dim("n")`, then `def f(x: Vec[n], y: Vec[n + 1]) -> Real`.

    A function with such sizes in its types is compiled once for each size that it is called with. Inside of
    it, `n` is that number. Two of one name are the same.
    """
    if not isinstance(name, str) or not name.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeMismatch(f"the name of a size is a word, not {name!r}", here(), 'write n = rose.dim("n")')
    made = Size._made.get((name,))  # pyright: ignore[reportPrivateUsage]
    if made is None:
        made = Size._made[name,] = Dim(name)  # pyright: ignore[reportPrivateUsage]
    return cast("Dim", made)


def size_of(t: Fin | Vec) -> int | Size:
    """The size of a type, which may be one that is not known yet."""
    return t.size


@cache
def dims_of(t: Type) -> tuple[Dim, ...]:
    """The sizes in a type that are not known yet, in the order in which they are written."""
    own: tuple[Dim, ...] = ()
    if isinstance(t, (Fin, Vec)):
        size = size_of(t)
        own = size.dims if isinstance(size, Size) else ()
    parts = t.items if isinstance(t, Tuple) else (t.elem,) if isinstance(t, Vec) else ()
    return tuple(dict.fromkeys([*own, *[d for s in parts for d in dims_of(s)]]))


def sized(t: Type, sizes: Sizes) -> Type:
    """`t` with these sizes in their places."""
    if not dims_of(t):
        return t
    match t:
        case Vec():
            return Vec(_checked(t, sizes), sized(t.elem, sizes))
        case Fin():
            return Fin(_checked(t, sizes))
        case Tuple():
            return Tuple(tuple([sized(s, sizes) for s in t.items]), t.form)
        case _:
            return t


def _checked(t: Fin | Vec, sizes: Sizes) -> int:
    size = size_of(t)
    k = size.at(sizes) if isinstance(size, Size) else size
    if isinstance(k, int) and not 0 <= k < LARGEST:
        assert isinstance(size, Size)
        given = ", ".join([f"{d!r} = {sizes[d.text]}" for d in size.dims if d.text in sizes])
        raise OutOfRange(f"a {t!r} cannot have size {k}, for {given}", here(), f"sizes go from 0 to {LARGEST - 1}")
    return cast("int", k)
