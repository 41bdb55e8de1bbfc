"""Functions of numbers, comparisons, choices, and conversions between kinds of numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import special
from ...frontend.arrays import kinds
from ...frontend.language.select import stop_gradient, where
from ...ir import ops
from ..equations import Equation, rule
from ..operands import Known, Operand, Truth, Word, traced
from .whole_numbers import differences, is_bool, maxima, minima, negatives, same, sums, wrapped

_ufunc: Any = np  # its functions take traced values

UNARY: dict[str, Callable[[Any], Any]] = {
    "sin": ops.sin, "cos": ops.cos, "tan": ops.tan, "asin": ops.asin, "acos": ops.acos, "atan": ops.atan,
    "sinh": ops.sinh, "cosh": ops.cosh, "tanh": ops.tanh, "asinh": ops.asinh, "acosh": ops.acosh, "atanh": ops.atanh,
    "exp": ops.exp, "exp2": ops.exp2, "expm1": ops.expm1, "log": ops.log, "log1p": ops.log1p, "sqrt": ops.sqrt,
    "cbrt": ops.cbrt, "logistic": ops.sigmoid, "floor": ops.floor, "ceil": ops.ceil,
    "erf": ops.erf, "erfc": ops.erfc, "lgamma": ops.lgamma, "erf_inv": special.erfinv, "digamma": special.digamma,
    "bessel_i0e": special.i0e, "bessel_i1e": special.i1e, "rsqrt": lambda x: 1.0 / ops.sqrt(x),
    "conj": lambda x: x.conj(), "stop_gradient": stop_gradient,
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "atan2": ops.atan2, "polygamma": special.polygamma, "zeta": special.zeta, "igamma": special.gammainc,
    "igammac": special.gammaincc,
}  # fmt: skip
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
ORDERS = {"lt_to": operator.lt, "le_to": operator.le, "eq_to": operator.eq}
SAME = ("copy", "copy_p", "optimization_barrier", "name", "device_put", "layout_constraint", "sharding_constraint",
        "reshard", "pvary", "reduce_precision", "tie")  # fmt: skip


@rule(*UNARY)
def _unary(e: Equation, x: Any) -> Any:
    return UNARY[e.name](x)


@rule(*BINARY)
def _binary(e: Equation, x: Any, y: Any) -> Any:
    return BINARY[e.name](x, y)


@rule(*SAME, "stage", raw=True)
def _same(e: Equation, *xs: Operand) -> list[Operand]:
    return list(xs[: len(e.outs)])


@rule("add", "add_any")
def _add(e: Equation, x: Any, y: Any) -> Any:
    return wrapped(e, x + y, sums, x, y)


@rule("sub")
def _sub(e: Equation, x: Any, y: Any) -> Any:
    return wrapped(e, x - y, differences, x, y)


@rule("neg")
def _neg(e: Equation, x: Any) -> Any:
    return wrapped(e, -x, negatives, x)


@rule("div", note="whole numbers over 0")
def _div(e: Equation, x: Any, y: Any) -> Any:
    if e.kind not in "iu":
        return x / y
    return ops.trunc(x / y)


@rule("rem", raw=True)
def _rem(e: Equation, x: Operand, y: Operand) -> Any:
    if x.__class__ is Word and x.bits > 53 and y.__class__ is Known and y.array.size == 1:
        return _rest_of_word(e, x, int(y.array.flat[0]))
    x, y = traced(x), traced(y)
    return e.remember(_ufunc.fmod(x, y), _below(e, y))


def _rest_of_word(e: Equation, x: Word, n: int) -> Any:
    """What a number of 64 bits leaves, by its halves: all products of remainders are exact."""
    if not 0 < n <= 2**26:
        raise e.refused(f"a number of 64 bits by {n}", "use numbers of 32 bits, or a smaller range")
    high, low = x.low
    rest = _ufunc.fmod(_ufunc.fmod(high, float(n)) * float(2**32 % n) + low, float(n))
    return e.remember(rest, (0, n - 1))


def _below(e: Equation, y: Any) -> tuple[int, int] | None:
    """The range of a remainder, of a divisor that is known."""
    if e.kind not in "iu" or not isinstance(y, (int, float)):
        return None
    n = int(abs(y)) - 1
    return (0 if e.kind == "u" else -n, n)


@rule("max")
def _max(e: Equation, x: Any, y: Any) -> Any:
    return wrapped(e, _ufunc.maximum(x, y), maxima, x, y)


@rule("min")
def _min(e: Equation, x: Any, y: Any) -> Any:
    return wrapped(e, _ufunc.minimum(x, y), minima, x, y)


@rule("clamp")
def _clamp(e: Equation, low: Any, x: Any, high: Any) -> Any:
    return _ufunc.minimum(_ufunc.maximum(x, low), high)


@rule("abs")
def _abs(e: Equation, x: Any) -> Any:
    return abs(x)


@rule("sign")
def _sign(e: Equation, x: Any) -> Any:
    return ops.sign(x) if e.kind != "c" else _ufunc.sign(x)


@rule("pow")
def _pow(e: Equation, x: Any, y: Any) -> Any:
    return x**y


@rule("round")
def _round(e: Equation, x: Any) -> Any:
    if int(e.params["rounding_method"]) == 1:  # to even
        return ops.round_(x)
    whole = ops.trunc(x)
    return whole + where(abs(x - whole) >= 0.5, ops.sign(x), 0.0)


@rule("is_finite")
def _is_finite(e: Equation, x: Any) -> Any:
    return abs(x) < np.inf


@rule("real")
def _real(e: Equation, z: Any) -> Any:
    return z.real


@rule("imag")
def _imag(e: Equation, z: Any) -> Any:
    return z.imag


@rule("complex")
def _complex(e: Equation, x: Any, y: Any) -> Any:
    return x + 1j * y


@rule("regularized_incomplete_beta")
def _betainc(e: Equation, a: Any, b: Any, x: Any) -> Any:
    return special.betainc(a, b, x)


@rule("nextafter", note="numbers below the normal ones are as far apart as these")
def _nextafter(e: Equation, x: Any, y: Any) -> Any:
    """The neighbour, by a rounded sum: Rump, Zimmermann, Boldo and Melquiond, BIT 49 (2009), algorithm 3."""
    bits, least = (53, 2.0**-1074) if e.out.dtype.itemsize == 8 else (24, 2.0**-149)
    unit = 2.0**-bits
    by = stop_gradient(abs(x) * (unit * (1.0 + 2.0 * unit)) + least)
    return where(x < y, x + by, where(x > y, x - by, y + 0.0 * x))


@rule("igamma_grad_a", "random_gamma_grad", "igamma_grad_x", note="always")
def _derivatives(e: Equation, *_: Any) -> Any:
    raise e.refused("it has no meaning here", "differentiate by rose.grad(rose.from_jax(f)), not inside of JAX")


@rule(*COMPARISONS, *ORDERS, raw=True)
def _compare(e: Equation, x: Operand, y: Operand) -> Any:
    if x.__class__ is Truth and y.__class__ is Known and e.name in ("eq", "ne") and y.array.ndim == 0:
        holds = (y.array == 1) if e.name == "eq" else (y.array == 0)
        if y.array in (0, 1):
            return x.value if holds else ~x.value
    if e.kind in "iu" and (known := _decided(e, x, y)) is not None:
        return Known(np.full(e.out.shape, known))
    x, y = traced(x), traced(y)
    if e.kind == "b":
        return (x == y) if e.name == "eq" else (x != y) if e.name == "ne" else _of_truths(e, x, y)
    return (COMPARISONS.get(e.name) or ORDERS[e.name])(x, y)


def _of_truths(e: Equation, x: Any, y: Any) -> Any:
    return COMPARISONS[e.name](where(x, 1.0, 0.0), where(y, 1.0, 0.0))


def _decided(e: Equation, x: Operand, y: Operand) -> bool | None:
    """The answer of a comparison of whole numbers, if their ranges tell it."""
    a, b = e.range_of(x, e.ins[0]), e.range_of(y, e.ins[1])
    if a is None or b is None or e.name not in COMPARISONS:
        return None
    if a[1] < b[0]:
        return e.name in ("lt", "le", "ne")
    if a[0] > b[1]:
        return e.name in ("gt", "ge", "ne")
    if a[1] == b[0] and e.name in ("le", "gt"):
        return e.name == "le"
    if a[0] == b[1] and e.name in ("ge", "lt"):
        return e.name == "ge"
    return None


@rule("select_n", raw=True)
def _select_n(e: Equation, which: Operand, *cases: Operand) -> Operand:
    if which.__class__ is Known and which.array.size and (which.array == which.array.flat[0]).all():
        return cases[int(which.array.flat[0])]
    values = [traced(c) for c in cases]
    if e.kind == "b":
        picked = _chosen(e, traced(which), values[1], values[0])
    else:
        picked, k = values[-1], traced(which)
        for n in range(len(values) - 2, -1, -1):
            picked = _chosen(e, k <= n, values[n], picked)
    ranges = [e.range_of(c, a) for c, a in zip(cases, e.ins[1:], strict=True)] if e.out.dtype.kind in "iu" else [None]
    known = [r for r in ranges if r is not None]
    if len(known) == len(ranges):
        e.remember(picked, (min(a for a, _ in known), max(b for _, b in known)))
    return picked


def _chosen(e: Equation, c: Any, x: Any, y: Any) -> Any:
    """`x` where a condition holds, else `y`: also of truth values."""
    if not is_bool(e.out) or not all(isinstance(v, bool) for v in (x, y)):
        return where(c, x, y)
    return c if x and not y else ~c if y and not x else where(c, x, y)


@rule("convert_element_type", raw=True)
def _convert(e: Equation, x: Operand) -> Operand:
    to = e.out.dtype.kind
    if to == "b":
        return x.value if x.__class__ is Truth else x if e.kind == "b" else traced(x) != 0.0
    if e.kind == "b":
        return Truth(traced(x)) if to != "c" else where(traced(x), 1.0 + 0j, 0j)
    if x.__class__ is Truth and to != "c":
        return x
    v = traced(x)
    if to == "c":
        return v if e.kind == "c" else v + 0j
    if e.kind == "c":
        v = v.real
    if to == "f":
        return kinds.astype(v, float) if e.kind in "iu" else v
    return wrapped(e, v if e.kind in "iu" else ops.trunc(v), same, v if e.kind in "iu" else None)
