"""How exact the mathematics is: values and first derivatives, in units of the last place, beside mpmath.

`python -m benchmarks.accuracy` writes the table into `benchmarks/ACCURACY.md`. Each function is compiled, value
and gradient, and called at points of several ranges; mpmath has the value and the derivative at these very points,
by formulas of its own. A unit is that of the exact answer; below the smallest normal number it is that of the
subnormal ones, 5e-324. An answer too large for a number has to be infinite: anything else counts as infinitely
wrong. Where an answer is the difference of larger numbers, and so nearly 0 that digits must be lost, the unit is
that of the larger numbers: `LEAST` says where, and how large these are. `tests/laws/test_accuracy.py` measures fewer
points by the same means, and has the bounds.
"""

from __future__ import annotations

import functools
import math
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mp

import rose
from rose import Real, Vec

Draw = Callable[[random.Random], float]
Point = tuple[float, ...]
TABLE = Path(__file__).with_name("ACCURACY.md")
LARGEST = 1.7976931348623157e308
PI = math.pi


# where


def between(low: float, high: float) -> Draw:
    return lambda r: r.uniform(low, high)


def decades(low: float, high: float, signs: str = "+-") -> Draw:
    """Numbers from `10 ** low` to `10 ** high`, as many in each decade."""
    return lambda r: float(f"{r.choice(signs)}1") * 10 ** r.uniform(low, high)


def near(*centres: float, sides: str = "+-") -> Draw:
    """Numbers at any distance from these."""
    return lambda r: r.choice(centres) + float(f"{r.choice(sides)}1") * 10 ** r.uniform(-14, -1)


def whole(low: int, high: int) -> Draw:
    return lambda r: float(r.randint(low, high))


TINY, EVERY = decades(-307, -1), decades(-307, 308)
SUBNORMAL, POSITIVE = decades(-323, -308), decades(-307, 308, "+")
ANGLES = {"regular": between(-10, 10), "tiny": TINY, "subnormal": SUBNORMAL, "large": decades(1, 6)}
ANGLES |= {"huge": decades(6, 308), "zeros and poles": near(*[k * PI / 2 for k in range(-20, 20)])}
LOG = {"regular": between(0.01, 100), "near 1": near(1.0), "every": POSITIVE}
LOG |= {"subnormal": decades(-323, -308, "+")}
ARC = {"regular": between(-1, 1), "tiny": TINY, "subnormal": SUBNORMAL}
ARC |= {"near ±1": lambda r: math.copysign(near(1.0, sides="-")(r), r.uniform(-1, 1))}
HYPERBOLIC = {"regular": between(-5, 5), "tiny": TINY, "subnormal": SUBNORMAL, "5 to 19": between(5, 19)}
HYPERBOLIC |= {"-19 to -5": between(-19, -5), "large": between(-710, 710)}
SQUARE = {"regular": (between(-10, 10), between(-9, 11)), "every": (EVERY, EVERY)}
SQUARE |= {"subnormal": (SUBNORMAL, SUBNORMAL), "huge": (decades(307, 308.25), decades(305, 308.25))}
SQUARE |= {"tiny": (decades(-316, -304), decades(-316, -304))}
DIVIDED = {"regular": (between(-100, 100), between(0.1, 10)), "negative": (between(-100, 100), between(-10, -0.1))}
DIVIDED |= {"huge": (decades(0, 300), decades(0, 300)), "subnormal": (decades(-323, -300), SUBNORMAL)}
BELL = {"regular": between(-6, 6), "tiny": decades(-290, -1), "tail": between(6, 27.3)}
NEGATIVE = {"negative": between(-20, 0), "poles": near(*range(-20, 1)), "far negative": between(-170, -20)}

RANGES: dict[str, dict[str, Draw] | dict[str, tuple[Draw, ...]]] = {
    "sqrt": {"every": POSITIVE, "subnormal": decades(-323, -308, "+")},
    "exp": {"regular": between(-50, 50), "every": between(-708, 709), "subnormal": between(-745, -708.5)},
    "exp2": {"regular": between(-50, 50), "every": between(-1022, 1023), "subnormal": between(-1074, -1022)},
    "expm1": {"regular": between(-36, 50), "tiny": TINY, "subnormal": SUBNORMAL, "every": between(-745, 709)},
    "log": LOG,
    "log2": LOG,
    "log10": LOG,
    "log1p": {"regular": between(-0.9, 10), "tiny": TINY, "subnormal": SUBNORMAL, "near -1": near(-1.0, sides="+"),
              "every": POSITIVE},
    "sin": ANGLES,
    "cos": ANGLES,
    "tan": ANGLES,
    "asin": ARC,
    "acos": ARC,
    "atan": {"regular": between(-10, 10), "every": EVERY, "subnormal": SUBNORMAL, "huge": decades(153, 308)},
    "atan2": SQUARE,
    "sinh": HYPERBOLIC,
    "cosh": HYPERBOLIC,
    "tanh": HYPERBOLIC,
    "asinh": {"regular": between(-20, 20), "every": EVERY, "subnormal": SUBNORMAL},
    "acosh": {"regular": between(1, 20), "near 1": near(1.0, sides="+"), "huge": decades(1, 308, "+")},
    "atanh": ARC,
    "pow": {"regular": (between(0.1, 10), between(-30, 30)), "every": (decades(-300, 300, "+"), between(-1, 1)),
            "near 1": (near(1.0), between(-1e4, 1e4)), "small y": (decades(-300, 300, "+"), decades(-300, -1)),
            "whole y": (between(-50, 50), whole(-20, 20)), "large": (decades(-100, 100, "+"), between(-3, 3)),
            "overflow": (decades(290, 308, "+"), between(1, 1.06)),
            "subnormal": (decades(-323, -290, "+"), between(0, 1.1))},
    "cbrt": {"regular": between(-100, 100), "every": EVERY, "subnormal": SUBNORMAL},
    "hypot": SQUARE,
    "erf": BELL,
    "erfc": BELL,
    "gamma": {"regular": between(0.1, 20), "large": between(20, 171.6), "root of digamma": near(1.4616321449683623),
              "tiny": decades(-300, -1), **NEGATIVE},
    "lgamma": {"regular": between(0.1, 20), "large": decades(1, 300, "+"), "zeros": near(1.0, 2.0),
               "root of digamma": near(1.4616321449683623), "tiny": decades(-300, -1), **NEGATIVE},
    "fmod": DIVIDED,
    "mod": DIVIDED,
    "sigmoid": {"regular": between(-36, 36), "tiny": TINY, "large": between(-745, 745), "huge": decades(3, 308)},
    "softplus": {"regular": between(-36, 36), "tiny": TINY, "large": between(-745, 745), "huge": decades(3, 308)},
    "logsumexp": {"regular": (between(-5, 5), between(-5, 5)), "far apart": (between(-300, 300), between(-300, 300)),
                  "huge": (decades(3, 308), decades(3, 308)), "zeros": (near(-math.log(2)), near(-math.log(2)))},
    "relu": {"every": EVERY},
    "clip": {"regular": (between(-3, 3), between(-2, 0), between(0, 2))},
}  # fmt: skip


def points(name: str, where: str, count: int) -> list[Point]:
    """The points of one range, the same at every run."""
    draws, r = RANGES[name][where], random.Random(f"{name} {where}")
    several = draws if isinstance(draws, tuple) else (draws,)
    return [tuple([draw(r) for draw in several]) for _ in range(count)]


# ours


def function(name: str) -> Callable[..., Any]:
    """A function of ours, of numbers."""
    special: dict[str, Callable[..., Any]] = {
        "logsumexp": lambda x, y: rose.logsumexp([x, y]),
        "mod": lambda x, y: x % y,
    }
    return special.get(name) or getattr(rose, name)


@functools.cache
def arity(name: str) -> int:
    return len(points(name, next(iter(RANGES[name])), 1)[0])


def ours(name: str, at: Sequence[Point]) -> list[list[float]]:
    """At each point, the value of the compiled function, and its derivative in each argument."""
    n, k = len(at), arity(name)
    f = rose.value_and_grad(rose.fn([Real] * k, Real)(function(name)), tuple(range(k)))

    def both(p: Any) -> Any:
        y, gradient = f(*[p[j] for j in range(k)])
        return [y, *[gradient[j] for j in range(k)]]

    sweep = rose.fn([Vec[n, Vec[k]]], Vec[n, Vec[1 + k]])(lambda ps: rose.vec(both(ps[i]) for i in rose.range(n)))
    return rose.compile(sweep)([list(p) for p in at]).tolist()


# theirs


def _log_sum(x: Any, y: Any) -> Any:
    return max(x, y) + mp.log1p(mp.exp(min(x, y) - max(x, y)))


def _fmod(x: Any, y: Any) -> Any:
    return x - y * _quotient(x, y)


def _quotient(x: Any, y: Any) -> Any:
    return mp.sign(x) * mp.sign(y) * mp.floor(abs(x) / abs(y))


def _mod(x: Any, y: Any) -> Any:
    return x - y * mp.floor(x / y)


def _bell(x: Any) -> Any:
    return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)


def _power(x: Any, y: Any) -> Any:
    return mp.power(x, int(y)) if y == int(y) else mp.power(x, y)


# the value, and the derivative in each argument
EXACT: dict[str, tuple[Callable[..., Any], ...]] = {
    "sqrt": (mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x))),
    "exp": (mp.exp, mp.exp),
    "exp2": (lambda x: mp.mpf(2) ** x, lambda x: mp.mpf(2) ** x * mp.ln2),
    "expm1": (mp.expm1, mp.exp),
    "log": (mp.log, lambda x: 1 / x),
    "log2": (lambda x: mp.log(x) / mp.ln2, lambda x: 1 / (x * mp.ln2)),
    "log10": (lambda x: mp.log(x) / mp.ln10, lambda x: 1 / (x * mp.ln10)),
    "log1p": (mp.log1p, lambda x: 1 / (1 + x)),
    "sin": (mp.sin, mp.cos),
    "cos": (mp.cos, lambda x: -mp.sin(x)),
    "tan": (mp.tan, lambda x: 1 / mp.cos(x) ** 2),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt(1 - x * x)),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt(1 - x * x)),
    "atan": (mp.atan, lambda x: 1 / (1 + x * x)),
    "atan2": (mp.atan2, lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y)),
    "sinh": (mp.sinh, mp.cosh),
    "cosh": (mp.cosh, mp.sinh),
    "tanh": (mp.tanh, lambda x: 1 / mp.cosh(x) ** 2),
    "asinh": (mp.asinh, lambda x: 1 / mp.sqrt(1 + x * x)),
    "acosh": (mp.acosh, lambda x: 1 / mp.sqrt(x * x - 1)),
    "atanh": (mp.atanh, lambda x: 1 / (1 - x * x)),
    "pow": (_power, lambda x, y: y * _power(x, y) / x, lambda x, y: _power(x, y) * mp.log(x)),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), lambda x: mp.cbrt(abs(x)) / (3 * abs(x))),
    "hypot": (mp.hypot, lambda x, y: x / mp.sqrt(x * x + y * y), lambda x, y: y / mp.sqrt(x * x + y * y)),
    "erf": (mp.erf, _bell),
    "erfc": (mp.erfc, lambda x: -_bell(x)),
    "gamma": (mp.gamma, lambda x: mp.gamma(x) * mp.digamma(x)),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))) if abs(x) < 1e4 else mp.loggamma(x), mp.digamma),
    "fmod": (_fmod, lambda x, y: mp.mpf(1), lambda x, y: -_quotient(x, y)),
    "mod": (_mod, lambda x, y: mp.mpf(1), lambda x, y: -mp.floor(x / y)),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), lambda x: 1 / (2 * mp.cosh(x / 2)) ** 2),
    "softplus": (lambda x: _log_sum(x, mp.mpf(0)), lambda x: 1 / (1 + mp.exp(-x))),
    "logsumexp": (_log_sum, lambda x, y: 1 / (1 + mp.exp(y - x)), lambda x, y: 1 / (1 + mp.exp(x - y))),
    "relu": (lambda x: max(x, mp.mpf(0)), lambda x: mp.mpf(x > 0)),
    "clip": (
        lambda x, y, z: min(max(x, y), z),
        lambda x, y, z: mp.mpf(y < x < z),
        lambda x, y, z: mp.mpf(x < y),
        lambda x, y, z: mp.mpf(x > z),
    ),
}


# how large the numbers are that an answer is the difference of, where that may be nearly 0; and the reason
LEAST: dict[tuple[str, int], tuple[Callable[..., Any], str]] = {
    ("tanh", 1): (lambda x: 1, "`1 - z * z`: a formula without the difference takes another call of `expm1` or `exp`"),
    ("pow", 2): (lambda x, y: mp.log(x) * 2.0**-1022, "the value is subnormal, and is multiplied by `log(x)`"),
    ("lgamma", 0): (lambda x: max(16, mp.loggamma(1 - x)) if x < 0 else 0, "its roots below 0"),
    ("lgamma", 1): (lambda x: mp.log(10 + abs(x)), "the roots of digamma"),
    ("gamma", 1): (lambda x: mp.gamma(x) * mp.log(10 + abs(x)), "the roots of digamma"),
    ("logsumexp", 0): (lambda x, y: max(abs(x), abs(y)), "its roots"),
    ("logsumexp", 1): (lambda x, y: abs(x - y) / (1 + mp.exp(y - x)), "the share of a number far below the largest"),
    ("logsumexp", 2): (lambda x, y: abs(x - y) / (1 + mp.exp(x - y)), "the share of a number far below the largest"),
}


def error(got: float, exact: Any, least: Any = 0) -> float:
    """How wrong an answer is, in units of the last place of the exact one, or of `least` where that is larger."""
    if not isinstance(exact, mpmath.mpf) or mpmath.isnan(exact):  # not real, so there is nothing to be near to
        return 0.0
    if abs(exact) > LARGEST:
        return 0.0 if got == math.copysign(math.inf, exact) or abs(got) == LARGEST else math.inf
    unit = math.ulp(min(float(max(abs(exact), abs(least))), LARGEST))
    return float(abs(mpmath.mpf(got) - exact) / unit) if math.isfinite(got) else math.inf


def errors(name: str, at: Sequence[Point], got: Sequence[Sequence[float]]) -> list[tuple[float, Point]]:
    """The largest error of the value, and of each derivative, and where it is."""
    worst: list[tuple[float, Point]] = [(0.0, at[0])] * (1 + arity(name))
    least = [LEAST.get((name, k), (lambda *_: 0, ""))[0] for k in range(1 + arity(name))]
    with mp.workprec(2200 if name in ("fmod", "mod") else 200):  # of which the quotient has as many bits
        for p, answers in zip(at, got, strict=True):
            xs = [mp.mpf(x) for x in p]
            for k, (answer, exact) in enumerate(zip(answers, EXACT[name], strict=True)):
                worst[k] = max(worst[k], (error(answer, exact(*xs), least[k](*xs)), p))
    return worst


def measure(name: str, count: int) -> dict[str, list[tuple[float, Point]]]:
    """For each range, the largest errors at so many points."""
    at = {where: points(name, where, count) for where in RANGES[name]}
    got = iter(ours(name, [p for ps in at.values() for p in ps]))
    return {where: errors(name, ps, [next(got) for _ in ps]) for where, ps in at.items()}


INTRODUCTION = """# How exact the mathematics is

{said}: the largest error found,
in units of the last place of the exact answer, of the value and of the first derivative in each argument. The
figures are the same on every machine, as the modules are. Where the exact answer is subnormal, the unit is 5e-324.
Where it overflows, the answer is infinite, as it should be, in every case.

These are differences of larger numbers; where they are nearly 0, the unit is that of the larger numbers:

"""
HEADING = """
| function | range | value | derivatives |
|---|---|---|---|
"""


def rows(name: str, count: int) -> list[str]:
    """The lines of the table for one function."""
    out: list[str] = []
    for where, worst in measure(name, count).items():
        figures = [f"{e:.2f}" for e, _ in worst]
        out.append(f"| {name} | {where} | {figures[0]} | {', '.join(figures[1:])} |")
        name = ""
    return out


def main(count: int = 2_000) -> None:
    """Measure all, at so many points of each range; print it, and write the table."""
    reasons = [f"- `{name}`, {'derivative' if k else 'value'}: {why}." for (name, k), (_, why) in LEAST.items()]
    said = f"`python -m benchmarks.accuracy`, {count:,} points in each range, mpmath {mpmath.__version__}"
    lines = [*INTRODUCTION.format(said=said).splitlines(), *dict.fromkeys(reasons), *HEADING.splitlines()]
    for name in RANGES:
        measured = rows(name, count)
        print(*measured, sep="\n", flush=True)
        lines += measured
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
