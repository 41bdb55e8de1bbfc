"""The operations of Penrose's graphs, with the derivatives that its engine gives them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import rose
from rose import Real
from rose.ir.value import OPS

SMALLEST = 1e-5  # a square root counts as no less, where it is divided by


@rose.fn
def sqrt_eps(x: Real) -> Real:
    """A square root whose derivative is finite everywhere."""
    return rose.sqrt(x)


@sqrt_eps.jvp
def _(x: Any) -> Any:
    y = rose.sqrt(x.re)
    return rose.Dual(y, x.du * (0.5 / rose.select(y < SMALLEST, SMALLEST, y)))


def larger(x: Any, y: Any) -> Any:
    """The larger one, and its derivative; at a tie, those of the second."""
    return rose.select(x > y, x, y)


def smaller(x: Any, y: Any) -> Any:
    return rose.select(x < y, x, y)


def _fold(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *xs: reduce(f, xs)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sq": lambda x: x * x,
    "inv": lambda x: 1.0 / x,
    "abs": rose.abs,
    "sqrt_eps": sqrt_eps,
    "sqrt": rose.sqrt,
    "max": larger,
    "min": smaller,
    "addN": _fold(lambda x, y: x + y),
    "maxN": _fold(larger),
    "minN": _fold(smaller),
    "sin": rose.sin,
    "cos": rose.cos,
    "tan": rose.tan,
    "atan": rose.atan,
    "acos": rose.acos,
    "exp": rose.exp,
    "log": rose.log,
    "atan2": rose.atan2,
    "pow": rose.pow,
    "floor": rose.floor,
    "sign": rose.sign,
    "gt": lambda x, y: x > y,
    "lt": lambda x, y: x < y,
    "ge": lambda x, y: x >= y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "not": lambda x: ~x,
    "select": rose.select,
}


def _value(name: str) -> Callable[..., Any]:
    """The value of an operation of ours, of numbers: with the bits of compiled code."""
    return OPS[name].eval or getattr(rose, name)


_SAME = "add sub mul div neg abs sqrt sin cos tan atan acos exp log atan2 pow floor sign lt le eq and or xor not select"
VALUES: dict[str, Callable[..., Any]] = {
    **{name: _value(name) for name in _SAME.split()},
    "sq": lambda x: x * x,
    "inv": lambda x: _value("div")(1.0, x),
    "sqrt_eps": _value("sqrt"),
    "max": lambda x, y: x if x > y else y,
    "min": lambda x, y: x if x < y else y,
    "addN": _fold(lambda x, y: x + y),
    "maxN": _fold(lambda x, y: x if x > y else y),
    "minN": _fold(lambda x, y: x if x < y else y),
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}

CONDITIONS = frozenset(("gt", "lt", "ge", "le", "eq", "and", "or", "xor", "not", "truth"))
FLAT = CONDITIONS | {"floor", "sign", "const"}  # whose derivative is 0
UNBOUNDED = frozenset(
    ("div", "inv", "sqrt", "sqrt_eps", "tan", "acos", "exp", "log", "atan2", "pow")
)  # it is, or its derivative, or nan
