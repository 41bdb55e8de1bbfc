"""Sweeps: products of a derivative with many vectors, several in each sweep of forward mode.

What does not depend on the direction is computed once in a sweep. Memory is that of the tangents of one sweep, and not
of all. Measured by `benchmarks/sweeps.py`, beside one direction at a time: eight Jacobians in forward mode take 1.03 to
2.3 times less time, 1.6 in the mean, and from half to 2.3 times the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ..frontend.index_expressions import within
from ..ir import Builder, Value
from ..ir.ops import iadd, idiv, imod, imul
from ..ir.sizes import Size, current, differ, plus, quotient
from ..ir.types import Fin

SEVERAL = (4, 6, 5, 3)  # directions of a sweep, the best first


class Sweeps:
    """So many products, and how they are divided into sweeps. The last ones may have directions that nobody reads."""

    def __init__(self, count: int) -> None:
        self.count = count  # or a size
        self.each = _each(count)  # directions of a sweep
        self.number = cast("int", quotient(plus(count, self.each - 1), self.each))

    def products(self, b: Builder, sweep: Callable[[Callable[[Value], Value]], Value]) -> Value:
        """The results of all sweeps. `sweep` is given the number of each product, by its direction in the sweep."""
        each = self.each

        def one(k: Value) -> Value:
            first = b.emit(imul, (b.const(each, Fin(each + 1)), k))
            return sweep(lambda j: b.emit(iadd, (first, j)))

        return b.vec(self.number, one)

    def place(self, b: Builder, k: Value) -> tuple[Value, Value]:
        """The sweep of product number `k`, and its direction there."""
        if not differ(self.number, 1):
            return b.const(0, Fin(1)), k
        by = b.const(self.each, Fin(self.each + 1))
        sweep, direction = b.emit(idiv, (k, by)), b.emit(imod, (k, by))
        # of a size, nothing shows that no index is beyond the last
        return within(sweep, self.number) if isinstance(self.number, Size) else sweep, direction

    def there(self, k: Value) -> Value:
        """`k`, or the number of the last product where there is none of number `k`."""
        exact = not isinstance(self.count, Size) and self.count % self.each == 0
        return k if exact else within(k, self.count)


def _each(count: int | Size) -> int:
    if isinstance(count, Size) or current():  # the bits of one size of many are those of a size that is not known
        return SEVERAL[0]
    return max(count, 1) if count <= max(SEVERAL) else min(SEVERAL, key=lambda k: -count % k)
