"""The series of each row of the table: the numbers, against mpmath, and the products, against the textbook's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from curves import CURVE, curve, jets, products
from operations import MORE, ONE

import rose
from rose import Real
from rose.ir import OPS

ORDER = 5
ROWS: dict[str, tuple[Callable[..., Any], list[tuple[float, ...]]]] = {
    **{name: (f, [(x,) for x in points]) for name, (f, points) in ONE.items()},
    **{name: (f, list(points)) for name, (f, points) in MORE.items()},
}


def row(name: str, count: int) -> Any:
    """A row of the table as a function of a user."""
    op = OPS[name]
    bodies = {1: lambda x: op(x), 2: lambda x, y: op(x, y), 3: lambda x, y, z: op(x, y, z)}
    return rose.fn([Real] * count, Real)(bodies[count])


def precise(f: Callable[..., Any], xs: tuple[float, ...]) -> list[float]:
    """The derivatives of a function of mpmath along curves that begin at `xs`."""

    def along(t: Any) -> Any:
        tail = mpmath.fsum(c * t**k / math.factorial(k) for k, c in enumerate(CURVE, 1))
        return f(*[mpmath.mpf(x) + tail for x in xs])

    with mpmath.workdps(60):
        return [float(c * mpmath.factorial(k)) for k, c in enumerate(mpmath.taylor(along, 0, ORDER))]


def close(x: Any, y: Any) -> bool:
    """Each order to nine digits of its largest number."""
    return np.allclose(x, y, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(y))))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_has_the_series_of_mpmath(name: str):
    meaning, points = ROWS[name]
    f = row(name, len(points[0]))
    for xs in points:
        assert close(jets(f, ORDER, *[curve(x, ORDER) for x in xs]), precise(meaning, xs)), xs


def test_every_row_that_moves_is_tested():
    assert {op.name for op in OPS.values() if op.jvp is not None or op.expand is not None} == set(ROWS)


# the textbook: Griewank and Walther, Evaluating Derivatives, chapter 13.2


def product(n: int) -> int:
    return (n + 1) * (n + 2) // 2


def square(n: int) -> int:
    return sum([k // 2 + 1 for k in range(n + 1)])


def solved(n: int) -> int:
    """Of `z' = x' w`: the coefficients of `x'`, the products, and a division by the order."""
    return n * (n + 1) // 2 + 2 * n


def root(n: int) -> int:
    return sum([k // 2 + 1 for k in range(1, n + 1)])


def pair(n: int) -> int:
    """Of sine and cosine, or the hyperbolic ones, which share `x'`."""
    return 2 * solved(n) - n


TEXTBOOK: dict[str, Callable[[int], int]] = {
    "mul": product,
    "div": product,
    "sqrt": root,
    **dict.fromkeys(["exp", "exp2", "expm1", "log", "log2", "log10", "log1p"], solved),
    **dict.fromkeys(["sin", "cos", "sinh", "cosh"], pair),
    **dict.fromkeys(["tan", "tanh", "atan", "atanh", "cbrt"], lambda n: square(n) + solved(n)),
    **dict.fromkeys(["asin", "acos", "asinh", "acosh"], lambda n: square(n) + root(n) + solved(n)),
    **dict.fromkeys(["erf", "erfc"], lambda n: square(n) + 2 * solved(n)),
    "sigmoid": lambda n: solved(n) + product(n),
    "softplus": lambda n: 2 * solved(n),
    "hypot": lambda n: 2 * square(n) + root(n),
    "atan2": lambda n: 2 * product(n) + 2 * square(n) + solved(n),
    "pow": lambda n: 2 * solved(n) + product(n),
}


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("n", [10, 20, 30])
def test_a_row_multiplies_at_most_a_third_more_than_the_textbook(name: str, n: int):
    _, points = ROWS[name]
    at, both_ends = [curve(x, n) for x in points[0]], len(points[0]) * n + n
    f = row(name, len(points[0]))
    assert products(rose.jet(f, n), *at) - both_ends <= 1.3 * TEXTBOOK[name](n)  # but for factorials, at both ends
