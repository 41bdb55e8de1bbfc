"""NumPy's functions of elements, its ufuncs, on traced values (NEP 13): `np.exp(x)`, `np.add(x, y)`, `array * x`.

`MEANINGS` has what each does, by NumPy's name: a row of the table, an operator, or an expression of them. It does with
arrays what it does with numbers. What is not in it is an error that names the nearest thing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here, is_augmented
from ...errors.numpy_names import by_numpys_name, of_library
from ...ir import OPS, Value, a_traced, current_builder, ops
from ...ir.value import OPERATORS
from ..operators import as_real
from .elementwise import each

_OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//",
    "remainder": "%", "mod": "%", "power": "**", "float_power": "**", "matmul": "@", "less": "<", "less_equal": "<=",
    "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "bitwise_and": "&", "logical_and": "&",
    "bitwise_or": "|", "logical_or": "|", "bitwise_xor": "^", "logical_xor": "^",
}  # fmt: skip


def _operator(symbol: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: OPERATORS[symbol](x, y)


def _of_one(symbol: str) -> Callable[[Any], Any]:
    return lambda x: OPERATORS[symbol](x, None)


def logaddexp(x: Any, y: Any) -> Any:
    """`log(exp(x) + exp(y))`, without overflow; the larger one, taken out, is a constant, as in `logsumexp`."""

    def of(x: Any, y: Any) -> Value:
        b = current_builder()
        x, y = [as_real(b.lift(v)) for v in (x, y)]
        high, low = ops.select(x > y, x, y), ops.select(x > y, y, x)
        most = ops.stop_gradient(high)
        shift = ops.select(abs(most) == math.inf, 0.0, most)
        sum_ = ops.log1p(ops.expm1(high - shift) + ops.exp(low - shift)) + shift
        return ops.select(most == -math.inf, b.lift(-math.inf), sum_)

    return each(of, x, y)


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """NumPy's `clip`: a bound that is left out, or None, does not bound."""
    low, high = [old if new is None else new for old, new in ((a_min, min), (a_max, max))]
    if low is None:
        return a if high is None else ops.min_(a, high)
    return ops.max_(a, low) if high is None else ops.clip(a, low, high)


MEANINGS: dict[str, Callable[..., Any]] = {
    **{name: OPS[ours] for name, ours in by_numpys_name().items() if ours in OPS},
    **{name: _operator(symbol) for name, symbol in _OPERATORS.items()},
    **{name: _of_one("~") for name in ("invert", "bitwise_not", "bitwise_invert", "logical_not")},
    **{name: _of_one("abs") for name in ("absolute", "abs", "fabs")},
    "negative": _of_one("neg"),
    "positive": lambda x: x,
    "conjugate": lambda x: x,
    "conj": lambda x: x,
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "isnan": lambda x: x != x,
    "isinf": lambda x: ops.abs_(x) == math.inf,
    "isfinite": lambda x: ops.abs_(x) < math.inf,
    "signbit": lambda x: ops.copysign(1.0, x) < 0.0,
    "degrees": lambda x: x * (180.0 / math.pi),
    "rad2deg": lambda x: x * (180.0 / math.pi),
    "radians": lambda x: x * (math.pi / 180.0),
    "deg2rad": lambda x: x * (math.pi / 180.0),
    "clip": clip,
    "logaddexp": logaddexp,
    "divmod": lambda x, y: (x // y, x % y),
}


def applied(name: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What the ufunc of that name makes of its inputs, one of which is traced; a TypeMismatch if it has no meaning."""
    if name in MEANINGS and (not named or _is_assignment(inputs, named)):
        return MEANINGS[name](*inputs)
    traced = next(x for x in inputs if isinstance(x, Value))
    what = f"{name} does not take {a_traced(traced)}: it is known only when the compiled function runs"
    if name in MEANINGS:
        what = f"{name} takes no {next(iter(named))} with {a_traced(traced)}"
    raise TypeMismatch(what, here(), of_library(name))


def _is_assignment(inputs: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """True of `array += x`, for an array of NumPy's: as of a traced one, it makes a new array and gives it the name."""
    return [*named] == ["out"] and named["out"][0] is inputs[0] and is_augmented(here())
