"""Statistics of samples: weighted means, ranges, percentiles, covariances; and reductions that pass over nan."""

from __future__ import annotations

import math
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, ops
from ...ir.ops import select
from ...ir.sizes import differ
from .creation import whole
from .elementwise import array_function, each
from .joining import vstack
from .order import quantiles
from .products import matmul
from .reductions import all_, degrees_of_freedom, extreme, mean, number, numbers, total, truth
from .shapes import axis_given, is_several, same, shape_of, spelled
from .shaping import diagonal, expand_dims, transpose


@array_function
def average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: Any = False) -> Any:
    """The mean with weights, `sum(a * weights) / sum(weights)`, of all elements or along axes.

    The weights have the shape of the array, or are a vector along the axis that is named. Without them it is the mean.
    """
    v = _numbers(a, "average")
    if weights is None:
        return mean(v, axis, keepdims=keepdims)
    shape, w = shape_of(v.type), _numbers(weights, "average")
    own = shape_of(w.type)
    if same(own, shape):
        scale = total(w, axis, keepdims, None)
    elif len(own) == 1 and axis is not None and not is_several(axis):
        scale = total(w, None, False, None)
        w = w[(slice(None), *[None] * (len(shape) - 1 - axis_given(axis, len(shape))))]
    else:
        what = f"rose.average takes weights of the shape of the array, {spelled(shape)}, not {spelled(own)}"
        raise TypeMismatch(what, here(), "give a vector of them, and the axis along which it lies, or one for each")
    return total(v * w, axis, keepdims, None) / scale


@array_function
def ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The largest element less the smallest one ("peak to peak"), of all elements or along axes."""
    v = numbers(a, "ptp")
    return extreme(v, "max", axis, keepdims, None) - extreme(v, "min", axis, keepdims, None)


@array_function
def percentile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The quantile of a share in percent: `percentile(a, 25)` is `quantile(a, 0.25)`; of several, along a new axis."""
    return quantiles(a, q, axis, keepdims, "percentile", 100.0)


@array_function
def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    """The covariances of variables, the rows of a matrix (its columns with `rowvar=False`): a matrix; of one, a number.

    They are sums of products of distances from the means, over the number of samples less 1, or less `ddof`; over that
    number itself with `bias=True`. `y` has further variables, of the same samples.
    """
    rows = _variables(m, rowvar)
    rows = rows if y is None else vstack([rows, _variables(y, rowvar)])
    variables, n = shape_of(rows.type)
    less = int(not bias) if ddof is None else whole(ddof, "ddof", "rose.cov")
    apart = rows - mean(rows, 1, keepdims=True)
    found = matmul(apart, transpose(apart)) * (1.0 / degrees_of_freedom([n], less))
    return found if differ(variables, 1) else found[0, 0]


def _variables(x: Any, rowvar: Any) -> Value:
    """Samples as a matrix whose rows are variables."""
    v = _numbers(x, "cov")
    rank = len(shape_of(v.type))
    if rank > 2:
        raise TypeMismatch(f"rose.cov takes a vector or a matrix, not {a_traced(v)}", here(), "write x[k] for a part")
    return expand_dims(v, 0) if rank == 1 else v if rowvar else transpose(v)


@array_function
def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """The correlations of variables: their covariances, over the roots of both variances; of one variable, 1."""
    c = cov(x, y, rowvar)
    if not shape_of(c.type):
        return c / c
    deviation = each(ops.sqrt, diagonal(c))
    return each(ops.clip, c / deviation[:, None] / deviation, -1.0, 1.0)


@array_function
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """How many elements are not 0, or hold, as a number: of all elements or along axes."""
    return total(each(truth, numbers(a, "count_nonzero")), axis, keepdims, None)


@array_function
def nansum(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The sum of the elements that are not nan, of all or along axes. A nan contributes nothing to a derivative."""
    return total(_without_nan(_numbers(a, "nansum"), 0.0), axis, keepdims, None)


@array_function
def nanmean(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The mean of the elements that are not nan, of all or along axes; nan if there is none."""
    v = _numbers(a, "nanmean")
    count = total(each(ops.eq, v, v), axis, keepdims, None)
    return total(_without_nan(v, 0.0), axis, keepdims, None) / count


@array_function
def nanmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The smallest element that is not nan, of all or along axes; nan if there is none."""
    return _nan_extreme(_numbers(a, "nanmin"), "min", axis, keepdims)


@array_function
def nanmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The largest element that is not nan, of all or along axes; nan if there is none."""
    return _nan_extreme(_numbers(a, "nanmax"), "max", axis, keepdims)


def _nan_extreme(v: Value, name: str, axis: Any, keepdims: Any) -> Any:
    found = extreme(_without_nan(v, math.inf if name == "min" else -math.inf), name, axis, keepdims, None)
    return each(select, all_(each(ops.ne, v, v), axis, keepdims=keepdims), math.nan, found)


def _without_nan(v: Value, instead: float) -> Value:
    """The array with a number in the place of each nan."""
    return each(select, each(ops.ne, v, v), instead, v)


def _numbers(x: Any, name: str) -> Value:
    """An argument as an array of numbers: a condition counts as 1 or 0."""
    return each(number, numbers(x, name))
