"""New arrays: `zeros`, `arange`, `linspace`, `eye`, `meshgrid`. Each is a loop that fusion puts where it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...errors import OutOfRange, TypeMismatch, argument, here
from ...ir import Value, a_traced, current_builder, shown
from ...ir.numbers import as_number
from ...ir.ops import iadd, ieq, ile, imul, real, select
from ...ir.sizes import Size, larger, minus, open_size
from ...ir.types import Bool, Complex, Fin, Real, Vec, is_complex
from ...ir.value import host_index
from ..index_expressions import literal
from ..operators import as_real, is_array, view
from ..values import is_number, to_value
from .elementwise import array_function, each, maps
from .indexing import Along, Axis, read
from .kinds import LEAVES, kind_of, typed
from .shapes import Shape, array_type, as_array, axis_given, broadcast, leaf_of, same, shape_given, shape_of, size_given


@array_function
def zeros(shape: Any, dtype: Any = None) -> Any:
    """An array of zeros of that shape: a size, or a tuple of sizes. `zeros((2, 3))` is a Vec[2, 3].

    `dtype` is `float`, `int` (whole numbers, which are Reals), or `bool`, by any of NumPy's names for them.
    """
    leaf = Real if dtype is None else LEAVES[kind_of(dtype)]
    return current_builder().zero(array_type(shape_given(shape, "rose.zeros"), leaf))


@array_function
def ones(shape: Any, dtype: Any = None) -> Any:
    """An array of ones of that shape: a size, or a tuple of sizes; `dtype` as in `rose.zeros`."""
    return filled(shape_given(shape, "rose.ones"), typed(current_builder().lift(1.0), dtype))


@array_function
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """An array of that shape, filled with a number or a condition, or with an array that is broadcast."""
    return _full(shape_given(shape, "rose.full"), fill_value, dtype)


@array_function
def zeros_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Zeros of the shape of `x`, or of another, of any type: numbers, or structs of them; False for conditions."""
    v = as_array(x)
    leaf = Real if isinstance(leaf_of(v.type), Fin) else leaf_of(v.type)
    if dtype is not None:
        leaf = LEAVES[kind_of(dtype)]
    return view(current_builder().zero(array_type(_shape_like(v, shape, "rose.zeros_like"), leaf)))


@array_function
def ones_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Ones of the shape of `x`, or of another; True for conditions."""
    v = as_array(x)
    leaf = leaf_of(v.type)
    one = current_builder().lift(True if leaf is Bool else 1.0 + 0.0j if is_complex(leaf) else 1.0)
    return filled(_shape_like(v, shape, "rose.ones_like"), typed(one, dtype))


@array_function
def full_like(x: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """An array of the shape of `x`, or of another, each of whose elements is `fill_value`."""
    return _full(_shape_like(as_array(x), shape, "rose.full_like"), fill_value, dtype)


def _shape_like(v: Value, shape: Any, name: str) -> Shape:
    return shape_of(v.type) if shape is None else shape_given(shape, name)


def filled(shape: Shape, item: Value) -> Value:
    """The array of that shape whose elements are all `item`."""
    return maps(shape, lambda: item, [])


def _full(shape: Shape, fill: Any, dtype: Any) -> Value:
    v = typed(current_builder().lift(fill) if is_number(fill) else as_array(fill), dtype)
    if not isinstance(v.type, Vec):
        return filled(shape, v)
    if len(shape_of(v.type)) > len(shape) or not same(broadcast([shape, shape_of(v.type)]), shape):
        raise _too_large(shape, v)
    return maps(shape, itself, [v])


def itself(x: Value) -> Value:
    """The element itself: a map that only moves elements."""
    return x


def _too_large(shape: Shape, v: Value) -> TypeMismatch:
    what = f"an array of the shape {shape!r} cannot be filled with {a_traced(v)}, which has more axes or elements"
    return TypeMismatch(what, here(), "leave out the shape: x itself, or rose.broadcast_to(x, shape)")


@array_function
def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """The matrix of `n` rows and `m` columns (by default `n`) with ones on its diagonal, or on the `k`-th above it."""
    rows = size_given(n, "rose.eye")
    columns = rows if m is None else size_given(m, "rose.eye")
    b, at = current_builder(), whole(k, "k", "rose.eye")
    one, zero = [typed(x, dtype) for x in (b.lift(1.0), b.zero(Real))]
    return b.vec(rows, lambda i: b.vec(columns, lambda j: select(on_diagonal(i, j, at), one, zero)))


def on_diagonal(i: Value, j: Value, k: int) -> Value:
    """The condition that column `j` of row `i` is on the `k`-th diagonal above the main one."""
    return ieq(iadd(i, literal(k)), j) if k > 0 else ieq(i, iadd(j, literal(-k)) if k else j)


def whole(k: Any, name: str, function: str) -> int:
    """An integer of the host that a user gives as the argument of that name."""
    if (at := host_index(k)) is None:
        what = a_traced(k) if isinstance(k, Value) else shown(k)
        raise TypeMismatch(f"{name} of {function} is an integer, not {what}", here(), "write a Python integer")
    return at


@array_function
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """The numbers `start`, `start + step`, ... before `stop`; `arange(n)` is 0, 1, ..., n - 1.

    Of integers that are not below zero they are indices, which can index an array and are numbers wherever a number
    is meant. Else element `i` is `start + i * step`, with the bits of NumPy's. All three are numbers that Python knows,
    as they decide the size, or, of the stop, a `rose.dim`. With `dtype=float` they are numbers in any case.
    """
    return typed(_arange(start, stop, step), dtype)


def _arange(start: Any, stop: Any, step: Any) -> Value:
    start, stop = (0, start) if stop is None else (start, stop)
    b, loc = current_builder(), here()
    if (n := open_size(stop)) is not None:
        if host_index(start) != 0 or host_index(step) != 1:
            hint = f"write start + step * rose.arange({n!r})"
            raise TypeMismatch(f"rose.arange to {n!r} begins at 0, with the step 1", loc, hint)
        return b.vec(n, lambda i: i)
    numbers = [_known(x, name) for x, name in ((start, "start"), (stop, "stop"), (step, "step"))]
    if all([isinstance(x, int) for x in numbers]):
        first, end, by = [int(x) for x in numbers]
        if by:
            count = len(range(first, end, by))
            if first >= 0 and by > 0:
                return b.vec(count, lambda i: iadd(imul(i, literal(by)), literal(first)))
            return _steps(count, float(first), float(by))
    first, end, by = map(float, numbers)
    if not by:
        raise OutOfRange("the step of rose.arange is zero", loc, "write a step above or below zero")
    exact = (end - first) / by
    count = max(0, int(exact) + (int(exact) < exact))
    return _steps(count, first, (first + by) - first) if count else b.zero(Vec(0, Real))


def _steps(count: int, first: float, by: float) -> Value:
    return current_builder().vec(count, lambda i: real(i) * by + first)


def _known(x: Any, name: str) -> float | int:
    k = host_index(x)
    if k is not None:
        return k
    if isinstance(x, Value):
        hint = "write start + step * rose.arange(n): the size of an array is known before it is made"
        raise TypeMismatch(f"the {name} of rose.arange is a number that Python knows, not {a_traced(x)}", here(), hint)
    return as_number(x, here().narrow(argument(0, name, 1)))


@array_function
def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    """`num` numbers from `start` to `stop`, evenly spaced; without the end point, as many before `stop`.

    Element `i` is `start + i * ((stop - start) / (num - 1))`, and the last is `stop` itself. Both may be traced.
    Both may be arrays: then the numbers lie along a new `axis`. With `retstep` it is a pair, with the distance.
    """
    size = size_given(num, "rose.linspace")
    complex_ = any([is_complex(x.type) if isinstance(x, Value) else isinstance(x, complex) for x in (start, stop)])
    leaf = Complex if complex_ else Real
    ends = [
        as_array(x) if not is_number(x) and is_array(x) else as_real(to_value(x, leaf, (name,)))
        for x, name in ((start, "start"), (stop, "stop"))
    ]
    parts = larger(minus(size, 1), 1) if endpoint else larger(size, 1)

    def step_of(first: Value, last: Value) -> Value:
        return (as_real(last) - as_real(first)) / as_real(literal(parts))

    steps = each(step_of, *ends)

    def item(i: Value, first: Value, last: Value, step: Value) -> Value:
        x, last = real(i) * step + as_real(first), as_real(last)
        return select(ile(literal(parts), i), last, x) if endpoint and (isinstance(size, Size) or size > 1) else x

    def numbers(i: Value) -> Value:
        return each(partial(item, i), *ends, steps)

    made = current_builder().vec(size, numbers)
    to, axes = axis_given(axis, len(shape_of(made.type))), [Axis(n) for n in shape_of(made.type)]
    made = made if not to else read(made, [Along(a) for a in axes], [*axes[1 : to + 1], axes[0], *axes[to + 1 :]])
    return (typed(made, dtype), steps) if retstep else typed(made, dtype)


@array_function
def meshgrid(*vectors: Any, sparse: Any = False, indexing: str = "xy") -> Any:
    """The coordinates of a grid, an array for each vector: of shape `(len(y), len(x))`, or as "ij" in their order.

    With `sparse` the axes of each along which it does not change have one element.
    """
    if indexing not in ("xy", "ij"):
        raise TypeMismatch(f"rose.meshgrid has no indexing {shown(indexing)}", here(), 'write indexing="ij"')
    given = [as_array(x) for x in vectors]
    for v in given:
        if len(shape_of(v.type)) > 1:
            raise TypeMismatch(f"rose.meshgrid takes vectors, not {a_traced(v)}", here(), "give it x.ravel()")
    axes = [Axis(shape_of(v.type)[0] if shape_of(v.type) else 1) for v in given]
    order = [axes[1], axes[0], *axes[2:]] if indexing == "xy" and len(axes) > 1 else axes
    own: Callable[[Axis], list[Axis]] = lambda a: [b if b is a or not sparse else Axis() for b in order]
    return [read(v, [Along(a)] if isinstance(v.type, Vec) else [], own(a)) for v, a in zip(given, axes, strict=True)]
