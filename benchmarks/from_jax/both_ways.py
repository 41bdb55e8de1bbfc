"""`python -m benchmarks.from_jax.both_ways`: programs that are written twice, with JAX and in our own words.

A function that is imported should cost what the same costs that is written here: in time of a value and gradient, and
in bytes of the module. Both are timed in turns, in one process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import rose
from rose import Fn, Real, Vec, fn

from ..compare import report
from .report import PAGE

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")

ROUNDS = 15
Program = tuple[Callable[..., Any], Fn[..., Any], tuple[Any, ...]]  # JAX's, ours, and arguments
rng = np.random.default_rng(0)
n, d, h = 200, 10, 16


@fn
def least_squares(w: Vec[d], x: Vec[n, d], y: Vec[n]) -> Real:
    return np.mean((x @ w - y) ** 2)


@fn
def logistic(w: Vec[d], x: Vec[n, d], y: Vec[n]) -> Real:
    return np.sum(np.logaddexp(0.0, x @ w) - y * (x @ w))


@fn
def network(w: Vec[d, h], v: Vec[h, 3], x: Vec[n, d], y: Vec[n, 3]) -> Real:
    z = np.tanh(x @ w) @ v
    z = z - rose.logsumexp(z, axis=1)[:, None]
    return -np.mean(np.sum(y * z, axis=1))


def network_of_jax(w: Any, v: Any, x: Any, y: Any) -> Any:
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(jnp.tanh(x @ w) @ v), axis=1))


@fn
def attention(q: Vec[32, 16], k: Vec[32, 16], v: Vec[32, 16]) -> Real:
    return np.sum(rose.softmax(q @ k.T / 4, axis=1) @ v)


def steps(stack: Callable[..., Any], p: Any) -> Callable[[Any], Any]:
    """A step of Runge and Kutta's method for foxes and rabbits."""

    def rate(u: Any) -> Any:
        return stack([p[0] * u[0] - p[1] * u[0] * u[1], p[2] * u[0] * u[1] - u[1]])

    def step(u: Any) -> Any:
        k1 = rate(u)
        k2 = rate(u + 0.005 * k1)
        k3 = rate(u + 0.005 * k2)
        k4 = rate(u + 0.01 * k3)
        return u + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return step


@fn
def foxes(p: Vec[3]) -> Real:
    step = steps(np.stack, p)
    return np.sum(rose.scan(lambda _, u: step(u), np.array([1.0, 0.5]), 300) ** 2)


def foxes_of_jax(p: Any) -> Any:
    step = steps(jnp.stack, p)
    return jnp.sum(jax.lax.scan(lambda u, _: (step(u), None), jnp.array([1.0, 0.5]), None, length=300)[0] ** 2)


@fn
def gaussian_process(t: Vec[2], x: Vec[40], y: Vec[40]) -> Real:
    k = np.exp(t[0]) * np.exp(-0.5 * ((x[:, None] - x[None, :]) / np.exp(t[1])) ** 2) + 0.1 * np.eye(40)
    low = np.linalg.cholesky(k)
    a = rose.linalg.solve_triangular(low, y, lower=True)
    return 0.5 * a @ a + np.sum(np.log(np.diag(low)))


def gaussian_process_of_jax(t: Any, x: Any, y: Any) -> Any:
    k = jnp.exp(t[0]) * jnp.exp(-0.5 * ((x[:, None] - x[None, :]) / jnp.exp(t[1])) ** 2) + 0.1 * jnp.eye(40)
    low = jnp.linalg.cholesky(k)
    a = jax.scipy.linalg.solve_triangular(low, y, lower=True)
    return 0.5 * a @ a + jnp.sum(jnp.log(jnp.diag(low)))


@fn
def bodies(x: Vec[20, 3]) -> Real:
    apart = x[:, None, :] - x[None, :, :]
    return np.sum(1 / np.sqrt(np.sum(apart * apart, axis=-1) + 0.01))


@fn
def convolution(k: Vec[3, 3, 2, 4], images: Vec[1, 16, 16, 2]) -> Real:
    return np.sum(rose.nn.conv2d(images, k, padding="same") ** 2)


def convolution_of_jax(k: Any, images: Any) -> Any:
    axes = ("NHWC", "HWIO", "NHWC")
    return jnp.sum(jax.lax.conv_general_dilated(images, k, (1, 1), "SAME", dimension_numbers=axes) ** 2)


def heated(roll: Callable[..., Any], u: Any) -> Any:
    return u + 0.2 * (roll(u, 1) - 2 * u + roll(u, -1))


@fn
def heat(u: Vec[100]) -> Real:
    return np.sum(rose.scan(lambda _, u: heated(np.roll, u), u, 100) ** 4)


def heat_of_jax(u: Any) -> Any:
    return jnp.sum(jax.lax.scan(lambda u, _: (heated(jnp.roll, u), None), u, None, length=100)[0] ** 4)


x, y, w, q = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d), rng.normal(size=(32, 16))
PROGRAMS: dict[str, Program] = {
    "least squares": (lambda w, x, y: jnp.mean((x @ w - y) ** 2), least_squares, (w, x, y)),
    "logistic regression": (lambda w, x, y: jnp.sum(jnp.logaddexp(0.0, x @ w) - y * (x @ w)), logistic, (w, x, y)),
    "network": (network_of_jax, network,
                (rng.normal(size=(d, h)), rng.normal(size=(h, 3)), x, np.eye(3)[rng.integers(0, 3, n)])),
    "attention": (lambda q, k, v: jnp.sum(jax.nn.softmax(q @ k.T / 4, axis=1) @ v), attention, (q, q * 2, q + 1)),
    "differential equation": (foxes_of_jax, foxes, (np.array([1.5, 1.0, 0.8]),)),
    "Gaussian process": (gaussian_process_of_jax, gaussian_process,
                         (np.array([0.1, 0.2]), np.linspace(0, 3, 40), rng.normal(size=40))),
    "bodies": (lambda x: jnp.sum(1 / jnp.sqrt(jnp.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1) + 0.01)), bodies,
               (rng.normal(size=(20, 3)),)),
    "convolution": (convolution_of_jax, convolution, (rng.normal(size=(3, 3, 2, 4)), rng.normal(size=(1, 16, 16, 2)))),
    "heat": (heat_of_jax, heat, (rng.normal(size=100),)),
}  # fmt: skip


def timed(call: Callable[[], Any], count: int) -> float:
    """Seconds of the processor for a call."""
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def measured(program: Program) -> list[str]:
    theirs, ours, args = program
    made = [rose.compile(rose.value_and_grad(f)) for f in (rose.from_jax(theirs, *args), ours)]
    (_, slope), (_, wanted) = [m(*args) for m in made]
    far = float(np.abs(np.asarray(slope) - np.asarray(wanted)).max() / np.abs(np.asarray(wanted)).max())
    count = max(int(0.02 / timed(lambda: made[1](*args), 20)), 1)
    pairs = [[timed(lambda m=m: m(*args), count) for m in made] for _ in range(ROUNDS)]
    ratio = statistics.median([a / b for a, b in pairs])
    sizes = [len(m.wasm) for m in made]
    us = [f"{1e6 * statistics.median([p[k] for p in pairs]):.1f}" for k in range(2)]
    return [f"{far:.0e}", *us, f"{ratio:.2f}", *[f"{s:,}" for s in sizes], f"{sizes[0] / sizes[1]:.2f}"]


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    rows = list[list[str]]()
    for name, program in PROGRAMS.items():
        rows.append([name, *measured(program)])
        print(" | ".join(rows[-1]), flush=True)
    headings = ["value and gradient", "apart", "from JAX, µs", "own words, µs", "ratio", "from JAX, bytes", "own words"]
    report.put(PAGE, "both ways", report.table([*headings, "ratio"], rows))


if __name__ == "__main__":
    main()
