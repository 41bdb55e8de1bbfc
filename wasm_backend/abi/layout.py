"""The memory layout of types: the parts of a value lie inline, in order, with no pointers inside.

A Real is 8 bytes, a Single or an index 4, a Bool 1, each at a multiple of its size; a Unit takes none. This is the
only place that works out an offset: Python's and JavaScript's runtimes are sent `describe`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Any

from rose.ir import Value
from rose.ir.sizes import Size, plus, rounded_up, times
from rose.ir.types import Bool, Fin, Real, Ref, Single, Stack, Tan, Tuple, Type, Vec

from ..binary.encoder import F32, F64, I32

_BYTES: dict[Type, int] = {Real: 8, Tan: 8, Single: 4}


@cache
def align(t: Type) -> int:
    """The address of a `t` is a multiple of this."""
    match t:
        case Vec():
            return 1 if t.empty else align(t.elem)
        case Tuple():
            return max([align(x) for x in t.items], default=1)
        case Fin() | Stack():
            return 4
        case _:
            return _BYTES.get(t, 1)


@cache
def size(t: Type) -> int | Size:
    """The bytes of a `t`: a multiple of its alignment, so that they can lie in a row."""
    match t:
        case Vec():
            return times(t.size, size(t.elem))
        case Tuple():
            return rounded_up(plus(offsets(t)[-1], size(t.items[-1])), align(t)) if t.items else 0
        case Fin() | Stack():
            return 4
        case _:
            return _BYTES.get(t, 1 if t is Bool else 0)


def known_size(t: Type) -> int:
    """The bytes of a `t`; 0 if only the running module knows them, which refuses too many itself."""
    n = size(t)
    return 0 if isinstance(n, Size) else n


@cache
def packing(t: Type) -> str:
    """The format of a `t` for Python's `struct`, without its byte order: the numbers, and the padding between them."""
    if isinstance(t, Vec):
        return "" if t.empty else f"{t.size}{packing(t.elem)}" if t.elem.scalar else packing(t.elem) * t.size
    if isinstance(t, Tuple):
        starts, ends = [*offsets(t), known_size(t)], [0, *map(plus, offsets(t), map(known_size, t.items))]
        gaps = [f"{start - end}x" if start != end else "" for start, end in zip(starts, ends, strict=True)]
        return "".join([x for pair in zip(gaps, [*map(packing, t.items), ""], strict=True) for x in pair])
    return "" if t.empty else _PACKING.get(t, "I")


_PACKING: dict[Type, str] = {Real: "d", Tan: "d", Single: "f", Bool: "?"}

_TYPES: dict[Type, int] = {Real: F64, Tan: F64, Single: F32}


def wasm_type(t: Type) -> int:
    """The type of the local that holds a scalar, or the address of an aggregate."""
    return _TYPES.get(t, I32)


@cache
def offsets(t: Tuple) -> tuple[int | Size, ...]:
    """The offset of each item."""
    at: int | Size = 0
    out: list[int | Size] = []
    for x in t.items:
        at = rounded_up(at, align(x))
        out.append(at)
        at = plus(at, size(x))
    return tuple(out)


FLAT = 16  # a tuple of at most so many numbers and vectors is kept apart, in locals


@cache
def leaves(t: Type) -> tuple[Type, ...]:
    """The leaves of a value, each of which has a location: numbers in locals, and aggregates in memory.

    A small tuple is the leaves of its items; a large one is one leaf, in memory, as a vector is.
    """
    if t.empty:
        return ()
    if isinstance(t, Tuple):
        parts = tuple([leaf for x in t.items for leaf in leaves(x)])
        if len(parts) <= FLAT:
            return parts
    return (t,)


@cache
def is_flat(t: Type) -> bool:
    """True for a tuple that is kept apart."""
    return isinstance(t, Tuple) and leaves(t) != (t,)


@cache
def leaf_offsets(t: Type) -> tuple[int | Size, ...]:
    """The offset of each leaf, when the value lies in memory."""
    if isinstance(t, Tuple) and is_flat(t):
        return tuple([plus(at, k) for at, x in zip(offsets(t), t.items, strict=True) for k in leaf_offsets(x)])
    return (0,) if leaves(t) else ()


@cache
def _starts(t: Tuple) -> tuple[int, ...]:
    return tuple(accumulate([len(leaves(x)) for x in t.items], initial=0))


def item_leaves(t: Tuple, k: int) -> slice:
    """The leaves of item `k` of a tuple that is kept apart."""
    starts = _starts(t)
    return slice(starts[k], starts[k + 1])


def is_aggregate(t: Type) -> bool:
    """True for what crosses the border of a module in memory, not as a number."""
    return isinstance(t, (Vec, Tuple))


def told(x: int | Size | None) -> int | dict[str, str] | None:
    """A size as JavaScript reads it: a number, or the export that has it."""
    return {"#": exported(x)} if isinstance(x, Size) else x


def exported(x: Size) -> str:
    """The name of the export that has a size."""
    return f"#{x!r}"


def dynamic_sizes(t: Type) -> Iterator[Size]:
    """The dynamic sizes and offsets in `describe(t)`."""
    if isinstance(t, Vec):
        yield from [x for x in (t.size, size(t.elem)) if isinstance(x, Size)]
        yield from dynamic_sizes(t.elem)
    elif isinstance(t, Tuple):
        yield from [x for x in offsets(t) if isinstance(x, Size)]
        for s in t.items:
            yield from dynamic_sizes(s)
    elif isinstance(t, Fin) and isinstance(t.size, Size):
        yield t.size


_KINDS: dict[Type, str] = {Real: "real", Tan: "real", Single: "single", Bool: "bool"}


@cache
def describe(t: Type) -> dict[str, Any]:
    """A type as the runtimes read it: kinds, sizes and offsets, as plain data."""
    match t:
        case Vec():
            return {"kind": "vec", "size": told(t.size), "stride": told(size(t.elem)), "elem": describe(t.elem)}
        case Tuple() if t.form is not None:
            fields = zip(t.form.fields, offsets(t), t.items, strict=True)
            return {
                "kind": "struct",
                "name": t.form.name,
                "fields": [[k, told(at), describe(x)] for k, at, x in fields],
            }
        case Tuple():
            items = zip(offsets(t), t.items, strict=True)
            return {"kind": "tuple", "items": [[told(at), describe(x)] for at, x in items]}
        case Fin():
            return {"kind": "index", "size": told(t.size)}
        case Ref() | Stack():
            raise AssertionError("an accumulator or a stack never crosses the border")
        case _:
            return {"kind": _KINDS.get(t, "unit")}


def item_offsets(v: Value) -> list[int | Size]:
    """The offset of each argument of a `pack` or a `tuple`."""
    if isinstance(v.type, Vec):
        return [times(k, size(v.type.elem)) for k in range(len(v.args))]
    assert isinstance(v.type, Tuple)
    return list(offsets(v.type))
