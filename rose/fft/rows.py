"""Arrays as rows, which lie along the last axis: what is done with each of them, and how long they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..frontend.language.select import select
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Value, current_builder
from ..ir.puts import put
from ..ir.sizes import Size
from ..ir.types import Complex, Fin, Real, Tan, Type, Vec

Rows = Callable[[Value], Any]  # what is done with a row


def rows(v: Value, f: Rows) -> Any:
    """The array of `f(row)` for each row."""
    t = v.type
    if not isinstance(t, Vec) or not isinstance(t.elem, Vec):
        return f(v)
    b = current_builder()
    return b.vec(t.size, lambda i: rows(b.index(v, i), f))


def at(row: Value, i: Any) -> Any:
    """The number at place `i` of a row, by what is left of `i` where its type has places behind the row, too."""
    return row[place(i, size(row.type))]


def placed(row: Value, i: Any, x: Value) -> Any:
    """The row with another number at place `i`, by what is left of `i`, as of `at`."""
    return view(put(current_builder(), row, [place(i, size(row.type))], x))


def place(i: Any, n: int | Size) -> Any:
    """What is left of `i` by `n`, as an index below that."""
    return view(to_value(i % n, Fin(n)))


def chosen(c: Value | bool, row: Value, i: Any, j: Any) -> Any:
    """The number at place `i` of a row where a condition holds, else that at `j`.

    Numbers are chosen, and not indices, so that a transform has a meaning wherever choices of numbers have one.
    """
    return select(c, at(row, i), at(row, j))


def size(t: Type) -> Any:
    """The size of the last axis: a number, or a Size where a transform has any size."""
    while isinstance(t, Vec) and isinstance(t.elem, Vec):
        t = t.elem
    assert isinstance(t, Vec)
    return t.size


def of_size(t: Type, n: int | Size, leaf: Type) -> Type:
    """The type with rows of another size, and of other numbers; of tangents, if `t` is of tangents."""
    if isinstance(t, Vec) and isinstance(t.elem, Vec):
        return Vec(t.size, of_size(t.elem, n, leaf))
    if t.linear:
        leaf = Tan if leaf is Real else Complex.of((Tan, Tan))
    return Vec(n, leaf)
