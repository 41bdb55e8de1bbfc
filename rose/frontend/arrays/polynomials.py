"""Polynomials by their coefficients, as NumPy has them: the values of one, and the powers that it adds up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, current_builder
from ...ir.sizes import Size, differ
from ..operators import negative, operand
from .creation import arange, whole, zeros_like
from .elementwise import array_function, each
from .joining import concatenate
from .padding import pad
from .products import convolve
from .reductions import fold_of, number, numbers
from .shapes import as_array, is_several, shape_of, sum_type
from .shaping import flip


@array_function
def polyval(p: Any, x: Any) -> Any:
    """The polynomial of the coefficients `p`, of the highest power first, at a number or at each of an array.

    By Horner's rule: `(p[0] * x + p[1]) * x + ...`; of no coefficients it is 0. Rows of coefficients are those of
    several polynomials, which are broadcast against `x`.
    """
    if len(shape_of((rows := as_array(p)).type)) > 1:
        return of_rows(rows, x)
    b, c = current_builder(), _vector(p, "polyval")
    n = shape_of(c.type)[0]

    def coefficient(*i: Value) -> Value:
        return number(b.index(c, *i))

    def at(x: Any) -> Value:
        y = number(b.lift(x))
        step: Callable[[Value, Value], Value] = lambda total, k: total * y + k
        return fold_of([n], coefficient, b.zero(sum_type(c, y)), step)

    return each(at, x)


def of_rows(p: Value, x: Any) -> Any:
    """The polynomials whose coefficients are arrays, the elements of `p`, at numbers."""
    n = shape_of(p.type)[0]
    if isinstance(n, Size):
        what = f"rose.polyval of arrays of coefficients takes a number of them that is known, not {n!r}"
        raise TypeMismatch(what, here(), "call it on each column: rose.polyval(p[:, j], x)")
    y: Any = zeros_like(x)
    for k in range(n):
        y = y * x + current_builder().index(p, k)
    return y


@array_function
def polyder(p: Any, m: Any = 1) -> Any:
    """The coefficients of the derivative of a polynomial, or of the `m`-th."""
    c = _vector(p, "polyder")
    for _ in range(whole(m, "m", "np.polyder")):
        (n,) = shape_of(c.type)
        c = as_array(c[:-1] * (_powers(n) + 0.0)[:-1])
    return c


@array_function
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """The coefficients of the integral of a polynomial, or of the `m`-th; `k` has the constants, 0 by default."""
    c, count = _vector(p, "polyint"), whole(m, "m", "np.polyint")
    constants = [0.0] * count if k is None else [*k] if is_several(k) else [k] * count
    for constant in constants:
        (n,) = shape_of(c.type)
        c = as_array(concatenate([c / (_powers(n) + 1.0), [constant]]))
    return c


def _powers(n: Any) -> Any:
    """The powers that coefficients belong to: from the highest to 0."""
    return flip(arange(n))


@array_function
def polyadd(a1: Any, a2: Any) -> Any:
    """The coefficients of the sum of two polynomials."""
    return _padded(a1, a2, "polyadd", operand)


@array_function
def polysub(a1: Any, a2: Any) -> Any:
    """The coefficients of the difference of two polynomials."""
    return _padded(a1, a2, "polysub", negative)


def _padded(a1: Any, a2: Any, name: str, of: Callable[[Any], Any]) -> Any:
    v, w = [_vector(x, name) for x in (a1, a2)]
    n, m = shape_of(v.type)[0], shape_of(w.type)[0]
    if isinstance(n, Size) or isinstance(m, Size):
        if differ(n, m):
            raise TypeMismatch(f"np.{name} of {n!r} and {m!r} coefficients", here(), "give as many of both")
        return v + each(of, w)
    longest = max(n, m)
    v, w = [as_array(pad(u, (longest - k, 0))) for u, k in ((v, n), (each(of, w), m))]
    return v + w


@array_function
def polymul(a1: Any, a2: Any) -> Any:
    """The coefficients of the product of two polynomials."""
    return convolve(_vector(a1, "polymul"), _vector(a2, "polymul"))


@array_function
def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """Vandermonde's matrix: the powers of each number of a vector, a row each, `N` of them from the highest to 1.

    With `increasing` they begin with 1. Without `N` there are as many as numbers.
    """
    b, v = current_builder(), _vector(x, "vander")
    n = shape_of(v.type)[0]
    count = n if N is None else whole(N, "N", "rose.vander")

    def powers(i: Value) -> Value:
        y = number(b.index(v, i))

        def step(_: Value, power: Value) -> tuple[list[Value], list[Value]]:
            return [power * y], [power]

        return b.loop(count, step, [b.lift(1.0)])[1][0]

    rows = b.vec(n, powers)
    return rows if increasing else flip(rows, 1)


def _vector(x: Any, name: str) -> Value:
    v = numbers(x, name)
    if len(shape_of(v.type)) != 1:
        raise TypeMismatch(f"rose.{name} takes a vector, not {a_traced(v)}", here(), "call it on each row")
    return v
