# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
"""The table of special functions: rows as those of `ops.py`, under their names of SciPy, with `special.` before them.

It is read when a program first needs one. A row is a function of xsf, SciPy's own library (`libm/special.bin`), and its
rules are formulae in other rows, so that they differentiate again; numbers of sections are those of the DLMF,
https://dlmf.nist.gov. Or it is an expression of other rows. Where a parameter has no rule, a derivative in it is
refused by its name. In single precision a function is computed in double precision, and rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..errors import NotDifferentiable, here
from .builder import Op, current_builder, is_literal
from .columns import LIBRARY, Monotone
from .libm import function
from .libm.library import SPECIAL
from .ops import (
    cos,
    erfc,
    exp,
    gamma,
    log,
    log1p,
    max_,
    pow_,
    round_,
    select,
    sign,
    sin,
    softplus,
)
from .rows import FALLS, GROWS
from .types import Real, Type
from .value import SPECIALS, Value

Rule = Callable[..., Value]
_SQRT_PI = math.sqrt(math.pi)


def _all_real(*xs: Value) -> Type | None:
    return Real if all([x.type is Real for x in xs]) else None


# by the number of arguments, which is read off the function
_TYPES: dict[int, Callable[..., Type | None]] = {
    1: lambda x: _all_real(x),
    2: lambda x, y: _all_real(x, y),
    3: lambda x, y, z: _all_real(x, y, z),
    4: lambda x, y, z, w: _all_real(x, y, z, w),
    5: lambda x, y, z, w, v: _all_real(x, y, z, w, v),
}


def _row(name: str, doc: str, **columns: Any) -> Op:
    usual: dict[str, Any] = dict(linear_in=(), moves=False, reads=(), effect=None)
    op = SPECIALS[f"special.{name}"] = Op(f"special.{name}", doc, **{**usual, **columns})
    return op


def special(name: str, doc: str, *jvp: Rule | str | None, monotone: Monotone | None = None) -> Op:
    """A function of xsf; there are as many rules as it has arguments, None for one in which it is flat.

    In the place of a rule may be the name of a parameter, in which there is no derivative.
    """
    symbol, shown = SPECIAL + name, _SHOWN.get(name, name)
    like = [*[rule for rule in jvp if rule is not None and not isinstance(rule, str)], _of_one][0]
    rules = [_refused(shown, rule, like) if isinstance(rule, str) else rule for rule in jvp]
    return _row(
        name, doc, type=_TYPES[len(jvp)], eval=function(symbol), jvp=rules, wasm=f"call {symbol}", kind="function",
        monotone=monotone, exact=False, whole=False, unit="pure", cost=5 * LIBRARY,
    )  # fmt: skip


_SHOWN = {"riemann_zeta": "zeta", **dict.fromkeys(("sn", "cn", "dn", "am"), "ellipj")}  # by what users call


def expression(name: str, doc: str, n: int, expand: Callable[..., Value]) -> Op:
    """An expression of other rows, with `n` arguments."""
    none: dict[str, Any] = dict(kind=None, monotone=None, exact=None, whole=None, unit=None, cost=0)
    return _row(name, doc, type=_TYPES[n], expand=expand, **none)


def _of_one(d: Value, x: Value, z: Value) -> Value:
    return d


def _refused(function: str, parameter: str, like: Rule) -> Rule:
    """The rule for a parameter in which there is no derivative: an error, where one is asked for."""

    @wraps(like)
    def rule(*_: Value) -> Value:
        what = f"{function} has no derivative in {parameter}"
        hint = f"hold {parameter} constant, by rose.stop_gradient, or differentiate in another argument"
        raise NotDifferentiable(what, current_builder().loc or here(), hint)

    return rule


# Products and logarithms. At the edge a derivative is that of the function on the inside, which may be infinite.

logit = expression("logit", "`log(x / (1 - x))`, exact near 1/2.", 1, lambda x: _logit(x))
log_expit = expression("log_expit", "`log(expit(x))`, which overflows nowhere.", 1, lambda x: -softplus(-x))
xlogy = special(
    "xlogy", "`x * log(y)`, and 0 where `x` is 0.",
    lambda d, x, y, z: d * log(y),
    lambda d, x, y, z: d * select((x == 0.0) & ~(abs(y) > 0.0), 0.0, x / y),
)  # fmt: skip
xlog1py = special(
    "xlog1py", "`x * log(1 + y)`, and 0 where `x` is 0.",
    lambda d, x, y, z: d * log1p(y),
    lambda d, x, y, z: d * select((x == 0.0) & ~(abs(y + 1.0) > 0.0), 0.0, x / (1.0 + y)),
)  # fmt: skip
entr = special("entr", "`-x * log(x)`: 0 at 0, -inf below.", lambda d, x, z: d * (-1.0 - log(x)))
rel_entr = special(
    "rel_entr", "`x * log(x / y)`: 0 where `x` is 0, inf outside of the quadrant.",
    lambda d, x, y, z: d * (log(x / y) + 1.0),
    lambda d, x, y, z: d * select((x == 0.0) & (y == 0.0), 0.0, -(x / y)),
)  # fmt: skip
kl_div = special(
    "kl_div", "`x * log(x / y) - x + y`: `y` where `x` is 0, inf outside of the quadrant.",
    lambda d, x, y, z: d * log(x / y),
    lambda d, x, y, z: d * select((x == 0.0) & (y == 0.0), 1.0, (y - x) / y),
)  # fmt: skip

# The gamma function and its kin.

digamma = special("digamma", "The derivative of `gammaln`.", lambda d, x, z: d * polygamma(1.0, x))
hurwitz = special(  # 25.11.17
    "zeta", "Hurwitz's zeta function: the sum of `(q + k) ** -x`.",
    "x",
    lambda d, x, q, z: -(d * (x * hurwitz(x + 1.0, q))),
)  # fmt: skip
riemann_zeta = special("riemann_zeta", "Riemann's zeta function.", "x")
polygamma = expression(  # 5.15.1, 25.11.12
    "polygamma", "The `n`-th derivative of `digamma`, for a whole number `n`.", 2, lambda n, x: _polygamma(n, x)
)  # fmt: skip
beta = special(
    "beta", "Euler's beta function, `gamma(a) * gamma(b) / gamma(a + b)`.",
    lambda d, a, b, z: d * (z * (digamma(a) - digamma(a + b))),
    lambda d, a, b, z: d * (z * (digamma(b) - digamma(a + b))),
)  # fmt: skip
betaln = special(
    "betaln", "The logarithm of `abs(beta(a, b))`.",
    lambda d, a, b, z: d * (digamma(a) - digamma(a + b)),
    lambda d, a, b, z: d * (digamma(b) - digamma(a + b)),
)  # fmt: skip

# Incomplete gamma and beta functions. The densities are those of `special.cpp`.

gamma_density = special(
    "gamma_density", "`x ** (a - 1) * exp(-x) / gamma(a)`, the derivative of `gammainc`.",
    lambda d, a, x, z: d * select(z == 0.0, 0.0, z * (log(x) - digamma(a))),
    lambda d, a, x, z: d * select(x == 0.0, gamma_density(a - 1.0, x) - z, z * ((a - 1.0) / x - 1.0)),
)  # fmt: skip
gamma_moment = special(  # of order 0 it is `gammainc`, or that less 1
    "gamma_moment", "The integral of the density up to `x`, times the `k`-th power of the logarithm less its mean.",
    None,
    lambda d, k, a, x, z: d * (gamma_moment(k + 1.0, a, x) - k * polygamma(1.0, a) * gamma_moment(k - 1.0, a, x)),
    lambda d, k, a, x, z: d * _times_power(gamma_density(a, x), log(x) - digamma(a), k),
)  # fmt: skip
gammainc = special(
    "gammainc", "The regularised lower incomplete gamma function.",
    lambda d, a, x, z: d * _gamma_slope(a, x),
    lambda d, a, x, z: d * gamma_density(a, x),
)  # fmt: skip
gammaincc = special(
    "gammaincc", "`1 - gammainc(a, x)`, exact where that is small.",
    lambda d, a, x, z: -(d * _gamma_slope(a, x)),
    lambda d, a, x, z: -(d * gamma_density(a, x)),
)  # fmt: skip
gammaincinv = special(
    "gammaincinv", "The number `x` for which `gammainc(a, x)` is `y`.",
    lambda d, a, y, z: -(d * (_gamma_slope(a, z) / gamma_density(a, z))),
    lambda d, a, y, z: d / gamma_density(a, z),
)  # fmt: skip
gammainccinv = special(
    "gammainccinv", "The number `x` for which `gammaincc(a, x)` is `y`.",
    lambda d, a, y, z: -(d * (_gamma_slope(a, z) / gamma_density(a, z))),
    lambda d, a, y, z: -(d / gamma_density(a, z)),
)  # fmt: skip
beta_density = special(
    "beta_density", "`x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b)`, the derivative of `betainc`.",
    lambda d, a, b, x, z: d * select(z == 0.0, 0.0, z * (log(x) - digamma(a) + digamma(a + b))),
    lambda d, a, b, x, z: d * select(z == 0.0, 0.0, z * (log1p(-x) - digamma(b) + digamma(a + b))),
    lambda d, a, b, x, z: d * _beta_slope(a, b, x, z),
)  # fmt: skip
beta_moment = special(  # of the orders 0 it is `betainc`, or that less 1
    "beta_moment", "The same for the beta density: the powers `j` and `k` of two logarithms, each less its mean.",
    None,
    None,
    lambda d, j, k, a, b, x, z: d * _beta_moment_slope(j, k, a, b, x, 0),
    lambda d, j, k, a, b, x, z: d * _beta_moment_slope(j, k, a, b, x, 1),
    lambda d, j, k, a, b, x, z: d * _times_power(
        _times_power(beta_density(a, b, x), log(x) - digamma(a) + digamma(a + b), j),
        log1p(-x) - digamma(b) + digamma(a + b), k,
    ),
)  # fmt: skip
betainc = special(
    "betainc", "The regularised incomplete beta function.",
    lambda d, a, b, x, z: d * beta_moment(1.0, 0.0, a, b, x),
    lambda d, a, b, x, z: d * beta_moment(0.0, 1.0, a, b, x),
    lambda d, a, b, x, z: d * beta_density(a, b, x),
)  # fmt: skip
betaincinv = special(
    "betaincinv", "The number `x` for which `betainc(a, b, x)` is `y`.",
    lambda d, a, b, y, z: -(d * (beta_moment(1.0, 0.0, a, b, z) / beta_density(a, b, z))),
    lambda d, a, b, y, z: -(d * (beta_moment(0.0, 1.0, a, b, z) / beta_density(a, b, z))),
    lambda d, a, b, y, z: d / beta_density(a, b, z),
)  # fmt: skip

# The error function and its kin: 7.2, 7.10.

erfinv = special(
    "erfinv", "The number whose `erf` is `y`.", lambda d, y, z: d * (0.5 * _SQRT_PI * exp(z * z)), monotone=GROWS
)  # fmt: skip
erfcinv = special(
    "erfcinv", "The number whose `erfc` is `y`.", lambda d, y, z: -(d * (0.5 * _SQRT_PI * exp(z * z))), monotone=FALLS
)  # fmt: skip
erfcx = special(
    "erfcx", "`exp(x * x) * erfc(x)`, which overflows only below.",
    lambda d, x, z: d * select(x > 8.0, _far(x, -1.0) * (-2.0 / _SQRT_PI), 2.0 * x * z - 2.0 / _SQRT_PI),
    monotone=Monotone(True, 0.0, math.inf),
)  # fmt: skip
dawsn = special(
    "dawsn", "Dawson's integral, `exp(-x * x)` times the integral of `exp(t * t)` up to `x`.",
    lambda d, x, z: d * select(abs(x) > 8.0, -_far(x, 1.0), 1.0 - 2.0 * x * z),
)  # fmt: skip
ndtr = expression("ndtr", "The area under the normal density up to `x`.", 1, lambda x: 0.5 * erfc(x * -math.sqrt(0.5)))
log_ndtr = special(
    "log_ndtr", "The logarithm of `ndtr(x)`, exact where that is small.",
    lambda d, x, z: d * (math.sqrt(2.0 / math.pi) / erfcx(x * -math.sqrt(0.5))),
    monotone=Monotone(high=0.0),
)  # fmt: skip
ndtri = special(
    "ndtri", "The number whose `ndtr` is `y`.",
    lambda d, y, z: d * (math.sqrt(2.0 * math.pi) * exp(0.5 * (z * z))),
    monotone=GROWS,
)  # fmt: skip

# Bessel functions: 10.6.1, 10.29.1. One order up and one down, so nothing is divided by `x`, which may be 0.


def _orders(f: Callable[..., Value], v: Any, x: Value, second: float) -> Value:
    """Half of the sum of the function one order down and, times `second`, one order up."""
    return 0.5 * (f(v - 1.0, x) + second * f(v + 1.0, x))


jn = special(  # for derivatives of j0 and j1, a much smaller function than `jv`
    "jn", "Bessel's function of the first kind, of a whole order.",
    None,
    lambda d, n, x, z: d * _orders(jn, n, x, -1.0),
)  # fmt: skip
jv = special(
    "jv", "Bessel's function of the first kind, of order `v`.",
    "v",
    lambda d, v, x, z: d * _orders(jv, v, x, -1.0),
)  # fmt: skip
yv = special(
    "yv", "Bessel's function of the second kind, of order `v`.",
    "v",
    lambda d, v, x, z: d * _orders(yv, v, x, -1.0),
)  # fmt: skip
iv = special(
    "iv", "The modified Bessel function of the first kind, of order `v`.",
    "v",
    lambda d, v, x, z: d * _orders(iv, v, x, 1.0),
)  # fmt: skip
kv = special(
    "kv", "The modified Bessel function of the second kind, of order `v`.",
    "v",
    lambda d, v, x, z: -(d * _orders(kv, v, x, 1.0)),
)  # fmt: skip
ive = special(
    "ive", "`iv(v, x) * exp(-abs(x))`.",
    "v",
    lambda d, v, x, z: d * (_orders(ive, v, x, 1.0) - sign(x) * z),
)  # fmt: skip
kve = special(
    "kve", "`kv(v, x) * exp(x)`.",
    "v",
    lambda d, v, x, z: d * (z - _orders(kve, v, x, 1.0)),
)  # fmt: skip
j0 = special("j0", "Bessel's function of the first kind, of order 0.", lambda d, x, z: -(d * j1(x)))
j1 = special(
    "j1", "Bessel's function of the first kind, of order 1.", lambda d, x, z: d * (0.5 * (j0(x) - jn(2.0, x)))
)  # fmt: skip
y0 = special("y0", "Bessel's function of the second kind, of order 0.", lambda d, x, z: -(d * y1(x)))
y1 = special("y1", "Bessel's function of the second kind, of order 1.", lambda d, x, z: d * (y0(x) - z / x))
i0 = special("i0", "The modified Bessel function of the first kind, of order 0.", lambda d, x, z: d * i1(x))
i1 = special(
    "i1", "The modified Bessel function of the first kind, of order 1.",
    lambda d, x, z: d * (0.5 * (i0(x) + iv(2.0, x))),
    monotone=GROWS,
)  # fmt: skip
i0e = special("i0e", "`i0(x) * exp(-abs(x))`.", lambda d, x, z: d * (i1e(x) - sign(x) * z))
i1e = special(
    "i1e", "`i1(x) * exp(-abs(x))`.", lambda d, x, z: d * (0.5 * (i0e(x) + ive(2.0, x)) - sign(x) * z)
)  # fmt: skip
k0 = special("k0", "The modified Bessel function of the second kind, of order 0.", lambda d, x, z: -(d * k1(x)))
k1 = special(
    "k1", "The modified Bessel function of the second kind, of order 1.", lambda d, x, z: -(d * (k0(x) + z / x))
)  # fmt: skip
k0e = special("k0e", "`k0(x) * exp(x)`.", lambda d, x, z: d * (z - k1e(x)))
k1e = special("k1e", "`k1(x) * exp(x)`.", lambda d, x, z: d * (z - k0e(x) - z / x))
spherical_jn = special(  # 10.51.2
    "sph_jn", "The spherical Bessel function of the first kind, of the whole order `n`.",
    None,
    lambda d, n, x, z: d * ((n * spherical_jn(max_(n - 1.0, 0.0), x) - (n + 1.0) * spherical_jn(n + 1.0, x))
                            / (2.0 * n + 1.0)),
)  # fmt: skip
airy_ai = special("ai", "Airy's function Ai.", lambda d, x, z: d * airy_aip(x))
airy_aip = special("aip", "The derivative of Airy's function Ai.", lambda d, x, z: d * (x * airy_ai(x)))
airy_bi = special("bi", "Airy's function Bi.", lambda d, x, z: d * airy_bip(x))
airy_bip = special("bip", "The derivative of Airy's function Bi.", lambda d, x, z: d * (x * airy_bi(x)))

# Elliptic integrals and functions: 19.5.1, 22.13.

hyp2f1 = special(  # 15.5.1
    "hyp2f1", "Gauss's hypergeometric function.",
    "a", "b", "c",
    lambda d, a, b, c, x, z: d * (a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, x)),
)  # fmt: skip
hyp1f1 = special(  # 13.3.15
    "hyp1f1", "Kummer's hypergeometric function.",
    "a", "b",
    lambda d, a, b, x, z: d * (a / b * hyp1f1(a + 1.0, b + 1.0, x)),
)  # fmt: skip
ellipk = special(
    "ellipk", "The complete elliptic integral of the first kind.",
    lambda d, m, z: d * (math.pi / 8.0 * hyp2f1(1.5, 1.5, 2.0, m)),
)  # fmt: skip
ellipe = special(
    "ellipe", "The complete elliptic integral of the second kind.",
    lambda d, m, z: d * (-math.pi / 8.0 * hyp2f1(0.5, 1.5, 2.0, m)),
)  # fmt: skip
jacobi_sn = special(
    "sn", "Jacobi's function sn.", lambda d, u, m, z: d * (jacobi_cn(u, m) * jacobi_dn(u, m)), "m"
)  # fmt: skip
jacobi_cn = special(
    "cn", "Jacobi's function cn.", lambda d, u, m, z: -(d * (jacobi_sn(u, m) * jacobi_dn(u, m))), "m"
)  # fmt: skip
jacobi_dn = special(
    "dn", "Jacobi's function dn.",
    lambda d, u, m, z: -(d * (m * (jacobi_sn(u, m) * jacobi_cn(u, m)))),
    "m",
)  # fmt: skip
jacobi_am = special("am", "Jacobi's amplitude.", lambda d, u, m, z: d * jacobi_dn(u, m), "m")

# Integrals, and Lambert's function: 6.2, 7.2, 4.13.4.

expi = special("expi", "The exponential integral Ei.", lambda d, x, z: d * (exp(x) / x))
exp1 = special("exp1", "The exponential integral E1.", lambda d, x, z: -(d * (exp(-x) / x)))
sine_integral = special("si", "The sine integral.", lambda d, x, z: d * _sine_quotient(x))
cosine_integral = special("ci", "The cosine integral.", lambda d, x, z: d * (cos(x) / x))
fresnel_s = special("fresnel_s", "Fresnel's sine integral.", lambda d, x, z: d * sin(0.5 * math.pi * (x * x)))
fresnel_c = special("fresnel_c", "Fresnel's cosine integral.", lambda d, x, z: d * cos(0.5 * math.pi * (x * x)))
lambertw = special(
    "lambertw", "The number `w` for which `w * exp(w)` is `x`, on branch `k`, where it is real.",
    lambda d, x, k, z: d * (exp(-z) / (1.0 + z)),
    None,
)  # fmt: skip


# what the rows above are made of


def _logit(x: Value) -> Value:
    s = 2.0 * (x - 0.5)
    return select((x < 0.3) | (x > 0.65), log(x) - log1p(-x), log1p(s) - log1p(-s))


def _polygamma(n: Value, x: Value) -> Value:
    odd = n - 2.0 * round_(0.5 * n - 0.25)
    higher = select(odd == 0.0, -1.0, 1.0) * gamma(n + 1.0) * hurwitz(n + 1.0, x)
    is_order = (n >= 0.0) & (round_(n) == n)
    return select(n == 0.0, digamma(x), select(is_order, higher, math.nan))


def _beta_slope(a: Value, b: Value, x: Value, z: Value) -> Value:
    """The derivative of the density `z` in `x`; at an end, by densities whose shapes are lower by one."""
    inside = z * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
    at_end = (a + b - 1.0) * (beta_density(a - 1.0, b, x) - beta_density(a, b - 1.0, x))
    return select((x == 0.0) | (x == 1.0), at_end, inside)


def _gamma_slope(a: Value, x: Value) -> Value:
    """The derivative of `gammainc` in `a`, by 8.8.5 where both are small: the logarithm's mean is far out there."""
    small = (a < 0.5) & (x < 2.0)
    step = select(x == 0.0, 0.0, gamma_density(a + 1.0, x) * (log(x) - digamma(a + 1.0)))
    return gamma_moment(1.0, select(small, a + 1.0, a), x) + select(small, step, 0.0)


def _times_power(density: Value, x: Value, k: Value) -> Value:
    """`density * x ** k`, and 0 where the density is, though `x` may be infinite there."""
    return select(density == 0.0, 0.0, density * pow_(x, k))


def _beta_moment_slope(j: Value, k: Value, a: Value, b: Value, x: Value, of: int) -> Value:
    """The derivative of a moment in `a`, or in `b`: the power is one more, and both means move."""
    own, both = polygamma(1.0, b if of else a), polygamma(1.0, a + b)
    means = (-both, own - both) if of else (own - both, -both)
    slope = beta_moment(j, k + 1.0, a, b, x) if of else beta_moment(j + 1.0, k, a, b, x)
    if not is_literal(j, 0.0):
        slope = slope - j * means[0] * beta_moment(j - 1.0, k, a, b, x)
    return slope if is_literal(k, 0.0) else slope - k * means[1] * beta_moment(j, k - 1.0, a, b, x)


def _far(x: Value, sign: float) -> Value:
    """The asymptotic series of `1 - 2 * x * dawsn(x)`, but for its sign, or with alternating signs of `erfcx`'s.

    It is the sum of `(2k + 1)!! / (2 x * x) ** (k + 1)`. Of 24 terms, the last is 1e-21 of the first from 8 on.
    """
    w, total = 0.5 / (x * x), current_builder().lift(0.0)
    for k in range(24, 0, -1):
        total = (2.0 * k + 1.0) * (sign * w) * (1.0 + total)
    return w * (1.0 + total)


def _sine_quotient(x: Value) -> Value:
    """`sin(x) / x`, near 0 by its series: below 1/2 the rest is below 1e-22."""
    square, series = x * x, current_builder().lift(0.0)
    for k in range(9, -1, -1):
        series = series * square + (-1.0) ** k / math.factorial(2 * k + 1)
    return select(square < 0.25, series, sin(x) / x)
