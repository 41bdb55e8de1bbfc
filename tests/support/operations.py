"""All that tests compare an operation with. A new operation has an entry in each of the tables here.

`MEANINGS` has what each means to a program that is run on Python numbers with their derivatives (`Num`): a value, and a
rule of a textbook for each argument. `ONE` and `MORE` have its function in mpmath, `MEANT` the bits of an expression of
other rows, and `MATHEMATICS` and `OF_TWO` how it stands in random programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import mpmath
import pytest
from precise_numbers import Both, dividing, precise

import rose
from rose.ir import OPS, Op
from rose.ir.columns import Columns
from rose.ir.libm import function

inf, nan = math.inf, math.nan
Function = Callable[..., Any]


def plant(monkeypatch: pytest.MonkeyPatch, op: Op, **columns: Any) -> None:
    """Let a row, which does not change, have other columns: a fault."""
    monkeypatch.setattr(Columns, "__setattr__", object.__setattr__)
    for name, column in columns.items():
        monkeypatch.setattr(op, name, column)


# numbers


class Num:
    """A number, and its tangent for the derivative `tag`; the tag 0 has none. A length is `of` some numbers."""

    __slots__ = ("du", "of", "re", "tag")

    def __init__(self, re: Any, du: Any = None, tag: int = 0, of: Any = ()) -> None:
        self.re, self.du, self.tag, self.of = re, du, tag, of

    def __repr__(self) -> str:
        return f"Num({number(self)!r})"

    def __add__(self, y: Any) -> Num:
        return add(self, y)

    def __radd__(self, x: Any) -> Num:
        return add(x, self)

    def __sub__(self, y: Any) -> Num:
        return sub(self, y)

    def __rsub__(self, x: Any) -> Num:
        return sub(x, self)

    def __mul__(self, y: Any) -> Num:
        if self.of and isinstance(y, Num) and number(self) == 0.0 and list(map(id, self.of)) == list(map(id, y.of)):
            return reduce(add, [x * x for x in self.of])  # smooth: see derivatives.md
        return mul(self, y)

    def __rmul__(self, x: Any) -> Num:
        return mul(x, self)

    def __truediv__(self, y: Any) -> Num:
        return div(self, y)

    def __rtruediv__(self, x: Any) -> Num:
        return div(x, self)

    def __mod__(self, y: Any) -> Num:
        return mod(self, y)

    def __rmod__(self, x: Any) -> Num:
        return mod(x, self)

    def __rpow__(self, x: Any) -> Num:
        return power(x, self)

    def __pow__(self, n: Any) -> Num:
        if isinstance(n, Num) or not float(n).is_integer():
            return power(self, n)
        n = int(n)
        out, square, k = None, self, abs(n)
        while k:
            if k & 1:
                out = square if out is None else out * square
            k >>= 1
            square = square * square if k else square
        product = lift(1.0) if out is None else out
        return 1.0 / product if n < 0 else product

    def __neg__(self) -> Num:
        return neg(self)

    def __pos__(self) -> Num:
        return self

    def __abs__(self) -> Num:
        return length(fabs(self), [self])

    def __eq__(self, y: Any) -> Truth:  # type: ignore[override]
        return Truth(number(self) == number(y))

    def __ne__(self, y: Any) -> Truth:  # type: ignore[override]
        return Truth(number(self) != number(y))

    def __lt__(self, y: Any) -> Truth:
        return Truth(number(self) < number(y))

    def __le__(self, y: Any) -> Truth:
        return Truth(number(self) <= number(y))

    def __gt__(self, y: Any) -> Truth:
        return Truth(number(self) > number(y))

    def __ge__(self, y: Any) -> Truth:
        return Truth(number(self) >= number(y))

    __hash__ = None  # type: ignore[assignment]


class Truth:
    """A truth value with the operators of a traced one."""

    __slots__ = ("yes",)

    def __init__(self, yes: Any) -> None:
        self.yes = yes.yes if isinstance(yes, Truth) else bool(yes)

    def __bool__(self) -> bool:
        return self.yes

    def __and__(self, y: Any) -> Truth:
        return Truth(self.yes and Truth(y).yes)

    def __or__(self, y: Any) -> Truth:
        return Truth(self.yes or Truth(y).yes)

    def __xor__(self, y: Any) -> Truth:
        return Truth(self.yes != Truth(y).yes)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Truth:
        return Truth(not self.yes)

    def __eq__(self, y: Any) -> Truth:  # type: ignore[override]
        return ~(self ^ y)

    def __ne__(self, y: Any) -> Truth:  # type: ignore[override]
        return self ^ y

    __hash__ = None  # type: ignore[assignment]


class Index(int):
    """An index: with integers it makes indices, with numbers it is one of them."""

    def _with(self, y: Any, whole: Callable[[int, int], int], real: Callable[[Any, Any], Any]) -> Any:
        return Index(whole(int(self), int(y))) if isinstance(y, int) and y >= 0 else real(lift(self), y)

    def __add__(self, y: Any) -> Any:
        return self._with(y, int.__add__, add)

    def __mul__(self, y: Any) -> Any:
        return self._with(y, int.__mul__, mul)

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, y: Any) -> Any:
        return sub(self, y)

    def __rsub__(self, x: Any) -> Any:
        return sub(x, self)

    def __truediv__(self, y: Any) -> Any:
        return div(self, y)

    def __floordiv__(self, y: Any) -> Any:
        return Index(int(self) // y)

    def __mod__(self, y: Any) -> Any:
        return Index(int(self) % y)

    def __lt__(self, y: Any) -> Any:
        return lift(self) < lift(y)

    def __le__(self, y: Any) -> Any:
        return lift(self) <= lift(y)

    def __gt__(self, y: Any) -> Any:
        return lift(self) > lift(y)

    def __ge__(self, y: Any) -> Any:
        return lift(self) >= lift(y)

    def __eq__(self, y: Any) -> Any:
        return lift(self) == lift(y)

    def __ne__(self, y: Any) -> Any:
        return lift(self) != lift(y)

    __hash__ = int.__hash__


def lift(x: Any) -> Num:
    return x if isinstance(x, Num) else Num(float(x))


def length(x: Num, of: Sequence[Any]) -> Num:
    """`x` again, as the length of a vector of these numbers."""
    return Num(x.re, x.du, x.tag, of)


def number(x: Any) -> float:
    """The primal of the primal: a float."""
    while isinstance(x, Num):
        x = x.re
    return float(x)


def _dual(re: Any, du: Any, tag: int) -> Any:
    return re if du is None else Num(re, du, tag)


def split(x: Any, tag: int) -> tuple[Any, Any]:
    """The primal and the tangent of `x` for a derivative."""
    return (x.re, x.du) if x.tag == tag else (x, None)


Rule = Callable[..., Any]


def row(value: Callable[..., float], *rules: Rule | None) -> Callable[..., Num]:
    """An operation on numbers: `value` on floats (or nan), and for each argument a rule d, xs -> tangent."""

    def op(*args: Any) -> Num:
        xs = [lift(x) for x in args]
        tag = max([x.tag for x in xs])
        if not tag:
            try:
                return Num(value(*[x.re for x in xs]))
            except (ArithmeticError, ValueError):
                return Num(nan)
        parts = [split(x, tag) for x in xs]
        primals = [re for re, _ in parts]
        du = None
        for (_, d), rule in zip(parts, rules, strict=True):
            if d is not None and rule is not None and (part := rule(d, *primals)) is not None:
                du = part if du is None else du + part
        return _dual(op(*primals), du, tag)

    return op


def _sign(x: Any) -> float:
    return math.copysign(1.0, number(x))


def _share(d: Any, x: Any, y: Any) -> Any:
    """The tangent of the one of two that wins: all if it is `x`, half at a tie."""
    return d if number(x) > number(y) else d * 0.5 if number(x) == number(y) else None


def _max(x: float, y: float) -> float:
    return x if x > y or (x == y and _sign(x) > 0.0) else y


def _copysign(x: Any, y: Any) -> Any:
    return abs(x) * _sign(y) if isinstance(x, Both) else math.copysign(x, y)


@cache
def libm(name: str) -> Callable[..., Any]:
    """A function of mathematics on floats, to the bits of musl; or on numbers of 50 digits."""
    known = NAMED.get(name, name)
    high = lambda *xs: (ONE[known] if known in ONE else MORE[known])[0](*xs)
    return precise(math.sqrt if name == "sqrt" else function(name), None if name == "fmod" else high)


NAMED = {"tgamma": "gamma"}  # of C, and of ours
add = row(lambda x, y: x + y, lambda d, x, y: d, lambda d, x, y: d)
sub = row(lambda x, y: x - y, lambda d, x, y: d, lambda d, x, y: -d)
mul = row(lambda x, y: x * y, lambda d, x, y: d * y, lambda d, x, y: x * d)
div = row(dividing, lambda d, x, y: d / y, lambda d, x, y: -(x * d) / (y * y))
neg = row(lambda x: -x, lambda d, x: -d)
sqrt = row(libm("sqrt"), lambda d, x: 0.5 * d / sqrt(x))
fabs = row(abs, lambda d, x: None if number(x) == 0.0 else d * _sign(x))
larger = row(_max, lambda d, x, y: _share(d, x, y), lambda d, x, y: _share(d, y, x))
smaller = row(lambda x, y: -_max(-x, -y), lambda d, x, y: _share(d, -x, -y), lambda d, x, y: _share(d, -y, -x))
copysign = row(_copysign, lambda d, x, y: None if number(x) == 0.0 else d * (_sign(x) * _sign(y)), None)
sign = row(lambda x: _sign(x) if x != 0.0 else 0.0, None)
floor = row(lambda x: math.copysign(math.floor(x), x), None)
ceil = row(lambda x: math.copysign(math.ceil(x), x), None)
trunc = row(lambda x: math.copysign(math.trunc(x), x), None)
nearest = row(lambda x: math.copysign(round(x), x), None)

# The values of mathematics are musl's; the derivatives are those of a textbook.

exp = row(libm("exp"), lambda d, x: d * exp(x))
exp2 = row(libm("exp2"), lambda d, x: d * exp2(x) * math.log(2.0))
expm1 = row(libm("expm1"), lambda d, x: d * exp(x))
log = row(libm("log"), lambda d, x: d / x)
log2 = row(libm("log2"), lambda d, x: d / (x * math.log(2.0)))
log10 = row(libm("log10"), lambda d, x: d / (x * math.log(10.0)))
log1p = row(libm("log1p"), lambda d, x: d / (1.0 + x))
sin = row(libm("sin"), lambda d, x: d * cos(x))
cos = row(libm("cos"), lambda d, x: -(d * sin(x)))
tan = row(libm("tan"), lambda d, x: d / (cos(x) * cos(x)))
asin = row(libm("asin"), lambda d, x: d / sqrt(1.0 - x * x))
acos = row(libm("acos"), lambda d, x: -d / sqrt(1.0 - x * x))
atan = row(libm("atan"), lambda d, x: d / (1.0 + x * x))
atan2 = row(libm("atan2"), lambda d, y, x: d * x / (x * x + y * y), lambda d, y, x: -d * y / (x * x + y * y))
sinh = row(libm("sinh"), lambda d, x: d * cosh(x))
cosh = row(libm("cosh"), lambda d, x: d * sinh(x))
tanh = row(libm("tanh"), lambda d, x: d / (cosh(x) * cosh(x)))
asinh = row(libm("asinh"), lambda d, x: d / sqrt(x * x + 1.0))
acosh = row(libm("acosh"), lambda d, x: d / sqrt(x * x - 1.0))
atanh = row(libm("atanh"), lambda d, x: d / (1.0 - x * x))
power = row(libm("pow"), lambda d, x, y: d * y * power(x, y - 1.0), lambda d, x, y: d * power(x, y) * log(x))
cbrt = row(libm("cbrt"), lambda d, x: d * cbrt(x) / (3.0 * x))
hypot = row(libm("hypot"), lambda d, x, y: d * x / hypot(x, y), lambda d, x, y: d * y / hypot(x, y))
erf = row(libm("erf"), lambda d, x: d * exp(-(x * x)) * (2.0 / math.sqrt(math.pi)))
erfc = row(libm("erfc"), lambda d, x: -d * exp(-(x * x)) * (2.0 / math.sqrt(math.pi)))
gamma = row(libm("tgamma"), lambda d, x: d * gamma(x) * polygamma(0)(x))
lgamma = row(libm("lgamma"), lambda d, x: d * polygamma(0)(x))
fmod = row(libm("fmod"), lambda d, x, y: d, lambda d, x, y: -d * round((number(x) - number(fmod(x, y))) / number(y)))
mod = row(
    precise(lambda x, y: x % y),
    lambda d, x, y: d,
    lambda d, x, y: -d * round((number(x) - number(mod(x, y))) / number(y)),
)
sigmoid = row(lambda x: _logistic(x), lambda d, x: d * sigmoid(x) * (1.0 - sigmoid(x)))
softplus = row(lambda x: max(x, 0.0) + libm("log1p")(_decay(x)), lambda d, x: d * sigmoid(x))
relu = row(lambda x: max(x, 0.0) + 0.0, lambda d, x: d if number(x) > 0.0 else None)


@cache
def polygamma(n: int) -> Callable[..., Num]:
    return row(
        precise(lambda x: float(mpmath.psi(n, x)), lambda x: mpmath.psi(n, x)), lambda d, x: d * polygamma(n + 1)(x)
    )


def _turns(x: Any, y: Any, rest: Any) -> int:
    return round((number(x) - number(rest)) / number(y))


def _decay(x: float) -> float:
    return libm("exp")(-abs(x))


def _logistic(x: float) -> float:
    return (1.0 if x >= 0.0 else _decay(x)) / (1.0 + _decay(x))


# The meaning of each operation, by its name in the table.
MEANINGS: dict[str, Callable[..., Num]] = {
    **{name: globals()[name] for name in OPS if name in globals()},
    "abs": lambda x: abs(lift(x)),
    "pow": power,
    "round": nearest,
}

# functions of mpmath


def _floored(x: Any, y: Any) -> Any:
    return x - y * mpmath.floor(x / y)


def _rest(x: Any, y: Any) -> Any:
    q = x / y
    return x - y * (mpmath.floor(q) if q >= 0 else mpmath.ceil(q))


def _middle(x: Any, y: Any, z: Any) -> Any:
    return min(max(x, y), z)


# name: the function in mpmath, and points at which it is smooth
ONE: dict[str, tuple[Function, tuple[float, ...]]] = {
    "neg": (lambda x: -x, (0.7,)),
    "sqrt": (mpmath.sqrt, (0.3, 7.0, 1e-8)),
    "abs": (abs, (0.3, -7.0)),
    "exp": (mpmath.exp, (-3.0, 0.0, 2.5)),
    "exp2": (lambda x: mpmath.mpf(2) ** x, (-3.0, 0.0, 2.5)),
    "expm1": (mpmath.expm1, (-3.0, 1e-9, 2.5)),
    "log": (mpmath.log, (0.1, 1.0, 30.0)),
    "log2": (lambda x: mpmath.log(x, 2), (0.1, 1.5, 30.0)),
    "log10": (mpmath.log10, (0.1, 1.5, 30.0)),
    "log1p": (mpmath.log1p, (-0.5, 1e-9, 30.0)),
    "sin": (mpmath.sin, (-1.0, 0.0, 2.5)),
    "cos": (mpmath.cos, (-1.0, 0.5, 2.5)),
    "tan": (mpmath.tan, (-1.0, 0.0, 2.5)),
    "asin": (mpmath.asin, (-0.9, 0.0, 0.5)),
    "acos": (mpmath.acos, (-0.9, 0.1, 0.5)),
    "atan": (mpmath.atan, (-3.0, 0.0, 0.5, 50.0)),
    "sinh": (mpmath.sinh, (-3.0, 0.0, 0.5)),
    "cosh": (mpmath.cosh, (-3.0, 0.1, 0.5)),
    "tanh": (mpmath.tanh, (-3.0, 0.0, 0.5)),
    "asinh": (mpmath.asinh, (-3.0, 0.0, 0.5)),
    "acosh": (mpmath.acosh, (1.25, 3.0, 50.0)),
    "atanh": (mpmath.atanh, (-0.9, 0.0, 0.5)),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (-3.0, 0.01, 8.0)),
    "erf": (mpmath.erf, (-1.5, 0.0, 0.5)),
    "erfc": (mpmath.erfc, (-1.5, 0.1, 3.0)),
    "gamma": (mpmath.gamma, (-1.4, 0.5, 4.5)),
    "lgamma": (lambda x: mpmath.log(abs(mpmath.gamma(x))), (-1.4, 0.5, 4.5)),
    "relu": (lambda x: max(x, mpmath.mpf(0)), (-0.5, 0.5)),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), (-8.0, 0.5, 3.0)),
    "softplus": (lambda x: mpmath.log(1 + mpmath.exp(x)), (-8.0, 0.5, 3.0)),
}
MORE: dict[str, tuple[Function, tuple[tuple[float, ...], ...]]] = {
    "add": (lambda x, y: x + y, ((0.3, 2.0),)),
    "sub": (lambda x, y: x - y, ((0.3, 2.0),)),
    "mul": (lambda x, y: x * y, ((0.3, 2.0),)),
    "div": (lambda x, y: x / y, ((0.3, 2.0), (0.0, -0.5))),
    "min": (min, ((0.3, 2.0),)),
    "max": (max, ((0.3, 2.0),)),
    "copysign": (lambda x, y: abs(x) * mpmath.sign(y), ((0.3, -2.0), (-0.3, -2.0))),
    "atan2": (mpmath.atan2, ((0.3, 2.0), (0.3, -2.0), (-3.0, 0.5))),
    "pow": (mpmath.power, ((0.3, 2.0), (2.5, -1.5), (1.0, 0.25), (23.0, 0.0))),
    "hypot": (mpmath.hypot, ((0.3, 2.0), (-3.0, 0.5))),
    "fmod": (_rest, ((7.3, 2.0), (-7.3, 2.0), (7.3, -2.0))),
    "mod": (_floored, ((7.3, 2.0), (-7.3, 2.0), (7.3, -2.0))),
    "clip": (_middle, ((0.3, -1.0, 2.0), (-3.0, -1.0, 2.0), (5.0, -1.0, 2.0))),
}

# expressions of other rows, to the bit


def _exact_mod(x: float, y: float) -> float:
    if y == 0.0 or math.isinf(x) or x != x or y != y:
        return nan
    if math.isinf(y) and x == 0.0:
        return math.copysign(x, y)
    return x % y


def _exact_clip(x: float, y: float, z: float) -> float:
    if x != x or y != y or z != z:
        return nan
    larger = rose.max(x, y)
    return rose.min(larger, z)


MEANT: dict[str, Callable[..., float]] = {
    "mod": _exact_mod,
    "clip": _exact_clip,
    "relu": lambda x: x if x > 0.0 or x != x else 0.0,
    "sigmoid": lambda x: (1.0 if x >= 0.0 else rose.exp(x)) / (1.0 + rose.exp(-abs(x))),
    "softplus": lambda x: (x if x >= 0.0 or x != x else 0.0) + rose.log1p(rose.exp(-abs(x))),
}

# random programs

# A function of mathematics of a number within 2, away from where it has no derivative; and its bound.
MATHEMATICS = (
    ("rose.exp({})", 8.0), ("rose.exp2({})", 4.0), ("rose.expm1({})", 8.0), ("rose.log(0.5 + {0} * {0})", 2.0),
    ("rose.log2(2.5 + {})", 3.0), ("rose.log10(0.25 + {0} * {0})", 1.0), ("rose.log1p({0} * {0})", 2.0),
    ("rose.sin({})", 1.0), ("rose.cos({})", 1.0), ("rose.tan(0.5 * {})", 2.0), ("rose.asin(0.375 * {})", 1.0),
    ("rose.acos(0.375 * {})", 3.0), ("rose.atan({})", 2.0), ("rose.sinh({})", 4.0), ("rose.cosh({})", 4.0),
    ("rose.tanh({})", 1.0), ("rose.asinh({})", 2.0), ("rose.acosh(1.5 + {0} * {0})", 3.0),
    ("rose.atanh(0.375 * {})", 1.0), ("rose.cbrt(0.5 + {0} * {0})", 2.0), ("rose.cbrt({} - 3.0)", 2.0),
    ("rose.erf({})", 1.0), ("rose.erfc({})", 2.0), ("rose.gamma(2.5 + 0.5 * {})", 4.0),
    ("rose.gamma(0.125 * {} - 0.5)", 5.0), ("rose.lgamma(2.5 + 0.5 * {})", 2.0),
    ("rose.lgamma(0.125 * {} - 1.5)", 2.0), ("rose.relu({})", 2.0), ("rose.sigmoid({})", 1.0),
    ("rose.sigmoid(-9.0 * {})", 1.0), ("rose.softplus({})", 3.0), ("rose.softplus(8.0 * {})", 17.0),
    ("((0.5 + {0} * {0}) ** 1.5)", 10.0), ("((1.5 + {0} * {0}) ** -0.25)", 1.0), ("(1.5 ** {})", 3.0),
    ("(rose.sin({}) % 0.375)", 1.0), ("({} % -1.5)", 2.0), ("rose.clip({}, -0.5, 0.75)", 1.0),
)  # fmt: skip

# The same of two numbers.
OF_TWO = (
    ("rose.atan2({0}, 0.5 + {1} * {1})", 2.0), ("rose.atan2(1.5 + {0} * {0}, {1})", 4.0),
    ("rose.hypot({0}, 0.5 + {1} * {1})", 8.0), ("rose.pow(0.5 + {0} * {0}, {1})", 24.0),
    ("((1.25 + {0} * {0}) ** {1})", 32.0), ("rose.fmod({0}, 0.75 + {1} * {1})", 2.0),
    ("({0} % (0.75 + {1} * {1}))", 5.0), ("({0} % (-0.75 - {1} * {1}))", 5.0), ("rose.clip({0}, {1} - 0.5, {1})", 2.5),
    ("rose.clip({0}, {1}, 1.0)", 2.0),
)  # fmt: skip
