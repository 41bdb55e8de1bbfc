"""Parts of arrays: `x[i, 1:, None, ..., rows]`, with the meaning that NumPy gives it; iteration.

A part is an index function: an array of its own axes, whose element is an element of `x` at other indices. Each axis of
`x` has a place: an index that is known, a slice along an axis of the result, or an array of indices along several. The
loops over the result's axes are opened from the outside in, and an element is read as soon as its index is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...errors import OutOfRange, RoseError, TypeMismatch, called, here, is_unpacked, subscript
from ...errors.advice import of_math
from ...ir import Value, a_traced, current_builder, shown
from ...ir.forms import is_named_tuple
from ...ir.numbers import is_truth
from ...ir.ops import iadd, ifrom, imul
from ...ir.sizes import Size, at_most, differ, minus, plus
from ...ir.types import Bool, Fin, Real, Tuple, Vec, as_vec, struct_in
from ...ir.value import host_index
from ..columns import column, how_to_unpack, item_of
from ..index_expressions import literal
from ..operators import index_within, is_array, view
from ..ranges import as_index_below, range_of
from ..values import to_value
from .elementwise import each, located
from .shapes import Shape, array_type, as_array, broadcast, leaf_of, same, shape_of, spelled

SHORT = 16  # elements of a vector that Python's own loops go through


class Axis:
    """An axis of the result: a loop over `size` indices, or, with no size, a new axis of one element."""

    def __init__(self, size: Any = None) -> None:
        self.size = size


class Along:
    """The index `start + step * i` for the index `i` of an axis of the result."""

    def __init__(self, axis: Axis, start: Any = 0, step: int = 1) -> None:
        self.axis, self.start, self.step = axis, start, step

    def at(self, axis: Axis, i: Value) -> Along | Value:
        if axis is not self.axis:
            return self
        if not differ(as_fin(i).size, 0):
            return i
        if self.step < 0:
            return ifrom(imul(i, literal(-self.step)) if self.step < -1 else i, literal(self.start))
        i = imul(i, literal(self.step)) if self.step > 1 else i
        return iadd(i, literal(self.start)) if differ(self.start, 0) else i


class Gathered:
    """The elements of an array of indices, for the indices of several axes of the result, which are its last ones."""

    def __init__(self, indices: Value, axes: Sequence[Axis]) -> None:
        self.indices, self.axes = indices, axes

    def at(self, axis: Axis, i: Value) -> Gathered | Value:
        if axis not in self.axes:
            return self
        sizes, rest = shape_of(self.indices.type), self.axes[self.axes.index(axis) + 1 :]
        v = self.indices
        if len(sizes) > len(rest):
            v = current_builder().index(v, 0 if axis.size is None or differ(sizes[0], axis.size) else i)
        return Gathered(v, rest) if rest else v


Place = int | Size | Value | Along | Gathered


def as_fin(i: Value) -> Fin:
    assert isinstance(i.type, Fin)
    return i.type


def read(v: Value, places: Sequence[Place], axes: Sequence[Axis]) -> Value:
    """The array of those axes, whose elements are those of `v` at these places, one for each axis of it."""
    b = current_builder()
    while places and isinstance(places[0], (int, Value)):
        v, places = b.index(v, places[0]), places[1:]
    if not axes or is_whole(shape_of(v.type), places, axes):
        return v
    axis, rest = axes[0], axes[1:]
    if axis.size is None:
        one = read(v, places, rest)
        return b.pack([one], Vec(1, one.type))
    return b.vec(axis.size, lambda i: read(v, entered(places, axis, i), rest))


def entered(places: Sequence[Place], axis: Axis, i: Value) -> list[Place]:
    """The places in the loop over an axis, whose index is `i`."""
    return [p.at(axis, i) if isinstance(p, (Along, Gathered)) else p for p in places]


def is_whole(shape: Shape, places: Sequence[Place], axes: Sequence[Axis]) -> bool:
    """True if all axes are those of an array of this shape, in order."""
    for n, p, axis in zip(shape, places, axes, strict=False):
        if not isinstance(p, Along) or p.axis is not axis or p.step != 1:
            return False
        if axis.size is None or differ(axis.size, n):
            return False
    return len(places) == len(axes)


@located
def part(v: Value, key: Any) -> Any:
    """`v[key]` for a key with more than one index: a tuple, a slice, None, `...`, or an array of indices.

    Behind the indices of all axes of an array of tuples stands that of an item: `pairs[:, 0]` is a column.
    """
    if key.__class__ is tuple and (t := struct_in(v.type)) is not None and _places_in(key) == len(shape_of(v.type)) + 1:
        return part(column(v, item_of(t, key[-1])), key[:-1])
    return view(read(v, *places_of(v, key)))


def _places_in(key: tuple[Any, ...]) -> int:
    """How many axes the indices of a key have, at least."""
    return sum([k is not None and k is not Ellipsis for k in key])


def places_of(v: Value, key: Any) -> tuple[list[Place], list[Axis]]:
    """The places that a key names, one for each axis of `v`, and the axes of the part."""
    sizes = shape_of(v.type)
    keys = _without_masks(sizes, _one_for_each_axis(v, list(key) if key.__class__ is tuple else [key]))
    places, axes, gathers = list[Place](), list[Axis](), list[tuple[int, int, Value]]()
    others: list[int] = []  # the indices of one element, which are in a row with arrays of them
    for at, k in enumerate(keys):
        if k is None:
            axes.append(Axis())
            continue
        n = sizes[len(places)]
        if k.__class__ is slice:
            start, step, count = _slice(k, n, v)
            axes.append(Axis(count))
            places.append(Along(axes[-1], start, step))
        elif is_array(k) or k.__class__ is range:
            gathers.append((len(places), at, as_indices(k, n)))
            places.append(0)
            others.append(at)
        else:
            places.append(index_within(Vec(n, Real), k))
            others.append(at)
    if gathers:
        before_them = [k for k in keys[: others[0]] if k is None or k.__class__ is slice]
        in_a_row = others[-1] - others[0] == len(others) - 1
        _gather(places, axes, gathers, len(before_them) if in_a_row else 0)
    return places, axes


def _gather(places: list[Place], axes: list[Axis], gathers: list[tuple[int, int, Value]], first: int) -> None:
    """Give the arrays of indices their axes, from `first` on, and enter them in their places."""
    shape = broadcast([shape_of(g.type) for _, _, g in gathers])
    new = [Axis(n) for n in shape]
    axes[first:first] = new
    for k, _, g in gathers:
        places[k] = Gathered(g, new)


def _without_masks(sizes: Shape, keys: Sequence[Any]) -> list[Any]:
    """The keys, one for each axis: in the place of conditions that Python knows, the indices at which they hold."""
    out, at = list[Any](), 0
    for k in keys:
        mask, here_, at = _mask_of_host(k), sizes[at : at + _axes_of(k)], at + _axes_of(k)
        if mask is not None and not same(mask[1], here_):
            what = f"conditions of the shape {spelled(mask[1])} are no key of axes of the shape {spelled(here_)}"
            raise TypeMismatch(what, here().narrow(subscript), "give one condition for each element")
        out += [k] if mask is None else _nonzero(*mask)
    return out


def _axes_of(k: Any) -> int:
    """The number of axes of an array that a key is for."""
    mask = _mask_of_host(k)
    return 0 if k is None or k is Ellipsis else 1 if mask is None else len(mask[1])


def _nonzero(flat: Sequence[bool], shape: Shape) -> list[list[int]]:
    """The indices of the conditions that hold, for each axis: NumPy's `nonzero`."""
    out, rest = list[list[int]](), [k for k, holds in enumerate(flat) if holds]
    for n in reversed(shape):
        out.append([k % n for k in rest])
        rest = [k // n for k in rest]
    return out[::-1]


def _mask_of_host(k: Any) -> tuple[list[bool], tuple[int, ...]] | None:
    """The conditions of a list or an array of NumPy's, in a row, and its shape; None of all else."""
    if k.__class__ is list:
        first = k
        while first.__class__ is list and first:
            first = first[0]
        found = _in_a_row(k) if is_truth(first) else None
        return found if found and all(map(is_truth, found[0])) else None
    is_mask = k.__class__ is not Value and getattr(getattr(k, "dtype", None), "kind", "") == "b" and k.shape != ()
    return _in_a_row(k) if is_mask else None


def _one_for_each_axis(v: Value, keys: list[Any]) -> list[Any]:
    """The keys, with slices in the place of `...`, and of what is left out at the end."""
    rank = len(shape_of(v.type))
    count = sum(map(_axes_of, keys))
    dots = [at for at, k in enumerate(keys) if k is Ellipsis]
    if count > rank or len(dots) > 1:
        what = f"{a_traced(v)} has {rank} axes, and {count} are indexed"
        what = f"an index has several `...`: {a_traced(v)} has {rank} axes" if count <= rank else what
        raise TypeMismatch(what, here().narrow(subscript), f"write at most {rank} indices, and `...` once")
    at = dots[0] if dots else len(keys)
    return [*keys[:at], *[slice(None)] * (rank - count), *keys[at + 1 :]]


def _slice(k: slice, n: Any, v: Value) -> tuple[Any, int, Any]:
    """The first index of a slice of an axis of size `n`, its step, and the count of its indices."""
    if any([isinstance(x, Value) for x in (k.start, k.stop, k.step)]):
        what = "a slice has a bound that is known only when the function runs, and so would be its size"
        hint = "write rose.vec(x[i + k] for i in rose.range(n)), of a size that Python knows"
        raise TypeMismatch(what, here().narrow(subscript), hint)
    if not isinstance(n, Size):
        try:
            which = range(*k.indices(n))
        except (TypeError, ValueError):
            message = f"a slice of a {v.type!r} takes Python integers, with a step other than 0"
            raise TypeMismatch(message, here().narrow(subscript), "write v[1:], v[:n], v[::-1]") from None
        return which.start, which.step, len(which)
    if k.start is None and k.stop is None and k.step in (None, 1, -1):
        return (0, 1, n) if k.step != -1 else (minus(n, 1), -1, n)
    start, stop = [_bound(x, n, otherwise) for x, otherwise in ((k.start, 0), (k.stop, n))]
    if k.step not in (None, 1) or start is None or stop is None or not at_most(start, stop):
        what = f"a slice of a {v.type!r} would have a size that depends on {n!r}, and one module serves all sizes"
        raise TypeMismatch(what, here().narrow(subscript), "write rose.vec(v[i + 1] for i in rose.range(...))")
    return start, 1, minus(stop, start)


def _bound(x: Any, n: Size, otherwise: Any) -> Any:
    """A bound of a slice, if it is certain to be one of an axis of size `n`; else None."""
    if x is None:
        return otherwise
    k = x if isinstance(x, Size) else host_index(x)
    if k is None:
        return None
    k = plus(n, k) if isinstance(k, int) and k < 0 else k
    return k if at_most(0, k) and at_most(k, n) else None


def as_indices(k: Any, n: Any) -> Value:
    """An array of indices of an axis of size `n`; those of the host may be negative, as single ones may."""
    loc = here().narrow(subscript)
    if not isinstance(k, Value) and (found := _of_host(k)) is not None and not isinstance(n, Size):
        flat, shape = found
        if wrong := [x for x in flat if not -n <= x < n]:
            hint = f"write indices from {-n} to {n - 1}" if n else "leave it out: there are no elements"
            raise OutOfRange(f"index {wrong[0]} is out of range for an axis of {n}", loc, hint)
        return to_value(_nested([x % n for x in flat], shape), array_type(shape, Fin(n)), ("an index",), loc)
    v = as_array(k, loc)
    leaf = leaf_of(v.type)
    if isinstance(leaf, Fin) and at_most(leaf.size, n):
        return v
    if leaf is Real and (size := range_of(v).size) is not None and at_most(size, n):
        near: Callable[[Value], Value] = lambda x: as_index_below(x, n)
        return each(near, v)
    if leaf is Bool:
        what = "an array of conditions chooses a number of elements that is known only when the function runs"
        raise TypeMismatch(what, loc, "write rose.where(condition, x, 0.0), which keeps the shape")
    if isinstance(leaf, Fin):
        hint = "wrap the indices round with % n: some may be too large"
        raise TypeMismatch(f"an axis of {n!r} is indexed by {leaf!r}", loc, hint)
    what = f"{a_traced(v) if isinstance(k, Value) else shown(k)} cannot index an array"
    hint = "index with integers, or an array of them"
    if leaf is Real:
        hint = f"declare a Vec[k, Fin[{n!r}]], wrap whole numbers round, i % {n!r}, clip them, or check them: "
        hint += f"rose.index(i, {n!r})"
    raise TypeMismatch(what, loc, hint)


def _of_host(k: Any) -> tuple[list[int], tuple[int, ...]] | None:
    """The integers of a list or an array of NumPy's, in a row, and its shape; None if they are not all integers."""
    if hasattr(k, "shape") and getattr(k.dtype, "kind", "") not in "iu":
        return None
    flat, shape = _in_a_row(k)
    numbers = [host_index(x) for x in flat]
    return None if None in numbers else ([x for x in numbers if x is not None], shape)


def _in_a_row(k: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The elements of a list or an array of NumPy's, and its shape."""
    if hasattr(k, "shape"):
        k = k.to_numpy() if hasattr(k, "to_numpy") else k  # a column of a table
        return k.ravel().tolist(), tuple(k.shape)
    flat, shape = list(k), (len(k),)
    while flat and all([x.__class__ is list and len(x) == len(flat[0]) for x in flat]):
        shape, flat = (*shape, len(flat[0])), [y for x in flat for y in x]
    return flat, shape


def _nested(flat: list[Any], shape: tuple[int, ...]) -> list[Any]:
    for n in reversed(shape[1:]):
        flat = [flat[k : k + n] for k in range(0, len(flat), n)] if n else [[]] * shape[0]
    return flat


def elements(v: Value) -> Iterator[Any]:
    """The elements of a short vector, one by one, as Python's own loops and assignments want them."""
    loc = here()
    hint = "loop with `for i in rose.range(n)` and read v[i], or with rose.scan, which carries what changes; or name "
    hint += "its elements: v[0], v[1]"
    if not isinstance(v.type, Vec):
        raise TypeMismatch(f"{a_traced(v)} cannot be iterated or unpacked", loc, of_math(called(loc), hint))
    t = as_vec(v.type).elem
    if isinstance(t, Tuple) and (t.form is None or is_named_tuple(t.form.cls)) and is_unpacked(loc):
        what = f"{a_traced(v)} is not unpacked: into its columns, or its elements?"
        raise TypeMismatch(what, loc, how_to_unpack(t))
    n: Any = as_vec(v.type).size
    if isinstance(n, Size) or n > SHORT:
        raise _too_long(v, n, of_math(called(loc), hint))
    return iter([view(current_builder().index(v, k)) for k in range(n)])


def _too_long(v: Value, n: Any, hint: str) -> RoseError:
    why = f"Python's loops take vectors of {SHORT} elements at most, and write each iteration out"
    return TypeMismatch(f"{a_traced(v)} cannot be iterated or unpacked: {why}", here(), hint)
