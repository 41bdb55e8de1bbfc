"""Arrays of several: `array`, `stack`, `concatenate`; and an array cut into several: `split`.

What is joined is written piece by piece, into one accumulator: a loop for each piece, and no choice in any of them, so
that a derivative goes through each piece once. An accumulator begins at -0.0, so that each element keeps its bits.
Elements that cannot be added, such as conditions and indices, are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...errors import OutOfRange, TypeMismatch, here
from ...host.marshal import as_given, is_listing
from ...ir import Value, a_traced, current_builder, shown
from ...ir.numbers import is_listed
from ...ir.ops import iadd, ibeyond, ilt, select
from ...ir.sizes import Size, differ, plus
from ...ir.types import Complex, Fin, Real, Tan, Type, Vec
from ...ir.value import host_index
from ..index_expressions import literal, within
from ..operators import view
from ..values import is_traced, to_value, widest
from .creation import filled
from .elementwise import array_function, maps
from .indexing import Along, Axis, as_fin, read
from .kinds import typed
from .shapes import (
    Shape,
    array_type,
    as_array,
    axis_given,
    is_several,
    items_of,
    leaf_of,
    same,
    shape_of,
    size_given,
    spelled,
)
from .shaping import along, expand_dims, given, of_rank, ravel


class Piece(NamedTuple):
    """A part of an axis: so many indices, and what is written there."""

    size: Any
    item: Callable[[Value], Value]  # of the index in the piece


def arrays_given(items: Any, name: str) -> list[Value]:
    """Several arrays, of one type of elements: a list or a tuple of them, or an array, along its first axis."""
    if isinstance(items, Value):
        count = shape_of(items.type)[0] if isinstance(items.type, Vec) else None
        if count is None or isinstance(count, Size):
            hint = f"write {name}([x, y])"
            raise TypeMismatch(f"{name} takes several arrays, not {a_traced(items)}", here(), hint)
        b = current_builder()
        return [b.index(items, k) for k in range(count)]
    if not is_listed(items) and not isinstance(items, tuple):
        raise TypeMismatch(f"{name} takes several arrays, not {shown(items)}", here(), f"write {name}([x, y])")
    vs = [as_array(x) for x in items]  # pyright: ignore[reportUnknownVariableType]
    if not vs:
        raise OutOfRange(f"{name} of nothing", here(), "give it at least one array")
    return _of_one_leaf(vs, name)


def _of_one_leaf(vs: list[Value], name: str) -> list[Value]:
    """The arrays, with indices as larger indices, or as numbers, where others are."""
    leaves = [leaf_of(v.type) for v in vs]
    numeric = [t for t in leaves if isinstance(t, Fin) or t is Real or t is Complex]
    if len(numeric) == len(leaves) and any([t is not leaves[0] for t in leaves]):
        leaf = widest(leaves)

        def as_leaf(x: Value) -> Value:
            return to_value(x, leaf, ("an element",))

        return [maps(shape_of(v.type), as_leaf, [v]) for v in vs]
    for t in leaves:
        if t is not leaves[0]:
            what = f"{name} joins arrays of one kind of elements, not of {leaves[0]!r} and {t!r}"
            raise TypeMismatch(what, here(), "make numbers of conditions: rose.where(c, 1.0, 0.0)")
    return vs


@array_function
def array(x: Any, dtype: Any = None) -> Any:
    """The array of a list of numbers, arrays or lists, all of one shape; of an array, itself, as none ever changes."""
    return view(typed(_array(x), dtype))


def _array(x: Any) -> Value:
    x = as_given(x)
    if not is_listing(x):
        return as_array(x)
    if not is_traced(x):
        return as_array(_lists(x))
    return _stacked(_of_one_shape(_of_one_leaf([_array(y) for y in x], "rose.array"), "rose.array"), 0)


def _lists(x: Any) -> Any:
    """A list or a tuple of numbers, and of such, as lists."""
    return [_lists(y) for y in x] if is_listing(x) else x


@array_function
def stack(arrays: Any, axis: Any = 0, *, dtype: Any = None) -> Any:
    """The arrays, all of one shape, along a new axis, which has this place in the result."""
    vs = _of_one_shape(arrays_given(arrays, "rose.stack"), "rose.stack")
    return view(typed(_stacked(vs, axis_given(axis, len(shape_of(vs[0].type)) + 1)), dtype))


def _of_one_shape(vs: list[Value], name: str) -> list[Value]:
    shape = shape_of(vs[0].type)
    for v in vs:
        if not same(shape_of(v.type), shape):
            what = f"{name} takes arrays of one shape, not {spelled(shape)} and {spelled(shape_of(v.type))}"
            raise TypeMismatch(what, here(), "join arrays of different sizes with rose.concatenate")
    return vs


def _stacked(vs: Sequence[Value], axis: int) -> Value:
    b = current_builder()
    if axis == 0:
        return b.pack(vs, Vec(len(vs), vs[0].type))
    return b.vec(shape_of(vs[0].type)[0], lambda i: _stacked([b.index(v, i) for v in vs], axis - 1))


@array_function
def concatenate(arrays: Any, axis: Any = 0, *, dtype: Any = None) -> Any:
    """The arrays one after another along an axis; in all others they have one size. With None, of their `ravel`."""
    vs = arrays_given(arrays, "rose.concatenate")
    if axis is None:
        return view(typed(joined([ravel(v) for v in vs], 0), dtype))
    shape = shape_of(vs[0].type)
    if not shape:
        hint = "write rose.stack([x, y]) for numbers"
        raise TypeMismatch(f"rose.concatenate joins arrays, not {a_traced(vs[0])}", here(), hint)
    k = axis_given(axis, len(shape))
    for v in vs:
        _check_others(shape, shape_of(v.type), k)
    return view(typed(joined(vs, k), dtype))


def _check_others(one: Shape, other: Shape, axis: int) -> None:
    """Check that two shapes are the same but for an axis."""
    if len(one) != len(other):
        what = f"arrays of the shapes {spelled(one)} and {spelled(other)} have not as many axes"
        raise TypeMismatch(what, here(), "add an axis of one element: x[None], x[:, None]")
    for k, (n, m) in enumerate(zip(one, other, strict=True)):
        if k != axis and differ(n, m):
            what = f"arrays of the shapes {spelled(one)} and {spelled(other)} are joined along axis {axis}"
            hint = "let all other axes have one size, or join along another: axis="
            raise TypeMismatch(f"{what}, and axis {k} has {n!r} and {m!r} elements", here(), hint)


def joined(vs: Sequence[Value], axis: int) -> Value:
    """The arrays one after another along an axis, in all others of one shape."""
    shape, leaf = shape_of(vs[0].type), leaf_of(vs[0].type)
    total: Any = 0
    for v in vs:
        total = plus(total, shape_of(v.type)[axis])
    if len(vs) == 1:
        return vs[0]
    whole = (*shape[:axis], total, *shape[axis + 1 :])
    return assembled(whole, leaf, lambda level, rest: _pieces_at(level, rest, axis), vs)


def _pieces_at(level: int, rest: Any, axis: int) -> list[tuple[Any, Callable[[Value], Any]]]:
    b = current_builder()
    if level < axis:
        n = shape_of(rest[0].type)[0]
        return [(n, lambda i: [b.index(v, i) for v in rest])]
    if level > axis:
        return [(shape_of(rest.type)[0], lambda i: b.index(rest, i))]
    return [(shape_of(v.type)[0], lambda i, v=v: b.index(v, i)) for v in rest]


Cut = Callable[[int, Any], Sequence[tuple[Any, Callable[[Value], Any]]]]


def assembled(shape: Shape, leaf: Type, cut: Cut, source: Any) -> Value:
    """The array of that shape of which each axis is made of pieces, one after another.

    `cut(axis, source)` has the pieces: for each its size, and what the source is at each index in it; that of all axes
    is the element.
    """
    b = current_builder()
    if not _is_summable(leaf):
        return _chosen(shape, leaf, cut, source, 0)
    ref = b.accum(_nothing(shape, leaf))
    _fill(ref, shape, cut, source, 0)
    return b.freeze(ref)


def _is_summable(t: Type) -> bool:
    return t is Real or t is Tan or t is Complex


def _nothing(shape: Shape, leaf: Type) -> Value:
    """An array to which anything can be added, and keeps its bits."""
    b = current_builder()
    if leaf is Tan:
        return b.zero(array_type(shape, leaf))
    return filled(shape, b.lift(complex(-0.0, -0.0) if leaf is Complex else -0.0))


def _fill(ref: Value, shape: Shape, cut: Cut, source: Any, axis: int) -> None:
    """Add the source to an accumulator, a loop for each piece."""
    b = current_builder()
    if axis == len(shape):
        b.add_to(ref, source)
        return
    start: Any = 0
    for size, item in cut(axis, source):

        def body(i: Value, start: Any = start, item: Callable[[Value], Any] = item) -> tuple[list[Value], list[Value]]:
            at = iadd(i, literal(start)) if differ(start, 0) else i
            if not differ(as_fin(at).size, 0):
                return [], []
            _fill(b.at(ref, at), shape, cut, item(i), axis + 1)
            return [], []

        if differ(size, 0):
            b.loop(size, body)
        start = plus(start, size)


def _chosen(shape: Shape, leaf: Type, cut: Cut, source: Any, axis: int) -> Value:
    """The same, where each element is chosen: of each piece its nearest is read."""
    if axis == len(shape):
        return source
    b, parts = current_builder(), list[tuple[Any, Any, Callable[[Value], Any]]]()
    start: Any = 0
    for size, item in cut(axis, source):
        if differ(size, 0):
            parts.append((start, size, item))
        start = plus(start, size)

    def element(i: Value) -> Value:
        out: Value | None = None
        for start, size, of in reversed(parts):
            k = ibeyond(i, literal(start)) if differ(start, 0) else i
            x = _chosen(shape, leaf, cut, of(within(k, size)), axis + 1)
            out = x if out is None else select(ilt(i, literal(plus(start, size))), x, out)
        assert out is not None
        return out

    return b.vec(shape[axis], element) if parts else b.zero(array_type(shape[axis:], leaf))


@array_function
def hstack(arrays: Any, *, dtype: Any = None) -> Any:
    """The arrays one after another: of vectors and numbers along their axis, of others along the second."""
    vs = [of_rank(v, 1) for v in arrays_given(arrays, "rose.hstack")]
    return _concatenated(vs, 0 if len(shape_of(vs[0].type)) == 1 else 1, dtype)


@array_function
def vstack(arrays: Any, *, dtype: Any = None) -> Any:
    """The arrays below one another, along the first axis: a vector is a row."""
    return _concatenated([of_rank(v, 2) for v in arrays_given(arrays, "rose.vstack")], 0, dtype)


@array_function
def column_stack(arrays: Any) -> Any:
    """The arrays beside one another, along the second axis: a vector is a column."""
    vs = arrays_given(arrays, "rose.column_stack")
    return _concatenated([v if len(shape_of(v.type)) > 1 else as_column(v) for v in vs], 1)


def as_column(v: Value) -> Value:
    """A vector, or a number, as a matrix of one column."""
    axes = [Axis(n) for n in shape_of(v.type)] or [Axis()]
    return read(v, [Along(a) for a in axes if a.size is not None], [*axes, Axis()])


@array_function
def dstack(arrays: Any) -> Any:
    """The arrays behind one another, along the third axis: a vector is a row of a matrix, a matrix one layer."""
    vs = [of_rank(v, 2) for v in arrays_given(arrays, "rose.dstack")]
    return _concatenated([v if len(shape_of(v.type)) > 2 else expand_dims(v, 2) for v in vs], 2)


@array_function
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """The array with others behind it along an axis; without one, the elements of both in a row."""
    return concatenate([arr, values], axis)


@array_function
def block(arrays: Any) -> Any:
    """The array of blocks in nested lists: the innermost lie beside one another, and lists of them below one another.

    The innermost lists are joined along the last axis, those around them along the axis before.
    """
    depth = _depth(arrays)
    return view(_blocks(arrays, depth, depth))


def _depth(x: Any) -> int:
    """How deep lists are nested: all of them alike."""
    if not isinstance(x, list):
        return 0
    depths = set(map(_depth, items_of(x)))
    if len(depths) != 1:
        what = "nested lists of one depth" if depths else "blocks, and a list is empty"
        raise TypeMismatch(f"rose.block takes {what}", here(), "write rose.block([[a, b], [c, d]])")
    return 1 + depths.pop()


def _blocks(x: Any, level: int, depth: int) -> Value:
    if not level:
        return of_rank(as_array(x), max(depth, 1))
    parts = arrays_given([_blocks(y, level - 1, depth) for y in items_of(x)], "rose.block")
    rank = max([len(shape_of(v.type)) for v in parts])
    return _concatenated([of_rank(v, rank) for v in parts], rank - level)


def _concatenated(vs: list[Value], axis: int, dtype: Any = None) -> Any:
    for v in vs:
        _check_others(shape_of(vs[0].type), shape_of(v.type), axis)
    return view(typed(joined(vs, axis), dtype))


@array_function
def split(x: Any, parts: Any, axis: Any = 0) -> Any:
    """The array cut along an axis, as a list: into so many parts of one size, or before each of these indices."""
    return _cut(x, parts, axis, "rose.split", even=True)


@array_function
def array_split(x: Any, parts: Any, axis: Any = 0) -> Any:
    """The array cut along an axis, as a list: into so many parts, the first of which may have one element more."""
    return _cut(x, parts, axis, "rose.array_split", even=False)


def _cut(x: Any, parts: Any, axis: Any, name: str, *, even: bool) -> list[Any]:
    v, shape = given(x, "x")
    k = axis_given(axis, len(shape))
    n: Any = shape[k]
    if isinstance(n, Size):
        what = f"{name} cuts an axis whose size Python knows, and one module serves every {n!r}"
        raise TypeMismatch(what, here(), "write x[:3] and x[3:] of a Vec[n + 3]")
    if is_several(parts):
        cuts = [range(n)[:size].stop for size in map(_place_given, items_of(parts))]
    else:
        count = size_given(parts, name)
        if not count or (even and n % count):
            what = f"{name} cannot cut {n} elements into {count} parts{' of one size' * even}"
            raise OutOfRange(what, here(), "write a number that divides it, or call rose.array_split")
        cuts = [j * (n // count) + min(j, n % count) for j in range(1, count)]
    bounds = zip([0, *cuts], [*cuts, n], strict=True)
    return [along(v, k, max(end - start, 0), lambda a, s=start: Along(a, s)) for start, end in bounds]


def _place_given(x: Any) -> int:
    if (k := host_index(x)) is None:
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        raise TypeMismatch(f"an array is cut at integers, not at {what}", here(), "write rose.split(x, [2, 5])")
    return k
