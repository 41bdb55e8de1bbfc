"""Sums of products: `matmul`, `dot`, `tensordot`, `einsum`, `outer`, `kron`, `convolve`.

All are one thing: an element of the result is the sum, over the indices that it lacks, of products of elements of the
operands. The sum is in the order of these indices, the first of them outermost, and begins at 0.0. Its loops lie within
those over the result, so that the passes that make register blocks of a product of matrices find one in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, a_traced, current_builder
from ...ir.hooks import above
from ...ir.ops import iadd, ibeyond, ifrom
from ...ir.sizes import at_most, differ, minus, plus, quotient, times
from ...ir.types import Bool, Fin, Real, Tan, Vec, is_complex, struct_in
from ...ir.value import host_index
from ..columns import how_to_compute
from ..index_expressions import literal
from ..operators import as_real, multiply
from ..values import is_number
from .creation import whole
from .elementwise import array_function, each
from .indexing import as_fin
from .kinds import of_kind
from .shapes import (
    Shape,
    as_array,
    axes_given,
    axis_given,
    broadcast,
    is_several,
    leaf_of,
    shape_of,
    spelled,
    sum_type,
)
from .shaping import flip, moved, of_rank, ravel, reshaped

Label = Any  # of an axis: axes of one label have one index


class Operand(NamedTuple):
    """An array, with a label for each of its axes; None for one that is read at its one element."""

    value: Value
    labels: tuple[Label | None, ...]


def contraction(
    operands: Sequence[Operand], out: Sequence[Label], inside: Sequence[Label], sizes: dict[Label, Any]
) -> Value:
    """The array with the axes `out` of the sums over the labels `inside` of products of elements."""
    b = current_builder()
    if out:
        return b.vec(sizes[out[0]], lambda i: contraction(_known(operands, out[0], i), out[1:], inside, sizes))
    operands = _known(operands)
    if not inside:
        return _product(operands)
    ref = b.accum(b.zero(sum_type(*[x.value for x in operands])))
    _add_products(ref, operands, inside, sizes)
    return b.freeze(ref)


def _add_products(ref: Value, operands: Sequence[Operand], inside: Sequence[Label], sizes: dict[Label, Any]) -> None:
    b = current_builder()
    if not inside:
        b.add_to(ref, _product(operands))
        return

    def body(i: Value) -> tuple[list[Value], list[Value]]:
        _add_products(ref, _known(operands, inside[0], i), inside[1:], sizes)
        return [], []

    b.loop(sizes[inside[0]], body)


def _product(operands: Sequence[Operand]) -> Value:
    return reduce(multiply, [as_real(x.value) for x in operands])


def _known(operands: Sequence[Operand], label: Label = None, i: Value | None = None) -> list[Operand]:
    """The operands, with the index of a label; what can be read is read, so that it is read in the outermost loop."""
    return [_read(x.value, tuple([i if _is(k, label) else k for k in x.labels])) for x in operands]


def _is(k: Label | Value | None, label: Label) -> bool:
    return k is not None and k.__class__ is not Value and k == label


def _read(v: Value, labels: tuple[Any, ...]) -> Operand:
    b = current_builder()
    while labels and (labels[0] is None or labels[0].__class__ is Value):
        v, labels = b.index(v, 0 if labels[0] is None else labels[0]), labels[1:]
    return Operand(v, labels)


def labelled(operands: Sequence[tuple[Value, Sequence[Label]]], name: str) -> tuple[list[Operand], dict[Label, Any]]:
    """The operands, and the size of each label: axes of one label have one size, or are broadcast from one element."""
    sizes: dict[Label, Any] = {}
    where: dict[Label, Value] = {}
    for v, labels in operands:
        for label, n in zip(labels, shape_of(v.type), strict=True):
            if not differ(sizes.setdefault(label, n), 1) and differ(n, 1):
                sizes[label] = n
            where.setdefault(label, v)
            if differ(n, 1) and differ(n, sizes[label]):
                at = f"index {label!r}" if isinstance(label, str) else "an axis"
                what = f"{name} gives {at} the sizes {sizes[label]!r} and {n!r}: "
                what += f"of {spelled(shape_of(where[label].type))} and {spelled(shape_of(v.type))}"
                raise TypeMismatch(what, here(), "let axes that have one index have one size, or 1")
    made = list[Operand]()
    for v, labels in operands:
        one = [n for n in shape_of(v.type)]
        made.append(
            Operand(v, tuple([k if not differ(n, sizes[k]) else None for k, n in zip(labels, one, strict=True)]))
        )
    return made, sizes


def numbers(x: Any, name: str) -> Value:
    """An operand of a product: an array of numbers, or of indices, which are numbers."""
    return factors(name, x)[0]


def factors(name: str, *operands: Any) -> list[Value]:
    """The operands of a product: arrays of numbers or of indices; beside these a condition counts as 1.0 or 0.0."""
    vs = [as_array(x) for x in operands]
    leaves = [leaf_of(v.type) for v in vs]
    are_numbers = [leaf is Real or leaf is Tan or isinstance(leaf, Fin) or is_complex(leaf) for leaf in leaves]
    for v, leaf, fits in zip(vs, leaves, are_numbers, strict=True):
        if not fits and (leaf is not Bool or not any(are_numbers)):
            hint = how_to_compute(v) if struct_in(v.type) else "make numbers of conditions: rose.where(c, 1.0, 0.0)"
            raise TypeMismatch(f"{name} multiplies numbers, not the elements of {a_traced(v)}", here(), hint)
    return [of_kind(v, "f") if leaf is Bool else v for v, leaf in zip(vs, leaves, strict=True)]


def product_of(xs: Sequence[Value], labels: Sequence[Sequence[Label]], out: Sequence[Label], name: str) -> Value:
    """The contraction of operands with these labels; summed are those that `out` lacks, in the order of the first."""
    operands, sizes = labelled([*zip(xs, labels, strict=True)], name)
    inside = [k for k in dict.fromkeys([k for row in labels for k in row]) if k not in out]
    return contraction(operands, out, inside, sizes)


@array_function
def matmul(x: Any, y: Any) -> Any:
    """The matrix product `x @ y`: of matrices, of a matrix and a vector, or of two vectors.

    Of arrays with more axes it is that of the matrices of their last two; the axes before are broadcast. Element
    `[i, j]` is the sum of `x[i, k] * y[k, j]` in the order of `k`.
    """
    v, w = factors("rose.matmul", x, y)
    a, b = [*shape_of(v.type)], [*shape_of(w.type)]
    if not a or not b or differ(a[-1], b[-2] if len(b) > 1 else b[-1]):
        message = f"a {v.type!r} and a {w.type!r} have no matrix product"
        hint = "multiply a matrix by one that has as many rows as it has columns"
        raise TypeMismatch(message, here(), hint)
    batch = broadcast([tuple(a[:-2]), tuple(b[:-2])])
    first = [*range(-len(a[:-2]), 0), *(["row"] if len(a) > 1 else []), "k"]
    second = [*range(-len(b[:-2]), 0), "k", *(["column"] if len(b) > 1 else [])]
    out = [*range(-len(batch), 0), *(["row"] if len(a) > 1 else []), *(["column"] if len(b) > 1 else [])]
    return product_of([v, w], [first, second], out, "rose.matmul")


@array_function
def dot(x: Any, y: Any) -> Any:
    """The dot product of two vectors, in the order of their elements; of matrices `x @ y`, and `x * y` of a number.

    Of arrays with more axes it sums over the last axis of `x` and the last but one of `y`, for all others.
    """
    v, w = factors("rose.dot", x, y)
    a, b = [*shape_of(v.type)], [*shape_of(w.type)]
    if not a or not b:
        return each(multiply, v, w)
    inside = -2 if len(b) > 1 else -1
    meet(v, w, [(-1, inside)], "rose.dot")
    first = [*range(len(a) - 1), "k"]
    second: list[Label] = [len(a) + j for j in range(len(b))]
    second[inside] = "k"
    return product_of([v, w], [first, second], [k for k in (*first, *second) if k != "k"], "rose.dot")


def meet(v: Value, w: Value, axes: Iterable[tuple[int, int]], name: str) -> None:
    """Check that axes over which products are summed have one size: an element is broadcast along none of them."""
    a, b = shape_of(v.type), shape_of(w.type)
    for i, j in axes:
        if differ(a[i], b[j]):
            message = f"{name} of the shapes {spelled(a)} and {spelled(b)}: "
            message += f"axis {i} of the first and axis {j} of the second are not of one size"
            raise TypeMismatch(message, here(), "sum over axes of one size, or name them: rose.tensordot, rose.einsum")


@array_function
def vdot(x: Any, y: Any) -> Any:
    """The sum of the products of all elements of two arrays of one number of elements, in the order of rows.

    Of complex numbers those of `x` are conjugated.
    """
    return dot(conjugate(ravel(x)), ravel(y))


def conjugate(v: Value) -> Value:
    """An array with the conjugates of its elements."""
    return above().complex.part("conj", v) if is_complex(leaf_of(v.type)) else v


@array_function
def inner(x: Any, y: Any) -> Any:
    """The sums of products along the last axes: `inner(x, y)[i, j]` is the dot product of `x[i]` and `y[j]`."""
    v, w = factors("rose.inner", x, y)
    a, b = [*shape_of(v.type)], [*shape_of(w.type)]
    if not a or not b:
        return each(multiply, v, w)
    meet(v, w, [(-1, -1)], "rose.inner")
    first, second = [*range(len(a) - 1), "k"], [*range(len(a), len(a) + len(b) - 1), "k"]
    return product_of([v, w], [first, second], [*first[:-1], *second[:-1]], "rose.inner")


@array_function
def outer(x: Any, y: Any) -> Any:
    """The matrix of the products of each element of `x` with each of `y`: `x[i] * y[j]`."""
    v, w = map(ravel, factors("rose.outer", x, y))
    return product_of([v, w], [["i"], ["j"]], ["i", "j"], "rose.outer")


@array_function
def kron(x: Any, y: Any) -> Any:
    """The Kronecker product: each element of `x` times all of `y`, in its place."""
    v, w = factors("rose.kron", x, y)
    rank = max(len(shape_of(v.type)), len(shape_of(w.type)))
    v, w = [of_rank(u, rank) for u in (v, w)]
    labels = [[(k, side) for k in range(rank)] for side in (0, 1)]
    both = product_of([v, w], labels, [(k, side) for k in range(rank) for side in (0, 1)], "rose.kron")
    sizes = zip(shape_of(v.type), shape_of(w.type), strict=True)
    return reshaped(both, tuple([times(n, m) for n, m in sizes]))


@array_function
def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """The sums of products over pairs of axes: the last `axes` of `x` and the first of `y`, or two lists of them."""
    v, w = factors("rose.tensordot", x, y)
    m, n = len(shape_of(v.type)), len(shape_of(w.type))
    if is_several(axes) and len(axes) == 2:
        left, right = axes_given(axes[0], m), axes_given(axes[1], n)
    else:
        count = whole(axes, "axes", "rose.tensordot")
        if not 0 <= count <= min(m, n):
            what = f"rose.tensordot cannot sum over {count} axes of arrays that have {m} and {n}"
            raise OutOfRange(what, here(), "write a smaller number, or two lists of axes")
        left, right = tuple(range(m - count, m)), tuple(range(count))
    if len(left) != len(right):
        what = f"rose.tensordot pairs {len(left)} axes with {len(right)}"
        raise TypeMismatch(what, here(), "give as many axes of the one as of the other")
    meet(v, w, zip(left, right, strict=True), "rose.tensordot")
    first: list[Label] = [("x", k) for k in range(m)]
    second: list[Label] = [("y", k) for k in range(n)]
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    out = [k for k in (*first, *second) if not (k in first and k in second)]
    return product_of([v, w], [first, second], out, "rose.tensordot")


@array_function
def cross(x: Any, y: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None) -> Any:
    """The cross product of vectors of three numbers, along the last axis; the other axes are broadcast.

    The axes of the vectors are named by `axisa`, `axisb` and, in the result, `axisc`; or all three by `axis`.
    """
    v, w = factors("rose.cross", x, y)
    if axis is not None:
        axisa, axisb, axisc = axis, axis, axis
    v, w = [_with_last(u, k) for u, k in ((v, axisa), (w, axisb))]
    found = _crossed(v, w)
    rank = len(shape_of(found.type))
    return moved(found, rank - 1, axis_given(axisc, rank))


def _with_last(v: Value, axis: Any) -> Value:
    """The array with an axis as its last one."""
    rank = len(shape_of(v.type))
    return moved(v, axis_given(axis, rank), rank - 1) if rank else v


def _crossed(v: Value, w: Value) -> Value:
    a, b = [*shape_of(v.type)], [*shape_of(w.type)]
    if not a or not b or differ(a[-1], 3) or differ(b[-1], 3):
        message = f"rose.cross takes two vectors of three Reals, not {v.type!r} and {w.type!r}"
        raise TypeMismatch(message, here(), "write x[0] * y[1] - x[1] * y[0] in the plane")
    rank = broadcast([tuple(a[:-1]), tuple(b[:-1])])
    return _cross(of_rank(v, len(rank) + 1), of_rank(w, len(rank) + 1), rank)


def _cross(v: Value, w: Value, shape: Shape) -> Value:
    b = current_builder()
    if not shape:
        x, y = [[as_real(b.index(u, k)) for k in range(3)] for u in (v, w)]
        parts = [multiply(x[i], y[j]) - multiply(x[j], y[i]) for i, j in ((1, 2), (2, 0), (0, 1))]
        return b.pack(parts, Vec(3, parts[0].type))

    def row(u: Value, i: Value) -> Value:
        return b.index(u, i if not differ(shape_of(u.type)[0], shape[0]) else 0)

    return b.vec(shape[0], lambda i: _cross(row(v, i), row(w, i), shape[1:]))


MODES = ("full", "same", "valid")


@array_function
def convolve(x: Any, y: Any, mode: str = "full") -> Any:
    """The discrete convolution of two vectors: element `i` is the sum of `x[j] * y[i - j]`, in the order of the longer.

    "full" has all elements that are not zero, "same" as many as the longer vector, from the middle, and "valid" those
    to which both vectors contribute in full.
    """
    v, w = factors("rose.convolve", x, y)
    a, b = [*shape_of(v.type)], [*shape_of(w.type)]
    if len(a) != 1 or len(b) != 1 or not differ(a[0], 0) or not differ(b[0], 0):
        what = f"rose.convolve takes two vectors that are not empty, not {a_traced(v)} and {a_traced(w)}"
        raise TypeMismatch(what, here(), "convolve along an axis with rose.vec(rose.convolve(row, y) for row in ...)")
    if mode not in MODES:
        raise TypeMismatch(f"rose.convolve has no mode {mode!r}", here(), f"write one of {', '.join(MODES)}")
    if not at_most(b[0], a[0]):
        v, w, a, b = w, v, b, a
    if not at_most(b[0], a[0]):
        what = f"rose.convolve of {a_traced(v)} and {a_traced(w)}: which is longer is not known"
        raise TypeMismatch(what, here(), "declare the longer one as Vec[n + k]")
    n, m = a[0], b[0]
    if mode == "valid":
        return _within(v, w, m, minus(n, minus(m, 1)))
    start = quotient(minus(m, 1), 2) if mode == "same" else 0
    return _convolved(v, w, n, m, start, n if mode == "same" else minus(plus(n, m), 1))


@array_function
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The correlation of two vectors: element `k` is the sum of `a[i + k] * v[i]`; for the modes see `convolve`.

    Complex numbers of `v` are conjugated.
    """
    x, y = factors("rose.correlate", a, v)
    y = conjugate(y)
    n, m = len(shape_of(x.type)), len(shape_of(y.type))
    if n == m == 1 and not at_most(shape_of(y.type)[0], shape_of(x.type)[0]):
        return flip(convolve(y, flip(x), mode))
    return convolve(x, flip(y), mode)


def _within(v: Value, w: Value, m: Any, size: Any) -> Value:
    """The elements to which all of `w`, of `m` elements, contributes."""
    b = current_builder()

    def part(i: Value, k: Value) -> Value:
        return multiply(as_real(b.index(v, iadd(i, k))), as_real(b.index(w, ifrom(k, literal(minus(m, 1))))))

    return b.vec(size, lambda i: _sum(v, w, m, lambda k: part(i, k)))


def _sum(v: Value, w: Value, n: Any, item: Callable[[Value], Value], span: Value | None = None) -> Value:
    b = current_builder()
    ref = b.accum(b.zero(sum_type(v, w)))

    def body(i: Value) -> tuple[list[Value], list[Value]]:
        b.add_to(ref, item(i))
        return [], []

    b.loop(n, body, span=span)
    return b.freeze(ref)


def _convolved(v: Value, w: Value, n: Any, m: Any, start: Any, size: Any) -> Value:
    """The elements from `start` on: each a sum over the indices of the longer vector that meet the shorter one."""
    b = current_builder()

    def item(i: Value) -> Value:
        at = iadd(i, literal(start)) if differ(start, 0) else i
        last = literal(minus(m, 1))
        end = iadd(at, literal(1))
        high = end if at_most(as_fin(end).size, plus(n, 1)) else ibeyond(literal(n), ibeyond(literal(n), end))

        def part(j: Value) -> Value:
            k = ibeyond(last, ibeyond(iadd(j, last), at))  # at - j, which is below m
            return multiply(as_real(b.index(v, j)), as_real(b.index(w, k)))

        return _sum(v, w, n, part, b.span(n, ibeyond(at, last), high))

    return b.vec(size, item)


@array_function
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral of `y` along an axis by the trapezoidal rule: over the points `x`, or points that are `dx` apart.

    It is the sum of `d * (y[i + 1] + y[i]) / 2` in the order of `i`.
    """
    v = numbers(y, "rose.trapezoid")
    last = len(shape_of(v.type)) - 1
    k = axis_given(axis, last + 1)
    v = moved(v, k, last)
    low, high = v[..., :-1], v[..., 1:]
    if x is None:
        widths = dx if is_number(dx) else _beside(as_array(dx), k, last)
    else:
        points = numbers(x, "rose.trapezoid")
        rank = len(shape_of(points.type))
        if rank not in (1, last + 1) and not _is_from_the_end(axis):
            what = f"an axis of {last + 1} that is counted from the first is none of the {rank} axes of the points"
            raise TypeMismatch(what, here().into(["axis"]), f"count it from the last: axis={k - last - 1}")
        points = points if rank == 1 else moved(points, axis_given(axis, rank), rank - 1)
        widths = points[..., 1:] - points[..., :-1]
    return sum_of_last(widths * (high + low) / 2.0)


def _beside(widths: Value, k: int, last: int) -> Value:
    """Widths that are broadcast to all axes, with the `k`-th as their last."""
    if not shape_of(widths.type):
        return widths
    for _ in range(last + 1 - len(shape_of(widths.type))):
        widths = as_array(widths[None])
    more = len(shape_of(widths.type)) - last - 1
    return moved(widths, k + more, last + more)


def _is_from_the_end(axis: Any) -> bool:
    k = host_index(axis)
    return k is not None and k < 0


def sum_of_last(v: Value) -> Value:
    """The sums of numbers along the last axis."""
    shape = shape_of(v.type)
    labels = [*range(len(shape))]
    return product_of([v], [labels], labels[:-1], "a sum")
