"""Sizes that are known at a call: `n = rose.dim("n")`, and what is written with them, such as `n + 1`.

In the types of a function they are symbols: a `Vec` or a `Fin` holds one in the place of its size. While an
instance of the function is traced they are the numbers of that instance, here as everywhere: see `bound`. In an
instance for every size they are still symbols, which the compiled module knows: see `opened`.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, ClassVar, cast

from ..errors import OutOfRange, TypeMismatch, called, edge, here
from ..errors.numpy_names import MAKERS
from .types import Fin, Tuple, Type, Vec, once

Sizes = Mapping[str, Any]  # from names to numbers, or to sizes that the compiled module knows
Terms = tuple[tuple[tuple["Size", ...], int], ...]

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


def _exact(name: str) -> tuple[Callable[[Size, Any], Any], Callable[[Size, Any], Any]]:
    """An operator whose result is a size, also of sizes that are not known yet."""

    @edge
    def method(self: Size, other: Any) -> Any:
        return self.combined(name, other, False)

    @edge
    def reflected(self: Size, other: Any) -> Any:
        return self.combined(name, other, True)

    return method, reflected


def _known(do: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operation on the number that a size is."""

    @edge
    def method(self: Size, *others: Any) -> Any:
        return do(int(self), *others)

    @edge
    def reflected(self: Size, other: Any) -> Any:
        return do(other, int(self))

    return method, reflected


class Size:
    """A number that is known at a call: a polynomial in others. Two that are equal are one object.

    `terms` has the products of it, each with its coefficient, in a fixed order; that of nothing is the constant.
    A `Dim` or a `Part`, which is not a sum of products, is the one term of itself.
    """

    __slots__ = ("dims", "terms", "text")
    __array_ufunc__ = None  # of NumPy: an array leaves the operators to us

    _instead: ClassVar[str] = "its number is known inside of a function with it in the types of its parameters"

    def __init__(self, terms: Terms) -> None:
        self.terms, self.text = terms, _spelled(terms)
        self.dims: tuple[Dim, ...] = _dims_in([x for product, _ in terms for x in product])

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_terms, (self.terms,)

    def __str__(self) -> str:
        return str(k) if isinstance(k := self.at(current()), int) else repr(k)

    def __format__(self, spec: str) -> str:
        return format(k, spec) if isinstance(k := self.at(current()), int) else format(repr(k), spec)

    def at(self, sizes: Sizes) -> int | Size:
        """The number for these sizes; what is left to be known, if they are not all."""
        products = [reduce(times, [x.at(sizes) for x in product], k) for product, k in self.terms]
        return reduce(plus, products, 0)

    @edge
    def __index__(self) -> int:
        k = self.at(current())
        if isinstance(k, Size):
            raise _unknown(k)
        return k

    __int__ = __index__

    def combined(self, name: str, other: Any, swap: bool) -> Any:
        """This and another number: a number if this one is known, else a size."""
        x = self.at(current())
        if isinstance(x, Size) and other.__class__ is not int and not isinstance(other, Size):
            if hasattr(other, "type"):  # a traced value, whose operators take sizes
                return NotImplemented
            raise _unknown(x)
        y: Any = other.at(current()) if isinstance(other, Size) else other
        x, y = (y, x) if swap else (x, y)
        return _ARITHMETIC[name](x, y) if isinstance(x, Size) or isinstance(y, Size) else getattr(operator, name)(x, y)

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
            if hasattr(other, "type"):
                return NotImplemented
            hint = f"a size is an integer: write {self!r} // {other}; a number only inside of the function"
            raise TypeMismatch(f"{self!r} / {other} is not always an integer", here(), hint)
        return int(self) / other

    @edge
    def __eq__(self, other: Any) -> Any:
        return True if self is other else self._compared(operator.eq, other)

    @edge
    def __ne__(self, other: Any) -> Any:
        return False if self is other else self._compared(operator.ne, other)

    def _compared(self, of: Callable[[Any, Any], Any], other: Any) -> Any:
        x, y = self.at(current()), other.at(current()) if isinstance(other, Size) else other
        if not isinstance(x, Size) and not isinstance(y, Size):
            return of(x, y)
        if other is not None and not isinstance(other, Size):
            raise _unknown(self)
        return of(id(x), id(y))

    def __hash__(self) -> int:
        return id(self)


class Dim(Size):
    """A size by its name. With `is_open` the compiled module knows it, and no function that is traced."""

    __slots__ = ("is_open", "key")

    def __init__(self, text: str, is_open: bool = False) -> None:
        self.text, self.is_open, self.key = text, is_open, text + OPEN * is_open
        self.terms, self.dims = (((self,), 1),), (self,)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.text, self.is_open)

    def at(self, sizes: Sizes) -> int | Size:
        return sizes.get(self.key, self)


OPEN = "*"  # after the name of an open size: no name has it, so no function binds it


class Part(Size):
    """A term that is not a polynomial in sizes: a quotient `//`, a rest `%`, or the larger (`max`) of two."""

    __slots__ = ("args", "name")

    def __init__(self, name: str, x: int | Size, y: int | Size) -> None:
        self.name, self.args = name, (x, y)
        sign = {"floordiv": "//", "mod": "%"}.get(name)
        self.text = f"{_factor(x)} {sign} {_factor(y)}" if sign else f"{name}({x!r}, {y!r})"
        self.terms, self.dims = (((self,), 1),), _dims_in(self.args)

    def __reduce__(self) -> tuple[Any, ...]:
        return _part, (self.name, *self.args)

    def at(self, sizes: Sizes) -> int | Size:
        x, y = [a.at(sizes) if isinstance(a, Size) else a for a in self.args]
        try:
            return _ARITHMETIC[self.name](x, y)
        except ZeroDivisionError:
            given = ", ".join([f"{d!r} = {sizes[d.key]}" for d in self.dims])
            raise OutOfRange(f"{self!r} is not a size, for {given}", here(), "a size is divided by 1 or more") from None


def _dims_in(sizes: Iterable[int | Size]) -> tuple[Dim, ...]:
    return tuple(dict.fromkeys([d for x in sizes if isinstance(x, Size) for d in x.dims]))


# arithmetic, on numbers and sizes, as they are: no name in them is looked up

_made: dict[Any, Size] = {}


def _once(key: Any, make: Callable[[], Size]) -> Size:
    """The one size of that key."""
    made = _made.get(key)
    if made is None:
        made = _made[key] = make()
    return made


def _terms(x: int | Size) -> dict[tuple[Size, ...], int]:
    return dict(x.terms) if isinstance(x, Size) else {(): x} if x else {}


def _of_terms(terms: Iterable[tuple[tuple[Size, ...], int]]) -> int | Size:
    """The sum of these products: a number, if it is constant."""
    kept = sorted(
        [(product, k) for product, k in terms if k], key=lambda t: (not t[0], t[1] < 0, [x.text for x in t[0]])
    )
    if all([not product for product, _ in kept]):
        return sum([k for _, k in kept])
    if len(kept) == 1 and len(kept[0][0]) == 1 and kept[0][1] == 1:
        return kept[0][0][0]
    key = tuple(kept)
    return _once(key, lambda: Size(key))


def plus(x: int | Size, y: int | Size) -> int | Size:
    """`x + y`."""
    if not isinstance(x, Size) and not isinstance(y, Size):
        return x + y
    out = _terms(x)
    for product, k in _terms(y).items():
        out[product] = out.get(product, 0) + k
    return _of_terms(out.items())


def times(x: int | Size, y: int | Size) -> int | Size:
    """`x * y`."""
    if not isinstance(x, Size) and not isinstance(y, Size):
        return x * y
    out: dict[tuple[Size, ...], int] = {}
    for p, j in _terms(x).items():
        for q, k in _terms(y).items():
            product = tuple(sorted([*p, *q], key=lambda a: a.text))
            out[product] = out.get(product, 0) + j * k
    return _of_terms(out.items())


def minus(x: int | Size, y: int | Size) -> int | Size:
    """`x - y`."""
    return plus(x, times(-1, y))


def quotient(x: int | Size, by: int) -> int | Size:
    """`x // by`."""
    return _part("floordiv", x, by)


def remainder(x: int | Size, by: int) -> int | Size:
    """`x % by`."""
    return _part("mod", x, by)


def _part(name: str, x: int | Size, y: int | Size) -> int | Size:
    if not isinstance(x, Size) and not isinstance(y, Size):
        return max(x, y) if name == "max" else getattr(operator, name)(x, y)
    return _once((name, x, y), lambda: Part(name, x, y))


def larger(x: int | Size, y: int | Size) -> int | Size:
    """The larger of the two."""
    return y if at_most(x, y) else x if at_most(y, x) else _part("max", x, y)


def at_most(x: int | Size, y: int | Size) -> bool:
    """True if `x <= y` is certain, whatever the sizes are."""
    if not isinstance(x, Size) and not isinstance(y, Size):
        return x <= y
    rest = minus(y, x)
    if isinstance(rest, Size) and not _is_natural(rest):
        rest = _below(rest)
    return _is_natural(rest)


def _is_natural(x: int | Size) -> bool:
    """True if it is certain that `x` is not below zero."""
    return x >= 0 if not isinstance(x, Size) else all([k >= 0 and all(map(_natural, p)) for p, k in x.terms])


def _below(x: Size) -> int | Size:
    """A lower bound of `x`: `x % 4` is `x - 4 * (x // 4)`, and `4 * (x // 4)` is `x` at most."""
    out: int | Size = 0
    for product, k in x.terms:
        out = plus(out, reduce(times, [_whole(a) for a in product], k))
    for product, k in _terms(out).items():
        a = product[0] if len(product) == 1 else None
        by = a.args[1] if isinstance(a, Part) and a.name == "floordiv" else 0
        if isinstance(a, Part) and isinstance(by, int) and by > 0 > k and k % by == 0:
            out = plus(minus(out, times(k, a)), times(k // by, a.args[0]))
    return out


def _whole(x: Size) -> int | Size:
    """A rest of a division by a number as a difference."""
    if isinstance(x, Part) and x.name == "mod" and isinstance(x.args[1], int) and x.args[1] > 0:
        return minus(x.args[0], times(x.args[1], _part("floordiv", *x.args)))
    return x


def _natural(x: Size) -> bool:
    """True for what is certainly not below zero: every name is such, and a rest of a division by such."""
    if isinstance(x, Part):
        each = [at_most(0, a) for a in x.args]
        return any(each) if x.name == "max" else each[1] if x.name == "mod" else all(each)
    return isinstance(x, Dim)


def differ(x: int | Size, y: int | Size) -> bool:
    """True if the two can differ."""
    if not isinstance(x, Size) and not isinstance(y, Size):
        return x != y
    rest = minus(x, y)
    return isinstance(rest, Size) or rest != 0


def number(x: int | Size) -> int:
    """A size of which it is certain that it is known."""
    assert not isinstance(x, Size), x
    return x


def parted(x: int | Size) -> tuple[Size | None, int]:
    """`x` as the sum of what is not known and a number that is not below zero."""
    if not isinstance(x, Size):
        return None, x
    number = max(_terms(x).get((), 0), 0)
    rest = minus(x, number)
    assert isinstance(rest, Size)
    return rest, number


def rounded_up(x: int | Size, to: int) -> int | Size:
    """The next multiple of `to`."""
    if not isinstance(x, Size):
        return -(-x // to) * to
    if _is_multiple(x, to):
        return x
    return times(_part("floordiv", plus(x, to - 1), to), to)


def _is_multiple(x: int | Size, of: int) -> bool:
    """True if it is certain that `x` is one."""
    if isinstance(x, Part):
        return x.name == "max" and all([_is_multiple(a, of) for a in x.args])
    certain: Callable[[Sequence[Size]], bool] = lambda p: any([isinstance(a, Part) and _is_multiple(a, of) for a in p])
    return all([k % of == 0 or certain(p) for p, k in _terms(x).items()])


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": plus, "sub": minus, "mul": times,
    **{k: (lambda x, y, k=k: _part(k, x, y)) for k in ("floordiv", "mod", "max")},
}  # fmt: skip


def _factor(x: int | Size) -> str:
    """The text of a factor of a product."""
    plain = not isinstance(x, Size) or isinstance(x, Dim) or (isinstance(x, Part) and x.name == "max")
    return repr(x) if plain else f"({x!r})"


def _spelled(terms: Terms) -> str:
    """A polynomial as text: `2 * n + 1`."""
    out = ""
    for product, k in terms:
        shown = [str(abs(k))] if abs(k) != 1 or not product else []
        one = " * ".join([*shown, *[_factor(x) if len(product) + len(shown) > 1 else repr(x) for x in product]])
        out += (f" {'-' if k < 0 else '+'} " if out else "-" * (k < 0)) + one
    return out


def open_size(x: Any) -> Size | None:
    """`x`, if it is a size that only the compiled module knows. One that nobody knows is an error."""
    if not isinstance(x, Size) or not isinstance(k := x.at(current()), Size):
        return None
    if not all([d.is_open for d in k.dims]):
        raise _unknown(k)
    return k


def _unknown(size: Size) -> TypeMismatch:
    dims = " and ".join([d.text for d in size.dims])
    if any(d.is_open for d in size.dims):
        hint = f"with rose.range({dims}), and beside traced values, as in x / {dims}, it need not be a Python number"
        hint = MAKERS.get(called(here()), hint)
        return TypeMismatch(f"Python needs the number {dims}, and one module is to serve every {dims}", here(), hint)
    hint = f"it has one inside of an @fn with {dims} in the types of its parameters; elsewhere, len(v) of a vector v"
    return TypeMismatch(f"{dims} has no size here", here(), hint)


@edge
def dim(name: str) -> int:
    """A size that is inferred at each call: `n = rose.dim("n")`, then `def f(x: Vec[n], y: Vec[n + 1]) -> Real`.

    A function with such sizes in its types is compiled once for each size that it is called with. Inside of
    it, `n` is that number. Two of one name are the same. `rose.compile(f, dynamic=True)` makes one module for all.
    """
    if not isinstance(name, str) or not name.isidentifier():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeMismatch(f"the name of a size is a word, not {name!r}", here(), 'write n = rose.dim("n")')
    return cast("int", _named(name))  # what a type checker may know of it


def opened(d: Dim) -> Dim:
    """The size of that name which a compiled module knows."""
    return _named(d.text, True)


def _named(name: str, is_open: bool = False) -> Dim:
    return cast("Dim", _once(("dim", name, is_open), lambda: Dim(name, is_open)))


@once
def dims_of(t: Type) -> tuple[Dim, ...]:
    """The sizes in a type that are not known yet, in the order in which they are written."""
    own: tuple[Dim, ...] = ()
    if isinstance(t, (Fin, Vec)):
        size = t.size
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


def _checked(t: Fin | Vec, sizes: Sizes) -> int | Size:
    size = t.size
    k = size.at(sizes) if isinstance(size, Size) else size
    if isinstance(k, int) and not 0 <= k < LARGEST:
        assert isinstance(size, Size)
        given = ", ".join([f"{d!r} = {sizes[d.key]}" for d in size.dims if d.key in sizes])
        raise OutOfRange(f"a {t!r} cannot have size {k}, for {given}", here(), f"sizes go from 0 to {LARGEST - 1}")
    return k
