"""`det`: a determinant by expansion along the first row, again and again.

Each size has a function, which calls that of the next smaller one for each of its columns; so the code grows with the
number of rows, and not with that of the products.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import rose
from rose import Fin, Fn, Real, Vec, fn

from .. import placed
from . import Functions

WRITTEN_OUT = 3  # up to this size there is no loop
KEPT = 6  # up to this one all that the derivative needs is kept; that of a larger one makes it again


def products(a: Any, left: list[Any]) -> Any:
    """The determinant of the last rows, in the columns that are left, as Python writes it out."""
    row, rest = a[len(a) - len(left)], [left[:j] + left[j + 1 :] for j in range(len(left))]
    if len(left) == 1:
        return row[left[0]]
    return sum((-1) ** j * row[left[j]] * products(a, rest[j]) for j in range(len(left)))


def minor(n: int, size: int) -> Fn[..., Any]:
    """The determinant of the last rows of an n by n matrix, in the columns that are left."""
    if size <= WRITTEN_OUT:
        types = [Vec[n, Vec[n]], Vec[size, Fin[n]]]
        return fn(types, Real)(lambda a, left: products(a, [left[j] for j in range(size)]))
    smaller = minor(n, size - 1)

    @fn
    def expanded(a: Vec[n, Vec[n]], left: Vec[size, Fin[n]]) -> Real:
        def term(j: Any, total: Any) -> Any:
            rest = rose.vec(rose.select(i < j, left[i], left[i + 1]) for i in rose.range(size - 1))
            sign = rose.select(j % 2 == 0, 1.0, -1.0)
            return total + sign * a[n - size][left[j]] * smaller(a, rest)

        return rose.scan(term, 0.0, size, checkpoint="sqrt" if size > KEPT else None)

    return expanded


@functools.cache
def compiled(n: int):
    @fn
    def primal(a: Vec[n, Vec[n]]) -> Real:
        return minor(n, n)(a, rose.vec(j for j in rose.range(n)))

    return rose.compile({"primal": primal, "gradient": rose.grad(primal)}, simd=True)


def matrix(given: dict[str, Any]) -> Any:
    return np.array(given["A"], float).reshape(given["ell"], given["ell"])


functions: Functions = {
    "primal": lambda i: placed.call(compiled(i["ell"]).primal, matrix(i)),
    "gradient": lambda i: placed.call(compiled(i["ell"]).gradient, matrix(i), shown=lambda g: g.ravel().tolist()),
}
