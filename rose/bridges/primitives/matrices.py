"""Factorisations of matrices, and Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import fft, linalg
from ...frontend.arrays import reductions, shaping
from ...frontend.language import control, loops
from ...frontend.operators import view
from ...ir import Value, ops
from ...linalg.elimination import square_lu
from ...linalg.matrices import batched
from ..equations import Equation, rule
from ..operands import shape_of
from .control import as_index


def _stacked(rank: int, f: Callable[..., Any], *xs: Any) -> Any:
    """`f` of arrays of a rank, or of each of those of a stack."""
    if len(shape_of(xs[0])) <= rank:
        return f(*xs)
    return loops.vec(_stacked(rank, f, *[x[i] for x in xs]) for i in loops.range(shape_of(xs[0])[0]))


@rule("cholesky")
def _cholesky(e: Equation, a: Any) -> Any:
    return linalg.cholesky(a)


@rule("eigh")
def _eigh(e: Equation, a: Any) -> list[Any]:
    found = linalg.eigh(a)
    return [found.eigenvectors, found.eigenvalues]


@rule("eig", note="left vectors")
def _eig(e: Equation, a: Any) -> list[Any]:
    if e.params.get("compute_left_eigenvectors"):
        raise e.refused("left eigenvectors", "take the eigenvectors of the transpose")
    found = linalg.eig(a)
    return [found.eigenvalues, found.eigenvectors][: len(e.outs)]


@rule("svd")
def _svd(e: Equation, a: Any) -> list[Any]:
    if not e.params["compute_uv"]:
        return [linalg.svdvals(a)]
    found = linalg.svd(a, full_matrices=e.params["full_matrices"])
    return [found.S, found.U, found.Vh]


@rule("qr", note="pivoting")
def _qr(e: Equation, a: Any) -> list[Any]:
    if e.params.get("pivoting"):
        raise e.refused("pivoting", "leave it out")
    found = linalg.qr(a, mode="complete" if e.params["full_matrices"] else "reduced")
    return [found.Q, found.R]


@rule("lu")
def _lu(e: Equation, a: Any) -> list[Any]:
    """The factors in one matrix, the rows that were exchanged, and the order of rows that results."""
    rows, columns = e.ins[0].shape[-2:]
    if rows != columns:
        raise e.refused("of a matrix that is not square", "call jax.scipy.linalg.lu of a square one")
    both, order = batched(_lu_of, [a], [2])
    order = e.remember(order, (0, rows - 1))
    return [both, e.remember(_stacked(1, _exchanges, order), (0, rows - 1)), order]


def _lu_of(m: Value) -> tuple[Any, ...]:
    return tuple(map(view, square_lu(m)))


def _exchanges(order: Any) -> Any:
    """Which row each was exchanged with, one after the other, so that they came into this order."""
    n = shape_of(order)[0]

    def step(k: Any, rows: Any) -> Any:
        at = reductions.argmax(rows == order[k])
        return rows.at[at].set(rows[k]).at[k].set(rows[at] * 1.0), at

    start = loops.vec(ops.real(i) for i in loops.range(n))
    return control.scan(step, start, n)[1]


@rule("lu_pivots_to_permutation")
def _permutation(e: Equation, rows: Any) -> Any:
    """The order of rows that exchanges make, one after the other."""
    n = e.params["permutation_size"]

    def ordered(rows: Any) -> Any:
        def step(k: Any, order: Any) -> Any:
            at = as_index(rows[k], n)
            return order.at[at].set(order[k]).at[k].set(order[at] * 1.0)

        start = loops.vec(ops.real(i) for i in loops.range(n))
        return control.scan(step, start, shape_of(rows)[0])

    return e.remember(_stacked(1, ordered, rows), (0, n - 1))


@rule("triangular_solve")
def _triangular_solve(e: Equation, a: Any, b: Any) -> Any:
    p = e.params
    if not p["left_side"]:  # x @ a == b
        x = _solved(shaping.swapaxes(a, -1, -2), shaping.swapaxes(b, -1, -2), not p["lower"], p)
        return shaping.swapaxes(x, -1, -2)
    return _solved(a, b, p["lower"], p)


def _solved(a: Any, b: Any, lower: bool, p: dict[str, Any]) -> Any:
    trans = (2 if p["conjugate_a"] else 1) if p["transpose_a"] else 0
    solve = partial(linalg.solve_triangular, trans=trans, lower=lower, unit_diagonal=p["unit_diagonal"])
    return _stacked(2, solve, a, b)


@rule("tridiagonal_solve")
def _tridiagonal(e: Equation, below: Any, diagonal: Any, above: Any, b: Any) -> Any:
    def solved(x: Any, y: Any, z: Any, b: Any) -> Any:
        return loops_of_columns(lambda c: linalg.solve_tridiagonal(x[1:], y, z[:-1], c), b)

    return _stacked(1, solved, below, diagonal, above, b)


def loops_of_columns(f: Callable[[Any], Any], b: Any) -> Any:
    """`f` of each column of a matrix."""
    rows = shaping.transpose(b)
    return shaping.transpose(loops.vec(f(rows[i]) for i in loops.range(shape_of(rows)[0])))


@rule("schur")
def _schur(e: Equation, a: Any) -> list[Any]:
    found = linalg.schur(a)
    return [found.T, found.Z][: len(e.outs)]


@rule("fft")
def _fft(e: Equation, x: Any) -> Any:
    lengths = tuple(e.params["fft_lengths"])
    axes = tuple(range(len(e.ins[0].shape) - len(lengths), len(e.ins[0].shape)))
    kind = str(getattr(e.params["fft_type"], "name", e.params["fft_type"])).upper()
    name = {"FFT": "fftn", "IFFT": "ifftn", "RFFT": "rfftn", "IRFFT": "irfftn"}[kind]
    of: Any = getattr(fft, name)
    return of(x, lengths, axes)
