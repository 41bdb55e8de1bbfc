"""How good the functions of the library are: special values as C has them, and errors in units of the last place.

The functions are run in Python: `test_link.py` shows that WebAssembly computes the same bits.
"""

import math
import random
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import pytest
from libm_points import INF, NAN, arity, bits, double_of, is_single, points

from rose.ir.libm import DOUBLE, SINGLE, function

pytestmark = pytest.mark.slow

ALL = [*DOUBLE, *SINGLE]
PI = math.pi

# Annex F of C, and what follows from it: argument -> result. A result that is not exact is compared to the last places.
ODD = [(0.0, 0.0), (-0.0, -0.0)]
SPECIAL: dict[str, list[tuple[float, float]]] = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (1000.0, INF), (-1000.0, 0.0)],
    "exp2": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (10.0, 1024.0), (-3.0, 0.125), (1e4, INF), (-1e4, 0.0)],
    "expm1": [*ODD, (INF, INF), (-INF, -1.0), (1000.0, INF), (-1000.0, -1.0)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF)],
    "log2": [(1.0, 0.0), (8.0, 3.0), (0.125, -3.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF)],
    "log10": [(1.0, 0.0), (1000.0, 3.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF)],
    "log1p": [*ODD, (-1.0, -INF), (-2.0, NAN), (-INF, NAN), (INF, INF)],
    "sin": [*ODD, (INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "tan": [*ODD, (INF, NAN), (-INF, NAN)],
    "asin": [*ODD, (1.0, PI / 2), (-1.0, -PI / 2), (1.5, NAN), (-1.5, NAN), (INF, NAN)],
    "acos": [(1.0, 0.0), (-1.0, PI), (0.0, PI / 2), (1.5, NAN), (-1.5, NAN), (-INF, NAN)],
    "atan": [*ODD, (INF, PI / 2), (-INF, -PI / 2)],
    "sinh": [*ODD, (INF, INF), (-INF, -INF), (1000.0, INF), (-1000.0, -INF)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (1000.0, INF), (-1000.0, INF)],
    "tanh": [*ODD, (INF, 1.0), (-INF, -1.0), (1000.0, 1.0), (-1000.0, -1.0)],
    "asinh": [*ODD, (INF, INF), (-INF, -INF)],
    "acosh": [(1.0, 0.0), (0.5, NAN), (-2.0, NAN), (-INF, NAN), (INF, INF)],
    "atanh": [*ODD, (1.0, INF), (-1.0, -INF), (1.5, NAN), (-1.5, NAN), (-INF, NAN), (INF, NAN)],
    "cbrt": [*ODD, (27.0, 3.0), (-8.0, -2.0), (INF, INF), (-INF, -INF)],
    "erf": [*ODD, (INF, 1.0), (-INF, -1.0), (30.0, 1.0)],
    "erfc": [(0.0, 1.0), (-0.0, 1.0), (-INF, 2.0), (INF, 0.0), (30.0, 0.0), (-30.0, 2.0)],
    "tgamma": [
        (0.0, INF), (-0.0, -INF), (1.0, 1.0), (2.0, 1.0), (5.0, 24.0), (-1.0, NAN), (-2.0, NAN), (-1e10, NAN),
        (-INF, NAN), (INF, INF), (200.0, INF), (-1000.5, -0.0), (-1001.5, 0.0),
    ],
    "lgamma": [
        (0.0, INF), (-0.0, INF), (1.0, 0.0), (2.0, 0.0), (-1.0, INF), (-2.0, INF), (-1e10, INF), (-INF, INF),
        (INF, INF),
    ],
}  # fmt: skip
_ATAN2 = [
    ((0.0, -0.0), PI), ((-0.0, -0.0), -PI), ((0.0, 0.0), 0.0), ((-0.0, 0.0), -0.0), ((0.0, -1.0), PI),
    ((-0.0, -1.0), -PI), ((0.0, 1.0), 0.0), ((-0.0, 1.0), -0.0), ((1.0, 0.0), PI / 2), ((-1.0, -0.0), -PI / 2),
    ((1.0, -INF), PI), ((-1.0, -INF), -PI), ((1.0, INF), 0.0), ((-1.0, INF), -0.0), ((INF, 1.0), PI / 2),
    ((-INF, 1.0), -PI / 2), ((INF, -INF), 3 * PI / 4), ((-INF, -INF), -3 * PI / 4), ((INF, INF), PI / 4),
    ((-INF, INF), -PI / 4), ((NAN, 1.0), NAN), ((1.0, NAN), NAN),
]  # fmt: skip
_POW = [
    ((0.0, -3.0), INF), ((-0.0, -3.0), -INF), ((0.0, -2.5), INF), ((-0.0, -2.0), INF), ((0.0, -INF), INF),
    ((-0.0, -INF), INF), ((0.0, 3.0), 0.0), ((-0.0, 3.0), -0.0), ((-0.0, 2.5), 0.0), ((-1.0, INF), 1.0),
    ((-1.0, -INF), 1.0), ((1.0, NAN), 1.0), ((1.0, INF), 1.0), ((NAN, 0.0), 1.0), ((INF, -0.0), 1.0),
    ((0.0, 0.0), 1.0), ((-2.0, 0.5), NAN), ((0.5, -INF), INF), ((2.0, -INF), 0.0), ((0.5, INF), 0.0),
    ((-2.0, INF), INF), ((-INF, -3.0), -0.0), ((-INF, -2.0), 0.0), ((-INF, 3.0), -INF), ((-INF, 2.0), INF),
    ((INF, -1.0), 0.0), ((INF, 1.0), INF), ((NAN, 1.0), NAN), ((2.0, NAN), NAN), ((-2.0, 3.0), -8.0),
    ((2.0, 10.0), 1024.0), ((4.0, 0.5), 2.0), ((10.0, 400.0), INF), ((10.0, -400.0), 0.0), ((-10.0, 401.0), -INF),
]  # fmt: skip
_HYPOT = [
    ((3.0, -4.0), 5.0), ((-0.0, -2.0), 2.0), ((2.0, 0.0), 2.0), ((-0.0, -0.0), 0.0), ((INF, NAN), INF),
    ((NAN, -INF), INF), ((-INF, 1.0), INF), ((NAN, 1.0), NAN), ((1.0, NAN), NAN),
]  # fmt: skip
_FMOD = [
    ((0.0, 3.0), 0.0), ((-0.0, 3.0), -0.0), ((3.0, 0.0), NAN), ((INF, 2.0), NAN), ((-INF, 2.0), NAN),
    ((3.0, INF), 3.0), ((-3.0, -INF), -3.0), ((5.5, 2.0), 1.5), ((-5.5, 2.0), -1.5), ((-4.0, 2.0), -0.0),
    ((NAN, 1.0), NAN), ((1.0, NAN), NAN),
]  # fmt: skip
SPECIAL_OF_TWO: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "atan2": _ATAN2,
    "pow": _POW,
    "hypot": _HYPOT,
    "fmod": _FMOD,
}


def special_values(name: str) -> list[tuple[tuple[float, ...], float]]:
    of = double_of(name)
    if of in SPECIAL_OF_TWO:
        return SPECIAL_OF_TWO[of]
    return [((x,), y) for x, y in [*SPECIAL[of], (NAN, NAN)]]


@pytest.mark.parametrize("name", ALL)
def test_special_values_are_those_of_c(name: str):
    f, wrong = function(name), list[str]()
    for xs, y in special_values(name):
        got = f(*xs)
        near = 0.0 if not math.isfinite(y) or y.is_integer() else 1e-7 if is_single(name) else 1e-15
        if bits(got) != bits(y) and not (near and math.isclose(got, y, rel_tol=near)):
            wrong.append(f"{name}{xs} is {got!r}, not {y!r}")
    assert not wrong


@pytest.mark.parametrize("name", ALL)
def test_nan_gives_nan(name: str):
    """But where no number in its place would matter: `pow(1, nan)`, `pow(nan, 0)` and `hypot(inf, nan)`, above."""
    for xs in product([NAN, 0.5, 3.0], repeat=arity(name)):
        if any([x != x for x in xs]):
            y = function(name)(*xs)
            assert y != y, xs


# accuracy

Draw = Callable[[random.Random], float]


def between(low: float, high: float) -> Draw:
    return lambda r: r.uniform(low, high)


def decades(low: float, high: float, signs: str = "+-") -> Draw:
    """Numbers from `10 ** low` to `10 ** high`, as many in each decade."""
    return lambda r: float(f"{r.choice(signs)}1") * 10 ** r.uniform(low, high)


def near(*centres: float, sides: str = "+-") -> Draw:
    """Numbers at any distance from these."""
    return lambda r: r.choice(centres) + float(f"{r.choice(sides)}1") * 10 ** r.uniform(-14, -1)


ZERO, EVERY = decades(-320, -1), decades(-320, 308)
INSIDE = near(1.0, sides="-")  # what asin and its like take at their border
POSITIVE = {"regular": between(0.01, 100), "one": near(1.0), "every": decades(-307, 308, "+")}
ANGLES = {"regular": between(-10, 10), "large": decades(1, 6), "huge": decades(6, 308)}
ANGLES |= {"zeros": near(*[k * PI / 2 for k in range(-20, 20)])}
HYPERBOLIC = {"regular": between(-20, 20), "zero": ZERO, "large": between(-709, 709)}
BOXES = {"regular": (between(-10, 10), between(-9, 11)), "every": (decades(-150, 150), decades(-150, 150))}

# name, how many units in the last place it may be wrong, and where; `acosh`, for one, is 1.71 wrong at 1.0077
TABLE: list[tuple[str, float, dict[str, Draw] | dict[str, tuple[Draw, Draw]]]] = [
    ("exp", 0.6, {"regular": between(-50, 50), "every": between(-708, 709), "subnormal": between(-745, -708.5)}),
    ("exp2", 0.6, {"regular": between(-50, 50), "every": between(-1022, 1023), "subnormal": between(-1074, -1022)}),
    ("expm1", 0.8, {"regular": between(-36, 50), "zero": ZERO, "every": between(-36, 709)}),
    ("log", 0.6, POSITIVE | {"subnormal": decades(-323, -308, "+")}),
    ("log2", 0.6, POSITIVE | {"subnormal": decades(-323, -308, "+")}),
    ("log10", 0.6, POSITIVE | {"subnormal": decades(-323, -308, "+")}),
    ("log1p", 0.8, {"regular": between(-0.9, 10), "zero": ZERO, "every": decades(-320, 308, "+")}),
    ("sin", 0.8, ANGLES),
    ("cos", 0.8, ANGLES),
    ("tan", 0.8, ANGLES),
    ("asin", 0.8, {"regular": between(-1, 1), "zero": ZERO, "border": INSIDE}),
    ("acos", 0.9, {"regular": between(-1, 1), "border": INSIDE}),
    ("atan", 0.8, {"regular": between(-10, 10), "every": EVERY}),
    ("atan2", 1.4, BOXES),
    ("sinh", 1.7, HYPERBOLIC),
    ("cosh", 1.1, HYPERBOLIC),
    ("tanh", 1.9, HYPERBOLIC),
    ("asinh", 1.3, HYPERBOLIC | {"every": EVERY}),
    ("acosh", 1.8, {"regular": between(1, 20), "border": near(1.0, sides="+"), "huge": decades(1, 308, "+")}),
    ("atanh", 1.6, {"regular": between(-1, 1), "zero": ZERO, "border": INSIDE}),
    ("pow", 0.6, {"regular": (between(0.1, 10), between(-30, 30)), "every": (decades(-300, 300, "+"), between(-1, 1))}),
    ("pow", 0.6, {"one": (near(1.0), between(-1e4, 1e4))}),
    ("cbrt", 0.7, {"regular": between(-100, 100), "every": EVERY}),
    ("hypot", 1.0, BOXES),
    ("erf", 0.9, {"regular": between(-6, 6), "zero": decades(-300, -1)}),
    ("erfc", 2.4, {"regular": between(-3, 3), "tail": between(3, 26)}),
    ("tgamma", 6.0, {"regular": between(0.1, 20), "large": between(20, 170)}),
    ("tgamma", 9.0, {"negative": between(-10, 0), "poles": near(*range(-10, 1))}),
    ("lgamma", 2.2, {"regular": between(0.1, 20), "large": decades(1, 300, "+"), "zeros": near(1.0, 2.0)}),
    ("lgamma", 2.2, {"negative": between(-10, 0), "poles": near(*range(-10, 1))}),
    ("fmod", 0.0, {"regular": (between(-100, 100), between(0.1, 10)), "huge": (decades(0, 300), decades(0, 300))}),
]


class Range(NamedTuple):
    """Where a function is measured, and how many units in the last place it may be wrong there."""

    name: str
    bar: float
    where: str
    draws: tuple[Draw, ...]

    @property
    def least(self) -> float:
        """Beside its negative roots, `lgamma` loses what 16 loses: it is the difference of numbers as large."""
        return 16.0 if self.name == "lgamma" and self.where in ("negative", "poles") else 0.0


RANGES = [
    Range(name, bar, where, draws if isinstance(draws, tuple) else (draws,))
    for name, bar, of in TABLE
    for where, draws in of.items()
]


def worst_error(measured: Range, exact: Callable[..., Any], n: int) -> tuple[float, tuple[float, ...]]:
    """The largest error at so many points, in units of the last place, and where it is."""
    f, r, worst = function(measured.name), random.Random(str(measured[:3])), (0.0, (0.0,))
    for _ in range(n):
        xs = tuple([draw(r) for draw in measured.draws])
        y = exact(*xs)
        if abs(y) < 1.7e308:  # and is a number
            worst = max(worst, (float(abs(f(*xs) - y) / math.ulp(max(float(abs(y)), measured.least))), xs))
    return worst


@pytest.mark.parametrize("measured", RANGES, ids=lambda m: f"{m.name}-{m.where}")
def test_errors_in_units_of_the_last_place(measured: Range):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed, so no error is measured")
    exact = references(mpmath)[measured.name]
    with mpmath.workprec(1300 if measured.where == "huge" else 200):
        worst, at = worst_error(measured, lambda *xs: exact(*map(mpmath.mpf, xs)), 300)
    print(f"{measured.name} {measured.where}: {worst:.2f}, at {at}")
    assert worst <= measured.bar, at


@pytest.mark.parametrize("name", DOUBLE)
def test_the_functions_are_near_those_of_python(name: str):
    """This is no measure, but needs nothing else."""
    f, g = function(name), beside(name)
    for xs in points(name, 3000):
        y = g(*xs)
        if math.isfinite(y):
            wanted = 1e-12 if name == "lgamma" and xs[0] < 0 else 5e-15
            assert math.isclose(f(*xs), y, rel_tol=wanted, abs_tol=1e-13 if name == "lgamma" else 1e-322), xs


def beside(name: str) -> Callable[..., float]:
    """The function of Python's `math`; nan where that refuses to answer."""
    g: Callable[..., float] = {"tgamma": math.gamma}.get(name) or getattr(math, name)

    def call(*xs: float) -> float:
        try:
            return g(*xs)
        except (ValueError, OverflowError):
            return NAN

    return call


def references(mp: Any) -> dict[str, Callable[..., Any]]:
    """The functions, as exactly as is asked for."""
    same = ["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"]
    return {
        **{
            name: getattr(mp, name) for name in [*same, "exp", "expm1", "log", "log10", "log1p", "erf", "erfc", "hypot"]
        },
        "exp2": lambda x: mp.mpf(2) ** x,
        "log2": lambda x: mp.log(x) / mp.log(2),
        "pow": mp.power,
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        "tgamma": mp.gamma,
        "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if abs(x) < 1e4 else mp.loggamma(x),
        "fmod": lambda x, y: mp.sign(x) * (abs(x) - abs(y) * mp.floor(abs(x) / abs(y))),
    }


SINGLE_BARS = {
    "tanf": 0.8, "acosf": 0.9, "atan2f": 1.1, "sinhf": 1.5, "coshf": 1.1, "tanhf": 1.5, "asinhf": 1.3, "acoshf": 1.2,
    "atanhf": 1.6, "log10f": 0.9, "erfcf": 2.1, "lgammaf": 2.5, "fmodf": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_errors_of_single_precision(name: str):
    """The functions of double precision are exact enough to measure it by."""
    f, g, worst, at = function(name), function(double_of(name)), 0.0, (0.0,)
    least = 16.0 if name == "lgammaf" else 2.0**-126
    for xs in points(name, 5000):
        y = g(*xs)
        if abs(y) < 3.4e38:
            worst, at = max((worst, at), (abs(f(*xs) - y) / (math.ulp(max(abs(y), least)) * 2.0**29), xs))
    print(f"{name}: {worst:.2f}, at {at}")
    assert worst <= SINGLE_BARS.get(name, 0.8), at
