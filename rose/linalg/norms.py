"""Norms of matrices by their singular values, beside those of `rose.norm`; condition numbers, and ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.arrays.elementwise import each
from ..frontend.arrays.reductions import all_, axes_of, largest, smallest, total
from ..frontend.arrays.shapes import as_array, axis_given, shape_of
from ..frontend.arrays.shaping import expand_dims, moveaxis, reshape
from ..frontend.language import vectors
from ..frontend.language.select import select
from ..frontend.typed import ArrayLike
from ..ir import Value, ops
from .elimination import inv
from .matrices import EPSILON, array, longer, square
from .singular_values import svd, svdvals

_OF_SINGULAR_VALUES: dict[Any, Callable[[Value], Any]] = {
    2: lambda s: largest(s, -1, initial=0.0),
    -2: lambda s: smallest(s, -1),
    "nuc": lambda s: total(s, -1, False, None),
}


@lenient
def norm(
    x: ArrayLike, ord: float | str | None = None, axis: int | Sequence[int] | None = None, *, keepdims: bool = False
) -> Any:
    """The norm that `ord` names, of all elements or along axes, as `rose.norm` has it; and three more of matrices.

    Those are 2, the largest singular value, -2, the smallest, and "nuc", their sum, along a pair of axes.
    """
    v = as_array(x)
    rank = len(shape_of(v.type))
    pair = [*axis] if isinstance(axis, (tuple, list)) else [0, 1] if axis is None and rank == 2 else []
    if isinstance(ord, Value) or ord not in _OF_SINGULAR_VALUES or len(pair) != 2:
        return vectors.norm(v, ord, axis, keepdims=keepdims)
    axes = [axis_given(k, rank) for k in pair]
    found = _OF_SINGULAR_VALUES[ord](as_array(svdvals(moveaxis(v, axes, (-2, -1)))))
    return expand_dims(found, tuple(sorted(axes))) if keepdims else found


@lenient
def matrix_norm(x: ArrayLike, *, keepdims: bool = False, ord: float | str | None = "fro") -> Any:
    """The norm of a matrix, or of each of a batch; `ord` is one of `norm`, "fro" by default."""
    return norm(array(x, 2, "matrix_norm", 0, 1, names="x"), ord, (-2, -1), keepdims=keepdims)


@lenient
def vector_norm(
    x: ArrayLike, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: float | Value = 2
) -> Any:
    """The norm of all elements, as of one vector, or along axes; `ord` is one of vectors, 2 by default."""
    v = as_array(x)
    shape = shape_of(v.type)
    axes = axes_of(axis, shape)
    rows = reshape(moveaxis(v, axes, [*range(len(axes))]), (-1, *[n for k, n in enumerate(shape) if k not in axes]))
    found = vectors.norm(rows, ord, 0)
    return expand_dims(found, tuple(axes)) if keepdims and axes else found


@lenient
def cond(a: ArrayLike, p: float | str | None = None) -> Any:
    """The condition number of a matrix, or of each of a batch: its largest singular value over its smallest.

    With another norm `p` (see `norm`) it is the norm of the matrix times that of its inverse. Of a singular matrix it
    is infinite.
    """
    m = array(a, 2, "cond", 0, 1, 2)
    if not isinstance(p, Value) and p in (None, 2, -2):
        s = as_array(svdvals(m))
        found = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        square(m, "cond", 1, 2)
        found = norm(m, p, (-2, -1)) * norm(inv(m), p, (-2, -1))
    there = all_(each(ops.eq, m, m), (-2, -1))
    singular: Callable[[Value, Value], Value] = lambda x, there: select((x != x) & there, math.inf, x)
    return each(singular, found, there)


@lenient
def matrix_rank(
    A: ArrayLike, tol: float | Value | None = None, hermitian: bool = False, *, rtol: float | Value | None = None
) -> Any:
    """How many singular values of a matrix, or of each of a batch, are above `tol`; of a vector, whether one is not 0.

    That is `rtol` times the largest: by default the rounding of as many numbers as the longer side has.
    """
    v = as_array(A)
    if tol is not None and rtol is not None:
        at = here().into(["rtol"])
        raise TypeMismatch("rose.linalg.matrix_rank takes a tol or an rtol, not both", at, "leave one of them out")
    if len(shape_of(v.type)) < 2:
        return select(all_(each(ops.eq, v, 0.0)), 0.0, 1.0)
    s = as_array(svd(v, compute_uv=False, hermitian=hermitian))
    if tol is None:
        tol = largest(s, -1, keepdims=True, initial=0.0) * (longer(v) * EPSILON if rtol is None else rtol)
    return total(as_array(s > tol), -1)
