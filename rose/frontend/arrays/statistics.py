"""Statistics of samples: weighted means, ranges, percentiles, covariances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, current_builder, ops
from ...ir.sizes import differ
from .creation import filled, whole
from .elementwise import array_function, each
from .joining import vstack
from .kinds import averaged_as
from .order import quantiles
from .products import matmul
from .reductions import axes_of, degrees_of_freedom, extreme, mean, number, numbers, total, truth
from .shapes import Shape, as_array, axes_given, is_several, same, shape_of, spelled
from .shaping import diagonal, expand_dims, transpose


@array_function
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    """The mean with weights, `sum(a * weights) / sum(weights)`, of all elements or along axes.

    The weights have the shape of the array, or that of the axes that are named. Without them it is the mean. With
    `returned` it is a pair: the mean, and the sum of the weights.
    """
    v = _numbers(a, "average")
    shape = shape_of(v.type)
    w = filled(shape, current_builder().lift(1.0)) if weights is None else _numbers(weights, "average")
    if weights is None and not returned:
        return mean(v, axis, keepdims=keepdims)
    scale, w = _scale(w, shape, axis, keepdims)
    found = total(v * w, axis, keepdims) / scale
    if not returned:
        return found
    of_scale: Callable[[Value, Value], Value] = lambda _, s: s
    return found, each(of_scale, found, scale)


def _scale(w: Value, shape: Shape, axis: Any, keepdims: Any) -> tuple[Any, Any]:
    """The sum of weights along axes, and the weights as an array that broadcasts to one of this shape."""
    own, axes = shape_of(w.type), axes_of(axis, shape)
    if same(own, shape):
        return total(w, axis, keepdims), w
    if is_several(axis) and len(own) == len(axes):  # the axes of the weights are in the order that is named
        given = axes_given(axis, len(shape))
        w = transpose(w, [given.index(k) for k in axes])
        own = shape_of(w.type)
    if axis is not None and same(own, tuple([shape[k] for k in axes])):
        scale = total(w)
        return scale, w[tuple([slice(None) if k in axes else None for k in range(len(shape))])]
    what = f"rose.average takes weights of the shape of the array, {spelled(shape)}, not {spelled(own)}"
    raise TypeMismatch(what, here(), "give a vector of them, and the axis along which it lies, or one for each")


@array_function
def ptp(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The largest element less the smallest one ("peak to peak"), of all elements or along axes."""
    v = numbers(a, "ptp", single=True)
    return extreme(v, "max", axis, keepdims, None) - extreme(v, "min", axis, keepdims, None)


@array_function
def percentile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    """The quantile of a share in percent: `percentile(a, 25)` is `quantile(a, 0.25)`; of several, along a new axis."""
    return quantiles(a, q, axis, keepdims, "percentile", 100.0, method)


@array_function
def cov(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """The covariances of variables, the rows of a matrix (its columns with `rowvar=False`): a matrix; of one, a number.

    They are sums of products of distances from the means, over the number of samples less 1, or less `ddof`; over that
    number itself with `bias=True`. `y` has further variables, of the same samples. A sample counts `fweights` times,
    and has the weight `aweights`.
    """
    rows = averaged_as(_variables(m, rowvar), dtype, "cov")
    rows = rows if y is None else vstack([rows, _variables(y, rowvar)])
    variables, n = shape_of(rows.type)
    less = int(not bias) if ddof is None else whole(ddof, "ddof", "rose.cov")
    if fweights is not None or aweights is not None:
        found = _weighted(rows, less, fweights, aweights)
        return found if differ(variables, 1) else found[0, 0]
    apart = rows - mean(rows, 1, keepdims=True)
    found = matmul(apart, transpose(apart)) * (1.0 / degrees_of_freedom([n], less))
    return found if differ(variables, 1) else found[0, 0]


def _weighted(rows: Value, less: int, counts: Any, weights: Any) -> Any:
    """Covariances of samples that count so many times, and have weights."""
    one = current_builder().lift(1.0)
    of_samples = [one if w is None else _numbers(w, "cov") for w in (counts, weights)]
    for w in of_samples:
        if shape_of(w.type) and not same(shape_of(w.type), shape_of(rows.type)[1:]):
            what = f"rose.cov takes a weight for each of {shape_of(rows.type)[1]!r} samples, not {a_traced(w)}"
            raise TypeMismatch(what, here(), "give a vector of them")
    w = as_array(of_samples[0] * of_samples[1])
    of_all = total(w)
    over = of_all if weights is None else total(as_array(w * of_samples[1])) / of_all
    degrees = of_all - less * (1.0 if weights is None else over)
    apart = rows - expand_dims(total(as_array(rows * w), 1) / of_all, 1)
    return matmul(as_array(apart * w), transpose(apart)) / ops.max_(degrees, 0.0)


def _variables(x: Any, rowvar: Any) -> Value:
    """Samples as a matrix whose rows are variables."""
    v = _numbers(x, "cov")
    rank = len(shape_of(v.type))
    if rank > 2:
        raise TypeMismatch(f"rose.cov takes a vector or a matrix, not {a_traced(v)}", here(), "write x[k] for a part")
    return expand_dims(v, 0) if rank == 1 else v if rowvar else transpose(v)


@array_function
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """The correlations of variables: their covariances, over the roots of both variances; of one variable, 1."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not shape_of(c.type):
        return c / c
    deviation = each(ops.sqrt, diagonal(c))
    return each(ops.clip, c / deviation[:, None] / deviation, -1.0, 1.0)


@array_function
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """How many elements are not 0, or hold, as a number: of all elements or along axes."""
    return total(each(truth, numbers(a, "count_nonzero", single=True)), axis, keepdims, None)


def _numbers(x: Any, name: str) -> Value:
    """An argument as an array of numbers: a condition counts as 1 or 0."""
    return each(number, numbers(x, name, single=True))
