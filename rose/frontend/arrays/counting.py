"""NumPy's functions that count: `bincount`, `histogram`, `digitize`; the order by several keys; `nonzero`, `unique`.

A number of elements that a run decides is no size: `rose.nonzero` and `rose.unique` are told one, as JAX's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, a_traced, current_builder, shown
from ...ir.ops import ifrom, select
from ...ir.sizes import Size, at_most
from ...ir.types import Fin
from ...ir.value import host_index
from ..index_expressions import literal, within
from .creation import filled, linspace, whole, zeros
from .elementwise import array_function, each
from .indexing import part
from .joining import concatenate
from .order import argsort, sort, take_along_axis
from .reductions import extreme, number, numbers, total, truth
from .running import diff
from .searches import place_in, searchsorted
from .shapes import as_array, axis_given, is_several, leaf_of, shape_of, size_given
from .shaping import flip, ravel


@array_function
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each index occurs, or the sum of its weights: a number for each index of the `Fin[n]`, all of them.

    So it may end with zeros, where NumPy's ends at the largest index. With `minlength` there are so many at least.
    """
    v, least = numbers(x, "bincount"), whole(minlength, "minlength", "np.bincount")
    leaf = leaf_of(v.type)
    if len(shape_of(v.type)) != 1 or not isinstance(leaf, Fin):
        what = f"np.bincount counts a vector of indices, not {a_traced(v)}: the largest would decide the size"
        raise TypeMismatch(what, here(), "declare a Vec[k, Fin[n]], or write np.bincount(rose.index(x, n))")
    size = leaf.size if isinstance(leaf.size, Size) or leaf.size > least else least
    return zeros(size).at[v].add(1.0 if weights is None else each(number, as_array(weights)))


@array_function
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """The index of the bin of each number: how many edges lie before it, an equal one too, or with `right` not.

    If the edges fall, it is how many lie behind it.
    """
    edges = numbers(bins, "digitize")
    side, (n,) = "left" if right else "right", shape_of(edges.type)
    rising = searchsorted(edges, x, side)
    if not at_most(2, n):
        return rising
    falling = part(edges, 0) > part(edges, -1)
    back = as_array(searchsorted(flip(edges), x, side))
    from_last: Callable[[Value], Value] = lambda k: ifrom(k, literal(n))
    either: Callable[[Value, Value], Value] = lambda k, j: select(falling, j, k)
    return each(either, rising, each(from_last, back))


def _edges(v: Value, bins: Any, range_: Any, name: str) -> Value:
    """The edges of bins: those that are given, or so many of one width between the least and the largest number."""
    if isinstance(bins, str):
        what = f"np.{name} with bins={bins!r} would have a number of them that a run decides"
        raise TypeMismatch(what, here().into(["bins"]), "write how many, or their edges")
    count = host_index(bins)
    if count is None:
        return each(number, numbers(bins, name))
    if count < 1:
        raise OutOfRange(f"np.{name} has {count} bins", here().into(["bins"]), "write 1 or more")
    if range_ is None:
        low, high = [extreme(v, side) for side in ("min", "max")]
    else:
        low, high = [each(number, as_array(x)) for x in range_]
    apart = 0.5 * number(as_array(low == high))
    return as_array(linspace(low - apart, high + apart, count + 1))


def _bin(v: Value, edges: Value) -> Value:
    """For each number 1 more than its bin: 0 is before all, and the last behind."""
    last = part(edges, -1)
    (n,) = shape_of(edges.type)
    end = current_builder().const(n - 1, Fin(n + 1))
    of: Callable[[Value], Value] = lambda x: select(number(x) == last, end, place_in(edges, number(x), "right"))
    return each(of, v)


def _counted(shape: tuple[Any, ...], at: tuple[Value, ...], weights: Any) -> Value:
    """The sums of weights in bins."""
    whole_ = zeros(tuple([n + 1 for n in shape])).at[at].add(weights)
    return as_array(part(as_array(whole_), tuple([slice(1, -1)] * len(shape))))


def _density(counts: Value, *edges: Value) -> Value:
    """Counts over the sizes of their bins, and over their sum."""
    for axis, e in enumerate(edges):
        width = as_array(diff(e))
        counts = as_array(counts / part(width, (slice(None), *[None] * (len(edges) - 1 - axis))))
    return counts


@array_function
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many numbers lie in each bin, or the sum of their weights; and the edges of the bins.

    A number at an edge is in the bin behind it, and that at the last edge in the last. The counts are constant to every
    derivative, the weights and the edges are not.
    """
    v = as_array(ravel(each(number, numbers(a, "histogram", single=True))))
    edges = _edges(v, bins, range, "histogram")
    heavy = 1.0 if weights is None else ravel(as_array(weights))
    counts = _counted(shape_of(edges.type), (_bin(v, edges),), heavy)
    return (_density(counts, edges) / total(counts) if density else counts), edges


@array_function
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """How many points lie in each bin of a grid, or the sum of their weights; and the edges along both axes."""
    vs = [each(number, numbers(u, "histogram2d")) for u in (x, y)]
    pair = [*bins] if is_several(bins) and len(bins) == 2 else [bins, bins]
    spans = (None, None) if range is None else range
    edges = [_edges(v, k, r, "histogram2d") for v, k, r in zip(vs, pair, spans, strict=True)]
    sizes = tuple([shape_of(e.type)[0] for e in edges])
    at = tuple([_bin(v, e) for v, e in zip(vs, edges, strict=True)])
    counts = _counted(sizes, at, 1.0 if weights is None else as_array(weights))
    return (_density(counts, *edges) / total(counts) if density else counts), *edges


@array_function
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """The indices that sort by the last key, equal ones by the one before, and so on: along an axis."""
    vs = [each(number, numbers(k, "lexsort")) for k in keys]
    k = axis_given(axis, len(shape_of(vs[0].type)))
    order = argsort(vs[0], k)
    for v in vs[1:]:
        order = take_along_axis(order, argsort(take_along_axis(v, order, k), k), k)
    return order


@array_function
def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The elements with the `kth` in its sorted place, the smaller before it: all of them sorted, which is one such."""
    return sort(a, axis)


@array_function
def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """The indices of `partition`."""
    return argsort(a, axis)


# of a size that is told


@array_function
def nonzero(x: Any, *, size: Any = None, fill_value: Any = 0) -> tuple[Any, ...]:
    """The indices of the first `size` elements that are not 0, or hold: a vector for each axis, as JAX has it.

    Where there are fewer, the last ones are `fill_value`.
    """
    if size is None:
        raise _sizeless("nonzero", "elements are not 0")
    v = numbers(x, "nonzero")
    shape = shape_of(v.type)
    sizes = [host_index(n) for n in shape]
    count, fill = size_given(size, "rose.nonzero"), whole(fill_value, "fill_value", "rose.nonzero")
    if None in sizes or isinstance(count, Size):
        what = f"rose.nonzero of {a_traced(v)}, whose sizes Python does not know"
        raise TypeMismatch(what, here(), "compile it for a size: f.at(n=3)")
    holds = as_array(ravel(each(truth, v)))
    flat, there = _first(holds, count)
    out, rest = list[Any](), 1
    for n in reversed([n for n in sizes if n is not None]):
        at = as_array((flat // rest) % n) if n else flat
        rest *= n
        of: Callable[[Value, Value], Value] = lambda k, c, n=n: _or_else(c, k, n, fill)
        out.append(each(of, at, there))
    return tuple(out[::-1])


def _or_else(there: Value, k: Value, n: int, fill: int) -> Value:
    """An index of an axis of size `n`, or what is there in its place: an index too, if it can be."""
    if 0 <= fill < n:
        return select(there, within(k, n), current_builder().const(fill, Fin(n)))
    return select(there, number(k), float(fill))


def _first(holds: Value, count: int) -> tuple[Value, Value]:
    """The indices of the first conditions that hold, in order, and whether each is one."""
    (n,) = shape_of(holds.type)
    b = current_builder()
    behind: Callable[[Value], Value] = lambda c: select(c, 0.0, 1.0)
    order = as_array(argsort(each(behind, holds)))
    if count > n:
        order = as_array(concatenate([order, filled((count - n,), b.const(0, Fin(max(n, 1))))]))
    found = total(holds)
    there = b.vec(count, lambda i: number(i) < found)
    return as_array(part(order, slice(0, count))), there


def _sizeless(name: str, what: str) -> TypeMismatch:
    hint = f"write rose.{name}(x, size=n), which gives n of them, as JAX's does; rose.where keeps the shape"
    return TypeMismatch(f"how many {what} is known only when the function runs, and would be a size", here(), hint)


@array_function
def unique(x: Any, *, size: Any = None, fill_value: Any = None) -> Any:
    """The first `size` different numbers of an array, sorted, as JAX has it.

    Where there are fewer, the last ones are `fill_value`, by default the smallest.
    """
    if size is None:
        raise _sizeless("unique", "different numbers there are")
    v = as_array(sort(ravel(each(number, numbers(x, "unique"))), 0))
    count, n = size_given(size, "rose.unique"), host_index(shape_of(v.type)[0])
    if n is None or isinstance(count, Size) or not n:
        what = f"rose.unique of {shown(shape_of(v.type)[0])} numbers"
        raise TypeMismatch(what, here(), "give it a number of them that Python knows, one at least")
    b = current_builder()
    after, now = [as_array(part(v, k)) for k in (slice(1, None), slice(None, -1))]
    differs: Callable[[Any, Any], Any] = lambda x, y: (x != y) & ((x == x) | (y == y))  # nan are one number
    new = concatenate([filled((1,), b.lift(True)), each(differs, after, now)])
    flat, there = _first(as_array(new), count)
    fill = part(v, 0) if fill_value is None else fill_value
    return each(select, there, part(v, flat), fill)
