"""Taylor polynomials of a function of one number, and the arithmetic of such polynomials."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import NotDifferentiable, edge, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked
from ..ir import is_tracing
from ..ir.types import Real, untyped
from .jets import checked_order, jet


@of_any_size
def taylor(f: AnyFn, n: int) -> Callable[[Any], Polynomial]:
    """`taylor(f, n)(x)` is the Taylor polynomial of degree `n` around `x`, of a function of a Real to a Real.

    Outside of a trace it is one of numbers, and in an `@fn` of traced numbers.
    """
    f, order = checked(f, "taylor"), checked_order(n, "taylor")
    if [untyped(t) for t in f.types] != [Real] or untyped(f.result) is not Real:
        what = f"rose.taylor takes a function of one Real to a Real, and {f.name} is not"
        raise NotDifferentiable(what, here(), "use rose.jet, which takes functions of any type")
    derivatives = jet(f, order)

    @edge
    def around(x: Any) -> Polynomial:
        along = derivatives([x, 1.0, *[0.0] * (order - 1)])
        coefficients = [along[k] / math.factorial(k) for k in range(order + 1)]
        return Polynomial(coefficients if is_tracing() else [*map(float, coefficients)], x)

    return around


class Polynomial:
    """A polynomial in the distance from `center`, by its coefficients, that of the power 0 first.

    They are floats, or traced numbers of one function. `p(x)` is its value at `x`.
    """

    def __init__(self, coefficients: Sequence[Any], center: Any = 0.0) -> None:
        self.coefficients, self.center = [*coefficients], center

    @edge
    def __call__(self, x: Any) -> Any:
        total, distance = self.coefficients[-1], x - self.center
        for c in reversed(self.coefficients[:-1]):
            total = total * distance + c
        return total

    @property
    def degree(self) -> int:
        """One less than the number of coefficients, of which the last may be 0."""
        return len(self.coefficients) - 1

    def derivative(self) -> Polynomial:
        """The derivative; of a constant, 0."""
        after = [k * c for k, c in enumerate(self.coefficients)][1:]
        return Polynomial(after or [0.0], self.center)

    def integral(self, constant: Any = 0.0) -> Polynomial:
        """The integral that has the value `constant` at the center."""
        return Polynomial([constant, *[c / (k + 1) for k, c in enumerate(self.coefficients)]], self.center)

    def compose(self, inner: Polynomial) -> Polynomial:
        """`self(inner(t))`, a polynomial around the center of `inner`, of the smaller of both degrees."""
        size = min(self.degree, inner.degree) + 1
        shifted = [inner.coefficients[0] - self.center, *inner.coefficients[1:size]]
        total: list[Any] = [self.coefficients[-1], *[0.0] * (size - 1)]
        for c in reversed(self.coefficients[:-1]):
            total = _product(total, shifted)
            total[0] = total[0] + c
        return Polynomial(total, inner.center)

    def reciprocal(self) -> Polynomial:
        """`1 / self`, up to the same degree; of a polynomial that is 0 at its center, infinite or nan."""
        c, out = self.coefficients, [1.0 / self.coefficients[0]]
        for k in range(1, len(c)):
            rest = c[1] * out[k - 1]
            for j in range(2, k + 1):
                rest = rest + c[j] * out[k - j]
            out.append(-rest / c[0])
        return Polynomial(out, self.center)

    def __repr__(self) -> str:
        return f"Polynomial({self.coefficients!r}, center={self.center!r})"


def _product(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    """The first coefficients of a product, as many as each factor has."""
    out: list[Any] = []
    for k in range(len(x)):
        total = x[0] * y[k]
        for j in range(1, k + 1):
            total = total + x[j] * y[k - j]
        out.append(total)
    return out
