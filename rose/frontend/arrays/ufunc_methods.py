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


def _method(name: str, f: Callable[..., Any], of: Any) -> Callable[..., Any]:
    bound: Any = partial(f, of)
    bound.__name__ = name
    return array_function(bound)


METHODS: dict[str, Callable[..., Any]] = {
    **{k: _method(k, _reduce, of) for k, of in [(f"{name}.reduce", of) for name, of in _REDUCTIONS.items()]},
    **{k: _method(k, _accumulate, of) for k, of in [(f"{name}.accumulate", of) for name, of in _RUNNING.items()]},
    **{k: _method(k, _outer, of) for k, of in [(f"{name}.outer", of) for name, of in _SYMBOLS.items()]},
}
