"""The singular value decomposition, and what is made of it: pseudo-inverses, least squares, condition numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from ..errors import OutOfRange, argument, here
from ..frontend.annotations import Dual
from ..frontend.arguments import lenient
from ..frontend.arrays.joining import joined
from ..frontend.arrays.order import argsort
from ..frontend.arrays.products import conjugate, matmul
from ..frontend.arrays.reductions import total
from ..frontend.arrays.shapes import array_type, as_array, leaf_of, shape_of
from ..frontend.arrays.shaping import atleast_1d, transpose
from ..frontend.complex.parts import made
from ..frontend.duals import DualVec, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.operators import operand, view
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops, shown
from ..ir.callgraph import make_linear
from ..ir.sizes import at_most, differ
from ..ir.types import Real, Tuple, Type, Vec, is_complex
from .bidiagonal import diagonalised
from .gaps import is_close, over
from .matrices import EPSILON, adjoint, array, batched, elem, equations, filled, identity, longer, magnitude, symmetric
from .primitives import Primitive, primitive
from .reflections import complete

NOISE = 1e-12  # what is below that share of the largest singular value is the rounding of a zero


class SVDResult(NamedTuple):
    """Orthonormal columns, the singular values in descending order, and orthonormal rows."""

    U: Array
    S: Array
    Vh: Array


class PolarResult(NamedTuple):
    """An orthogonal matrix, and a symmetric one."""

    U: Array
    P: Array


class LstsqResult(NamedTuple):
    """The solution of least squares, what it leaves, the rank of the matrix, and its singular values."""

    x: Array
    residuals: Any
    rank: Any
    singular_values: Array


@lenient
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The decomposition `a == U * S @ Vh` of an `m` by `n` matrix, or of each of a batch, with `k = min(m, n)`.

    With `full_matrices=False`, `U` is `m` by `k` and `Vh` `k` by `n`; else, as in NumPy, both are square: the other
    singular vectors, for which there is a choice, are those of a complete `qr` of the first. Derivatives of any order
    exist where the singular values differ and are not 0. The singular vectors of equal ones, and of 0, have none: what
    reads them has the derivative nan, and what does not read them keeps its own; see `eigh`. With `compute_uv=False` it
    is `svdvals(a)`; with `hermitian`, of the symmetric matrix of which `a` has the lower half.
    """
    m = _symmetric_if(hermitian, array(a, 2, "svd", 0, 1, 2, 3, 4))
    if not compute_uv:
        return svdvals(m)
    return SVDResult(*batched(_full_svd_of if full_matrices else _svd_of, [m], [2]))


@lenient
def svdvals(a: ArrayLike) -> Array:
    """The singular values of a matrix, or of each of a batch, in descending order."""
    return SVDResult(*batched(_svd_of, [array(a, 2, "svdvals", 0, 1)], [2])).S


@lenient
def pinv(a: ArrayLike, rcond: float | Value | None = None, hermitian: bool = False, *, rtol: Any = ...) -> Array:
    """The pseudo-inverse of a matrix, or of each of a batch.

    Singular values up to `rcond`, or `rtol`, times the largest count as 0: 1e-15, if neither is given, and the rounding
    of as many numbers as the longer side has, if `rtol` is None. The derivatives exist to any order; of what counts as
    0, and is less than 1e-12 of the largest, they are those among the matrices of the same rank. With `hermitian`, of
    the symmetric matrix of which `a` has the lower half.
    """
    m = _symmetric_if(hermitian, array(a, 2, "pinv", 0, 1, 2, 3))
    if rcond is None and rtol is not ...:
        rcond = longer(m) * EPSILON if rtol is None else rtol
    return batched(partial(_pinv_of, _cut(rcond)), [m], [2])


def _symmetric_if(hermitian: bool, m: Value) -> Value:
    """A matrix, or a batch of them; if it is said to be symmetric, what its lower half says."""
    return batched(symmetric, [m], [2]) if hermitian else m


@lenient
def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | Value | None = None) -> LstsqResult:
    """The shortest `x` for which `a @ x - b` is shortest: `b` is a vector, or a matrix of right sides.

    The result has NumPy's four parts. The residuals are the sums of squares of `a @ x - b`, one for each right side,
    also where NumPy leaves them out; the rank is a number. Singular values up to `rcond` times the largest count as 0:
    1e-15, if it is not given. Derivatives are as those of `pinv`.
    """
    given = equations(a, b, "lstsq", any_shape=True)
    return LstsqResult(*batched(partial(_least_squares, _cut(rcond)), *given))


@lenient
def polar(a: ArrayLike, side: str = "right") -> PolarResult:
    """The polar decomposition `a == U @ P` of a matrix, or of each of a batch, or `P @ U` with `side="left"`.

    `U` has orthonormal columns, or rows, and `P` is symmetric and positive semi-definite. Where a singular value is 0,
    there is no derivative.
    """
    if side not in ("left", "right"):
        at = here().narrow(argument(1, "side", 2))
        raise OutOfRange(f"rose.linalg.polar has no side {shown(side)}", at, 'write "right" or "left"')

    def of(m: Value) -> tuple[Any, Any]:
        u, s, vh = _svd_of(m)
        p = matmul(adjoint(vh) * s, vh) if side == "right" else matmul(u * s, adjoint(u))
        return matmul(u, vh), p

    return PolarResult(*batched(of, [array(a, 2, "polar", 0, 1, 2)], [2]))


@lenient
def lstsq_of_numpy(a: ArrayLike, b: ArrayLike, rcond: float | Value | None = None) -> LstsqResult:
    """`np.linalg.lstsq`, whose residuals are a vector: none, if there are no more rows than columns."""
    found = lstsq(a, b, rcond)
    rows, columns = shape_of(as_array(a).type)
    if at_most(rows, columns):
        return found._replace(residuals=current_builder().zero(Vec(0, Real)))
    return found._replace(residuals=atleast_1d(found.residuals))


def _cut(rcond: float | Value | None) -> float | Value:
    return 1e-15 if rcond is None else rcond


def _pinv_of(rcond: float | Value, a: Value) -> Value:
    cuts = isinstance(rcond, Value) or rcond > NOISE
    return (_cut_pinv if cuts else _pinv).of(a.type, Real)(a, rcond)


def _least_squares(rcond: float | Value, a: Value, y: Value) -> tuple[Any, Any, Any, Any]:
    x, s = matmul(_pinv_of(rcond, a), y), _svd_of(a)[1]
    rest = matmul(a, x) - y
    cut = _first(s) * rcond
    rank = loops.sum(select(s[i] > cut, 1.0, 0.0) for i in loops.range(s.shape[0]))
    squares = (rest * conjugate(rest)).real if is_complex(leaf_of(a.type)) else rest * rest
    return x, total(squares, 0, False, None), rank, s


def _svd_of(a: Value) -> tuple[Any, Any, Any]:
    rows, columns = shape_of(a.type)
    if not differ(columns, 0):
        return a, current_builder().zero(Vec(0, Real)), current_builder().zero(Vec(0, elem(a.type)))
    if at_most(columns, rows) and differ(rows, 0):
        return _decomposed(a)
    v, s, uh = _svd_of(adjoint(a))
    return adjoint(uh), s, adjoint(v)


def _full_svd_of(a: Value) -> tuple[Any, Any, Any]:
    u, s, vh = _svd_of(a)
    return _completed(u), s, adjoint(_completed(adjoint(vh)))


def _completed(u: Value) -> Value:
    """Orthonormal columns, and others that make the matrix square."""
    m, n = shape_of(u.type)
    return u if at_most(m, n) else joined([u, complete(u)[0][:, n:]], 1)


@primitive("svd", lambda t: Tuple((t, Vec(shape_of(t)[1], Real), Vec(shape_of(t)[1], elem(t)))))
def _decomposed(a: Value) -> tuple[Any, Any, Any]:
    """The decomposition of a matrix that is not wider than high."""
    scale = magnitude(a)
    u, found, v = diagonalised(a / scale)
    n = found.shape[0]
    order = argsort(loops.vec(-abs(found[i]) for i in loops.range(n)))
    s = loops.vec(abs(found[order[i]]) * scale for i in loops.range(n))
    sign: Callable[[Any], Any] = lambda i: ops.copysign(1.0, found[i])
    rows = filled(n, n, lambda i, j: sign(order[i]) * v[order[i]][j])
    return transpose(loops.vec(u[order[i]] for i in loops.range(n))), s, rows


@_decomposed.jvp
def _(x: tuple[Value, Value, Value], a: DualVec) -> Any:
    """The tangents of the three. See Townsend, Differentiating the singular value decomposition (2016).

    Complex vectors are those times a phase: the products of the right ones with their tangents stay 0.
    """
    u, s, vh = x
    n, most = s.shape[0], _first(s)
    right, of_reals = matmul(a.du, adjoint(vh)), not is_complex(leaf_of(a.re.type))
    p = matmul(adjoint(u), right)

    def over_gap(x: Value, i: Value, j: Value) -> Value:
        gap = (s[j] - s[i]) * (s[j] + s[i])
        return select(i == j, 0.0, over(x, gap, is_close(s[j] - s[i], most)))

    def left(i: Value, j: Value) -> Value:
        found = over_gap(p[i][j] * s[j] + p[j][i].conj() * s[i], i, j)
        turned = None if of_reals else made(0.0, over(p[i][i].imag, s[i], is_close(s[i], most)))
        return found if turned is None else select(i == j, turned, found)

    of_u = filled(n, n, left)
    of_v = filled(n, n, lambda i, j: over_gap(p[i][j] * s[i] + p[j][i].conj() * s[j], i, j))
    rest = right - matmul(u, p)
    outside = filled(u.shape[0], n, lambda i, j: over(rest[i][j], s[j], is_close(s[j], most)))
    ds = loops.vec(p[i][i].real for i in loops.range(n))
    return matmul(u, of_u) + outside, ds, matmul(adjoint(of_v), vh)


def _inverse_of_kept(a: Value, rcond: Value) -> Any:
    u, s, vh = _svd_of(a)
    k = s.shape[0]
    cut = _first(s) * rcond
    by = loops.vec(_reciprocal(s[i], cut) for i in loops.range(k))
    rows = filled(k, vh.shape[1], lambda i, j: vh[i][j] * by[i])
    return matmul(adjoint(rows), adjoint(u))


_pinv = Primitive("pinv", lambda t: array_type(shape_of(t)[::-1], leaf_of(t)), _inverse_of_kept)
_cut_pinv = Primitive("cut_pinv", lambda t: array_type(shape_of(t)[::-1], leaf_of(t)), _inverse_of_kept)


@_pinv.jvp
def _(p: Value, a: DualVec, rcond: Dual) -> Any:
    """The tangent where what counts as 0 is 0. See Golub and Pereyra, The differentiation of pseudo-inverses (1973)."""
    at, (m, n), leaf = adjoint(a.du), shape_of(a.re.type), leaf_of(a.re.type)
    rest_of_columns = identity(m, of=leaf) - matmul(a.re, p)
    rest_of_rows = identity(n, of=leaf) - matmul(p, a.re)
    first = matmul(matmul(p, a.du), p)
    second = matmul(matmul(p, adjoint(p)), matmul(at, rest_of_columns))
    third = matmul(matmul(rest_of_rows, at), matmul(adjoint(p), p))
    return second + third - first


@_cut_pinv.jvp
def _(p: Value, a: DualVec, rcond: Dual) -> Any:
    """The tangent where singular values are left out that are not 0: their vectors, and those of the others, turn."""
    da, (m, n), leaf = a.du, shape_of(a.re.type), leaf_of(a.re.type)
    rows, columns = matmul(p, a.re), matmul(a.re, p)  # the projections on what is kept
    out = adjoint(a.re - matmul(a.re, rows))
    kept = matmul(rows, adjoint(da) + matmul(matmul(p, da), out))
    left_out = matmul(identity(n, of=leaf) - rows, adjoint(da) + matmul(matmul(out, da), p))
    between = matmul(kept, identity(m, of=leaf) - columns) - matmul(left_out, columns)
    return _turned(a.re.type)[1](between, a.re, p, rcond.re) - matmul(matmul(p, da), p)


@cache
def _turned(t: Type) -> tuple[AnyFn, Callable[..., Any]]:
    """The solution `y` of `a^H a y - y a a^H == r` between what is kept of a matrix and what is left out.

    As a function of numbers, and as one that is linear in `r`, which is its own transpose. It differentiates to any
    order without the singular vectors: equal singular values are of no concern.
    """
    turned = array_type(shape_of(t)[::-1], leaf_of(t))
    f = make(_between, [turned, t, turned, Real], turned, "turned", ["r", "a", "p", "rcond"])
    linear = make_linear("turned", f.func, f.func)
    of: Callable[..., Any] = lambda *args: view(current_builder().call(linear, [operand(x) for x in args]))

    @f.jvp
    def rule(r: DualVec, a: DualVec, p: DualVec, rcond: Dual) -> Any:
        y, at, dat = f(r.re, a.re, p.re, rcond.re), adjoint(a.re), adjoint(a.du)
        moved = matmul(y, matmul(a.du, at) + matmul(a.re, dat)) - matmul(matmul(dat, a.re) + matmul(at, a.du), y)
        # the projections turn, too: of `r`, and of the solution
        rows, columns = matmul(p.du, a.re) + matmul(p.re, a.du), matmul(a.du, p.re) + matmul(a.re, p.du)
        of_y, of_r = [2.0 * matmul(matmul(p.re, a.re), x) - x for x in (y, r.re)]
        given = matmul(rows, r.re - 2.0 * matmul(matmul(r.re, a.re), p.re)) - matmul(of_r, columns)
        turned = matmul(rows, of_y) - matmul(of_y, columns)
        return view_dual(y, of(r.du + moved + given, a.re, p.re, rcond.re) + turned)

    return f, of


def _between(r: Value, a: Value, p: Value, rcond: Value) -> Any:
    u, s, vh = _svd_of(a)
    k, cut = s.shape[0], _first(s) * rcond
    left = matmul(vh, r)
    right, both = matmul(r, u), matmul(left, u)
    square: Callable[[Value], Value] = lambda i: _reciprocal(s[i], cut) * _reciprocal(s[i], cut)

    def over_gap(i: Value, j: Value) -> Value:
        apart = (s[i] > cut) != (s[j] > cut)
        gap = select(apart, (s[i] - s[j]) * (s[i] + s[j]), 1.0)
        return both[i][j] * select(apart, 1.0 / gap, 0.0)

    ut, v = adjoint(u), adjoint(vh)
    beyond, rest = left - matmul(both, ut), right - matmul(v, both)
    of_rows = filled(k, beyond.shape[1], lambda i, j: beyond[i][j] * square(i))
    of_columns = filled(rest.shape[0], k, lambda i, j: rest[i][j] * square(j))
    return matmul(v, matmul(filled(k, k, over_gap), ut) + of_rows) - matmul(of_columns, ut)


def _first(s: Value) -> Value:
    """The first of some numbers, of which there may be none."""
    return loops.sum(select(i == 0, s[i], 0.0) for i in loops.range(s.shape[0]))


def _reciprocal(x: Value, least: Value) -> Value:
    counts = x > least
    return select(counts, 1.0 / select(counts, x, 1.0), 0.0)
