"""Reductions that pass over nan, by NumPy's names: those of the elements that are numbers, which is a `where`.

A nan contributes nothing to a derivative.
"""

from __future__ import annotations

import math
from typing import Any

from ...ir import Value, current_builder, ops
from ...ir.ops import select
from ...ir.sizes import at_most
from ..operators import view
from ..ranges import as_index_below
from . import reductions, running
from .elementwise import array_function, each
from .joining import stack
from .kinds import averaged_as, summed_as
from .order import flattened, several_shares, shares_given, sort
from .reductions import any_, argmax, argmin, extreme, held, masked, number, numbers, product, root, total, truth
from .shapes import as_array, shape_of
from .shaping import expand_dims, moved


def _given(x: Any, name: str, where: Any) -> tuple[Value, Value]:
    """An argument as an array of numbers, and which of them count."""
    v = each(number, numbers(x, name, single=True))
    there = each(ops.eq, v, v)
    return v, there if where is True else each(_both, there, where)


def _both(there: Value, where: Any) -> Value:
    return there & truth(where) if isinstance(where, Value) else there & where


@array_function
def nansum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """The sum of the elements that are not nan, of all or along axes. A nan contributes nothing to a derivative."""
    v, there = _given(summed_as(a, dtype, "nansum"), "nansum", where)
    return total(v, axis, keepdims, initial, there)


@array_function
def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """The product of the elements that are not nan, of all or along axes."""
    v, there = _given(summed_as(a, dtype, "nanprod"), "nanprod", where)
    return product(v, axis, keepdims, initial, there)


@array_function
def nanmean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any = True) -> Any:
    """The mean of the elements that are not nan, of all or along axes; nan if there is none."""
    v, there = _given(averaged_as(a, dtype, "nanmean"), "nanmean", where)
    return total(v, axis, keepdims, None, there) / held(v, there, axis, keepdims)


@array_function
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The variance of the elements that are not nan, of all or along axes; nan if there are no more than `ddof`."""
    return _variance(averaged_as(a, dtype, "nanvar"), "nanvar", axis, (ddof, correction), keepdims, where, mean)


@array_function
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    """The standard deviation of the elements that are not nan: the root of `nanvar`; its derivatives at 0 are 0."""
    found = _variance(averaged_as(a, dtype, "nanstd"), "nanstd", axis, (ddof, correction), keepdims, where, mean)
    return each(root, found)


def _variance(x: Any, name: str, axis: Any, degrees: tuple[Any, Any], keepdims: Any, where: Any, mean: Any) -> Value:
    v, there = _given(x, name, where)
    less = reductions.degrees_less(*degrees, name)
    found = reductions.variance_where(v, axis, less, keepdims, there, mean)
    return each(select, held(v, there, axis, keepdims) > less, found, math.nan)


@array_function
def nanmin(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The smallest element that is not nan, of all or along axes; nan if there is none."""
    return _extreme(a, "min", axis, keepdims, initial, where)


@array_function
def nanmax(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The largest element that is not nan, of all or along axes; nan if there is none."""
    return _extreme(a, "max", axis, keepdims, initial, where)


def _extreme(a: Any, name: str, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    v, there = _given(a, f"nan{name}", where)
    if initial is not None or where is not True:
        return extreme(v, name, axis, keepdims, initial, there)
    found = extreme(masked(v, there, _worst(name)), name, axis, keepdims)
    return each(select, any_(there, axis, keepdims=keepdims), found, math.nan)


def _worst(name: str) -> float:
    return math.inf if name == "min" else -math.inf


@array_function
def nanargmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The index of the first of the smallest elements that are not nan; 0 if there is none, where NumPy raises."""
    v, there = _given(a, "nanargmin", True)
    return argmin(masked(v, there, math.inf), axis, keepdims=keepdims)


@array_function
def nanargmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The index of the first of the largest elements that are not nan; 0 if there is none, where NumPy raises."""
    v, there = _given(a, "nanargmax", True)
    return argmax(masked(v, there, -math.inf), axis, keepdims=keepdims)


@array_function
def nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The running sum of the elements that are not nan."""
    v, there = _given(summed_as(a, dtype, "nancumsum"), "nancumsum", True)
    return running.cumsum(masked(v, there, 0.0), axis)


@array_function
def nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The running product of the elements that are not nan."""
    v, there = _given(summed_as(a, dtype, "nancumprod"), "nancumprod", True)
    return running.cumprod(masked(v, there, 1.0), axis)


@array_function
def nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The median of the elements that are not nan; nan if there is none."""
    return _quantiles(a, 0.5, axis, keepdims, "nanmedian", 1.0)


@array_function
def nanquantile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The quantile of the elements that are not nan, between neighbours along a line; nan if there is none."""
    return _quantiles(a, q, axis, keepdims, "nanquantile", 1.0)


@array_function
def nanpercentile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The quantile of a share in percent of the elements that are not nan."""
    return _quantiles(a, q, axis, keepdims, "nanpercentile", 100.0)


def _quantiles(a: Any, q: Any, axis: Any, keepdims: Any, name: str, most: float) -> Any:
    shares = shares_given(q, name, most)
    v, k, gone = flattened(a, axis, name)
    last, b = len(shape_of(v.type)) - 1, current_builder()
    rows = moved(as_array(sort(v, k)), k, last)

    def nest(v: Value, depth: int, share: float) -> Value:
        if not depth:
            return _at_share(v, share)
        return b.vec(shape_of(v.type)[0], lambda i: nest(b.index(v, i), depth - 1, share))

    found = [nest(rows, last, share / most) for share in shares]
    found = [expand_dims(y, gone) if keepdims and gone else y for y in found]
    return stack(found) if several_shares(q) else view(found[0])


def _at_share(row: Value, share: float) -> Value:
    """The number at a share of the way through the sorted ones that are not nan, which are the first."""
    b, (n,) = current_builder(), shape_of(row.type)
    if not at_most(1, n):
        return b.lift(math.nan)
    count = total(each(ops.eq, row, row))
    at = ops.max_(share * (count - 1.0), 0.0)
    low = ops.floor(at)
    high = ops.min_(low + 1.0, ops.max_(count - 1.0, 0.0))
    down, up = [b.index(row, as_index_below(ops.stop_gradient(k), n)) for k in (low, high)]
    part = at - low
    between = select(part == 0.5, (down + up) * 0.5, select(part == 0.0, down, down + (up - down) * part))
    return select(count == 0.0, math.nan, between)
