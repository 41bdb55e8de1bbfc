"""The special functions of one result: a second meaning of each, by mpmath, and where arguments are drawn.

A range is `(low, high)`, or `(low, high, "log")` where magnitudes are drawn; a list has the values of a parameter.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
from mpmath import mp

from rose import special

Range = tuple[Any, ...] | list[float]
Meaning = Callable[..., Any]


class Special(NamedTuple):
    """A function: its meaning, the ranges of its arguments, the error of its value, and in which it has derivatives."""

    of: Meaning
    ranges: list[Range]
    error: float = 1e-14  # of the value, relative to the larger of it and `beside`
    slopes: float = 1e-11  # likewise of the first two derivatives
    moving: tuple[int, ...] = (0,)
    beside: float = 0.0


def _zero_or(x: Any, y: Any) -> Any:
    return mp.mpf(0) if x == 0 else y()


def _erfcx(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def _ndtr(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _beta_inc(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def _lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def _upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True)


def _inverse(f: Meaning, moving: int, near: str) -> Meaning:
    """The inverse of `f` in its last argument, by Newton's method from what SciPy gives."""

    def of(*args: Any) -> Any:
        import scipy.special

        x = mp.mpf(float(getattr(scipy.special, near)(*[float(a) for a in args])))
        if not mp.isfinite(x) or x == 0:
            return x
        for _ in range(6):
            slope = mp.diff(lambda t: f(*args[:-1], t), x)
            x -= (f(*args[:-1], x) - args[-1]) / slope
        return x

    return of


def _ellip(which: str) -> Meaning:
    return lambda u, m: mp.ellipfun(which, u, m=m)


WIDE = (1e-3, 1e3, "log")
TABLE: dict[str, Special] = {
    "logit": Special(lambda x: mp.log(x / (1 - x)), [(0.0, 1.0)]),
    "expit": Special(lambda x: 1 / (1 + mp.exp(-x)), [(-40.0, 40.0)]),
    "log_expit": Special(lambda x: -mp.log1p(mp.exp(-x)), [(-40.0, 40.0)]),
    "xlogy": Special(
        lambda x, y: _zero_or(x, lambda: x * mp.log(y)), [(-5.0, 5.0), WIDE], moving=(0, 1), beside=1e-3
    ),
    "xlog1py": Special(
        lambda x, y: _zero_or(x, lambda: x * mp.log1p(y)), [(-5.0, 5.0), (-0.99, 50.0)], moving=(0, 1), beside=1e-3
    ),
    "entr": Special(lambda x: -x * mp.log(x), [WIDE]),
    "rel_entr": Special(lambda x, y: x * mp.log(x / y), [WIDE, WIDE], moving=(0, 1)),
    "kl_div": Special(lambda x, y: x * mp.log(x / y) - x + y, [WIDE, WIDE], 1e-12, moving=(0, 1)),
    "gammaln": Special(mp.loggamma, [WIDE]),
    "digamma": Special(mp.digamma, [(-8.0, 30.0)], beside=1.0),
    "polygamma": Special(lambda n, x: mp.polygamma(int(n), x), [[1.0, 2.0, 3.0, 7.0], (0.05, 40.0)], moving=(1,)),
    "zeta": Special(lambda x, q: mp.zeta(x, q), [(1.1, 20.0), (0.1, 30.0)], moving=(1,)),
    "beta": Special(mp.beta, [(0.1, 40.0), (0.1, 40.0)], 1e-13, moving=(0, 1)),
    "betaln": Special(lambda a, b: mp.log(mp.beta(a, b)), [WIDE, WIDE], 1e-13, moving=(0, 1), beside=1.0),
    "gammainc": Special(_lower, [(0.05, 60.0), (0.01, 80.0)], 1e-13, moving=(0, 1)),
    "gammaincc": Special(_upper, [(0.05, 60.0), (0.01, 80.0)], 1e-13, moving=(0, 1)),
    "gammaincinv": Special(_inverse(_lower, 1, "gammaincinv"), [(0.5, 40.0), (0.01, 0.99)], 1e-12, moving=(1,)),
    "gammainccinv": Special(_inverse(_upper, 1, "gammainccinv"), [(0.5, 40.0), (0.01, 0.99)], 1e-12, moving=(1,)),
    "betainc": Special(_beta_inc, [(0.1, 40.0), (0.1, 40.0), (0.01, 0.99)], 1e-12, moving=(0, 1, 2)),
    "betaincinv": Special(
        _inverse(_beta_inc, 2, "betaincinv"), [(0.3, 20.0), (0.3, 20.0), (0.01, 0.99)], 1e-11, 1e-9, moving=(2,)
    ),
    "erfinv": Special(mp.erfinv, [(-0.9999, 0.9999)]),
    "erfcinv": Special(lambda y: mp.erfinv(1 - y), [(1e-4, 1.999)], 1e-13),
    "erfcx": Special(_erfcx, [(-6.0, 60.0)]),
    "dawsn": Special(lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), [(-40.0, 40.0)], beside=1e-3),
    "ndtr": Special(_ndtr, [(-15.0, 8.0)], 1e-13),
    "log_ndtr": Special(lambda x: mp.log(_ndtr(x)), [(-40.0, 6.0)], 1e-13),
    "ndtri": Special(lambda y: mp.sqrt(2) * mp.erfinv(2 * y - 1), [(1e-6, 0.9999)], 1e-13),
    "j0": Special(lambda x: mp.besselj(0, x), [(-40.0, 40.0)], beside=1.0),
    "j1": Special(lambda x: mp.besselj(1, x), [(-40.0, 40.0)], beside=1.0),
    "y0": Special(lambda x: mp.bessely(0, x), [(0.01, 40.0)], beside=1.0),
    "y1": Special(lambda x: mp.bessely(1, x), [(0.01, 40.0)], beside=1.0),
    "i0": Special(lambda x: mp.besseli(0, x), [(-40.0, 40.0)]),
    "i1": Special(lambda x: mp.besseli(1, x), [(-40.0, 40.0)]),
    "k0": Special(lambda x: mp.besselk(0, x), [(0.01, 40.0)]),
    "k1": Special(lambda x: mp.besselk(1, x), [(0.01, 40.0)]),
    "i0e": Special(lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [(-40.0, 40.0)]),
    "i1e": Special(lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), [(-40.0, 40.0)]),
    "k0e": Special(lambda x: mp.exp(x) * mp.besselk(0, x), [(0.01, 40.0)]),
    "k1e": Special(lambda x: mp.exp(x) * mp.besselk(1, x), [(0.01, 40.0)]),
    "jv": Special(mp.besselj, [(-3.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,), beside=1.0),
    "yv": Special(mp.bessely, [(-3.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,), beside=1.0),
    "iv": Special(mp.besseli, [(0.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,)),
    "kv": Special(mp.besselk, [(-3.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,)),
    "ive": Special(
        lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x), [(0.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,)
    ),
    "kve": Special(lambda v, x: mp.exp(x) * mp.besselk(v, x), [(-3.0, 12.0), (0.1, 40.0)], 1e-12, 1e-10, moving=(1,)),
    "ellipk": Special(lambda m: mp.ellipk(m), [(-8.0, 0.99)]),
    "ellipe": Special(lambda m: mp.ellipe(m), [(-8.0, 0.99)]),
    "hyp2f1": Special(
        mp.hyp2f1, [(-2.0, 3.0), (-2.0, 3.0), (1.1, 6.0), (-4.0, 0.9)], 1e-11, 1e-9, moving=(3,), beside=1.0
    ),
    "hyp1f1": Special(mp.hyp1f1, [(-3.0, 4.0), (0.6, 6.0), (-8.0, 8.0)], 1e-11, 1e-9, moving=(2,), beside=1.0),
    "expi": Special(mp.ei, [(-20.0, 40.0)], 1e-13, beside=1e-12),
    "exp1": Special(mp.e1, [(0.01, 60.0)], 1e-13),
}  # fmt: skip


def drawn(name: str, n: int) -> list[list[float]]:
    """Arguments of the function, the same at every run."""
    r = random.Random(name)
    return [[_one(r, range) for range in TABLE[name].ranges] for _ in range(n)]


def _one(r: random.Random, range: Range) -> float:
    if isinstance(range, list):
        return r.choice(range)
    if len(range) == 3:
        return math.exp(r.uniform(math.log(range[0]), math.log(range[1])))
    return r.uniform(*range)


def exact(f: Meaning, xs: list[float]) -> float:
    """The value of a meaning, to the last place."""
    with mpmath.workdps(40):
        return float(mp.re(f(*map(mp.mpf, xs))))


def slope(name: str, xs: list[float], k: int, order: int) -> float:
    """A derivative in argument `k`."""
    with mpmath.workdps(40):
        args = [*map(mp.mpf, xs)]
        moved = lambda t: TABLE[name].of(*args[:k], t, *args[k + 1 :])
        return float(mp.re(mp.diff(moved, args[k], order, h=mp.mpf(10) ** -9)))


def function(name: str) -> Any:
    return getattr(special, name)
