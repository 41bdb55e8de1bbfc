"""The memory layout of types: the parts of a value lie inline, in order, with no pointers inside.

A Real is 8 bytes, a Single or an index 4, a Bool 1, each at a multiple of its size; a Unit takes none. This is the
only place that works out an offset. The *plan* of a type is its layout as all runtimes read it: calls from Python and
batches make views of memory by it, and JavaScript gets it as plain data, from `describe`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from rose.errors import RoseError
from rose.host.marshal import plain
from rose.ir import Value
from rose.ir.sizes import Size, plus, rounded_up, times
from rose.ir.types import (
    Bool,
    Fin,
    Four,
    Mask,
    Pair,
    Real,
    Ref,
    Single,
    Stack,
    Tan,
    Tuple,
    Type,
    Vec,
    as_tuple,
    is_complex,
    once,
    untyped,
)

from ..binary.encoder import F32, F64, I32, V128


class Kind(NamedTuple):
    """A kind of scalars: its name, its bytes, and what holds one of them outside of memory."""

    name: str  # in JavaScript
    bytes: int
    dtype: str  # of NumPy
    format: str  # of Python's `struct`
    wasm: int  # the type of a local, a parameter or a result
    raw: str  # that in a raw call: "d" for f64, "f" for f32, "i" for i32; "" for what is not passed


_REAL = Kind("real", 8, "f8", "d", F64, "d")
_WORD = Kind("index", 4, "u4", "I", I32, "i")  # an index or, of an aggregate, its address
_NOTHING = Kind("unit", 0, "O", "", I32, "")
_KINDS: dict[Type, Kind] = {
    Real: _REAL, Tan: _REAL, Single: Kind("single", 4, "f4", "f", F32, "f"), Bool: Kind("bool", 1, "b1", "?", I32, "i"),
    Pair: Kind("pair", 16, "V16", "2d", V128, ""), Four: Kind("four", 16, "V16", "4f", V128, ""),
    Mask: Kind("mask", 16, "V16", "2q", V128, ""),
}  # fmt: skip


_PAIRS: dict[Type, Kind] = {  # complex numbers: in memory they are what NumPy and JavaScript have for arrays of them
    Real: Kind("complex", 16, "c16", "dd", I32, "i"), Single: Kind("complex_single", 8, "c8", "ff", I32, "i"),
}  # fmt: skip


def kind(t: Type) -> Kind:
    """The kind of a scalar, or of the address of an aggregate; an aggregate without bytes has none, as a Unit."""
    return _KINDS.get(t) or (_NOTHING if t.empty else _WORD)


@once
def align(t: Type) -> int:
    """The address of a `t` is a multiple of this."""
    match t:
        case Vec():
            return 1 if t.empty else align(t.elem)
        case Tuple():
            return max([align(x) for x in t.items], default=1)
        case _:
            return kind(t).bytes if t.scalar else 1


@once
def size(t: Type) -> int | Size:
    """The bytes of a `t`: a multiple of its alignment, so that they can lie in a row."""
    match t:
        case Vec():
            return times(t.size, size(t.elem))
        case Tuple():
            return rounded_up(plus(offsets(t)[-1], size(t.items[-1])), align(t)) if t.items else 0
        case _:
            return kind(t).bytes if t.scalar else 0


def known_size(t: Type) -> int:
    """The bytes of a `t`; 0 if only the running module knows them, which refuses too many itself."""
    n = size(t)
    return 0 if isinstance(n, Size) else n


@once
def packing(t: Type) -> str:
    """The format of a `t` for Python's `struct`, without its byte order: the numbers, and the padding between them."""
    if isinstance(t, Vec):
        return "" if t.empty else f"{t.size}{packing(t.elem)}" if t.elem.scalar else packing(t.elem) * t.size
    if isinstance(t, Tuple):
        starts, ends = [*offsets(t), known_size(t)], [0, *map(plus, offsets(t), map(known_size, t.items))]
        gaps = [f"{start - end}x" if start != end else "" for start, end in zip(starts, ends, strict=True)]
        return "".join([x for pair in zip(gaps, [*map(packing, t.items), ""], strict=True) for x in pair])
    return kind(t).format


def wasm_type(t: Type) -> int:
    """The type of the local that holds a scalar, or the address of an aggregate."""
    return kind(t).wasm


@once
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


@once
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


@once
def is_flat(t: Type) -> bool:
    """True for a tuple that is kept apart."""
    return isinstance(t, Tuple) and leaves(t) != (t,)


@once
def leaf_offsets(t: Type) -> tuple[int | Size, ...]:
    """The offset of each leaf, when the value lies in memory."""
    if isinstance(t, Tuple) and is_flat(t):
        return tuple([plus(at, k) for at, x in zip(offsets(t), t.items, strict=True) for k in leaf_offsets(x)])
    return (0,) if leaves(t) else ()


@once
def _starts(t: Tuple) -> tuple[int, ...]:
    return tuple(accumulate([len(leaves(x)) for x in t.items], initial=0))


def item_leaves(t: Tuple, k: int) -> slice:
    """The leaves of item `k` of a tuple that is kept apart."""
    starts = _starts(t)
    return slice(starts[k], starts[k + 1])


def is_aggregate(t: Type) -> bool:
    """True for what crosses the border of a module in memory, not as a number."""
    return isinstance(t, (Vec, Tuple))


# the plan of a value


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The layout of a value: vectors of `dims` elements at `strides`, one in another, of scalars or of structs.

    Scalars are of a `kind`. A struct or a tuple is `at` the offset of each of its items, which is a plan.
    """

    type: Type  # of the value
    elem: Type  # that of its scalars or structs
    dims: tuple[Any, ...]  # of numbers and sizes
    strides: tuple[int | Size, ...]
    kind: Kind | None
    names: Sequence[str | int] = ()  # of the items: fields of a struct, or their numbers
    at: tuple[int | Size, ...] = ()
    items: tuple[Plan, ...] = ()

    def leaves(self) -> Iterator[Plan]:
        """Yield the plans of scalars, in order: columns, where they lie in a vector of structs."""
        if self.kind is not None:
            yield self
        for item in self.items:
            yield from item.leaves()

    def paths(self, n: Size, path: tuple[str | int, ...]) -> Iterator[list[str | int]]:
        """Yield the paths to the vectors of `n` elements."""
        pairs = len(self.dims) - 1 if is_complex(self.elem) else None  # the axis that has two numbers for each element
        for k in [k for k, size in enumerate(self.dims) if size is n]:
            yield [*path, *[0] * k, *["length"] * (k == pairs)]
        for name, item in zip(self.names, self.items, strict=True):
            yield from item.paths(n, (*path, *[0] * len(self.dims), name))


@once
def plan(t: Type) -> Plan:
    """The plan of a type, which is made once."""
    if isinstance(t, Vec):
        inner = plan(t.elem)
        dims, strides = (t.size, *inner.dims), (size(t.elem), *inner.strides)
        return Plan(t, inner.elem, dims, strides, inner.kind, inner.names, inner.at, inner.items)
    if isinstance(t, Tuple):
        if is_complex(t):
            return Plan(t, t, (), (), _PAIRS[untyped(t.items[0])])
        return Plan(t, t, (), (), None, t.names, offsets(t), tuple(map(plan, t.items)))
    assert not isinstance(t, (Ref, Stack)), "an accumulator or a stack never crosses the border"
    return Plan(t, t, (), (), kind(t))


def dynamic_sizes(t: Type) -> Iterator[Size]:
    """Yield the dynamic sizes and offsets in `describe(t)`."""
    p = plan(t)
    limit = [p.elem.size] if isinstance(p.elem, Fin) else []
    if p.dims and is_complex(p.elem):
        t = in_javascript(t)
        p = plan(t)
    pairs = zip(p.dims, p.strides, strict=True)
    yield from [x for x in (*[x for pair in pairs for x in pair], *p.at, *limit) if isinstance(x, Size)]
    for item in p.items:
        yield from dynamic_sizes(item.type)


def told(x: int | Size | None) -> int | dict[str, str] | None:
    """A size as JavaScript reads it: a number, or the export that has it."""
    return {"#": exported(x)} if isinstance(x, Size) else x


def exported(x: Size) -> str:
    """The name of the export that has a size."""
    return f"#{x!r}"


@once
def in_javascript(t: Type) -> Type:
    """The type that JavaScript sees: an array of complex numbers is one of their parts, which are interleaved."""
    if is_complex(t):
        return Vec(2, as_tuple(t).items[0])
    if isinstance(t, Vec) and is_complex(t.elem):
        return Vec(times(t.size, 2), as_tuple(t.elem).items[0])
    return Vec(t.size, in_javascript(t.elem)) if isinstance(t, Vec) else t


@once
def describe(t: Type) -> dict[str, Any]:
    """A type as JavaScript reads it: kinds, sizes and offsets, as plain data."""
    t = in_javascript(t)
    if isinstance(t, Vec):
        return {"kind": "vec", "size": told(t.size), "stride": told(size(t.elem)), "elem": describe(t.elem)}
    p = plan(t)
    items = [[told(at), describe(x.type)] for at, x in zip(p.at, p.items, strict=True)]
    if isinstance(t, Tuple) and t.form is not None:
        fields = [[k, *x] for k, x in zip(p.names, items, strict=True)]
        given = defaults(t)
        return {"kind": "struct", "name": t.form.name, "fields": fields, **({"defaults": given} if given else {})}
    if p.kind is None:
        return {"kind": "tuple", "items": items}
    return {"kind": p.kind.name, **({"size": told(t.size)} if isinstance(t, Fin) else {})}


@once
def defaults(t: Tuple) -> dict[str, str]:
    """The values in JavaScript of the fields of a struct that its class gives to those who leave them out."""
    form = t.form
    if form is None or form.is_dict or form.stays:
        return {}
    cls: Any = form.cls
    try:
        given = {k: p.default for k, p in inspect.signature(cls).parameters.items() if p.default is not p.empty}
    except (TypeError, ValueError):  # a class without a signature
        return {}
    made = {x.name: x.default_factory for x in fields(cls) if callable(x.default_factory)} if is_dataclass(cls) else {}
    found: dict[str, str] = {}
    for name, item in zip(t.names, t.items, strict=True):
        if name in given:
            with suppress(RoseError):  # not a value of its type, such as None in the place of a number
                found[str(name)] = _literal(plain(made[name]() if name in made else given[name], item), item)
    return found


def _literal(x: Any, t: Type) -> str:
    """A host value in JavaScript."""
    if isinstance(t, Vec):
        return f"[{','.join([_literal(y, t.elem) for y in x])}]"
    if isinstance(t, Tuple):
        each = [_literal(y, item) for y, item in zip(x, t.items, strict=True)]
        if t.form is None or is_complex(t):
            return f"[{','.join(each)}]"
        return f"{{{','.join([f'{json.dumps(k)}:{y}' for k, y in zip(t.names, each, strict=True)])}}}"
    return "undefined" if x is None else json.dumps(x)  # also NaN and Infinity


def item_offsets(v: Value) -> list[int | Size]:
    """The offset of each argument of a `pack` or a `tuple`."""
    if isinstance(v.type, Vec):
        return [times(k, size(v.type.elem)) for k in range(len(v.args))]
    assert isinstance(v.type, Tuple)
    return list(offsets(v.type))
