"""NumPy's functions that put an array together of others, or of parts of one, which need no name of ours: `np.insert`.

The places are constants. Each is a few of `joining` and `shaping`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, a_traced, current_builder, ops, shown
from ...ir.ops import iadd, select
from ...ir.sizes import Size, at_most, minus, plus
from ...ir.value import host_index
from ..operators import as_real, view
from . import joining
from .creation import linspace
from .elementwise import array_function, each
from .indexing import Along, Axis, as_indices, part, read
from .joining import concatenate
from .kinds import typed
from .order import take
from .reductions import any_, number
from .shapes import (
    array_type,
    as_array,
    axis_given,
    broadcast,
    is_several,
    items_of,
    leaf_of,
    shape_given,
    shape_of,
    spelled,
)
from .shaping import Joint, broadcast_to, diag, expand_dims, given, moveaxis, permuted, ravel, reshape, tile


def _along(axis: int, key: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * axis, key)


# cut


def _split(name: str, axis: int) -> Callable[..., Any]:
    @array_function
    def split(ary: Any, indices_or_sections: Any) -> list[Any]:
        v, shape = given(ary, "ary")
        if not shape:
            raise TypeMismatch(f"np.{name} cuts arrays, not {a_traced(v)}", here(), "give it a vector")
        return joining.split(v, indices_or_sections, 0 if len(shape) == 1 and name == "hsplit" else axis)

    return split


hsplit, vsplit, dsplit = _split("hsplit", 1), _split("vsplit", 0), _split("dsplit", 2)


@array_function
def unstack(x: Any, *, axis: Any = 0) -> tuple[Any, ...]:
    """The parts along an axis."""
    v, shape = given(x, "x")
    k = axis_given(axis, len(shape))
    count = host_index(shape[k])
    if count is None:
        raise TypeMismatch(f"np.unstack of {shape[k]!r} parts", here(), "loop with rose.range(n): x[i]")
    return tuple([part(v, _along(k, i)) for i in range(count)])


@array_function
def sliding_window_view(x: Any, window_shape: Any, axis: Any = None) -> Any:
    """The part in each window along axes, or along all of them: `out[i, j]` is `x[i + j]`.

    The axes of windows are the last ones. An axis that is named twice has windows of windows.
    """
    v, shape = given(x, "x")
    sizes = shape_given(window_shape, "np.sliding_window_view")
    along = range(len(shape)) if axis is None else [axis_given(k, len(shape)) for k in items_of(axis)]
    if len(sizes) != len(along):
        what = f"np.sliding_window_view is given {len(sizes)} sizes of windows for {len(along)} axes"
        raise TypeMismatch(what, here(), "give a size for each axis, and say which these are: axis=0")
    places, windows = [*shape], [Axis(n) for n in sizes]
    for k, n in zip(along, sizes, strict=True):
        known = not isinstance(n, Size) and not isinstance(places[k], Size)
        if not at_most(n, places[k] if known else plus(places[k], 1)):  # of an unknown size there may be no window
            longer = "is" if known else "may be"
            what = f"np.sliding_window_view: a window of {n!r} elements {longer} longer than an axis of {places[k]!r}"
            raise OutOfRange(what, here(), "take a shorter window, pad the array, or declare its axis as Vec[n + k]")
        places[k] = minus(plus(places[k], 1), n)
    axes = [Axis(n) for n in places]
    every = [[a, *[w for w, at in zip(windows, along, strict=True) if at == k]] for k, a in enumerate(axes)]
    sums = [Joint(each, lambda *i: reduce(iadd, i)) if len(each) > 1 else Along(each[0]) for each in every]
    return view(read(v, sums, [*axes, *windows]))


# moved


@array_function
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """The array with an axis moved before another."""
    v, shape = given(a, "a")
    rank = len(shape)
    k = axis_given(axis, rank)
    to = rank if host_index(start) == rank else axis_given(start, rank)
    return moveaxis(v, k, to - 1 if k < to else to)


@array_function
def matrix_transpose(x: Any) -> Any:
    """Each matrix of the last two axes with its rows as columns."""
    v, shape = given(x, "x")
    if len(shape) < 2:
        raise TypeMismatch(f"np.matrix_transpose takes a matrix, not {a_traced(v)}", here(), "write x[:, None]")
    last = len(shape) - 1
    return view(permuted(v, [*range(last - 1), last, last - 1]))


@array_function
def broadcast_arrays(*args: Any) -> tuple[Any, ...]:
    """The arrays, each broadcast to the shape of all."""
    vs = [as_array(x) for x in args]
    shape = broadcast([shape_of(v.type) for v in vs])
    return tuple([broadcast_to(v, shape) for v in vs])


@array_function
def diagflat(v: Any, k: Any = 0) -> Any:
    """The matrix with all elements of an array on a diagonal."""
    return diag(ravel(v), k)


@array_function
def resize(a: Any, new_shape: Any) -> Any:
    """The array of that shape, with the elements again from the first on where there are too few."""
    flat, shape = as_array(ravel(a)), shape_given(new_shape, "np.resize")
    n, count = host_index(shape_of(flat.type)[0]), prod([k for k in map(host_index, shape) if k is not None])
    if n is None or any([host_index(k) is None for k in shape]):
        raise TypeMismatch("np.resize takes sizes that Python knows", here(), "write reshape, or rose.tile")
    if not n or not count:
        return current_builder().zero(array_type(shape, leaf_of(flat.type)))
    return reshape(part(as_array(tile(flat, -(-count // n))), slice(0, count)), shape)


# with others between, or with fewer


def _flat_or(arr: Any, axis: Any) -> tuple[Value, int, int]:
    """The array, in a row without an axis; the axis, and its size."""
    v = as_array(arr)
    v = as_array(ravel(v)) if axis is None else v
    shape = shape_of(v.type)
    k = 0 if axis is None else axis_given(axis, len(shape))
    n = host_index(shape[k])
    if n is None:
        what = f"an axis of {shape[k]!r} elements has no places that Python knows"
        raise TypeMismatch(what, here(), "write rose.concatenate of parts")
    return v, k, n


def _places(obj: Any, n: int, name: str, most: int) -> tuple[list[int], bool]:
    """Constant places along an axis of `n`, from 0 on; and whether it is one."""
    if obj.__class__ is slice:
        return [*range(n)[obj]], False
    if isinstance(obj, Value):
        what = f"np.{name} takes places that Python knows, not {a_traced(obj)}: they decide where each element is"
        raise TypeMismatch(what, here(), "write x.at[i].set(y), or rose.where, which keep the shape")
    obj = obj.tolist() if hasattr(obj, "tolist") else obj
    several = is_several(obj)
    found = [*obj] if several else [obj]
    if found and all([k.__class__ is bool for k in found]):
        return [i for i, holds in enumerate(found) if holds], False
    places = [host_index(k) for k in found]
    for k, x in zip(places, found, strict=True):
        if k is None or not -n <= k < most:
            hint = f"write an integer from {-n} to {most - 1}"
            raise OutOfRange(f"np.{name} has no place {shown(x)} along an axis of {n}", here(), hint)
    return [k + n if k < 0 else k for k in places if k is not None], not several


@array_function
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """The array with others before these places along an axis; without one, of all elements in a row."""
    v, k, n = _flat_or(arr, axis)
    places, single = _places(obj, n, "insert", n + 1)
    shape, new = shape_of(v.type), as_array(values)
    while len(shape_of(new.type)) < len(shape):
        new = as_array(expand_dims(new, 0))
    if single:
        new = as_array(moveaxis(new, 0, k))
        count = shape_of(new.type)[k]
        new = as_array(broadcast_to(new, (*shape[:k], count, *shape[k + 1 :])))
        return concatenate([part(v, _along(k, slice(0, places[0]))), new, part(v, _along(k, slice(places[0], n)))], k)
    new = as_array(broadcast_to(new, (*shape[:k], len(places), *shape[k + 1 :])))
    pieces, done = list[Any](), 0
    for j in sorted(range(len(places)), key=lambda j: places[j]):
        pieces += [part(v, _along(k, slice(done, places[j]))), part(new, _along(k, slice(j, j + 1)))]
        done = places[j]
    return concatenate([*pieces, part(v, _along(k, slice(done, n)))], k)


@array_function
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """The array without these places along an axis; without one, of all elements in a row."""
    v, k, n = _flat_or(arr, axis)
    places, single = _places(obj, n, "delete", n)
    if single:
        return concatenate([part(v, _along(k, slice(0, places[0]))), part(v, _along(k, slice(places[0] + 1, n)))], k)
    kept = [i for i in range(n) if i not in set(places)]
    return take(v, kept, k) if kept else part(v, _along(k, slice(0, 0)))


# made


@array_function
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10.0, dtype: Any = None, axis: Any = 0
) -> Any:
    """Powers of `base` with evenly spaced exponents, from `start` to `stop`, along a new axis."""
    return typed(each(ops.pow_, base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


@array_function
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0) -> Any:
    """Numbers of one sign, from `start` to `stop`, each the same multiple of the one before, along a new axis."""
    ratio: Callable[[Any, Any], Value] = lambda x, y: ops.log(as_real(y) / as_real(x))
    first, logs = as_array(start), each(ratio, start, stop)
    more = len(shape_of(logs.type)) - len(shape_of(first.type))
    steps = linspace(0.0, logs, num, endpoint, axis=axis)
    k = axis_given(axis, len(shape_of(steps.type)))
    row = as_array(expand_dims(reshape(first, (*[1] * more, *shape_of(first.type))), k))
    times: Callable[[Any, Any], Value] = lambda x, y: as_real(x) * ops.exp(y)
    return typed(each(times, row, steps), dtype)


def _sizes(arr: Any, name: str, rank: int = 2) -> tuple[int, ...]:
    """The sizes of an array of that many axes, or of some, which are known."""
    v = as_array(arr)
    sizes = shape_of(v.type)
    if len(sizes) != rank if rank else len(sizes) < 2:
        raise TypeMismatch(f"np.{name} takes a matrix, not {a_traced(v)}", here(), "give a Vec[n, m]")
    for n in sizes:
        if isinstance(n, Size):
            what = f"np.{name} takes a size that is known, not {n!r}: there is an index for each element"
            raise TypeMismatch(what, here(), "write rose.tril, rose.triu or rose.diagonal of the matrix")
    return tuple([int(n) for n in sizes if not isinstance(n, Size)])


@array_function
def tril_indices_from(arr: Any, k: Any = 0) -> Any:
    """The indices of the lower triangle of a matrix, as NumPy's integers."""
    rows, columns = _sizes(arr, "tril_indices_from")
    return sys.modules["numpy"].tril_indices(rows, k, columns)


@array_function
def triu_indices_from(arr: Any, k: Any = 0) -> Any:
    """The indices of the upper triangle of a matrix, as NumPy's integers."""
    rows, columns = _sizes(arr, "triu_indices_from")
    return sys.modules["numpy"].triu_indices(rows, k, columns)


@array_function
def diag_indices_from(arr: Any) -> Any:
    """The indices of the main diagonal of an array of axes of one size, as NumPy's integers."""
    sizes = _sizes(arr, "diag_indices_from", 0)
    if len(set(sizes)) != 1:
        raise TypeMismatch(f"np.diag_indices_from takes axes of one size, not {spelled(sizes)}", here(), "take a part")
    return sys.modules["numpy"].diag_indices(sizes[0], len(sizes))


# compared


@array_function
def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    """Whether two arrays have one shape and equal elements."""
    v, w = as_array(a1), as_array(a2)
    b = current_builder()
    if len(shape_of(v.type)) != len(shape_of(w.type)):
        return b.lift(False)
    if any([host_index(n) != host_index(m) for n, m in zip(shape_of(v.type), shape_of(w.type), strict=True)]):
        return b.lift(False)
    return _all_equal(v, w, equal_nan)


def _all_equal(v: Value, w: Value, equal_nan: Any = False) -> Any:
    equal = as_array(v == w)
    if equal_nan:
        equal = as_array(equal | (as_array(v != v) & as_array(w != w)))
    return ~any_(~equal)


@array_function
def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether two arrays are equal, one of them broadcast."""
    v, w = as_array(a1), as_array(a2)
    try:
        broadcast([shape_of(v.type), shape_of(w.type)])
    except TypeMismatch:
        return current_builder().lift(False)
    return _all_equal(v, w)


@array_function
def isin(element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False) -> Any:
    """Whether each element is one of others."""
    v, others = as_array(element), as_array(ravel(as_array(test_elements)))
    found = any_(as_array(as_array(expand_dims(v, -1)) == others), -1)
    return ~found if invert else found


# chosen


@array_function
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """What stands with the last condition that holds, a number or a function of the array; else the one more, or 0."""
    v, conditions = as_array(x), [*condlist] if is_several(condlist) else [condlist]
    given = [*funclist]
    if len(given) not in (len(conditions), len(conditions) + 1):
        what = f"np.piecewise is given {len(conditions)} conditions and {len(given)} functions"
        raise TypeMismatch(what, here(), "give one for each, and one more for what is left over")
    of: Callable[[Any], Any] = lambda f: f(v, *args, **kw) if callable(f) else f
    made = [of(f) for f in given]
    start = made[len(conditions)] if len(made) > len(conditions) else 0.0
    chosen: Callable[[Any, Any], Any] = lambda out, k: each(select, conditions[k], made[k], out)
    return reduce(chosen, range(len(conditions)), start)


@array_function
def choose(a: Any, choices: Sequence[Any], *, mode: Any = "raise") -> Any:
    """The element of the array of several that the index says, for each index; all are broadcast."""
    n = len(choices)
    at = as_indices(a, n) if mode == "raise" else as_array(a)
    if mode in ("wrap", "clip"):
        at = as_array(at % n if mode == "wrap" else each(ops.clip, each(number, at), 0.0, n - 1.0))
    out: Any = choices[-1]
    for k in reversed(range(n - 1)):
        out = each(select, as_array(at == k), choices[k], out)
    return out


# of indices


@array_function
def ix_(*args: Any) -> tuple[Any, ...]:
    """Vectors of indices, each along an axis of its own, so that together they are a key of a grid."""
    return tuple([reshape(v, tuple([-1 if j == k else 1 for j in range(len(args))])) for k, v in enumerate(args)])


@array_function
def ravel_multi_index(multi_index: Any, dims: Any) -> Any:
    """The index among all elements, in the order of rows, of an index for each axis."""
    sizes = shape_given(dims, "np.ravel_multi_index")
    if len(sizes) != len(multi_index):
        what = f"np.ravel_multi_index is given {len(multi_index)} indices for {len(sizes)} axes"
        raise TypeMismatch(what, here(), "give one for each axis")
    at = [as_indices(i, n) for i, n in zip(multi_index, sizes, strict=True)]
    return reduce(lambda flat, k: flat * sizes[k] + at[k], range(1, len(at)), at[0])


# of functions


@array_function
def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function gives of each vector along an axis, along that axis."""
    v, shape = given(arr, "arr")
    rank, b = len(shape), current_builder()
    k = axis_given(axis, rank)
    v = as_array(moveaxis(v, k, rank - 1))

    def nest(v: Value, depth: int) -> Value:
        if not depth:
            return as_array(func1d(v, *args, **kwargs))
        return b.vec(shape_of(v.type)[0], lambda i: nest(b.index(v, i), depth - 1))

    made = nest(v, rank - 1)
    new = len(shape_of(made.type)) - (rank - 1)
    return moveaxis(made, [*range(rank - 1, rank - 1 + new)], [*range(k, k + new)]) if new else view(made)


@array_function
def apply_over_axes(func: Callable[[Any, Any], Any], a: Any, axes: Any) -> Any:
    """A function of an array and an axis, for one axis after another, each of which stays, of one element."""
    v, shape = given(a, "a")
    for axis in axes if is_several(axes) else [axes]:
        k = axis_given(axis, len(shape))
        out = as_array(func(v, k))
        v = as_array(expand_dims(out, k)) if len(shape_of(out.type)) < len(shape) else out
    return view(v)
