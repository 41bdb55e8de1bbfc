"""The elementary functions of complex numbers: exponentials, logarithms, roots, circular and hyperbolic functions.

Each is an expression of its parts, so its derivatives are those of the expression. Branch cuts are NumPy's, and a
number on one belongs to the side that the sign of its zero says. Where a formula of parts is nan and Annex G of C99
knows better, a choice takes that: `cis` and `over_zero` have most of them. The inverse functions are Kahan's (Branch
cuts for complex elementary functions, 1987), as in Python's `cmath`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...ir import Value, ops
from ...ir.ops import select
from .arithmetic import mul
from .parts import Parts, made, parts, promoted

INF = math.inf


def _is_finite(x: Value) -> Any:
    return x - x == 0.0


def _is_infinite(x: Value) -> Value:
    return ops.abs_(x) == INF


def _turned(z: Value) -> Value:
    """`1j * z`, without rounding."""
    a, b = parts(z)
    return made(-b, a)


def _turned_back(z: Value) -> Value:
    """`-1j * z`, without rounding."""
    a, b = parts(z)
    return made(b, -a)


def _or_zero(y: Value, size: Value, other: Value, zero: Value | None = None) -> Value:
    """The zero `y`, where it turns an infinite or unknown size; else the other, which there alone is nan."""
    return select((y == 0.0) & ~_is_finite(size), y if zero is None else zero, other)


def exp(z: Value) -> Value:
    """`exp(z)`: the real exponential, turned by the imaginary part."""
    x, y = parts(z)
    size, turns = ops.exp(x), _is_finite(y)
    cosine = select(turns, ops.cos(y), select(_is_infinite(x), 1.0, math.nan))
    sine = select(turns, ops.sin(y), select(x == -INF, 0.0, math.nan))
    return made(size * cosine, _or_zero(y, size, size * sine))


def expm1(z: Value) -> Value:
    """`exp(z) - 1`, exact where that is small."""
    x, y = parts(z)
    half = ops.sin(y * 0.5)
    return made(ops.expm1(x) * ops.cos(y) - 2.0 * half * half, ops.exp(x) * ops.sin(y))


def exp2(z: Value) -> Value:
    """2 to the power of `z`."""
    x, y = parts(z)
    return exp(made(x * math.log(2.0), y * math.log(2.0)))


def _log_of_length(x: Value, y: Value, square: Value) -> Value:
    """The logarithm of `hypot(x, y)`, where `square` is its square less 1: with all digits near 1."""
    length = ops.hypot(x, y)
    near = (length > 0.5) & (length < 2.0)
    return select(near, 0.5 * ops.log1p(select(near, square, 0.0)), ops.log(length))


def log(z: Value) -> Value:
    """The logarithm: of a negative number the imaginary part is pi, with the sign of its zero."""
    x, y = parts(z)
    flat = ops.abs_(x) > ops.abs_(y)
    large, small = select(flat, x, y), select(flat, y, x)
    square = (large - 1.0) * (large + 1.0) + small * small
    return made(_log_of_length(x, y, square), ops.atan2(y, x))


def log1p(z: Value) -> Value:
    """`log(1 + z)`, exact where that is small."""
    x, y = parts(z)
    return made(_log_of_length(1.0 + x, y, x * (2.0 + x) + y * y), ops.atan2(y, 1.0 + x))


def _log_to(base: float) -> Callable[[Value], Value]:
    def of(z: Value) -> Value:
        x, y = parts(log(z))
        return made(x * (1.0 / math.log(base)), y * (1.0 / math.log(base)))

    return of


def sqrt(z: Value) -> Value:
    """The square root whose real part is not below 0; on the cut, below 0, the sign of the zero says which."""
    return made(*_root(*parts(z)))


def _root(x: Value, y: Value) -> Parts:
    right, sign = x >= 0.0, ops.copysign(1.0, y)
    length = 0.5 * select(right, x, -x) + 0.5 * ops.hypot(x, y)
    large = ops.sqrt(select(_is_infinite(y), INF, length))
    small = select((large == 0.0) | _is_infinite(y), y, y / (2.0 * large))
    return select(right, large, small * sign), select(right, small, large * sign)


def pow_(z: Value, w: Value) -> Value:
    """`z ** w`, by the logarithm of `z`; 1 where `w` is 0, and 0 of 0 where `w` is above 0, else nan."""
    (a, b), (c, d) = promoted(z), promoted(w)
    of_none = (a == 0.0) & (b == 0.0)
    x, y = parts(exp(mul(made(c, d), log(made(select(of_none, 1.0, a), b)))))
    nothing = ops.sqrt(a * a + b * b)  # 0, with the derivative nan
    x = select(of_none, select((c > 0.0) & (d == 0.0), nothing, math.nan), x)
    y = select(of_none, select((c > 0.0) & (d == 0.0), nothing, math.nan), y)
    one = (c == 0.0) & (d == 0.0) & (of_none | ~_is_finite(x))
    return made(select(one, 1.0, x), select(one, 0.0, y))


# circular and hyperbolic functions


def sinh(z: Value) -> Value:
    """The hyperbolic sine."""
    x, y = parts(z)
    turns = _is_finite(y)
    cosine = select(turns, ops.cos(y), select((x == 0.0) | _is_infinite(x), 1.0, math.nan))
    return made(ops.sinh(x) * cosine, _or_zero(y, ops.cosh(x), ops.cosh(x) * ops.sin(y)))


def cosh(z: Value) -> Value:
    """The hyperbolic cosine."""
    x, y = parts(z)
    turns = _is_finite(y)
    cosine = select(turns, ops.cos(y), select(_is_infinite(x), 1.0, math.nan))
    sine = select(turns, ops.sin(y), select(x == 0.0, 0.0, math.nan))
    size = ops.sinh(x)
    return made(ops.cosh(x) * cosine, _or_zero(y, size, size * sine, ops.copysign(1.0, x) * y))


LARGE = 20.0  # from where on the hyperbolic tangent rounds to 1


def tanh(z: Value) -> Value:
    """The hyperbolic tangent, by Kahan's method."""
    x, y = parts(z)
    far = ops.abs_(x) > LARGE
    u = select(far, 0.0, x)
    tangent, sine = ops.tan(y), ops.sinh(u)
    beta, rho = 1.0 + tangent * tangent, ops.sqrt(1.0 + sine * sine)
    below = 1.0 + beta * sine * sine
    turns = _is_finite(y)
    decay = ops.exp(select(far, -2.0 * ops.abs_(x), 0.0))
    small = select(turns, 4.0 * ops.sin(y) * ops.cos(y), ops.copysign(0.0, y)) * decay
    large = ops.copysign(1.0, x) * (1.0 - 2.0 * decay * select(turns, ops.cos(2.0 * y), 0.0))  # 1, and moves
    pole = tangent * 0.0 != 0.0  # where the tangent is infinite or nan
    re = select(pole, select(x == 0.0, x, tangent), beta * rho * sine / below)
    im = _or_zero(y, x, select(far, small, tangent / below))
    return made(select(far, large, re), im)


def sin(z: Value) -> Value:
    """The sine."""
    return _turned_back(sinh(_turned(z)))


def cos(z: Value) -> Value:
    """The cosine."""
    return cosh(_turned(z))


def tan(z: Value) -> Value:
    """The tangent."""
    return _turned_back(tanh(_turned(z)))


# their inverses


def _far(x: Value, y: Value) -> Value:
    return _is_infinite(x) | _is_infinite(y)


def _but_for_nan(x: Value, y: Value, known: Value | float, other: Value) -> Value:
    """What is known of a part where `x` is 0, and `y` nan."""
    return select((x == 0.0) & (y != y), known, other)


def asin(z: Value) -> Value:
    """The inverse sine: its cuts are on the real axis, beyond -1 and 1."""
    x, y = parts(z)
    (a, b), (c, d) = _root(1.0 - x, -y), _root(1.0 + x, y)
    re = select(_far(x, y), ops.atan2(x, ops.abs_(y)), ops.atan2(x, a * c - b * d))
    im = select(_far(x, y), ops.copysign(INF, y), ops.asinh(a * d - b * c))
    return made(_but_for_nan(x, y, x, re), im)


def acos(z: Value) -> Value:
    """The inverse cosine: its cuts are on the real axis, beyond -1 and 1."""
    x, y = parts(z)
    (a, b), (c, d) = _root(1.0 - x, -y), _root(1.0 + x, y)
    re = select(_far(x, y), ops.atan2(ops.abs_(y), x), 2.0 * ops.atan2(a, c))
    im = select(_far(x, y), -ops.copysign(INF, y), ops.asinh(c * b - d * a))
    return made(_but_for_nan(x, y, math.pi / 2.0, re), im)


def acosh(z: Value) -> Value:
    """The inverse hyperbolic cosine: its cut is on the real axis, below 1."""
    x, y = parts(z)
    (a, b), (c, d) = _root(x - 1.0, y), _root(x + 1.0, y)
    re = select(_far(x, y), INF, ops.asinh(a * c + b * d))
    im = select(_far(x, y), ops.atan2(y, x), 2.0 * ops.atan2(b, c))
    return made(re, _but_for_nan(x, y, math.pi / 2.0, im))


def asinh(z: Value) -> Value:
    """The inverse hyperbolic sine: its cuts are on the imaginary axis, beyond -1j and 1j."""
    return _turned_back(asin(_turned(z)))


def atanh(z: Value) -> Value:
    """The inverse hyperbolic tangent: its cuts are on the real axis, beyond -1 and 1."""
    x, y = parts(z)
    sign = ops.copysign(1.0, x)
    right = sign * x
    rest = (1.0 - right) * (1.0 - right) + y * y
    re = select(_far(x, y), 0.0, 0.25 * ops.log1p(4.0 * right / rest))
    im = 0.5 * ops.atan2(2.0 * y, (1.0 - right) * (1.0 + right) - y * y)
    im = select(_is_infinite(y), ops.copysign(math.pi / 2.0, y), select(_is_infinite(x), _quarter(y), im))
    return made(sign * _but_for_nan(x, y, 0.0, re), im)


def _quarter(y: Value) -> Value:
    """A quarter of a turn, with the sign of `y`; nan of nan."""
    return select(y == y, ops.copysign(math.pi / 2.0, y), y)


def atan(z: Value) -> Value:
    """The inverse tangent: its cuts are on the imaginary axis, beyond -1j and 1j."""
    return _turned_back(atanh(_turned(z)))


log2, log10 = _log_to(2.0), _log_to(10.0)
