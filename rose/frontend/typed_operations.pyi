"""The operations as type checkers see them: of numbers they are numbers, and with an array among them, arrays.

Made from the rows of `rose/ir/ops.py` by `pytest tests/types/test_operations.py --bless`.
"""

from typing import TypeVar

from .typed import AnyArray, AnyMap

_N = TypeVar("_N", float, AnyMap, AnyArray)

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fmod",
    "gamma",
    "hypot",
    "lgamma",
    "log",
    "log1p",
    "log2",
    "log10",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]

def acos(x: _N, /) -> _N:
    """The angle with this cosine, from 0 to pi."""

def acosh(x: _N, /) -> _N:
    """The number from 0 on with this hyperbolic cosine."""

def asin(x: _N, /) -> _N:
    """The angle with this sine, from -pi/2 to pi/2."""

def asinh(x: _N, /) -> _N:
    """The number with this hyperbolic sine."""

def atan(x: _N, /) -> _N:
    """The angle with this tangent, from -pi/2 to pi/2."""

def atan2(y: _N, x: _N, /) -> _N:
    """The angle of the point `(y, x)`, given as `atan2(y, x)`; its derivatives at (0, 0) are nan."""

def atanh(x: _N, /) -> _N:
    """The number with this hyperbolic tangent."""

def cbrt(x: _N, /) -> _N:
    """The cube root, of a negative number too."""

def ceil(x: _N, /) -> _N:
    """The whole number at or above."""

def clip(x: _N, y: _N, z: _N, /) -> _N:
    """The nearest number to `x` from `y` to `z`: at either, half of the derivative."""

def copysign(x: _N, y: _N, /) -> _N:
    """`x` with the sign of `y`; a nan counts as positive."""

def cos(x: _N, /) -> _N:
    """The cosine of an angle in radians."""

def cosh(x: _N, /) -> _N:
    """The hyperbolic cosine."""

def erf(x: _N, /) -> _N:
    """The error function."""

def erfc(x: _N, /) -> _N:
    """`1 - erf(x)`, exact where that is small."""

def exp(x: _N, /) -> _N:
    """e to the power of `x`."""

def exp2(x: _N, /) -> _N:
    """2 to the power of `x`."""

def expm1(x: _N, /) -> _N:
    """`exp(x) - 1`, exact near 0."""

def floor(x: _N, /) -> _N:
    """The whole number at or below."""

def fmod(x: _N, y: _N, /) -> _N:
    """What is left of `x` divided by `y`, with the sign of `x`."""

def gamma(x: _N, /) -> _N:
    """The gamma function: `(x - 1)!`."""

def hypot(x: _N, y: _N, /) -> _N:
    """The length of `(x, y)`; its derivatives at (0, 0) are 0."""

def lgamma(x: _N, /) -> _N:
    """The logarithm of `abs(gamma(x))`."""

def log(x: _N, /) -> _N:
    """The natural logarithm; -inf at 0, nan below."""

def log1p(x: _N, /) -> _N:
    """`log(1 + x)`, exact near 0."""

def log2(x: _N, /) -> _N:
    """The logarithm to base 2."""

def log10(x: _N, /) -> _N:
    """The logarithm to base 10."""

def relu(x: _N, /) -> _N:
    """`x` where it is above 0, else 0; its derivative at 0 is 0."""

def sigmoid(x: _N, /) -> _N:
    """`1 / (1 + exp(-x))`, exact on both sides."""

def sign(x: _N, /) -> _N:
    """1 above 0, -1 below, 0 at either zero, nan of nan; `copysign(1, x)` tells the zeros apart."""

def sin(x: _N, /) -> _N:
    """The sine of an angle in radians."""

def sinh(x: _N, /) -> _N:
    """The hyperbolic sine."""

def softplus(x: _N, /) -> _N:
    """`log(1 + exp(x))`, which overflows nowhere."""

def sqrt(x: _N, /) -> _N:
    """The square root; nan below zero."""

def tan(x: _N, /) -> _N:
    """The tangent of an angle in radians."""

def tanh(x: _N, /) -> _N:
    """The hyperbolic tangent."""

def trunc(x: _N, /) -> _N:
    """The whole number towards zero."""
