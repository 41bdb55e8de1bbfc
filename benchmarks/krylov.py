"""Equations by iterations beside SciPy: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.krylov`.

`cg` and `gmres` on a five-point stencil over a square of 64 by 64 unknowns, to a relative residual of 1e-8. It is that
of a diffusion with a loss at each point, `-div(grad(x)) + k * x == b`; for `gmres` with wind, too, so that the matrix
is not symmetric. The gradient is that of the sum of squares of the solution, by the right side and by `k`. Ours are
functions: the stencil is written in NumPy's style, and its matrix is nowhere. SciPy has sparse matrices, and the
gradient by hand: another solution, with the transposed matrix.

Answers must agree with those of a sparse factorisation before anything is timed. Times are the least of interleaved
calls from Python, of the thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, gmres, spsolve

import rose
from rose import Real, Vec, linalg

from .linalg import least

SIDE, RTOL, WIND = 64, 1e-8, 0.5
REPEATS = 40
SCIPYS: dict[str, Callable[..., Any]] = {"cg": cg, "gmres": partial(gmres, restart=20)}
OURS: dict[str, Callable[..., Any]] = {"cg": linalg.cg, "gmres": linalg.gmres}
LANES = (False, True, "relaxed")


class Row(NamedTuple):
    """Times in ms: of SciPy, and of ours, scalar, with `simd` and relaxed."""

    method: str
    what: str
    scipy: float
    ours: list[float]


def stencil(x: Any, k: Any, wind: float) -> Any:
    """The matrix times a vector: four times each number, less its neighbours, and the left one again in the wind."""
    side = k.shape[0]
    u = rose.pad(x.reshape(side, side), 1)
    around = u[:-2, 1:-1] + u[2:, 1:-1] + (1.0 + wind) * u[1:-1, :-2] + u[1:-1, 2:]
    return ((4.0 + wind + k) * u[1:-1, 1:-1] - around).reshape(side * side)


def matrix(k: Any, wind: float) -> Any:
    """The matrix of the stencil, of SciPy."""
    side = len(k)
    step, one = sparse.eye_array(side, k=1), sparse.eye_array(side)
    down, along = step + step.T, step + (1.0 + wind) * step.T
    around = sparse.kron(down, one) + sparse.kron(one, along)
    return (sparse.diags_array(4.0 + wind + k.ravel()) - around).tocsr()


def functions(method: str, side: int) -> tuple[rose.Fn[..., Any], rose.Fn[..., Any]]:
    """Ours: the solution from `b` and `k`, and the gradient by both."""
    n, wind = side * side, _wind(method)

    def solution(b: Any, k: Any) -> Any:
        product = rose.fn([Vec[n]], Vec[n])(lambda x: stencil(x, k, wind))
        return OURS[method](product, b, rtol=RTOL).x

    types: list[Any] = [Vec[n], Vec[side, side]]
    squares = rose.fn(types, Real)(lambda b, k: rose.sum(solution(b, k) ** 2))
    return rose.fn(types, Vec[n])(solution), rose.grad(squares, argnums=(0, 1))


def by_scipy(method: str, a: Any, b: Any) -> Any:
    """The solution."""
    x, info = SCIPYS[method](a, b, rtol=RTOL)
    assert info == 0
    return x


def gradient_by_scipy(method: str, a: Any, across: Any, b: Any) -> tuple[Any, Any]:
    """The gradient by `b` and by `k`: by a solution with the transposed matrix."""
    x = by_scipy(method, a, b)
    y = by_scipy(method, across, 2.0 * x)
    return y, (-y * x).reshape(SIDE, SIDE)


def measure(repeats: int = REPEATS) -> list[Row]:
    rows: list[Row] = []
    rng = np.random.default_rng(0)
    b, k = rng.normal(size=SIDE * SIDE), rng.uniform(size=(SIDE, SIDE)) / SIDE
    for method in OURS:
        a = matrix(k, _wind(method))
        across = a.T.tocsr()
        x = spsolve(a, b)
        y = spsolve(across, 2.0 * x)
        exact: tuple[Any, Any] = (x, (y, (-y * x).reshape(SIDE, SIDE)))
        theirs = partial(by_scipy, method, a, b), partial(gradient_by_scipy, method, a, across, b)
        for what, f, wanted, scipys in zip(("value", "gradient"), functions(method, SIDE), exact, theirs, strict=True):
            ours = [partial(rose.compile(f, simd=lanes), b, k) for lanes in LANES]
            for call in (scipys, *ours):
                agree(call(), wanted)
            first, *others = [t / 1e3 for t in least([scipys, *ours], repeats, 1)]
            rows.append(Row(method, what, first, others))
    return rows


def agree(found: Any, wanted: Any) -> None:
    """Check that each array is right to the precision of the residual, times the condition of the matrix."""
    for x, y in zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]:
        assert np.linalg.norm(x - y) < 1e3 * RTOL * np.linalg.norm(y)


def _wind(method: str) -> float:
    return WIND if method == "gmres" else 0.0


def main() -> None:
    print(f"{SIDE * SIDE} unknowns, ms{'SciPy':>17}{'ours':>10}{'simd':>10}{'relaxed':>10}")
    for method, what, theirs, ours in measure():
        print(f"{method:8}{what:12}{theirs:12.2f}" + "".join([f"{t:10.2f}" for t in ours]))


if __name__ == "__main__":
    main()
