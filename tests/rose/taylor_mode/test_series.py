"""Power series: products of rational numbers are exact, so each is what `fractions` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import building
from rose.ir.types import Real, Vec
from rose.taylor_mode.series import (
    Series,
    derivative_of,
    integral,
    less,
    linear,
    plus,
    product,
    quotient,
    shifted,
    squares,
    written,
)

X, Y = (3.0, -1.0, 2.0, 5.0, 0.0, 1.0), (2.0, 4.0, -1.0, 0.0, 3.0, 1.0)


def result(of: Callable[[Series, Series], Series], length: int = 5) -> list[float]:
    """The coefficients of a series that is made of those of `X` and `Y`, by the interpreter."""
    with building("f") as b:
        b.loc = Loc(result.__code__, -1)
        x, y = b.param(Vec(6, Real)), b.param(Vec(6, Real))
        z = of(*[Series(b.index(v, 0), lambda k, v=v: b.index(v, k)) for v in (x, y)])
        f = b.func(b.pack([written(z[k]) for k in range(length)], Vec(length, Real)))
    return list(run(f, X, Y))


def convolved(x: Sequence[float], y: Sequence[float], k: int) -> Fraction:
    return sum([Fraction(x[j]) * Fraction(y[k - j]) for j in range(k + 1)], Fraction(0))


def divided() -> list[float]:
    z: list[Fraction] = []
    for k in range(5):
        z.append((Fraction(X[k]) - sum([Fraction(Y[j]) * z[k - j] for j in range(1, k + 1)])) / Fraction(Y[0]))
    return [float(c) for c in z]


@pytest.mark.parametrize(
    ("of", "want"),
    [
        (product, [float(convolved(X, Y, k)) for k in range(5)]),
        (lambda x, _: product(x, x), [float(convolved(X, X, k)) for k in range(5)]),
        (quotient, divided()),
        (lambda x, y: linear(plus, x, y), [5.0, 3.0, 1.0, 5.0, 3.0]),
        (lambda x, y: linear(less, x, y), [1.0, -5.0, 3.0, 5.0, -3.0]),
        (lambda x, _: derivative_of(x), [-1.0, 4.0, 15.0, 0.0, 5.0]),
        (lambda x, _: shifted(x), [-1.0, 2.0, 5.0, 0.0, 1.0]),
        (lambda x, y: integral(x.first, lambda k: y[k]), [3.0, 2.0, 2.0, -1.0 / 3.0, 0.0]),
        (lambda x, _: Series(x.first), [3.0, 0.0, 0.0, 0.0, 0.0]),
        (lambda x, y: product(Series(x.first), y), [6.0, 12.0, -3.0, 0.0, 9.0]),
    ],
)
def test_series_are_those_of_exact_arithmetic(of: Callable[[Series, Series], Series], want: list[float]):
    assert result(of) == want


def test_a_square_without_its_ends():
    assert result(lambda x, _: Series(x.first, lambda k: squares(x, k, 1)))[3] == 2.0 * X[1] * X[2]
    assert result(lambda x, _: Series(x.first, lambda k: squares(x, k, 1)))[1] == 0.0
