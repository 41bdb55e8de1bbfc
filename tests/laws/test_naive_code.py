"""The bits of a module are those of its naive code, which shares no local and no memory.

The option `--naive` compares so whatever any test compiles; these are programs whose code is long, and cut into pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import naive_code
import numpy as np
import pytest

import rose
from rose import Real, Vec, build, linalg
from rose.optimise import costs

N = 3
SQUARE = Vec[N, N]
RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((N, N)), RNG.standard_normal((N, N))
ONE = np.eye(N)


def symmetric(x: Any) -> Any:
    return x @ x.T + ONE


def riccati(x: Any) -> Any:
    b, q = np.tril(x) + B, symmetric(A + x)
    return linalg.solve_continuous_are(B, b, q, ONE) + linalg.solve_continuous_are(B, b, q, ONE)


TWICE: dict[str, Callable[[Any], Any]] = {
    "riccati": riccati,
    "lyapunov": lambda x: linalg.solve_continuous_lyapunov(A + x, symmetric(x)) @ linalg.solve_discrete_lyapunov(
        0.1 * x, symmetric(x)
    ),
    "inverses": lambda x: linalg.inv(symmetric(x)) @ linalg.inv(A + x),
    "eigenvectors": lambda x: linalg.eigh(symmetric(x))[1] * linalg.eigh(symmetric(A + x))[1],
    "factors": lambda x: linalg.qr(A + x)[1] + linalg.cholesky(symmetric(x)) @ linalg.expm(0.1 * x),
}  # fmt: skip


def again(program: Callable[[Any], Any]) -> Any:
    """Reverse over reverse, with both cotangents as parameters."""
    f = rose.fn([SQUARE], SQUARE)(program)
    pull = rose.fn([SQUARE, SQUARE], SQUARE)(lambda x, ct: rose.vjp(f)(x).grad(ct))
    return rose.fn([SQUARE] * 3, SQUARE)(lambda x, ct, u: rose.vjp(pull)(x, ct).grad(u)[0])


def compared(f: Any, **options: Any) -> Counter[str]:
    told = Counter[str]()
    with naive_code.beside(told):
        build.lowered({"f": f}, **options)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", TWICE)
def test_two_calls_with_rules_of_their_own_in_reverse_over_reverse(name: str):
    assert compared(again(TWICE[name]))["numbers"] == len(naive_code.DRAWS) * N * N


def test_the_second_derivative_of_two_riccati_solutions_is_that_of_the_interpreter():
    x, ct, u = (0.5 * np.random.default_rng(k).standard_normal((N, N)) for k in (1, 2, 3))
    f = again(riccati)
    made = rose.compile(f)(x, ct, u)
    with rose.eager():
        assert np.array_equal(made, np.asarray(f(x, ct, u)))


@pytest.mark.parametrize("piece", [8, 40])
@pytest.mark.parametrize("simd", [False, True])
def test_code_in_small_pieces(piece: int, simd: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "LONG_BLOCK_INSTRUCTIONS", 2 * piece)
    monkeypatch.setattr(costs, "PIECE_INSTRUCTIONS", piece)

    def body(x: Vec[4, 3], y: Vec[4]) -> Real:
        last, outs = rose.scan(lambda i, s: (s * y[i] + x[i], s - x[i]), x[0], 4)
        z = x @ last + outs @ outs[1]
        for k in range(3):
            z = np.sin(z) * y[k] + rose.cumsum(z)
        return np.sum(z * y) + np.sum(outs)

    f = rose.fn(body)
    for g in (f, rose.grad(f, (0, 1)), rose.jacobian(rose.grad(f))):
        assert compared(g, simd=simd)["calls"] >= len(naive_code.DRAWS)
