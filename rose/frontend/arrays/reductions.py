"""Reductions: sums and folds over some axes of an array, within maps over those that stay.

`over` makes both; a *fold* says what is done with the elements along the axes that go. Each has its own order: a sum
has one accumulator, to which its terms are added in the order of their indices, the last axis fastest, as in
`rose.sum`; the others carry a state in that order. So a result has the bits of the loops that one would write.

`rose.sum`, `prod`, `min` and `max` of what is no array stand in `language/loops.py`, and `logsumexp` and `norm` in
`language/vectors.py`: they come here for arrays with axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...host.marshal import as_given
from ...ir import Builder, Value, a_traced, current_builder, ops, shown
from ...ir.ops import iadd, imul, ne, real, select, stop_gradient
from ...ir.sizes import Size, at_most, differ, times
from ...ir.types import Bool, Fin, Real, Tan, Tuple, Vec
from ...ir.value import host_index
from ..columns import how_to_compute
from ..index_expressions import literal
from ..operators import is_array
from .elementwise import array_function, located
from .indexing import Along, Axis, read
from .kinds import averaged_as, summed_as
from .shapes import Shape, as_array, axes_given, axis_given, is_several, leaf_of, shape_of
from .shaping import moved

Item = Callable[..., Value]  # the element at an index for each axis that goes
Fold = Callable[[Sequence[int | Size], Item], Value]  # what becomes of the elements along axes of these sizes


# arguments


def numbers(x: Any, name: str) -> Value:
    """An argument as an array of numbers, conditions or indices."""
    v = as_array(x)
    if not isinstance(v.type, Vec):
        hint = "give it a list" + "; rose.grad(f) is the derivative of a function" * (name == "diff")
        raise TypeMismatch(f"rose.{name} goes along the axes of an array, not {_a(v, x)}", here(), hint)
    if isinstance(leaf_of(v.type), Tuple):
        what = f"rose.{name} goes along numbers, and the elements of a {v.type!r} are structs or tuples"
        raise TypeMismatch(what, here(), how_to_compute(v))
    return v


def _a(v: Value, x: Any) -> str:
    return a_traced(v) if isinstance(x, Value) else shown(x)


def with_axes(x: Any, name: str, axis: Any, keepdims: Any, initial: Any = None) -> Value | None:
    """`x` as an array, if it is one with several axes or arguments for them; None of what is gone through by items."""
    x = as_given(x)
    several = is_array(x) and not is_several(x)
    asked = axis is not None or keepdims or initial is not None
    if asked and not is_array(x) and not isinstance(x, tuple):
        hint = "make a vector of the items first: rose.vec(... for i in rose.range(n))"
        hint = f"write rose.{name}([x, y]) for several numbers" if isinstance(x, Value) else hint
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        raise TypeMismatch(f"axis, keepdims and initial are for arrays, not for {what}", here(), hint)
    if not asked and not several:
        return None
    v = x if isinstance(x, Value) else as_array(x)
    t, leaf = v.type, leaf_of(v.type)
    plain = isinstance(t, Vec) and ((t.elem is leaf and leaf is not Bool) or isinstance(leaf, Tuple))
    return None if plain and not asked else numbers(v, name)


def axes_of(axis: Any, shape: Shape) -> list[int]:
    """The axes that `axis` names, from 0 on, in order: all of them for None; an OutOfRange if one is not there."""
    return [*range(len(shape))] if axis is None else sorted(axes_given(axis, len(shape)))


# loops


def over(x: Value, axes: Sequence[int], keepdims: bool, fold: Fold) -> Value:
    """The array of `fold(sizes, item)` along these axes, for each index of the others."""
    b, sizes = current_builder(), shape_of(x.type)
    gone = [sizes[k] for k in axes]

    def nest(k: int, v: Value, places: list[Value | None]) -> Value:
        if k == len(sizes):
            return fold(gone, lambda *i: _element(b, v, places, i))
        if k not in axes:
            return b.vec(sizes[k], lambda i: nest(k + 1, *_at(b, v, places, i)))
        inner = nest(k + 1, v, [*places, None])
        return b.pack([inner], Vec(1, inner.type)) if keepdims else inner

    return nest(0, x, [])


def _at(b: Builder, v: Value, places: list[Value | None], i: Value) -> tuple[Value, list[Value | None]]:
    """A value with places, and one index more: it is read as soon as all before it are known."""
    return (v, [*places, i]) if places else (b.index(v, i), places)


def _element(b: Builder, v: Value, places: list[Value | None], indices: Sequence[Value]) -> Value:
    rest = iter(indices)
    for p in places:
        v = b.index(v, next(rest) if p is None else p)
    return v


def each_index(b: Builder, sizes: Sequence[int | Size], body: Callable[..., Any], *before: Value) -> None:
    """Run `body(*indices)` in loops of these sizes, the last one innermost."""
    if not sizes:
        body(*before)
        return

    def inner(i: Value) -> tuple[list[Value], list[Value]]:
        each_index(b, sizes[1:], body, *before, i)
        return [], []

    b.loop(sizes[0], inner)


States = list[Value]


def carried(
    b: Builder,
    sizes: Sequence[int | Size],
    body: Callable[[list[Value], States], States],
    states: States,
    *before: Value,
) -> States:
    """The last of the states that loops of these sizes carry, the last one innermost."""
    if not sizes:
        return body([*before], states)

    def inner(i: Value, *now: Value) -> tuple[States, States]:
        return carried(b, sizes[1:], body, [*now], *before, i), []

    return b.loop(sizes[0], inner, states)[0]


# folds


def number(x: Value) -> Value:
    """An element as a number: a condition counts as 1 or 0."""
    if x.type is Bool:
        return select(x, 1.0, 0.0)
    return real(x) if isinstance(x.type, Fin) else x


def count_of(sizes: Sequence[int | Size]) -> Value:
    """How many elements there are, as a number."""
    n: Any = reduce(times, sizes, 1)
    return real(literal(n)) if isinstance(n, Size) else current_builder().lift(float(n))


def sum_of(sizes: Sequence[int | Size], item: Item, initial: Any = None) -> Value:
    """The sum of all items: one accumulator, in the order of indices."""
    b = current_builder()
    start = b.zero(Real) if initial is None else b.lift(initial)
    ref: list[Value] = []

    def add(*i: Value) -> None:
        b.add_to(ref[0], number(item(*i)))

    ref.append(b.accum(start))
    each_index(b, sizes, add)
    return b.freeze(ref[0])


def fold_of(sizes: Sequence[int | Size], item: Item, start: Value, op: Callable[[Value, Value], Value]) -> Value:
    """The last state of `op(state, item)`, from `start`, in the order of indices."""
    b = current_builder()
    return carried(b, sizes, lambda i, s: [op(s[0], item(*i))], [start])[0]


def degrees_of_freedom(sizes: Sequence[int | Size], ddof: Any) -> Value:
    """How many elements there are, less `ddof`, and not below 0: a sum of squares over it is infinite, or nan."""
    n = count_of(sizes)
    return ops.max_(n - ddof, 0.0) if isinstance(ddof, Value) or ddof else n


def mean_of(sizes: Sequence[int | Size], item: Item) -> Value:
    return sum_of(sizes, item) / count_of(sizes)


def variance_of(sizes: Sequence[int | Size], item: Item, ddof: Any) -> Value:
    """The mean of the squares of the differences from the mean."""
    mean = mean_of(sizes, item)

    def square(*i: Value) -> Value:
        d = number(item(*i)) - mean
        return d * d

    return sum_of(sizes, square) / degrees_of_freedom(sizes, ddof)


def deviation_of(sizes: Sequence[int | Size], item: Item, ddof: Any) -> Value:
    """The root of the variance, whose derivatives at 0 are 0."""
    variance = variance_of(sizes, item, ddof)
    return select(variance == 0.0, 0.0, ops.sqrt(variance))


def logsumexp_of(sizes: Sequence[int | Size], item: Item) -> Value:
    """The logarithm of the sum of exponentials; any number near the largest may be taken out, so that is a constant."""
    b = current_builder()
    if any([not differ(n, 0) for n in sizes]):
        return b.lift(-math.inf)
    start = b.lift(-math.inf)
    largest = stop_gradient(fold_of(sizes, lambda *i: number(item(*i)), start, ops.max_))
    zero, nothing = b.zero(Real), largest == -math.inf
    shift = select(abs(largest) == math.inf, zero, largest)
    total = sum_of(sizes, lambda *i: ops.exp(number(item(*i)) - shift))
    # numbers that are all -inf stand for zeros: 1 takes the place of their sum, so that the slope is 0 and not 0 / 0
    return ops.log(total + select(nothing, 1.0, zero)) + select(largest == math.inf, zero, largest)


def place_of(sizes: Sequence[int | Size], item: Item, before: Callable[[Value, Value], Value]) -> Value:
    """The index, in the order of indices, of the first item before which none is, or of the first nan."""
    b = current_builder()
    n: Any = reduce(times, sizes, 1)
    seen: Item = lambda *i: stop_gradient(number(item(*i)))
    first = seen(*[b.const(0, Fin(k)) for k in sizes])

    def step(i: list[Value], states: States) -> States:
        best, at = states
        x = seen(*i)
        better = before(x, best) | ((x != x) & (best == best))
        return [select(better, x, best), select(better, _flat(i, sizes), at)]

    return carried(b, sizes, step, [first, b.const(0, Fin(n))])[1]


def _flat(i: Sequence[Value], sizes: Sequence[int | Size]) -> Value:
    """The index of an element among all, in the order of indices."""
    out = i[0]
    for k, n in zip(i[1:], sizes[1:], strict=True):
        out = iadd(imul(out, literal(n)), k)
    return out


def not_empty(sizes: Sequence[int | Size], name: str, *, initial: bool = False) -> None:
    """Check that there are items: a reduction without an identity has no answer for none."""
    if all([at_most(1, n) for n in sizes]):
        return
    hint = "write initial=..., which is the answer for none" if initial else "give it at least one number"
    if all([differ(n, 0) for n in sizes]):
        raise OutOfRange(f"rose.{name} may be of nothing: one module serves all sizes", here(), hint)
    raise OutOfRange(f"rose.{name} of nothing: an axis of no elements has none", here(), hint)


# what language/loops.py asks for


@located
def total(x: Value, axis: Any, keepdims: Any, initial: Any) -> Value:
    """The sum of an array along axes."""
    b = current_builder()
    if leaf_of(x.type) is Tan and initial is None:
        initial = b.zero(Tan)
    return over(x, axes_of(axis, shape_of(x.type)), keepdims, lambda sizes, item: sum_of(sizes, item, initial))


@located
def product(x: Value, axis: Any, keepdims: Any, initial: Any) -> Value:
    """The product of an array along axes."""
    b = current_builder()
    start = b.lift(1.0 if initial is None else initial)
    fold: Fold = lambda sizes, item: fold_of(sizes, lambda *i: number(item(*i)), start, ops.mul)
    return over(x, axes_of(axis, shape_of(x.type)), keepdims, fold)


@located
def extreme(x: Value, name: str, axis: Any, keepdims: Any, initial: Any) -> Value:
    """The smallest or largest elements of an array along axes; `name` is min or max."""
    b = current_builder()
    axes, sizes = axes_of(axis, shape_of(x.type)), shape_of(x.type)
    if initial is None:
        not_empty([sizes[k] for k in axes], name, initial=True)
    op, worst = (ops.min_, math.inf) if name == "min" else (ops.max_, -math.inf)
    start = b.lift(worst if initial is None else initial)
    return over(x, axes, keepdims, lambda n, item: fold_of(n, lambda *i: number(item(*i)), start, op))


@located
def logsumexp(x: Value, axis: Any, keepdims: Any) -> Value:
    """The logarithms of sums of exponentials of an array along axes."""
    return over(x, axes_of(axis, shape_of(x.type)), keepdims, logsumexp_of)


# the functions of the language


def _reduction(x: Any, name: str, axis: Any, keepdims: Any, fold: Fold, *, empty: bool = True) -> Value:
    v = numbers(x, name)
    axes, sizes = axes_of(axis, shape_of(v.type)), shape_of(v.type)
    if not empty:
        not_empty([sizes[k] for k in axes], name)
    return over(v, axes, keepdims, fold)


@array_function
def smallest(x: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None) -> Any:
    """The smallest element along axes, `np.min(x, axis)`."""
    return extreme(numbers(x, "min"), "min", axis, keepdims, initial)


@array_function
def largest(x: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None) -> Any:
    """The largest element along axes, `np.max(x, axis)`."""
    return extreme(numbers(x, "max"), "max", axis, keepdims, initial)


@array_function
def mean(x: Any, axis: Any = None, *, keepdims: Any = False, dtype: Any = None) -> Any:
    """The mean of all elements, or along axes: their sum, divided by their number; nan of none."""
    return _reduction(averaged_as(x, dtype, "mean"), "mean", axis, keepdims, mean_of)


@array_function
def var(x: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, dtype: Any = None) -> Any:
    """The variance of all elements, or along axes: the sum of squared distances from the mean, over `n - ddof`."""
    return _reduction(
        averaged_as(x, dtype, "var"), "var", axis, keepdims, lambda sizes, item: variance_of(sizes, item, ddof)
    )


@array_function
def std(x: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, dtype: Any = None) -> Any:
    """The standard deviation: the root of the variance; its derivatives at 0 are 0."""
    return _reduction(
        averaged_as(x, dtype, "std"), "std", axis, keepdims, lambda sizes, item: deviation_of(sizes, item, ddof)
    )


def truth(x: Value) -> Value:
    """Whether an element holds: a condition itself, and whether a number is not 0."""
    return x if x.type is Bool else ne(number(x), 0.0)


@array_function
def all_(x: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Whether all conditions hold, or along axes; of numbers, whether none is 0; true of none."""
    fold: Fold = lambda sizes, item: fold_of(sizes, item, current_builder().lift(True), lambda s, y: s & truth(y))
    return _reduction(x, "all", axis, keepdims, fold)


@array_function
def any_(x: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """Whether any condition holds, or along axes; of numbers, whether one is not 0; false of none."""
    fold: Fold = lambda sizes, item: fold_of(sizes, item, current_builder().lift(False), lambda s, y: s | truth(y))
    return _reduction(x, "any", axis, keepdims, fold)


@array_function
def argmax(x: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The index, a `Fin[n]`, of the first of the largest elements, or of the first nan, among all or along an axis."""
    fold: Fold = lambda sizes, item: place_of(sizes, item, lambda y, best: y > best)
    return _reduction(x, "argmax", _single(axis), keepdims, fold, empty=False)


@array_function
def argmin(x: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The index, a `Fin[n]`, of the first of the smallest elements, or of the first nan, among all or along an axis."""
    fold: Fold = lambda sizes, item: place_of(sizes, item, lambda y, best: y < best)
    return _reduction(x, "argmin", _single(axis), keepdims, fold, empty=False)


def _single(axis: Any) -> Any:
    if axis.__class__ is tuple:
        raise TypeMismatch("an index is that of one axis, or of all", here().into(["axis"]), "write axis=0, or nothing")
    return axis


@array_function
def trace(x: Any, offset: Any = 0, *, dtype: Any = None) -> Any:
    """The sum of the diagonal of a matrix, or of one that lies `offset` columns to the right of it."""
    b = current_builder()
    v = numbers(summed_as(x, dtype, "trace"), "trace")
    sizes, k = shape_of(v.type), host_index(offset)
    if len(sizes) != 2 or k is None or isinstance(sizes[0], Size) or isinstance(sizes[1], Size):
        what = f"rose.trace takes a matrix of known sizes and an integer, not {_a(v, x)} and {shown(offset)}"
        raise TypeMismatch(what, here(), "write rose.sum(x[i, i] for i in rose.range(n))")
    n = min(sizes[0] + min(k, 0), sizes[1] - max(k, 0))
    axis = Axis(max(n, 0))
    diagonal = [Along(axis, -min(k, 0)), Along(axis, max(k, 0))]
    return total(read(v, diagonal, [axis]) if n > 0 else b.zero(Vec(0, Real)), None, False, None)


# along one axis


def along(x: Value, axis: int, f: Callable[[Value], Value]) -> Value:
    """The array of `f(v)` for each vector `v` along an axis, whose results lie along that axis."""
    rank, b = len(shape_of(x.type)), current_builder()

    def each(v: Value, depth: int) -> Value:
        return f(v) if not depth else b.vec(shape_of(v.type)[0], lambda i: each(b.index(v, i), depth - 1))

    last = rank - 1
    return moved(each(moved(x, axis, last), last), last, axis)


@array_function
def softmax(x: Any, axis: Any = -1) -> Any:
    """`exp(x)` over the sum of it along an axis, the last by default, without overflow."""
    v = numbers(x, "softmax")
    return along(v, axis_given(axis, len(shape_of(v.type))), _softmax)


def _softmax(v: Value) -> Value:
    b, (n,) = current_builder(), shape_of(v.type)
    if not at_most(1, n) and not isinstance(n, Size):
        return b.zero(Vec(0, Real))
    item: Callable[[Value], Value] = lambda i: number(b.index(v, i))
    largest = stop_gradient(fold_of([n], item, b.lift(-math.inf), ops.max_))
    e = b.vec(n, lambda i: ops.exp(item(i) - largest))
    exponential: Callable[[Value], Value] = lambda i: b.index(e, i)
    total = sum_of([n], exponential)
    return b.vec(n, lambda i: b.index(e, i) / total)
