"""Zeros of polynomials, and polynomials by their zeros."""

from __future__ import annotations

from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.arrays.elementwise import each
from ..frontend.arrays.reductions import number, numbers
from ..frontend.arrays.shapes import as_array, leaf_of, shape_of
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..frontend.values import to_value
from ..ir import Value, a_traced
from ..ir.sizes import at_most, minus
from ..ir.types import is_complex
from .general import before, eigvals
from .matrices import filled


@lenient
def roots(p: ArrayLike) -> Array:
    """The zeros of a polynomial, complex numbers, by its coefficients: the first, of the highest power, is not 0.

    They are the eigenvalues of its companion matrix, in the order of `rose.linalg.eigvals`. If the first coefficient is
    0, the result is nan: how many there are is known only when the compiled function runs.
    """
    c = _numbers(p, "roots")
    (n, *more) = shape_of(c.type)
    if more:
        what = f"np.roots takes a vector of coefficients, not {a_traced(c)}"
        raise TypeMismatch(what, here(), "give it one polynomial")
    degree = 0 if at_most(n, 1) else minus(n, 1)

    def entry(i: Value, j: Value) -> Any:
        return select(i == 0, -c[within(j + 1, n)] / c[0], select(i == j + 1, 1.0, 0.0))

    return eigvals(filled(degree, degree, entry))


def _numbers(x: ArrayLike, name: str) -> Value:
    v = as_array(x)
    return v if is_complex(leaf_of(v.type)) else each(number, numbers(v, name))


@lenient
def poly(seq_of_zeros: ArrayLike) -> Array:
    """The coefficients, of the highest power first, of the polynomial with these zeros, whose first is 1.

    Of a square matrix it is the characteristic polynomial. Of complex zeros the coefficients are complex, also where
    NumPy, which looks at their values, finds conjugate ones and gives real numbers.
    """
    given = _numbers(seq_of_zeros, "poly")
    zeros = given
    if is_matrix := len(shape_of(given.type)) == 2:
        zeros = eigvals(given)
    (n, *more) = shape_of(zeros.type)
    if more:
        what = f"np.poly takes a vector of zeros, or a square matrix, not {a_traced(given)}"
        raise TypeMismatch(what, here(), "give it one polynomial")
    size, leaf = n + 1, leaf_of(zeros.type)
    start = loops.vec(to_value(select(j == 0, 1.0, 0.0), leaf) for j in loops.range(size))

    def step(k: Value, c: Value) -> Value:
        return loops.vec(c[j] - zeros[k] * select(j == 0, 0.0, c[before(j, size)]) for j in loops.range(size))

    found = control.scan(step, start, n)
    return found.real if is_matrix and not is_complex(leaf_of(given.type)) else found
