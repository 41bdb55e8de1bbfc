"""The methods of NumPy's ufuncs on traced values: `np.add.reduce`, `np.maximum.accumulate`, `np.subtract.outer`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...ir import Value
from ...ir.value import OPERATORS
from . import reductions, running
from .elementwise import array_function
from .reductions import numbers
from .shapes import as_array, shape_of
from .shaping import reshape

Reduction = Callable[..., Value]  # of an array, axes, keepdims, initial and where


def _extreme(name: str, x: Value, *options: Any) -> Value:
    return reductions.extreme(x, name, *options)


_REDUCTIONS: dict[str, Reduction] = {
    "add": reductions.total,
    "multiply": reductions.product,
    "maximum": partial(_extreme, "max"),
    "minimum": partial(_extreme, "min"),
    "logical_and": lambda x, axis, keepdims, _, where: reductions.all_(x, axis, keepdims=keepdims, where=where),
    "logical_or": lambda x, axis, keepdims, _, where: reductions.any_(x, axis, keepdims=keepdims, where=where),
}
_RUNNING = {
    "add": running.cumsum, "multiply": running.cumprod, "maximum": running.cummax, "minimum": running.cummin,
}  # fmt: skip
_SYMBOLS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "**"}


def _reduce(
    of: Reduction, array: Any, axis: Any = 0, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    return of(numbers(array, "reduce", single=True), axis, keepdims, initial, where)


def _accumulate(of: Callable[..., Any], array: Any, axis: Any = 0) -> Any:
    return of(array, axis)


def _outer(symbol: str, a: Any, b: Any) -> Any:
    """The operator between each element of the one and each of the other."""
    x, y = as_array(a), as_array(b)
    more = (1,) * len(shape_of(y.type))
    return OPERATORS[symbol](reshape(x, (*shape_of(x.type), *more)) if more else x, y)


METHODS: dict[str, Callable[..., Any]] = {
    **{f"{name}.reduce": array_function(partial(_reduce, of)) for name, of in _REDUCTIONS.items()},
    **{f"{name}.accumulate": array_function(partial(_accumulate, of)) for name, of in _RUNNING.items()},
    **{f"{name}.outer": array_function(partial(_outer, symbol)) for name, symbol in _SYMBOLS.items()},
}
