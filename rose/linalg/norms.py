"""Norms of matrices by their singular values, beside those of `rose.norm`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import edge
from ..frontend.arrays.reductions import largest, smallest, total
from ..frontend.arrays.shapes import as_array, axis_given, shape_of
from ..frontend.arrays.shaping import expand_dims, moveaxis
from ..frontend.language import vectors
from ..frontend.typed import ArrayLike
from ..ir import Value
from .singular_values import svdvals

_OF_SINGULAR_VALUES: dict[Any, Callable[[Value], Any]] = {
    2: lambda s: largest(s, -1),
    -2: lambda s: smallest(s, -1),
    "nuc": lambda s: total(s, -1, False, None),
}


@edge
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
