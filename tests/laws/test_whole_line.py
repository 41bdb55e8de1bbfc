"""The functions of the library over the whole line: a number where mathematics has one, nan and infinity where C has.

`test_libm_accuracy.py` measures them where they are defined. Here the arguments are any numbers: of any size and sign,
subnormal, whole, half of a whole, infinite, nan, beside poles and zeros. The reference is mpmath; where an argument or
the result is no number, or the result is 0, it is NumPy, and for the gamma functions a rule. `ROSE_FUZZ=20000` takes so
many points for each function. NumPy's functions of elements are compared with NumPy's at special values.
"""

from __future__ import annotations

import itertools
import math
import operator
import os
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from libm_points import BORDERS, INF, NAN, arity, bits, double_of, is_single
from scipy import special

import rose
from rose import Bool, Real, Vec, fn
from rose.errors import Loc
from rose.frontend.arrays.ufuncs import MEANINGS
from rose.ir import OPS, Op, building
from rose.ir.libm import DOUBLE, SINGLE, function, nearest

mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed, so no value is known")
mp: Any = mpmath

MANY = int(os.environ.get("ROSE_FUZZ", "0")) or 200
NUMPYS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in (
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh", "cbrt",
        "hypot", "fmod",
    )},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "pow": lambda x, y: power_at(x, y),
    "erf": lambda x: math.erf(x), "erfc": lambda x: math.erfc(x),
    "tgamma": lambda x: gamma_at(x), "lgamma": lambda x: NAN if x != x else INF,
    "neg": np.negative, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "abs": np.abs,
    **{name: getattr(np, name) for name in ("sqrt", "sign", "floor", "ceil", "trunc", "copysign")}, "round": np.rint,
    "mod": np.remainder, "min": lambda x, y: smaller(x, y), "max": lambda x, y: -smaller(-x, -y),
    "clip": lambda x, y, z: smaller(-smaller(-x, -y), z), "stop_gradient": lambda x: x,
    "relu": lambda x: 0.0 if x <= 0.0 else x, "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "softplus": lambda x: np.logaddexp(0.0, x),
}  # fmt: skip
EXACT: dict[str, Callable[..., Any]] = {
    **{name: getattr(mp, name) for name in (
        "exp", "expm1", "log", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
        "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "hypot",
    )},
    "exp2": lambda x: mp.power(2, x), "log2": lambda x: mp.log(x, 2), "pow": mp.power,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "tgamma": mp.gamma, "lgamma": lambda x: mp.log(abs(mp.gamma(x))),
    "fmod": lambda x, y: mp.mpf(math.fmod(x, y)),
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    **{name: getattr(mp, name) for name in ("sqrt", "sign", "floor", "ceil")}, "abs": abs, "round": mp.nint,
    "trunc": lambda x: mp.sign(x) * mp.floor(abs(x)), "mod": lambda x, y: left_of(float(x), float(y)),
    "copysign": lambda x, y: abs(x) * mp.sign(y), "min": min, "max": max, "clip": lambda x, y, z: min(max(x, y), z),
    "stop_gradient": lambda x: x, "relu": lambda x: max(x, 0), "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: max(x, 0) + (mp.log1p(mp.exp(-abs(x))) if abs(x) < 1e4 else 0),
}  # fmt: skip

# The most units in the last place that a value may be wrong, in double and in single precision: elsewhere 0.8.
BARS = {
    "acos": (0.9, 0.9), "acosh": (1.8, 1.4), "asinh": (1.3, 1.3), "atan2": (1.4, 1.4), "atanh": (1.6, 1.6),
    "cosh": (1.1, 1.1), "erf": (0.9, 0.8), "erfc": (2.4, 2.4), "fmod": (0.0, 0.0), "hypot": (1.0, 0.9),
    "lgamma": (2.5, 3.3), "log10": (0.6, 0.9), "sinh": (1.7, 1.5), "tanh": (1.9, 1.7), "tgamma": (9.0, 0.8),
    "sigmoid": (2.0, 2.0), "softplus": (1.5, 1.5),
    **dict.fromkeys(("add", "sub", "mul", "div", "sqrt", "mod"), (0.5, 0.5)),
    **dict.fromkeys(("neg", "abs", "min", "max", "copysign", "sign", "floor", "ceil", "trunc", "round", "clip",
                     "relu", "stop_gradient"), (0.0, 0.0)),
}  # fmt: skip
BEYOND = {"sigmoid", "exp", "exp2", "expm1", "sinh", "cosh", "tanh", "erf", "erfc"}  # at 1e4 they are as at infinity


def smaller(x: float, y: float) -> float:
    """The smaller number, nan if either is, -0.0 of the zeros."""
    return NAN if x != x or y != y else min(x, y, key=lambda v: (v, math.copysign(1.0, v)))


def left_of(x: float, y: float) -> Any:
    """What is left of `x` divided by `y`, exactly, as of any sizes."""
    rest = Fraction(x) % Fraction(y)
    return mp.mpf(rest.numerator) / rest.denominator


def gamma_at(x: float) -> float:
    """Where the gamma function is no number: at its poles, and at infinity."""
    return math.copysign(INF, x) if x == 0.0 else INF if x == INF else NAN


def power_at(x: float, y: float) -> float:
    """Where a power is no number, or that of none: NumPy takes the root for `y = 0.5`, which C does not."""
    return math.pow(x, y) if y == 0.5 and not (math.isfinite(x) and x) else np.power(x, y)


def drawn(r: random.Random, single: bool) -> float:
    """A number of the whole line."""
    sign, least, most = r.choice([1.0, -1.0]), -150 if single else -1074, 128 if single else 1024
    x = r.choice([
        lambda: r.uniform(1.0, 2.0) * 2.0 ** r.randint(least, most - 1),
        lambda: r.uniform(1.0, 2.0) * 2.0 ** r.randint(-30, 60),
        lambda: r.uniform(0.0, 12.0),
        lambda: r.uniform(0.0, 200.0),
        lambda: r.randint(0, 400) / 2.0,
        lambda: float(2 ** r.randint(0, 70) + r.randint(-1, 1)),
        lambda: r.choice([0.0, INF, NAN, 5e-324, 2.0**-149, 2.0**-126, 2.0**-1022, 3.4028234663852886e38, 2.0**128]),
        lambda: r.choice(BORDERS) * (1.0 + r.choice([1, -1]) * 2.0 ** r.uniform(-24 if single else -53, -2)),
        lambda: r.choice(BORDERS) * (1.0 + r.choice([1, -1]) * 2.0 ** (-23 if single else -52)),
    ])()  # fmt: skip
    return sign * (nearest(x) if single else x)


def points(name: str, single: bool, count: int, many: int = MANY) -> list[tuple[float, ...]]:
    """Points of a function of `count` numbers; a second one may be the first, or a whole number of them."""
    r = random.Random(f"line {name}")
    out = list[tuple[float, ...]]()
    for _ in range(many):
        xs = [drawn(r, single) for _ in range(count)]
        if len(xs) == 2 and r.random() < 0.3:
            xs[0] = r.choice([xs[1], -xs[1], float(r.randint(-9, 9))])
        if name.startswith("pow") and r.random() < 0.5:
            xs[1] = float(r.choice([r.randint(-9, 9), r.randint(-9, 9) / 2.0]))
        out.append(tuple(xs))
    return out


def exact(name: str, xs: Sequence[float]) -> Any:
    """The exact value, a number of mpmath's; a float where that is nan, an infinity or a zero."""
    with np.errstate(all="ignore"):
        far = name in BEYOND and abs(xs[0]) > 1e4
        limit = float(NUMPYS[name](*[math.copysign(INF, x) if far else x for x in xs]))
        if far or 0.0 in xs or not all(map(math.isfinite, xs)) or name == "fmod":
            return limit
    large = max(map(abs, xs)) > 1e6
    try:
        with mp.workprec(1300 if large and name in ("sin", "cos", "tan") else 200):
            if large and name in ("tgamma", "lgamma"):
                return of_large(name, xs[0])
            y = EXACT[name](*map(mp.mpf, xs))
    except (ValueError, ZeroDivisionError):  # a pole
        return limit
    y = NAN if isinstance(y, mp.mpc) else 0.0 if y == 0 and name == "lgamma" else y
    if isinstance(y, float) and y == 0.0:
        return y
    return limit if y != y or y == 0 or mp.isinf(y) else y


def of_large(name: str, x: float) -> Any:
    """The gamma functions far from 0: Stirling's series, and a pole or 0 on the left."""
    if x.is_integer() and x < 0.0:
        return NAN if name == "tgamma" else INF
    if name == "tgamma":
        return INF if x > 0.0 else math.copysign(0.0, 1.0 if math.floor(x) % 2 == 0 else -1.0)
    if x > 0.0:
        return mp.loggamma(x)
    t = mp.mpf(x)
    return mp.log(mp.pi / abs(mp.sin(mp.pi * t))) - mp.loggamma(1 - t)


def error(of: str, xs: Sequence[float], got: float, *, single: bool) -> float:
    """How far a value is from the exact one, in units of the last place; infinity if it is of another kind or sign."""
    y = exact(of, xs)
    if isinstance(y, float) and (y == 0.0 or not math.isfinite(y)):
        return 0.0 if bits(got) == bits(y) else INF
    least, digits, most = (-149, 24, 128) if single else (-1074, 53, 1024)
    with mp.workprec(200):
        size = max(abs(y), 16) if of == "lgamma" and xs[0] < 0.0 else abs(y)  # beside its negative roots it cancels
        unit = mp.mpf(2) ** max(int(mp.floor(mp.log(size, 2))) - digits + 1, least)
        if got != got or (math.copysign(1.0, got) != mp.sign(y) and of != "lgamma"):
            return INF
        at = mp.mpf(2) ** most * mp.sign(y) if math.isinf(got) else got
        return 0.0 if math.isinf(got) and abs(y) > abs(at) else float(abs(y - at) / unit)


def bar_of(of: str, single: bool) -> float:
    return BARS.get(of, (0.8, 0.8))[single]


def of_reals(op: Op) -> int:
    """How many numbers a row takes; 0 if it takes something else."""
    with building("x") as b:
        b.loc = Loc((lambda: None).__code__, -1)
        for count in (1, 2, 3):
            try:
                if op.eval is not None or op.expand is not None:
                    return count if op.type(*[b.param(Real) for _ in range(count)]) is not None else 0
            except TypeError:  # another number of arguments
                continue
    return 0


@pytest.mark.parametrize("name", [*DOUBLE, *SINGLE])
def test_a_function_is_right_on_the_whole_line(name: str):
    f, of, single = function(name), double_of(name), is_single(name)
    drawn = points(name, single, arity(name))
    wrong = [(xs, y, far) for xs in drawn if (far := error(of, xs, y := f(*xs), single=single)) > bar_of(of, single)]
    assert not wrong, wrong[:5]


# the rows of the table, in a module of either precision

ROWS = {op.name: (op, count) for op in OPS.values() if (count := of_reals(op)) and op.doc}
TRUTHFUL = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le}
TRUTHFUL["reached"] = lambda x: bits(x) != bits(-0.0)
OTHERWISE = {"itrunc"}  # an index


def test_each_row_of_numbers_has_a_reference_and_each_function_of_the_library_a_row():
    assert {op.library or name for name, (op, _) in ROWS.items()} == EXACT.keys() | TRUTHFUL.keys() | OTHERWISE
    assert EXACT.keys() == NUMPYS.keys() >= {*DOUBLE}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", sorted(ROWS.keys() - OTHERWISE))
def test_a_row_is_right_on_the_whole_line(name: str, single: bool):
    op, count = ROWS[name]
    drawn, of = points(name, single, count, max(MANY // 2, 20)), OPS[name].library or name
    some = fn([Vec[len(drawn)]] * count, Vec[len(drawn), Bool if name in TRUTHFUL else Real])
    f = some(lambda *xs: rose.vec(op(*[x[i] for x in xs]) for i in rose.range(len(drawn))))
    got = rose.compile(f, dtype="f32" if single else "f64")(*map(list, zip(*drawn, strict=True)))
    if name in TRUTHFUL:
        assert [*got] == [TRUTHFUL[name](*xs) for xs in drawn]
        return
    far = [error(of, xs, float(y), single=single) for xs, y in zip(drawn, got, strict=True)]
    wrong = [(xs, y, e) for xs, y, e in zip(drawn, got, far, strict=True) if e > bar_of(of, single)]
    assert not wrong, wrong[:5]


# NumPy's functions of elements

HARD = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, 710.0, -710.0, 1e300, -1e300, 5e-324, -1e-310]
OF_INDICES = {"floor_divide", "divmod", "left_shift", "right_shift", "ldexp", "gcd", "lcm"}
OF_ARRAYS = {"matmul", "select", "allclose", "matvec", "vecdot", "vecmat", "iscomplexobj", "isrealobj", "empty_like"}
SEVERAL = {"modf"}  # results
REDUCTIONS = {"amax", "amin", "max", "min", "nanmax", "nanmin", "maximum.reduce", "minimum.reduce"}
OF_SCIPY = {"lgamma", "gammaln"}  # are infinite at subnormals, there; the law above has them
UFUNCS = sorted(MEANINGS.keys() - OF_INDICES - OF_ARRAYS - REDUCTIONS - OF_SCIPY - SEVERAL)
ZEROS = {"maximum", "minimum", "fmax", "fmin", "clip"}  # 0.0 is above -0.0, as IEEE 754 has it; NumPy takes either
# in double precision always, there; and SciPy's is 0 where that is subnormal
OTHERS: dict[str, Any] = {
    "float_power": np.power,
    "i0": lambda x: np.where(abs(x) < 700.0, special.i0(x), special.iv(0, x)),  # NumPy's is infinite where exp is
    "expit": lambda x: np.where(x < 0.0, np.exp(x), 1.0) / (1.0 + np.exp(-np.abs(x))),
}
TRUTHS = {"bitwise_and", "bitwise_or", "bitwise_xor", "invert", "bitwise_not", "bitwise_invert"}  # of these alone


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", UFUNCS)
def test_a_function_of_numpys_is_its_own_at_special_values(name: str, single: bool):
    of: Any = OTHERS.get(name) or getattr(np, name, None) or getattr(special, name)
    kind, rtol = (np.float32, 2e-6) if single else (np.float64, 4e-15)
    hard = [True, False] if name in TRUTHS else [kind(x) for x in HARD]
    many = getattr(of, "nin", {"isclose": 2, "clip": 3}.get(name, 1))
    xs = [np.array(column) for column in zip(*itertools.product(hard, repeat=many), strict=True)]
    want, leaf = np.asarray(of(*xs)), Bool if name in TRUTHS else Real
    made = fn([Vec[len(xs[0]), leaf]] * many, Vec[want.size, Bool if want.dtype == bool else Real])
    f = rose.compile(made(lambda *x: MEANINGS[name](*x)), dtype="f32" if single else "f64")
    got, want = np.asarray(f(*xs), float), want.astype(float)
    same = np.isclose(got, want, rtol=rtol, atol=0.0, equal_nan=True)
    same &= (np.signbit(got) == np.signbit(want)) | (got != 0.0) | (name in ZEROS)
    wrong = [(*[x[k] for x in xs], got[k], want[k]) for k in np.flatnonzero(~same)]
    assert not wrong, wrong[:12]
