"""Polynomials through points, by least squares."""

from __future__ import annotations

from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.arrays.creation import whole
from ..frontend.arrays.elementwise import each
from ..frontend.arrays.polynomials import vander
from ..frontend.arrays.reductions import number, numbers, total
from ..frontend.arrays.shapes import as_array, shape_of
from ..frontend.arrays.shaping import expand_dims
from ..frontend.index_expressions import literal
from ..frontend.operators import as_real
from ..frontend.typed import ArrayLike
from ..ir import Value, a_traced, ops
from ..ir.sizes import Size, differ
from .matrices import EPSILON
from .singular_values import lstsq, lstsq_of_numpy


@lenient
def polyfit(x: ArrayLike, y: ArrayLike, deg: int, rcond: Any = None, full: bool = False, w: Any = None) -> Any:
    """The coefficients, of the highest power first, of the polynomial of degree `deg` that is nearest to points.

    `y` is a vector, or a matrix of a column for each polynomial; `w` has weights of the distances. As in NumPy, columns
    of powers are scaled to one length first, and singular values up to `rcond` times the largest count as 0. With
    `full` the residuals, the rank, the singular values and `rcond` follow.
    """
    at, values = [each(number, numbers(v, "polyfit")) for v in (x, y)]
    (n, *more), degree = shape_of(at.type), whole(deg, "deg", "np.polyfit")
    if more or degree < 0 or differ(n, shape_of(values.type)[0]):
        what = f"np.polyfit takes as many places as values, and a degree, not {a_traced(at)} and {a_traced(values)}"
        raise TypeMismatch(what, here(), "give two vectors of one size")
    left = as_array(vander(at, degree + 1))
    if w is not None:
        weights = as_array(w)
        left = as_array(left * expand_dims(weights, 1))
        values = as_array(values * (weights if len(shape_of(values.type)) == 1 else expand_dims(weights, 1)))
    scale = each(ops.sqrt, total(as_array(left * left), 0))
    least = as_real(literal(n)) * EPSILON if isinstance(n, Size) else n * EPSILON
    cut = least if rcond is None else rcond
    found = (lstsq_of_numpy if full else lstsq)(left / scale, values, cut)
    by: Value = scale if len(shape_of(values.type)) == 1 else as_array(expand_dims(scale, 1))
    solution = found.x / by
    return (solution, found.residuals, found.rank, found.singular_values, cut) if full else solution
