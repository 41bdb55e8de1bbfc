"""Small systems beside NumPy, and gradients beside JAX: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.linalg [PYTHON]`.

First `solve`, `inv`, `det`, `eigh` and `svd` of matrices of 2 to 12 rows, each one call from Python; and but for `svd`
of stacks of 1,000 such matrices, each stack one call. Then the gradients of `logdet`, of the sum of squares of a
solution, and of singular values with their vectors, for 8, 32 and 128 rows, beside NumPy's formulas for them, and
beside JAX in the process of another Python, if one that has it is named. Answers must agree before anything is timed.
Times are the least of interleaved repetitions, of the thread; JAX's are the least by the clock, of one core, of two
processes: one before ours, and one after.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, linalg

ROWS, LARGER = (2, 3, 4, 6, 8, 12), (8, 32, 128)
STACK = 1000
REPEATS = 300
Call = Callable[[], Any]


def matrices(n: int, *stack: int) -> tuple[Any, Any]:
    """A symmetric positive definite matrix, so that all functions take it, and a right side; or stacks of them."""
    a = np.random.default_rng(n).normal(size=(*stack, n, n))
    return a @ np.swapaxes(a, -1, -2) / n + np.eye(n), np.random.default_rng(n + 1).normal(size=(*stack, n))


def least(calls: Sequence[Call], repeats: int, each: int) -> list[float]:
    """The time of a call of each in µs: the least of so many repetitions, one after the other, of several calls."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for k, call in enumerate(calls):
            start = time.thread_time()
            for _ in range(each):
                call()
            best[k] = min(best[k], (time.thread_time() - start) / each)
    return [1e6 * t for t in best]


# small systems


def functions(n: int, *stack: int) -> dict[str, tuple[rose.Fn[..., Any], Callable[..., Any], int]]:
    """Each function, ours and NumPy's, and its number of arguments."""
    square, row = Vec[*stack, n, n], Vec[*stack, n]
    eigh = rose.fn([square], tuple[row, square])(lambda a: tuple(linalg.eigh(a)))
    svd = rose.fn([square], tuple[square, row, square])(lambda a: tuple(linalg.svd(a)))
    solves = [_of_columns(solve) if stack else solve for solve in (linalg.solve, np.linalg.solve)]
    return {
        "solve": (rose.fn([square, row], row)(solves[0]), solves[1], 2),
        "inv": (rose.fn([square], square)(linalg.inv), np.linalg.inv, 1),
        "det": (rose.fn([square], Vec[stack] if stack else Real)(linalg.det), np.linalg.det, 1),
        "eigh": (eigh, np.linalg.eigh, 1),
        "svd": (svd, np.linalg.svd, 1),
    }


def _of_columns(solve: Callable[..., Any]) -> Callable[..., Any]:
    """A `solve` of stacks, of a right side each: without a last axis, they would be columns of one matrix."""
    return lambda a, b: solve(a, b[..., None])[..., 0]


def agree(name: str, ours: Any, numpys: Any) -> None:
    several = name in ("eigh", "svd")  # whose vectors have any sign
    for x, y in zip(ours, numpys, strict=True) if several else [(ours, numpys)]:
        np.testing.assert_allclose(np.abs(x), np.abs(y), rtol=1e-9, atol=1e-9 if several else 0.0)


def small(repeats: int = REPEATS, each: int = 20, *stack: int) -> list[tuple[str, int, float, float]]:
    """The name, the rows, NumPy's time of a call in µs, and ours."""
    rows: list[tuple[str, int, float, float]] = []
    for n in ROWS:
        given = matrices(n, *stack)
        for name, (f, numpys, count) in functions(n, *stack).items():
            if stack and name == "svd":
                continue
            args, module = given[:count], rose.compile(f)
            agree(name, module(*args), numpys(*args))
            theirs, ours = least([partial(numpys, *args), partial(module, *args)], repeats, each)
            rows.append((name, n, theirs, ours))
    return rows


def stacks(repeats: int = REPEATS) -> list[tuple[str, int, float, float]]:
    """The name, the rows, and the time of a system of a stack in ns, NumPy's and ours."""
    each = 1e3 / STACK
    return [(name, n, each * theirs, each * ours) for name, n, theirs, ours in small(repeats, 1, STACK)]


# gradients


def logdet(a: Any, _: Any) -> Any:
    return linalg.slogdet(a).logabsdet


def solution(a: Any, b: Any) -> Any:
    return rose.sum(linalg.solve(a, b) ** 2)


def vectors(a: Any, b: Any) -> Any:
    """Something that needs the singular values and both vectors, and no choice of signs."""
    u, s, vh = linalg.svd(a)
    return rose.sum(s[i] * s[i] * u[0][i] * vh[i][1] for i in rose.range(b.type.size))


def logdet_by_numpy(a: Any, _: Any) -> Any:
    return np.linalg.inv(a).T


def solution_by_numpy(a: Any, b: Any) -> Any:
    x = np.linalg.solve(a, b)
    return -np.outer(np.linalg.solve(a.T, 2.0 * x), x)


def vectors_by_numpy(a: Any, _: Any) -> Any:
    u, s, vh = np.linalg.svd(a)
    du, ds, dv = np.zeros_like(u), 2.0 * s * u[0] * vh[:, 1], np.zeros_like(u)
    du[0], dv[1] = s * s * vh[:, 1], s * s * u[0]
    gaps = s * s - (s * s)[:, None]
    f = np.divide(1.0, gaps, out=np.zeros_like(gaps), where=gaps != 0.0)
    of_u, of_v = u.T @ du, vh @ dv
    inside = f * (of_u - of_u.T) * s + s[:, None] * (f * (of_v - of_v.T)) + np.diag(ds)
    return u @ inside @ vh


GRADIENTS = {
    "logdet": (logdet, logdet_by_numpy), "solve": (solution, solution_by_numpy), "svd": (vectors, vectors_by_numpy),
}  # fmt: skip

IN_JAX = """
import json, sys, time
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
bodies = {
    "logdet": lambda a, b: jnp.linalg.slogdet(a)[1],
    "solve": lambda a, b: jnp.sum(jnp.linalg.solve(a, b) ** 2),
    "svd": lambda a, b: (lambda u, s, vh: jnp.sum(s * s * u[0] * vh[:, 1]))(*jnp.linalg.svd(a)),
}
a, b, repeats = json.load(sys.stdin)
a, b, out = np.array(a), np.array(b), {}
for name, body in bodies.items():
    f = jax.jit(jax.grad(body))
    x = f(a, b).block_until_ready()
    best = 1e9
    for _ in range(repeats):
        start = time.perf_counter()
        f(a, b).block_until_ready()
        best = min(best, time.perf_counter() - start)
    out[name] = 1e6 * best, np.asarray(x).tolist()
print(json.dumps(out))
"""


def in_jax(python: str, a: Any, b: Any, repeats: int) -> dict[str, tuple[float, Any]]:
    """JAX's time of each gradient in µs, compiled, and the gradient."""
    env = {**os.environ, "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}
    given = json.dumps([a.tolist(), b.tolist(), repeats])
    run = subprocess.run([python, "-c", IN_JAX], input=given, env=env, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def gradients(python: str | None, repeats: int = REPEATS) -> list[tuple[str, int, list[float]]]:
    """The name, the rows, and in µs our time, without `simd`, with it and relaxed, of NumPy's formulas, and JAX's."""
    rows: list[tuple[str, int, list[float]]] = []
    for n in LARGER:
        a, b = matrices(n)
        count = max(5, repeats * 8 // n)
        jax = [in_jax(python, a, b, count)] if python else []
        times: dict[str, list[float]] = {}
        for name, (body, numpys) in GRADIENTS.items():
            f = rose.grad(rose.fn([Vec[n, Vec[n]], Vec[n]], Real)(body))
            modules = [rose.compile(f, simd=lanes) for lanes in (False, True, "relaxed")]
            wanted = numpys(a, b)
            for got in [*[m(a, b) for m in modules], *[one[name][1] for one in jax]]:
                np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-10)
            calls: list[Call] = [partial(call, a, b) for call in (*modules, numpys)]
            times[name] = least(calls, count, 1)
        jax += [in_jax(python, a, b, count)] if python else []
        rows += [(name, n, [*t, *([min([one[name][0] for one in jax])] if jax else [])]) for name, t in times.items()]
    return rows


def main(python: str | None = None) -> None:
    for what, unit, rows in (("one call", "µs", small()), ("one of many", "ns", stacks(REPEATS // 10))):
        print(f"{what:12}{'rows':>4}{'NumPy, ' + unit:>12}{'ours, ' + unit:>12}{'times faster':>14}")
        for name, n, theirs, ours in rows:
            print(f"{name:10}{n:6}{theirs:12.2f}{ours:12.2f}{theirs / ours:14.2f}")
    print(f"{'gradient':10}{'rows':>6}{'ours, µs':>12}{'simd':>10}{'relaxed':>10}{'NumPy':>10}{'JAX':>10}")
    for name, n, times in gradients(python):
        print(f"{name:10}{n:6}{times[0]:12.1f}" + "".join([f"{t:10.1f}" for t in times[1:]]))


if __name__ == "__main__":
    main(*sys.argv[1:2])
