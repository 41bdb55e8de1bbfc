"""Reshapes: the outer axes of a vector of vectors as axes of other sizes, with the elements in the order of rows.

The elements of rows lie one after another in memory, so a reshape takes no time there: it is the same memory. It is
linear; in reverse the cotangent is reshaped to the sizes that there were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .builder import CONST, PACK, ZERO, Builder, structural
from .columns import ALL
from .sizes import Size, differ, times
from .types import Type, Vec, as_vec
from .value import Value

Sizes = tuple[int | Size, ...]


def axes_of(t: Type, count: int | None = None) -> Sizes:
    """The sizes of so many outer axes of a type, if it has them, or of all."""
    sizes: list[int | Size] = []
    while isinstance(t, Vec) and len(sizes) != count:
        sizes.append(t.size)
        t = t.elem
    return tuple(sizes)


def reshaped_type(t: Type, count: int, sizes: Sizes) -> Type | None:
    """A type with axes of these sizes in the place of so many outer ones; None without as many elements."""
    old = axes_of(t, count)
    if len(old) < count or differ(reduce(times, old, 1), reduce(times, sizes, 1)):
        return None
    for _ in old:
        t = as_vec(t).elem
    for n in reversed(sizes):
        t = Vec(n, t)
    return t


def apart(old: Sizes, new: Sizes) -> tuple[Sizes, Sizes]:
    """Two shapes without the inner axes that they share."""
    while old and new and not differ(old[-1], new[-1]):
        old, new = old[:-1], new[:-1]
    return old, new


def reshape(b: Builder, x: Value, count: int, sizes: Sizes) -> Value:
    """`x` with axes of these sizes, of which there are as many elements, in the place of so many outer ones."""
    if x.op is RESHAPE:
        (before, own), x = x.attr, x.args[0]
        count, sizes = before + max(0, count - len(own)), (*sizes, *own[count:])
    old, new = apart(axes_of(x.type, count), sizes)
    t = reshaped_type(x.type, len(old), new)
    assert t is not None, (x, count, sizes)
    if t is x.type:
        return x
    if x.op is ZERO or t.empty:
        return b.zero(t)
    known = [n for n in new if not isinstance(n, Size)]
    if len(known) == len(new) and x.op is CONST:
        return b.const(_rows(_items(tuple(x.attr), len(old)), known, tuple), t)
    if len(known) == len(new) and (items := _packed(x, len(old))) is not None:
        return _rows(items, known, lambda row: b.pack(row, Vec(len(row), row[0].type)))
    return b.emit(RESHAPE, (x,), (len(old), new), t)


def reshaped_back(b: Builder, v: Value, ct: Value) -> Value:
    """What comes back by the reshape `v`, in the sizes of its argument."""
    count, sizes = v.attr
    return reshape(b, ct, len(sizes), axes_of(v.args[0].type, count))


def reshaped_rows(v: Value, row: Sequence[Any], make: Callable[[list[Any]], Any]) -> Any:
    """The answer of a reshape, of vectors as a host has them: `make` makes one of its elements."""
    count, sizes = v.attr
    return _rows(_items(row, count), sizes, make)


def _items(row: Sequence[Any], count: int) -> list[Any]:
    """The elements within so many outer axes."""
    items: list[Any] = [row]
    for _ in range(count):
        items = [x for part in items for x in part]
    return items


def _rows(items: list[Any], sizes: Sequence[int], row: Callable[[list[Any]], Any]) -> Any:
    for n in reversed(sizes):
        items = [row(items[k : k + n]) for k in range(0, len(items), n)]
    return items[0]


def _packed(x: Value, count: int) -> list[Value] | None:
    """The elements within so many outer axes of a vector that is packed of them; None of any other."""
    items = [x]
    for _ in range(count):
        if not all([v.op is PACK for v in items]):
            return None
        items = [a for v in items for a in v.args]
    return items


def _make(b: Builder, args: tuple[Value, ...], attr: tuple[int, Sizes], _: Type | None) -> Value:
    return reshape(b, args[0], *attr)


RESHAPE = structural(
    "reshape", "A vector of vectors with outer axes of other sizes, and the same elements in order.",
    type=lambda x: None, linear_in=ALL, moves=True, cost=0, make=_make,
)  # fmt: skip
