"""Arrays whose elements are those of another one at other indices: `reshape`, `transpose`, `flip`, `roll`, `tile`.

Each is an index function, so fusion makes it free. They work for leaves of any type, structs too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ...errors import TypeMismatch, argument, here
from ...ir import Value, a_traced, current_builder, shown
from ...ir.ops import iadd, idiv, ile, imod, imul, select
from ...ir.reshapes import reshape as reshape_axes
from ...ir.sizes import Size, at_most, differ, minus, plus, times
from ...ir.types import Vec
from ...ir.value import host_index
from ..index_expressions import literal, within
from ..operators import view
from .creation import itself, on_diagonal, whole
from .elementwise import array_function, maps
from .indexing import Along, Axis, Place, as_fin, read
from .shapes import (
    Shape,
    array_type,
    as_array,
    axes_given,
    axis_given,
    broadcast,
    items_of,
    leaf_of,
    same,
    shape_given,
    shape_of,
    spelled,
)


class Mapped(Along):
    """The index `f(i)` for the index `i` of an axis of the result."""

    def __init__(self, axis: Axis, f: Callable[[Value], Value]) -> None:
        super().__init__(axis, step=0)
        self.f = f

    def at(self, axis: Axis, i: Value) -> Along | Value:
        if axis is not self.axis:
            return self
        return i if not differ(as_fin(i).size, 0) else self.f(i)


class Joint(Along):
    """The index that is `f` of those of several axes of the result, from the outermost."""

    def __init__(self, axes: Sequence[Axis], f: Callable[..., Value], *known: Value) -> None:
        super().__init__(axes[0], step=0)
        self.axes, self.f, self.known = axes, f, known

    def at(self, axis: Axis, i: Value) -> Along | Value:
        if axis is not self.axis:
            return self
        if len(self.axes) > 1:
            return Joint(self.axes[1:], self.f, *self.known, i)
        return self.f(*self.known, i)


def given(x: Any, name: str) -> tuple[Value, Shape]:
    """An argument that is an array, and its shape."""
    v = as_array(x, here().narrow(argument(0, name, 1, 2, 3, 4)))
    return v, shape_of(v.type)


def permuted(v: Value, order: Sequence[int]) -> Value:
    """The array whose axes are those of `v`, in that order."""
    axes = [Axis(n) for n in shape_of(v.type)]
    return read(v, [Along(a) for a in axes], [axes[k] for k in order])


def moved(v: Value, axis: int, to: int) -> Value:
    """The array with an axis at another place; the others keep their order."""
    order = [*range(len(shape_of(v.type)))]
    order.insert(to, order.pop(axis))
    return permuted(v, order)


def along(v: Value, k: int, size: Any, place: Callable[[Axis], Place]) -> Any:
    """The array with another axis in the place of axis `k`, of that size; `place` says which elements are along it."""
    axes = [Axis(n) for n in shape_of(v.type)]
    places: list[Place] = [Along(a) for a in axes]
    axes[k] = Axis(size)
    places[k] = place(axes[k])
    return view(read(v, places, axes))


def of_rank(v: Value, rank: int) -> Value:
    """The array with new first axes, so that it has so many at least."""
    b = current_builder()
    while len(shape_of(v.type)) < rank:
        v = b.pack([v], Vec(1, v.type))
    return v


@array_function
def transpose(x: Any, axes: Any = None, *more: Any) -> Any:
    """The array with its axes in reversed order, or in that order: `transpose(x, (1, 0, 2))`."""
    v, shape = given(x, "x")
    rank = len(shape)
    order = range(rank)[::-1] if axes is None else axes_given((axes, *more) if more else axes, rank)
    if len(order) != rank:
        what = f"rose.transpose of {a_traced(v)} is given {len(order)} of its {rank} axes"
        raise TypeMismatch(what, here(), "name each axis once, or leave them out")
    return view(permuted(v, order))


@array_function
def swapaxes(x: Any, axis1: Any, axis2: Any) -> Any:
    """The array with two axes exchanged."""
    v, shape = given(x, "x")
    order = [*range(len(shape))]
    i, j = [axis_given(k, len(shape)) for k in (axis1, axis2)]
    order[i], order[j] = j, i
    return view(permuted(v, order))


@array_function
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """The array with an axis, or several, moved to another place; the others keep their order."""
    v, shape = given(x, "x")
    rank = len(shape)
    old, new = [axes_given(k, rank) for k in (source, destination)]
    if len(old) != len(new):
        what = f"rose.moveaxis moves {len(old)} axes to {len(new)} places"
        raise TypeMismatch(what, here(), "give one place for each axis")
    order = [k for k in range(rank) if k not in old]
    for to, k in sorted(zip(new, old, strict=True)):
        order.insert(to, k)
    return view(permuted(v, order))


@array_function
def squeeze(x: Any, axis: Any = None) -> Any:
    """The array without its axes of one element, or without those that are named."""
    v, shape = given(x, "x")
    ones = {k for k, n in enumerate(shape) if not differ(n, 1)}
    gone = ones if axis is None else {*axes_given(axis, len(shape))}
    if wrong := sorted(gone - ones):
        what = f"axis {wrong[0]} of {a_traced(v)} has {shape[wrong[0]]!r} elements, and only an axis of one can go"
        raise TypeMismatch(what, here(), "index it, as in x[0], or leave out the axis")
    axes = [Axis(n) for n in shape]
    places: list[Place] = [0 if k in gone else Along(a) for k, a in enumerate(axes)]
    return view(read(v, places, [a for k, a in enumerate(axes) if k not in gone]))


@array_function
def expand_dims(x: Any, axis: Any) -> Any:
    """The array with new axes of one element, which have these places in the result."""
    v, shape = given(x, "x")
    count = len(items_of(axis))
    new = axes_given(axis, len(shape) + count)
    axes = [Axis(n) for n in shape]
    old = iter(axes)
    order = [Axis() if k in new else next(old) for k in range(len(shape) + count)]
    return read(v, [Along(a) for a in axes], order)


@array_function
def broadcast_to(x: Any, shape: Any) -> Any:
    """The array of that shape, with `x` along each new axis, and along each axis of which `x` has one element."""
    v, own = given(x, "x")
    to = shape_given(shape, "rose.broadcast_to")
    if len(own) > len(to) or not same(broadcast([own, to]), to):
        what = f"{a_traced(v)} does not broadcast to the shape {spelled(to)}"
        raise TypeMismatch(what, here(), "give each axis its own size, or any if it has one element")
    return maps(to, itself, [v])


@array_function
def flip(x: Any, axis: Any = None) -> Any:
    """The array in reversed order along these axes; along all, if none is named."""
    v, shape = given(x, "x")
    which = range(len(shape)) if axis is None else axes_given(axis, len(shape))
    axes = [Axis(n) for n in shape]
    back: Callable[[Axis], Along] = lambda a: Along(a, minus(a.size, 1), -1)
    return view(read(v, [back(a) if k in which else Along(a) for k, a in enumerate(axes)], axes))


@array_function
def fliplr(m: Any) -> Any:
    """The array in reversed order along its second axis."""
    return flip(m, 1)


@array_function
def flipud(m: Any) -> Any:
    """The array in reversed order along its first axis."""
    return flip(m, 0)


@array_function
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """The array turned by `k` right angles in the plane of two axes, from the first of them towards the second."""
    v, shape = given(m, "m")
    first, second = axes_given(axes, len(shape))
    turns = whole(k, "k", "rose.rot90") % 4
    if turns in (0, 2):
        return flip(v, (first, second)) if turns else v
    return swapaxes(flip(v, second), first, second) if turns == 1 else flip(swapaxes(v, first, second), second)


@array_function
def atleast_1d(*arrays: Any) -> Any:
    """The array, or a number as a vector of one; of several, all of them."""
    return _for_each(arrays, lambda x: view(of_rank(given(x, "x")[0], 1)))


def _for_each(arrays: Sequence[Any], f: Callable[[Any], Any]) -> Any:
    """What `f` makes of one array, or of each."""
    return f(arrays[0]) if len(arrays) == 1 else tuple(map(f, arrays))


@array_function
def atleast_2d(*arrays: Any) -> Any:
    """The array, or a vector as a matrix of one row; of several, all of them."""
    return _for_each(arrays, lambda x: view(of_rank(given(x, "x")[0], 2)))


@array_function
def atleast_3d(*arrays: Any) -> Any:
    """The array with three axes at least: a vector lies along the second one, a matrix along the first two."""

    def of(x: Any) -> Any:
        v, shape = given(x, "x")
        return v if len(shape) > 2 else expand_dims(v, ((0, 1, 2), (0, 2), (2,))[len(shape)])

    return _for_each(arrays, of)


@array_function
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """The array with its elements moved on by `shift`, round the end, along an axis or several.

    Without an axis the elements are moved in the order of `ravel`. The shifts are Python integers.
    """
    v, shape = given(x, "x")
    shift = shift if isinstance(shift, Value) or not hasattr(shift, "tolist") else shift.tolist()
    if axis is None and len(shape) != 1:
        return reshaped(_along_cycles(reshaped(v, (_count(shape),)), [whole(shift, "shift", "rose.roll")], [0]), shape)
    axes = [0] if axis is None else [axis_given(k, len(shape)) for k in items_of(axis)]
    shifts = items_of(shift)
    axes, shifts = [xs * max(len(axes), len(shifts)) if len(xs) == 1 else xs for xs in (axes, shifts)]
    if len(shifts) != len(axes):
        what = f"rose.roll is given {len(shifts)} shifts for {len(axes)} axes"
        raise TypeMismatch(what, here(), "give one shift for each axis, or one for all")
    moves = [whole(s, "shift", "rose.roll") for s in shifts]
    each = {k: sum([s for s, a in zip(moves, axes, strict=True) if a == k]) for k in axes}
    return view(_along_cycles(v, [*each.values()], [*each]))


def _along_cycles(v: Value, shifts: Sequence[int], which: Sequence[int]) -> Value:
    axes = [Axis(n) for n in shape_of(v.type)]
    places: list[Place] = [Along(a) for a in axes]
    for k, shift in zip(which, shifts, strict=True):
        places[k] = cycle(axes[k], axes[k].size, -shift)
    return read(v, places, axes)


def cycle(axis: Axis, n: Any, start: Any) -> Along:
    """The index `(i + start) % n` along an axis."""
    if not isinstance(n, Size):
        start = start % n if n else 0
    elif start < 0:  # a multiple of n that is large enough for any n
        start = times(-start, minus(n, 1))
    if not differ(start, 0):
        return Along(axis) if not differ(n, axis.size) else Mapped(axis, lambda i: imod(i, literal(n)))
    return Mapped(axis, lambda i: imod(iadd(i, literal(start)), literal(n)))


@array_function
def copy(x: Any) -> Any:
    """The array itself: none ever changes."""
    return view(as_array(x))


@array_function
def reshape(x: Any, shape: Any, *more: Any, order: Any = "C") -> Any:
    """The array of that shape with the elements of `x`, in the order of rows. One size may be -1: what is left.

    With `order="F"` they are in the order of columns, in both.
    """
    v, own = given(x, "x")
    to = _new_shape(v, own, (shape, *more) if more else shape)
    if not _by_columns(order, "rose.reshape"):
        return view(reshaped(v, to))
    return transpose(reshaped(as_array(transpose(v)), to[::-1]))


def _by_columns(order: Any, name: str) -> bool:
    """Whether elements are in the order of columns; an error at an order that is none."""
    if order not in ("C", "A", "K", "F"):
        what = a_traced(order) if isinstance(order, Value) else shown(order)
        raise TypeMismatch(f"{name} has no order {what}", here().into(["order"]), 'write "C" for rows, "F" for columns')
    return order == "F"


@array_function
def ravel(x: Any, order: Any = "C") -> Any:
    """The elements of an array in the order of rows, or with "F" in that of columns, as one vector."""
    v, shape = given(x, "x")
    v = as_array(transpose(v)) if _by_columns(order, "rose.ravel") else v
    return view(reshaped(v, (_count(shape),)))


flatten = ravel


def _count(shape: Sequence[Any]) -> Any:
    return reduce(times, shape, 1)


def _new_shape(v: Value, own: Shape, shape: Any) -> Shape:
    sizes = items_of(shape)
    free = [k for k, n in enumerate(sizes) if host_index(n) == -1]
    rest = shape_given([1 if k in free else n for k, n in enumerate(sizes)], "rose.reshape")
    count = _count(own)
    if len(free) == 1 and (left := _over(count, _count(rest))) is not None:
        rest = tuple([left if k in free else n for k, n in enumerate(rest)])
    elif free:
        raise _miscounted(v, count, sizes, "write -1 once, for a size that the others divide")
    if differ(_count(rest), count):
        raise _miscounted(v, count, sizes, f"give sizes whose product is {count!r}, or -1 for one of them")
    return rest


def _over(count: Any, known: Any) -> Any:
    """`count / known`, if it is whole."""
    if not isinstance(count, Size) and not isinstance(known, Size):
        return count // known if known and count % known == 0 else None
    if isinstance(count, Size) and known == 1:
        return count
    if isinstance(count, Size):
        for product, k in count.terms:
            tried: Any = reduce(times, [x for x in product if x is not known], k if isinstance(known, Size) else 0)
            if not isinstance(known, Size) and k % known == 0:
                tried = reduce(times, product, k // known)
            if not differ(times(tried, known), count):
                return tried
    return None


def _miscounted(v: Value, count: Any, sizes: Sequence[Any], hint: str) -> TypeMismatch:
    what = f"{a_traced(v)} has {count!r} elements, and cannot be reshaped to {spelled(tuple(sizes))}"
    return TypeMismatch(what, here(), hint)


def reshaped(v: Value, shape: Shape) -> Value:
    """The array of that shape, which has as many elements.

    Both shapes are cut into runs of axes of one count, so that the axes that stay need no arithmetic.
    """
    own = shape_of(v.type)
    if not differ(_count(own), 0):
        return current_builder().zero(array_type(shape, leaf_of(v.type)))
    runs = _runs(own, shape)
    if any([len([k for k in old if differ(own[k], 1)]) > 1 for old, _ in runs]):
        return reshape_axes(current_builder(), v, len(own), shape)
    axes = [Axis(n) for n in shape]
    places: list[Place] = []
    for old, new in runs:
        places += _joined_places([own[k] for k in old], [axes[k] for k in new])
    return read(v, places, axes)


def _runs(own: Shape, shape: Shape) -> list[tuple[list[int], list[int]]]:
    """The axes of two shapes, in runs of one count: as short as they can be."""
    out: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(own) or j < len(shape):
        old, new = [i] if i < len(own) else [], [j] if j < len(shape) else []
        i, j = i + len(old), j + len(new)
        while differ(m := _count([own[k] for k in old]), n := _count([shape[k] for k in new])):
            grow_old = i < len(own) and (j >= len(shape) or _goes_first(m, n))
            if grow_old:
                old.append(i)
                i += 1
            else:
                new.append(j)
                j += 1
        out.append((old, new))
    return out


def _goes_first(m: Any, n: Any) -> bool:
    """True if the run of count `m` is to grow, and not that of `n`."""
    if not isinstance(m, Size) and not isinstance(n, Size):
        return m < n
    return at_most(m, n)


def _joined_places(sizes: Sequence[Any], axes: Sequence[Axis]) -> list[Place]:
    """The places of axes of these sizes: the digits of the index that the axes of the result have together."""
    if len(sizes) == 1 and len(axes) == 1:
        return [Along(axes[0])]
    if not axes:
        return [0 for _ in sizes]

    def flat(*indices: Value) -> Value:
        total = indices[0]
        for a, i in zip(axes[1:], indices[1:], strict=True):
            total = iadd(imul(total, literal(a.size)), i)
        return total

    def digit(k: int) -> Callable[..., Value]:
        n, after, before = sizes[k], _count(sizes[k + 1 :]), sizes[:k]

        def of(*indices: Value) -> Value:
            i = flat(*indices)
            for j in range(len(before)):
                i = imod(i, literal(_count(sizes[j + 1 :])))
            return within(idiv(i, literal(after)) if differ(after, 1) else i, n)

        return of

    return [Joint(axes, digit(k)) if differ(n, 1) else 0 for k, n in enumerate(sizes)]


@array_function
def tile(x: Any, reps: Any) -> Any:
    """The array with its elements repeated as a whole, so often along each axis."""
    v, shape = given(x, "x")
    counts = [*shape_given(reps, "rose.tile")]
    rank = max(len(shape), len(counts))
    counts = [1] * (rank - len(counts)) + counts
    own = [1] * (rank - len(shape)) + [*shape]
    axes = [Axis(times(n, r)) for n, r in zip(own, counts, strict=True)]
    inside = axes[rank - len(shape) :]
    return view(read(v, [cycle(a, n, 0) for a, n in zip(inside, shape, strict=True)], axes))


@array_function
def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """The array with each element repeated so often, one after another, along an axis; of `ravel`, if none is named."""
    v, shape = given(x, "x")
    (count,) = shape_given(repeats, "rose.repeat")
    if axis is None and len(shape) != 1:
        v, shape = reshaped(v, (_count(shape),)), (_count(shape),)
    k = 0 if axis is None else axis_given(axis, len(shape))
    if not differ(count, 1):
        return view(v)
    return along(v, k, times(shape[k], count), lambda a: Mapped(a, lambda i: within(idiv(i, literal(count)), shape[k])))


@array_function
def tril(x: Any, k: Any = 0) -> Any:
    """The matrix with zeros above the `k`-th diagonal; of more axes, each matrix of the last two."""
    return _triangle(x, whole(k, "k", "rose.tril"), "rose.tril", lower=True)


@array_function
def triu(x: Any, k: Any = 0) -> Any:
    """The matrix with zeros below the `k`-th diagonal; of more axes, each matrix of the last two."""
    return _triangle(x, whole(k, "k", "rose.triu"), "rose.triu", lower=False)


def _triangle(x: Any, k: int, name: str, *, lower: bool) -> Any:
    v, shape = given(x, "x")
    if len(shape) == 1:  # as NumPy has it: the rows are all alike
        v, shape = broadcast_to(v, (*shape, *shape)), (*shape, *shape)
    if not shape:
        what = f"{name} takes a matrix, not {a_traced(v)}"
        raise TypeMismatch(what, here(), "give it an array of two axes: x[None]")
    b = current_builder()
    zero = b.zero(leaf_of(v.type))

    def item(row: Value, i: Value, j: Value) -> Value:
        far, near = iadd(i, literal(max(k, 0))), iadd(j, literal(max(-k, 0)))
        stays = ile(near, far) if lower else ile(far, near)
        return select(stays, b.index(row, j), zero)

    def matrix(m: Value) -> Value:
        return b.vec(shape[-2], lambda i: _row_of(m, i, shape[-1], item))

    return view(_each_of_first(v, shape[:-2], matrix))


def _row_of(m: Value, i: Value, n: int | Size, item: Callable[[Value, Value, Value], Value]) -> Value:
    b = current_builder()
    row = b.index(m, i)
    return b.vec(n, lambda j: item(row, i, j))


def _each_of_first(v: Value, shape: Shape, f: Callable[[Value], Value]) -> Value:
    """The array of `f(part)` for the parts of `v` along its first axes."""
    b = current_builder()
    return b.vec(shape[0], lambda i: _each_of_first(b.index(v, i), shape[1:], f)) if shape else f(v)


@array_function
def diagonal(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The elements of a diagonal of two axes, along a new last axis: `x[i, i + offset]`."""
    v, shape = given(x, "x")
    i, j = axes_given((axis1, axis2), len(shape))
    return view(_diagonal(v, shape, whole(offset, "offset", "rose.diagonal"), i, j))


def _diagonal(v: Value, shape: Shape, offset: int, first: int, second: int) -> Value:
    down, right = max(-offset, 0), max(offset, 0)
    n, m = minus(shape[first], down), minus(shape[second], right)
    if not at_most(n, m) and not at_most(m, n):
        what = f"the diagonal of {a_traced(v)} has a size that depends on which of {n!r} and {m!r} is less"
        raise TypeMismatch(what, here(), "take a slice of it first that has as many rows as columns")
    size = n if at_most(n, m) else m
    last = Axis(size if not at_most(size, 0) else 0)
    axes = {k: Axis(n) for k, n in enumerate(shape) if k not in (first, second)}
    starts = {first: down, second: right}
    places: list[Place] = [Along(last, starts[k]) if k in starts else Along(axes[k]) for k in range(len(shape))]
    return read(v, places, [*axes.values(), last])


@array_function
def diag(x: Any, k: Any = 0) -> Any:
    """The matrix with a vector on its `k`-th diagonal, and zeros elsewhere; of a matrix, its `k`-th diagonal."""
    v, shape = given(x, "x")
    at, b = whole(k, "k", "rose.diag"), current_builder()
    if len(shape) == 2:
        return view(_diagonal(v, shape, at, 0, 1))
    if len(shape) != 1:
        raise TypeMismatch(f"rose.diag takes a vector or a matrix, not {a_traced(v)}", here(), "write rose.diagonal(x)")
    size, zero = plus(shape[0], abs(at)), b.zero(leaf_of(v.type))

    def row(i: Value) -> Value:
        own = b.index(v, within(i, shape[0])) if at >= 0 else None

        def item(j: Value) -> Value:
            x = b.index(v, within(j, shape[0])) if own is None else own
            return select(on_diagonal(i, j, at), x, zero)

        return b.vec(size, item)

    return view(b.vec(size, row))
