"""Linear equations with positive definite matrices, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from costs import cost

import rose
from rose import Real, Vec, fn, lib
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.linalg.blocks import LEAST
from rose.optimise.pipeline import optimised
from wasm_backend.abi.layout import size

RNG = np.random.default_rng(11)


def matrix(n: int) -> Any:
    return Vec[n, Vec[n]]


def positive(n: int) -> Any:
    a = RNG.normal(size=(n, n))
    return a @ a.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_cholesky_is_that_of_numpy(n: int):
    a = positive(n)
    assert fn([matrix(n)], matrix(n))(lib.cholesky)(a) == pytest.approx(np.linalg.cholesky(a), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_equations_are_solved(n: int):
    a, y = positive(n), RNG.normal(size=n)
    assert fn([matrix(n), Vec[n]], Vec[n])(lib.cholesky_solve)(a, y) == pytest.approx(np.linalg.solve(a, y), rel=1e-9)


def test_no_equations_have_a_solution():
    assert fn([matrix(0), Vec[0]], Vec[0])(lib.cholesky_solve)([], []).tolist() == []
    assert fn([matrix(0)], matrix(0))(lib.cholesky)([]).tolist() == []


@pytest.mark.parametrize("a", [[[1, 2], [2, 1]], [[0, 0], [0, 1]], [[1, 1], [1, 1]], [[-1, 0], [0, 1]]])
def test_a_matrix_that_is_not_positive_definite_gives_nan(a: Any):
    assert np.isnan(fn([matrix(2)], matrix(2))(lib.cholesky)(a)).all()
    assert np.isnan(fn([matrix(2), Vec[2]], Vec[2])(lib.cholesky_solve)(a, [1, 1])).all()


@pytest.mark.parametrize("n", [1, 3, 7, 40])
@pytest.mark.parametrize("upper", [False, True])
def test_what_is_in_the_other_half_does_not_matter(n: int, upper: bool):
    a, other = positive(n), RNG.normal(size=(n, n))
    given = np.triu(a) + np.tril(other, -1) if upper else np.tril(a) + np.triu(other, 1)
    f = fn([matrix(n)], matrix(n))(lambda a: np.linalg.cholesky(a, upper=upper))
    assert f(given) == pytest.approx(np.linalg.cholesky(given, upper=upper), rel=1e-9, abs=1e-12)
    assert np.array_equal(f(given), f(a))
    slope = rose.grad(fn([matrix(n)], Real)(lambda a: np.sum(np.sin(f(a)))))(given)
    assert not (np.tril(slope, -1) if upper else np.triu(slope, 1)).any()


def test_solutions_have_derivatives():
    # of x = a^-1 y: da = -a^-1 w x^T, where w is the cotangent through the transpose; only the lower half is read
    a, y, ct = positive(3), RNG.normal(size=3), RNG.normal(size=3)
    weighed = fn([matrix(3), Vec[3]], Real)(lambda a, y: rose.dot(lib.cholesky_solve(a, y), ct.tolist()))
    da, dy = rose.grad(weighed, argnums=(0, 1))(a, y)
    w, x = np.linalg.solve(a, ct), np.linalg.solve(a, y)
    full = -np.outer(w, x)
    assert dy == pytest.approx(w, rel=1e-9)
    assert da == pytest.approx(np.tril(full + full.T) - np.diag(np.diag(full)), rel=1e-9)


def written_out(a: Any) -> Any:
    """The factor of Cholesky and Banachiewicz, number by number, as Python would write it."""
    n = len(a)
    rows: list[list[Any]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sum([rows[i][k] * rows[j][k] for k in range(j)])
            rows[i][j] = rose.sqrt(rest) if i == j else rest / rows[j][j]
    return rose.vec([rose.vec([1.0 * x for x in row]) for row in rows])


def substituted(a: Any, y: Any) -> Any:
    rows, n, xs = written_out(a), len(y), list[Any]()
    for i in range(n):
        xs.append((y[i] - sum([rows[i][k] * xs[k] for k in range(i)])) / rows[i][i])
    for i in reversed(range(n)):
        xs[i] = (xs[i] - sum([rows[k][i] * xs[k] for k in range(i + 1, n)])) / rows[i][i]
    return rose.vec(xs)


PAIRS = {
    "cholesky": (lambda a, y: rose.matmul(lib.cholesky(a), y), lambda a, y: rose.matmul(written_out(a), y)),
    "cholesky_solve": (lib.cholesky_solve, substituted),
    "both": (
        lambda a, y: lib.cholesky_solve(a, rose.matmul(lib.cholesky(a), y)),
        lambda a, y: substituted(a, rose.matmul(written_out(a), y)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_derivatives_are_those_of_the_algorithm_written_out(name: str, n: int):
    """Of orders one to three, forward and reverse, in one another."""

    def derivatives(program: Any) -> Any:
        f = fn([matrix(n), Vec[n]], Real)(lambda a, y: rose.sum(rose.sin(program(a, y)[i]) for i in rose.range(n)))
        slope = rose.grad(f)
        along = fn([matrix(n), Vec[n]], Real)(
            lambda a, y: rose.sum(slope(a, y)[i][j] * y[i] * a[i][j] for i in rose.range(n) for j in rose.range(n))
        )
        twice = rose.grad(along, argnums=(0, 1))
        return {"slope": slope, "forward": rose.jacfwd(f), "twice": twice, "hessian": rose.hessian(f, argnums=1)}

    ours, wanted = [rose.compile(derivatives(program)) for program in PAIRS[name]]
    a, y = positive(n), RNG.normal(size=n)
    for k in ("slope", "forward", "hessian"):
        assert getattr(ours, k)(a, y) == pytest.approx(getattr(wanted, k)(a, y), rel=1e-8, abs=1e-9), k
    for x, known in zip(ours.twice(a, y), wanted.twice(a, y), strict=True):
        assert x == pytest.approx(known, rel=1e-7, abs=1e-8)


def gradients(**options: Any) -> Any:
    n = rose.dim("n")

    @fn
    def f(a: Vec[n, Vec[n]], y: Vec[n]) -> Real:
        factor = lib.cholesky(a)
        return rose.dot(lib.cholesky_solve(a, y), y) + rose.sum(rose.log(factor[i][i]) for i in rose.range(n))

    return rose.compile({"f": f, "slope": rose.grad(f, argnums=(0, 1))}, **options)


@pytest.mark.parametrize("n", [0, 1, 2, 33])
def test_one_module_serves_matrices_of_all_sizes(n: int):
    a, y = positive(n), RNG.normal(size=n)
    every, one = gradients(dynamic=True), gradients(n=n)
    x = np.linalg.solve(a, y)
    half = -np.outer(x, x) + 0.5 * np.linalg.inv(a)
    assert one.f(a, y) == pytest.approx(y @ x + 0.5 * np.linalg.slogdet(a)[1], rel=1e-9)
    da, dy = one.slope(a, y)
    assert da == pytest.approx(np.tril(2 * half) - np.diag(np.diag(half)), rel=1e-6, abs=1e-8)
    assert dy == pytest.approx(2 * x, rel=1e-8)
    assert every.f(a, y) == one.f(a, y)
    for u, v in zip(every.slope(a, y), (da, dy), strict=True):
        assert (u == v).all() if n < LEAST else u == pytest.approx(v, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("options", [{"simd": True}, {"dtype": "f32"}], ids=repr)
def test_the_options_of_the_compiler_hold(options: Any):
    a, y = (positive(5) + np.eye(5)).tolist(), RNG.normal(size=5).tolist()
    close = 1e-3 if "dtype" in options else 0.0
    for x, known in zip(gradients(n=5, **options).slope(a, y), gradients(n=5).slope(a, y), strict=True):
        assert x == pytest.approx(known, rel=close, abs=close)


def test_matrices_of_a_batch_are_factorised_one_by_one():
    many = [positive(3) for _ in range(4)]
    factors = rose.compile(fn([matrix(3)], matrix(3))(lib.cholesky)).map(many)
    assert np.array(factors) == pytest.approx(np.linalg.cholesky(np.array(many)), rel=1e-12, abs=1e-14)


def test_derivatives_of_a_matrix_that_is_not_positive_definite_are_of_its_pivots_that_are():
    f = fn([matrix(2)], Real)(lambda a: rose.select(a[0][0] < 0.0, a[1][1], lib.cholesky(a)[1][1]))
    assert rose.grad(f)([[-1.0, 0.0], [0.0, 3.0]]).tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_of_one_matrix_there_is_one_factorisation():
    n = 12

    def solved(count: int) -> int:
        def body(a: Any, y: Any) -> Any:
            return [rose.dot(y, lib.cholesky_solve(a, rose.vec(y[i] * k for i in rose.range(n)))) for k in range(count)]

        f = fn([matrix(n), Vec[n]], Vec[count])(body)
        g = fn([matrix(n), Vec[n]], matrix(n))(rose.grad(fn([matrix(n), Vec[n]], Real)(lambda a, y: rose.sum(f(a, y)))))
        a, y = positive(n).tolist(), RNG.normal(size=n).tolist()
        return cost(optimised({"g": g.func})["g"], tuple(map(tuple, a)), tuple(y))

    one, two, three = map(solved, (1, 2, 3))
    assert two - one < 0.7 * one and abs(three - two - (two - one)) < 0.05 * one


@pytest.mark.parametrize("program", [lambda a: lib.cholesky(a), lambda a: [lib.cholesky_solve(a, a[0])]])
def test_the_tape_has_a_few_matrices_whatever_the_size(program: Any):
    def numbers(n: int) -> int:
        f = fn([matrix(n)], Real)(lambda a: rose.sum(x[i] for x in [program(a)[0]] for i in rose.range(n)))
        return size(transpose(jvp(f.func, full_mask(f.func)).func).fwd.result) // 8

    assert numbers(40) < 6 * 40 * 40
