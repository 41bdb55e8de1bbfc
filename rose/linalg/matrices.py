"""The arguments of linear algebra: matrices that are checked, and batches of them by their leading axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import TypeMismatch, argument, here
from ..frontend.arrays.products import conjugate
from ..frontend.arrays.shapes import Shape, array_type, as_array, broadcast, leaf_of, shape_of
from ..frontend.arrays.shaping import permuted, transpose
from ..frontend.complex.parts import made
from ..frontend.index_expressions import literal
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..frontend.operators import as_real
from ..frontend.typed import ArrayLike
from ..frontend.values import to_value
from ..ir import Value, a_traced, current_builder, ops, shown
from ..ir.sizes import Size, differ
from ..ir.types import Complex, Real, Tan, Type, Vec, is_complex

EPSILON = 2.0**-52
_NUMBERS = {
    name: (Real, Complex)
    for name in (
        "solve inv det slogdet eigh expm matrix_power eig eigvals schur hessenberg lu qr lq svd svdvals pinv lstsq "
        "polar cond matrix_norm cholesky solve_triangular"
    ).split()
}
MATRIX = "give a vector of its rows, Vec[n, m]; leading axes are those of a batch"


def array(x: ArrayLike, rank: int, name: str, k: int, *counts: int, names: Sequence[str] = "ab") -> Value:
    """The argument `k` of so many of `rose.linalg.<name>`: an array of Reals with so many axes at least."""
    v = as_array(x)
    if len(shape_of(v.type)) < rank or leaf_of(v.type) not in _NUMBERS.get(name, (Real,)):
        raise misfit(x, v, "a matrix of Reals" if rank == 2 else "an array of Reals", name, k, *counts, names=names)
    return v


def square(x: ArrayLike, name: str, *counts: int, k: int = 0, names: Sequence[str] = "ab") -> Value:
    """The argument `k` of `rose.linalg.<name>`, which is the first: a square matrix of Reals, or a batch of them."""
    v = array(x, 2, name, k, *counts, names=names)
    rows, columns = shape_of(v.type)[-2:]
    if differ(rows, columns):
        raise misfit(x, v, "a square matrix", name, k, *counts, names=names)
    return v


def shaped(
    x: ArrayLike, rows: int | Size, columns: int | Size, name: str, k: int, *counts: int, names: Sequence[str] = "ab"
) -> Value:
    """The argument `k` of so many of `rose.linalg.<name>`: a matrix of that shape, or a batch of them."""
    v = array(x, 2, name, k, *counts, names=names)
    if any(map(differ, shape_of(v.type)[-2:], (rows, columns))):
        raise misfit(x, v, f"a matrix of {rows!r} by {columns!r}", name, k, *counts, names=names)
    return v


def equations(
    a: ArrayLike, b: ArrayLike, name: str, *, any_shape: bool = False, counts: tuple[int, ...] = (2, 3)
) -> tuple[list[Value], list[int]]:
    """A matrix, square or of any shape, and the right side of equations with it; and the ranks of both."""
    m = array(a, 2, name, 0, *counts) if any_shape else square(a, name, *counts)
    y, rank = right_side(b, shape_of(m.type)[-2], name, 1, *counts)
    if any([is_complex(leaf_of(v.type)) for v in (m, y)]):
        return [as_complex(m), as_complex(y)], [2, rank]
    return [m, y], [2, rank]


def as_complex(v: Value) -> Value:
    """An array with complex elements."""
    return to_value(v, array_type(shape_of(v.type), Complex))


def right_side(
    b: ArrayLike, n: int | Size, name: str, k: int, *counts: int, names: Sequence[str] = "ab"
) -> tuple[Value, int]:
    """The argument `k` of so many: the right side of equations of `n` rows; and its rank, 1 of a vector."""
    y = array(b, 1, name, k, *counts, names=names)
    shape = shape_of(y.type)
    rank = min(len(shape), 2)
    if differ(n, shape[-rank]):
        raise misfit(b, y, f"a right side of {n!r} rows", name, k, *counts, names=names)
    return y, rank


def misfit(
    x: object, v: Value, wanted: str, name: str, k: int, *counts: int, names: Sequence[str] = "ab", hint: str = MATRIX
) -> TypeMismatch:
    """The error of the argument `k` of so many, which is not what is wanted."""
    given = a_traced(v) if isinstance(x, Value) else shown(x)
    at = here().narrow(argument(k, names[k], *(counts or (1,))))
    return TypeMismatch(f"rose.linalg.{name} takes {wanted}, not {given}", at, hint)


def batched(f: Callable[..., Any], operands: Sequence[Value], ranks: Sequence[int]) -> Any:
    """`f` of the operands; of those that have more axes than their ranks, for each of the leading ones, broadcast."""
    leading = [shape_of(v.type)[: len(shape_of(v.type)) - rank] for v, rank in zip(operands, ranks, strict=True)]
    return _over(broadcast(leading), f, list(operands), list(map(len, leading)))


def _over(shape: Shape, f: Callable[..., Any], operands: Sequence[Any], more: Sequence[int]) -> Any:
    if not shape:
        return f(*operands)
    b = current_builder()

    def item(i: Value) -> tuple[list[Value], list[Value]]:
        now: list[Any] = []
        for v, n in zip(operands, more, strict=True):
            is_one = n == len(shape) and not differ(v.shape[0], 1) and differ(shape[0], 1)
            now.append(b.index(v, 0 if is_one else i) if n == len(shape) else v)
        made = _over(shape[1:], f, now, [min(n, len(shape) - 1) for n in more])
        return [], [as_array(x) for x in (made if isinstance(made, tuple) else (made,))]  # pyright: ignore[reportUnknownVariableType]

    outs = b.loop(shape[0], item)[1]
    return tuple(outs) if len(outs) > 1 else outs[0]


def across(a: Value) -> Value:
    """The matrix, or each of a batch, with its rows as columns."""
    rank = len(shape_of(a.type))
    return permuted(a, [*range(rank - 2), rank - 1, rank - 2])


def symmetric(a: Value) -> Value:
    """The symmetric matrix, or the Hermitian one, of which `a` has the lower half."""
    n = a.shape[0]
    if leaf_of(a.type) in (Real, Tan):
        return filled(n, n, lambda i, j: select(j <= i, a[i][j], a[j][i]))
    beside: Callable[[Any, Any], Any] = lambda i, j: select(j < i, a[i][j], a[j][i].conj())
    return filled(n, n, lambda i, j: select(i == j, made(a[i][i].real, 0.0), beside(i, j)))


def longer(a: Value) -> Any:
    """The size of the longer side of a matrix, as a number."""
    m, n = [as_real(literal(k)) if isinstance(k, Size) else float(k) for k in shape_of(a.type)[-2:]]
    return max(m, n) if isinstance(m, float) and isinstance(n, float) else ops.max_(m, n)


def elem(t: Type) -> Type:
    assert isinstance(t, Vec)
    return t.elem


def identity(m: int | Size, n: int | Size | None = None, of: Type = Real) -> Value:
    """The identity matrix of `m` rows; or its first `n` columns, or zeros after it."""
    made = filled(m, m if n is None else n, lambda i, j: select(i == j, 1.0, 0.0))
    return made if of is Real else to_value(made, array_type(shape_of(made.type), of))


def zeros(m: int | Size, n: int | Size, of: Type) -> Value:
    """The matrix of `m` rows and `n` columns of zeros."""
    return filled(m, n, lambda i, j: 0.0) if of is Real else current_builder().zero(array_type((m, n), of))


def adjoint(a: Value) -> Value:
    """A matrix with its rows as columns, and its numbers conjugate."""
    return transpose(conjugate(a))


def filled(m: int | Size, n: int | Size, entry: Callable[[Any, Any], Any]) -> Value:
    """The matrix of `m` rows with `entry(i, j)` in row `i` and column `j`, of `n`."""
    return loops.vec(loops.vec(entry(i, j) for j in loops.range(n)) for i in loops.range(m))


def distance(a: Value, one: float = 1.0) -> Value:
    """The root of the sum of squares of `a - one * identity`."""
    n = a.shape[0]
    rest: Callable[[Any, Any], Any] = lambda i, j: a[i][j] - select(i == j, one, 0.0)
    return norm(loops.vec(norm(loops.vec(rest(i, j) for j in loops.range(n))) for i in loops.range(n)))


def magnitude(a: Value) -> Value:
    """A power of 2 near the largest element of a matrix, by which squares neither overflow nor lose digits; or 1."""
    n, m = a.shape
    largest = control.scan(
        lambda i, s: control.scan(lambda j, s: ops.max_(s, abs(a[i][j])), s, m), current_builder().zero(Real), n
    )
    there = (largest > 0.0) & (largest < math.inf)
    return select(there, ops.exp2(ops.floor(ops.log2(select(there, largest, 1.0)))), 1.0)
