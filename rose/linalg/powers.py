"""Powers of matrices, and their exponential."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import TypeMismatch, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import as_array
from ..frontend.language import control, loops
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, ops, shown
from ..ir.value import host_index
from .elimination import inv, solution
from .matrices import batched, identity, square

NUMERATOR = (  # of Pade's approximation of degree 13 to exp(x); the denominator is that of exp(-x)
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
LARGEST = 5.371920351148152  # the 1-norm of a matrix of which the approximation is exact to rounding


@lenient
def matrix_power(a: ArrayLike, n: int) -> Array:
    """The product of `n` times the square matrix `a`, an integer; of its inverse, if that is below 0."""
    power = host_index(n)
    if power is None:
        at = here().narrow(argument(1, "n", 2))
        raise TypeMismatch(f"rose.linalg.matrix_power takes an integer, not {shown(n)}", at, "write a power such as 3")
    m = square(a, "matrix_power", 2)
    return batched(partial(raised, abs(power)), [m if power >= 0 else as_array(inv(m))], [2])


def raised(n: int, m: Value) -> Value:
    """By squaring."""
    out: Any = None
    while n:
        if n & 1:
            out = m if out is None else matmul(out, m)
        n >>= 1
        m = matmul(m, m) if n else m
    return identity(m.shape[0]) if out is None else out


@lenient
def expm(a: ArrayLike) -> Array:
    """The exponential of a square matrix, or of each of a batch.

    By Pade's approximation of degree 13 to that of `a / 2 ** k`, which is squared `k` times: see Higham, The scaling
    and squaring method for the matrix exponential revisited (2005).
    """
    return batched(exponential, [square(a, "expm")], [2])


def exponential(a: Value, solved: Callable[[Value, Value], Value] = solution) -> Value:
    """The exponential of one matrix, by a solver of equations."""
    n = a.shape[0]
    column: Callable[[Any], Any] = lambda j: loops.sum(abs(a[i][j]) for i in loops.range(n))
    size = control.scan(lambda j, s: ops.max_(s, column(j)), 0.0, n)
    halvings = ops.max_(ops.ceil(ops.log2(ops.max_(size, LARGEST) / LARGEST)), 0.0)
    x = a * ops.exp2(-halvings)
    x2 = matmul(x, x)
    x4 = matmul(x2, x2)
    x6 = matmul(x4, x2)
    c, one = NUMERATOR, identity(n)
    high, low = (c[13] * x6 + c[11] * x4 + c[9] * x2), (c[7] * x6 + c[5] * x4 + c[3] * x2 + c[1] * one)
    odd = matmul(x, matmul(x6, high) + low)
    even = matmul(x6, c[12] * x6 + c[10] * x4 + c[8] * x2) + c[6] * x6 + c[4] * x4 + c[2] * x2 + c[0] * one
    start = solved(even - odd, even + odd)
    squared: Callable[[Any], Any] = lambda s: (matmul(s[0], s[0]), s[1] - 1.0)
    return control.while_loop(lambda s: s[1] > 0.0, squared, (start, halvings))[0]
