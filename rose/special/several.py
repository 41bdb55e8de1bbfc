"""Special functions with several results, or with options."""

from __future__ import annotations

import math
from typing import Any

from ..errors import TypeMismatch, edge, here
from ..frontend.language.select import where
from ..frontend.typed import Operand
from ..ir import Value, ops, shown
from ..ir import special_ops as rows


@edge
def zeta(x: Operand, q: Operand | None = None) -> Any:
    """Riemann's zeta function of `x`, or Hurwitz's of `x` and `q`, which has a derivative in `q`."""
    return rows.riemann_zeta(x) if q is None else rows.hurwitz(x, q)


@edge
def lambertw(x: Operand, k: int = 0) -> Any:
    """The number `w` for which `w * exp(w)` is `x`: the one from -1 on, or for `k` of -1 the one below.

    It is nan where there is none: below -1/e, and on other branches.
    """
    if k not in (0, -1):
        raise TypeMismatch(f"lambertw has no real branch {shown(k)}", here(), "write k=0 or k=-1")
    return rows.lambertw(x, float(k))


def scipys_lambertw(x: Operand, k: int, tolerance: float) -> Any:
    """Lambert's function, as SciPy's own calls it with what it takes for a tolerance."""
    return lambertw(x, k)


@edge
def spherical_jn(n: int, z: Operand, derivative: bool = False) -> Any:
    """The spherical Bessel function of the first kind, of the whole order `n`; or its derivative."""
    n = _whole("spherical_jn", "n", n)
    if not derivative:
        return rows.spherical_jn(float(n), z)
    below = n * rows.spherical_jn(n - 1.0, z) if n else 0.0
    return (below - (n + 1) * rows.spherical_jn(n + 1.0, z)) / (2 * n + 1)


@edge
def spherical_yn(n: int, z: Operand, derivative: bool = False) -> Any:
    """The spherical Bessel function of the second kind, of the whole order `n`; or its derivative.

    By the recurrence from order 0 on, in which errors do not grow: DLMF 10.49.5, 10.51.1, 10.51.2.
    """
    n = _whole("spherical_yn", "n", n)
    before, last = ops.div(ops.sin(z), z), ops.div(ops.neg(ops.cos(z)), z)  # of the orders -1 and 0
    for k in range(n):
        up = ops.sub(ops.mul(ops.div(2.0 * k + 1.0, z), last), before)
        before, last = last, where(ops.eq(ops.abs_(last), math.inf), last, up)
    found = ops.sub(before, ops.mul(ops.div(n + 1.0, z), last)) if derivative else last
    return where(ops.eq(ops.abs_(z), math.inf), 0.0, found)


@edge
def sici(x: Operand) -> tuple[Any, Any]:
    """The sine integral and the cosine integral, which below 0 is that of `-x`."""
    return rows.sine_integral(x), rows.cosine_integral(x)


@edge
def fresnel(z: Operand) -> tuple[Any, Any]:
    """Fresnel's integrals: of `sin(pi / 2 * t * t)` and of `cos(pi / 2 * t * t)`, from 0 to `z`."""
    return rows.fresnel_s(z), rows.fresnel_c(z)


@edge
def airy(z: Operand) -> tuple[Any, Any, Any, Any]:
    """Airy's functions and their derivatives: `Ai`, `Ai'`, `Bi` and `Bi'`."""
    return rows.airy_ai(z), rows.airy_aip(z), rows.airy_bi(z), rows.airy_bip(z)


@edge
def ellipj(u: Operand, m: Operand) -> tuple[Any, Any, Any, Any]:
    """Jacobi's elliptic functions `sn`, `cn` and `dn`, and the amplitude; `m` is from 0 to 1."""
    return rows.jacobi_sn(u, m), rows.jacobi_cn(u, m), rows.jacobi_dn(u, m), rows.jacobi_am(u, m)


@edge
def multigammaln(a: Operand, d: int) -> Any:
    """The logarithm of the multivariate gamma function, of dimension `d`."""
    d = _whole("multigammaln", "d", d)
    total: Any = d * (d - 1) / 4.0 * math.log(math.pi)
    for j in range(d):
        total = total + ops.lgamma(ops.sub(a, j / 2.0))
    return total


@edge
def sph_harm_y(n: int, m: int, theta: Operand, phi: Operand) -> tuple[Any, Any]:
    """The spherical harmonic of degree `n` and order `m`: its real and its imaginary part.

    `theta` is the polar angle and `phi` the azimuth, as SciPy has them.
    """
    n, order = _whole("sph_harm_y", "n", n), abs(_whole("sph_harm_y", "m", m, least=-n))
    if order > n:
        raise TypeMismatch(f"sph_harm_y has no order {shown(m)} of degree {n}", here(), "write one from -n to n")
    legendre = _legendre(n, order, ops.cos(theta), ops.sin(theta))
    sign = -1.0 if m < 0 and order % 2 else 1.0
    angle = ops.mul(phi, float(m))
    return legendre * sign * ops.cos(angle), legendre * sign * ops.sin(angle)


def _legendre(n: int, m: int, c: Value | float, s: Value | float) -> Any:
    """The normalised associated Legendre function of `c`, whose sine is `s`: DLMF 14.10.3, 14.7.15."""
    last: Any = math.sqrt((2 * m + 1) / (4.0 * math.pi))
    for k in range(1, m + 1):
        last = last * (-math.sqrt((2 * k - 1) / (2.0 * k))) * s
    before: Any = 0.0
    for k in range(m + 1, n + 1):
        up = math.sqrt((4.0 * k * k - 1.0) / (k * k - m * m))
        down = math.sqrt(((k - 1.0) ** 2 - m * m) / (4.0 * (k - 1.0) ** 2 - 1.0)) if k > m + 1 else 0.0
        last, before = up * (c * last - down * before), last
    return last


def _whole(name: str, parameter: str, k: object, least: int = 0) -> int:
    """A whole number, which the program knows."""
    if not isinstance(k, int) or isinstance(k, bool) or k < least:
        what = f"{name} takes a whole number from {least} on for {parameter}, not {shown(k)}"
        raise TypeMismatch(what, here(), "write it in the program, as in spherical_jn(2, x)")
    return k
