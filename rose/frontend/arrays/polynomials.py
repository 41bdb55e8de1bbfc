"""Polynomials by their coefficients, as NumPy has them: the values of one, and the powers that it adds up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, current_builder
from .creation import whole
from .elementwise import array_function, each
from .reductions import fold_of, number, numbers
from .shapes import shape_of
from .shaping import flip


@array_function
def polyval(p: Any, x: Any) -> Any:
    """The polynomial of the coefficients `p`, of the highest power first, at a number or at each of an array.

    By Horner's rule: `(p[0] * x + p[1]) * x + ...`; of no coefficients it is 0.
    """
    b, c = current_builder(), _vector(p, "polyval")
    n = shape_of(c.type)[0]

    def coefficient(*i: Value) -> Value:
        return number(b.index(c, *i))

    def at(x: Any) -> Value:
        y = number(b.lift(x))
        step: Callable[[Value, Value], Value] = lambda total, k: total * y + k
        return fold_of([n], coefficient, b.lift(0.0), step)

    return each(at, x)


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
