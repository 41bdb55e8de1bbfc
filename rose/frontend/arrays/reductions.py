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
from ...ir.types import Bool, Fin, Real, Tan, Tuple, Type, Vec, is_complex
from ...ir.value import host_index
from ..columns import how_to_compute
from ..function import MeetsComplex
from ..index_expressions import literal
from ..operators import is_array
from .creation import itself
from .elementwise import array_function, each, located, maps
from .kinds import averaged_as, summed_as
from .shapes import (
    Shape,
    as_array,
    axes_given,
    axis_given,
    broadcast,
    is_several,
    leaf_of,
    same,
    shape_of,
    spelled,
)
from .shaping import diagonal, moved

Item = Callable[..., Value]  # the element at an index for each axis that goes
Fold = Callable[[Sequence[int | Size], Item], Value]  # what becomes of the elements along axes of these sizes


# arguments


def numbers(x: Any, name: str, *, single: bool = False) -> Value:
    """An argument as an array of numbers, conditions or indices; with `single` also a number, of no axes."""
    v = as_array(x)
    if single and is_complex(v.type):
        raise MeetsComplex
    if not isinstance(v.type, Vec) and not (single and is_number_type(v.type)):
        hint = "give it a list" + "; rose.grad(f) is the derivative of a function" * (name == "diff")
        raise TypeMismatch(f"rose.{name} goes along the axes of an array, not {_a(v, x)}", here(), hint)
    if isinstance(leaf := leaf_of(v.type), Tuple):
        if is_complex(leaf):
            raise MeetsComplex
        what = f"rose.{name} goes along numbers, and the elements of a {v.type!r} are structs or tuples"
        raise TypeMismatch(what, here(), how_to_compute(v))
    return v


def is_number_type(t: Type) -> bool:
    """True for the type of a number, a condition or an index: that of an array of no axes."""
    return t is Real or t is Bool or t is Tan or isinstance(t, Fin)


def _a(v: Value, x: Any) -> str:
    return a_traced(v) if isinstance(x, Value) else shown(x)


def with_axes(
    x: Any, name: str, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Value | None:
    """`x` as an array, if it is one with several axes or none, or arguments for them; None of what is to be gone
    through by items.
    """
    x = as_given(x)
    several = is_array(x) and not is_several(x)
    asked = axis is not None or keepdims or initial is not None or where is not True
    if isinstance(x, Value) and not isinstance(axis, Value):
        if is_complex(x.type):
            raise MeetsComplex
        if is_number_type(x.type):
            return x
    if asked and not is_array(x) and not isinstance(x, tuple):
        hint = "make a vector of the items first: rose.vec(... for i in rose.range(n))"
        hint = f"write rose.{name}([x, y]) for several numbers" if isinstance(x, Value) else hint
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        raise TypeMismatch(f"axis, keepdims and initial are for arrays, not for {what}", here(), hint)
    if not asked and not several:
        return None
    v = x if isinstance(x, Value) else as_array(x)
    t, leaf = v.type, leaf_of(v.type)
    of_structs = isinstance(leaf, Tuple) and not is_complex(leaf)
    plain = isinstance(t, Vec) and ((t.elem is leaf and leaf is not Bool) or of_structs)
    return None if plain and not asked else numbers(v, name)


def axes_of(axis: Any, shape: Shape) -> list[int]:
    """The axes that `axis` names, from 0 on, in order: all of them for None; an OutOfRange if one is not there.

    A number may be reduced along its first or last axis, as NumPy's are, though it has none.
    """
    if not shape and host_index(axis) in (0, -1):
        return []
    return [*range(len(shape))] if axis is None else sorted(axes_given(axis, len(shape)))


def masked(x: Value, where: Any, instead: Any) -> Value:
    """The array with another number, or condition, in the place of each element for which `where` does not hold."""
    if where is True:
        return x
    of: Callable[[Value, Value], Value] = lambda c, e: select(c, e, instead)
    return each(of, _conditions(x, where), x if instead.__class__ is bool else each(number, x))


def _conditions(x: Value, where: Any) -> Value:
    """`where` as conditions, whose shape broadcasts to that of `x`."""
    c, shape = each(truth, as_array(where)), shape_of(x.type)
    if not same(broadcast([shape, shape_of(c.type)]), shape):
        what = f"where= has the shape {spelled(shape_of(c.type))}, and the array {spelled(shape)}"
        raise TypeMismatch(what, here().into(["where"]), "give a condition for each element, or for each along an axis")
    return c


def held(x: Value, where: Any, axis: Any, keepdims: Any) -> Value:
    """How many elements of `x` there are for which `where` holds, along axes."""
    shape = shape_of(x.type)
    c = _conditions(x, where)
    whole = c if same(shape_of(c.type), shape) else maps(shape, itself, [c])
    return total(whole, axis, keepdims, None)


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
    """The sum of all items: one accumulator, in the order of indices. Of a single one without axes it is that."""
    if not sizes and initial is None:
        return number(item())
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
    return root(variance_of(sizes, item, ddof))


def root(variance: Value) -> Value:
    """The square root, whose derivatives at 0 are 0."""
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
    if not sizes:
        return b.const(0, Fin(1))
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
def total(x: Value, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Value:
    """The sum of an array along axes."""
    b, x = current_builder(), masked(x, where, 0.0)
    if leaf_of(x.type) is Tan and initial is None:
        initial = b.zero(Tan)
    return over(x, axes_of(axis, shape_of(x.type)), keepdims, lambda sizes, item: sum_of(sizes, item, initial))


@located
def product(x: Value, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Value:
    """The product of an array along axes."""
    b, axes, x = current_builder(), axes_of(axis, shape_of(x.type)), masked(x, where, 1.0)
    if not axes and initial is None:
        return each(number, x)
    start = b.lift(1.0 if initial is None else initial)
    return over(x, axes, keepdims, lambda sizes, item: fold_of(sizes, lambda *i: number(item(*i)), start, ops.mul))


@located
def extreme(
    x: Value, name: str, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Value:
    """The smallest or largest elements of an array along axes; `name` is min or max."""
    b = current_builder()
    axes, sizes = axes_of(axis, shape_of(x.type)), shape_of(x.type)
    if initial is None:
        if where is not True:
            hint = "write initial=..., which is the answer where it holds for none"
            raise TypeMismatch(f"rose.{name} with where= may be of nothing", here().into(["where"]), hint)
        not_empty([sizes[k] for k in axes], name, initial=True)
        if not axes:
            return each(number, x)
    op, worst = (ops.min_, math.inf) if name == "min" else (ops.max_, -math.inf)
    start = b.lift(worst if initial is None else initial)
    x = masked(x, where, start)
    return over(x, axes, keepdims, lambda n, item: fold_of(n, lambda *i: number(item(*i)), start, op))


@located
def logsumexp(x: Value, axis: Any, keepdims: Any, b: Any = None) -> Value:
    """The logarithms of sums of exponentials of an array along axes, each times its element of `b`."""
    if b is not None:
        return _weighted_logsumexp(x, as_array(b), axis, keepdims)
    return over(x, axes_of(axis, shape_of(x.type)), keepdims, logsumexp_of)


def _weighted_logsumexp(x: Value, weights: Value, axis: Any, keepdims: Any) -> Value:
    shape = broadcast([shape_of(x.type), shape_of(weights.type)])
    given: Callable[[Value, Value], Value] = lambda y, w: select(number(w) == 0.0, -math.inf, number(y))
    x, weights = each(given, x, weights), maps(shape, itself, [each(number, weights)])
    largest = each(stop_gradient, extreme(x, "max", axis, True, -math.inf))
    finite: Callable[[Value], Value] = lambda m: select(abs(m) == math.inf, 0.0, m)
    shift = each(finite, largest)
    terms: Callable[[Value, Value, Value], Value] = lambda y, w, m: select(w == 0.0, 0.0, w * ops.exp(y - m))
    found = each(ops.log, total(each(terms, x, weights, shift), axis, True)) + shift
    return found if keepdims else total(found, axis)


# the functions of the language


def _reduction(x: Any, name: str, axis: Any, keepdims: Any, fold: Fold, *, empty: bool = True) -> Value:
    v = numbers(x, name, single=True)
    axes, sizes = axes_of(axis, shape_of(v.type)), shape_of(v.type)
    if not empty:
        not_empty([sizes[k] for k in axes], name)
    return over(v, axes, keepdims, fold)


@array_function
def smallest(x: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The smallest element along axes, `np.min(x, axis)`."""
    return extreme(numbers(x, "min", single=True), "min", axis, keepdims, initial, where)


@array_function
def largest(x: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The largest element along axes, `np.max(x, axis)`."""
    return extreme(numbers(x, "max", single=True), "max", axis, keepdims, initial, where)


@array_function
def mean(x: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """The mean of all elements, or along axes: their sum, divided by their number; nan of none."""
    v = numbers(averaged_as(x, dtype, "mean"), "mean", single=True)
    if where is True:
        return _reduction(v, "mean", axis, keepdims, mean_of)
    return total(v, axis, keepdims, None, where) / held(v, where, axis, keepdims)


@array_function
def var(
    x: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The variance of all elements, or along axes: the sum of squared distances from the mean, over `n - ddof`.

    `correction` is another name of `ddof`. A `mean` that is there already may be given, with its axes kept.
    """
    v, less = numbers(averaged_as(x, dtype, "var"), "var", single=True), degrees_less(ddof, correction, "var")
    if where is True and mean is None:
        return _reduction(v, "var", axis, keepdims, lambda sizes, item: variance_of(sizes, item, less))
    return variance_where(v, axis, less, keepdims, where, mean)


@array_function
def std(
    x: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation: the root of the variance; its derivatives at 0 are 0."""
    v, less = numbers(averaged_as(x, dtype, "std"), "std", single=True), degrees_less(ddof, correction, "std")
    if where is True and mean is None:
        return _reduction(v, "std", axis, keepdims, lambda sizes, item: deviation_of(sizes, item, less))
    return each(root, variance_where(v, axis, less, keepdims, where, mean))


def degrees_less(ddof: Any, correction: Any, name: str) -> Any:
    if correction is None:
        return ddof
    if isinstance(ddof, Value) or ddof != 0:
        hint = "leave out one of them"
        raise TypeMismatch(f"ddof and correction of rose.{name} are one thing", here().into(["correction"]), hint)
    return correction


def variance_where(v: Value, axis: Any, ddof: Any, keepdims: Any, where: Any, around: Any = None) -> Any:
    """The variance of the elements for which `where` holds, around a mean that is given, or theirs."""
    if where is True:
        count = count_of([shape_of(v.type)[k] for k in axes_of(axis, shape_of(v.type))])
    else:
        count = held(v, where, axis, True)
    v = masked(each(number, v), where, 0.0)
    around = total(v, axis, True) / count if around is None else around
    apart = masked(v - around, where, 0.0)
    degrees = ops.max_(count - ddof, 0.0) if isinstance(ddof, Value) or ddof else count
    found = total(apart * apart, axis, True) / degrees
    return found if keepdims else total(found, axis)


def truth(x: Value) -> Value:
    """Whether an element holds: a condition itself, and whether a number is not 0."""
    return x if x.type is Bool else ne(number(x), 0.0)


@array_function
def all_(x: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """Whether all conditions hold, or along axes; of numbers, whether none is 0; true of none."""
    fold: Fold = lambda sizes, item: fold_of(sizes, item, current_builder().lift(True), lambda s, y: s & truth(y))
    return _reduction(_held_or(x, "all", where), "all", axis, keepdims, fold)


@array_function
def any_(x: Any, axis: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """Whether any condition holds, or along axes; of numbers, whether one is not 0; false of none."""
    fold: Fold = lambda sizes, item: fold_of(sizes, item, current_builder().lift(False), lambda s, y: s | truth(y))
    return _reduction(_held_or(x, "any", where), "any", axis, keepdims, fold)


def _held_or(x: Any, name: str, where: Any) -> Any:
    """The conditions of `all` or `any`, those that do not count so that they decide nothing."""
    v = numbers(x, name, single=True)
    return v if where is True else masked(each(truth, v), where, name == "all")


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
def trace(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, dtype: Any = None) -> Any:
    """The sum of the diagonal of two axes, or of one that lies `offset` columns to the right of it."""
    v = numbers(summed_as(x, dtype, "trace"), "trace")
    if len(shape_of(v.type)) < 2 or host_index(offset) is None:
        what = f"rose.trace takes a matrix and an integer, not {_a(v, x)} and {shown(offset)}"
        raise TypeMismatch(what, here(), "write rose.sum(x[i, i] for i in rose.range(n))")
    return total(as_array(diagonal(v, offset, axis1, axis2)), -1)


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
