"""Ten programs in array style and as loops by hand: `OPENBLAS_NUM_THREADS=1 python -m benchmarks.arrays`.

The two forms of a program have the same value, to the bit, and gradients that agree to 1e-12. It prints the time of a
value and gradient, the bytes of the module and the time of compiling, each as a quotient of array style over loops,
and their geometric means. Times are the least of interleaved repetitions, of the thread.

Then products of matrices, and what nets and regressions make of them, beside NumPy's with one thread: the same value
and gradient, written by hand with its products.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import rose
from rose import Real, Vec
from rose.frontend.arrays.shapes import shape_of

REPEATS, COMPILES = 200, 25
N, M, K = 1000, 40, 16

Body = Callable[..., Any]


def total(x: Any) -> Any:
    return rose.sum(rose.sum(x[i]) for i in rose.range(len(x)))


def chain(a: Any, b: Any, c: Any) -> Any:
    y = rose.sin(a * b + c) * a - b
    return rose.sum(y * y + c)


def chain_by_hand(a: Any, b: Any, c: Any) -> Any:
    def item(i: Any) -> Any:
        y = rose.sin(a[i] * b[i] + c[i]) * a[i] - b[i]
        return y * y + c[i]

    return rose.sum(item(i) for i in rose.range(N))


def broadcast(x: Any, u: Any, v: Any) -> Any:
    y = x * u + v[:, None]
    return total(rose.exp(-y * y) * x)


def broadcast_by_hand(x: Any, u: Any, v: Any) -> Any:
    def item(i: Any, j: Any) -> Any:
        y = x[i][j] * u[j] + v[i]
        return rose.exp(-y * y) * x[i][j]

    rows = lambda i: rose.sum(item(i, j) for j in rose.range(M))
    return rose.sum(rows(i) for i in rose.range(M))


def stencil(x: Any) -> Any:
    d = (x[1:] - x[:-1]) ** 2
    return rose.sum(d / (1.0 + d))


def stencil_by_hand(x: Any) -> Any:
    def item(i: Any) -> Any:
        d = (x[i + 1] - x[i]) ** 2
        return d / (1.0 + d)

    return rose.sum(item(i) for i in rose.range(N - 1))


def network(w: Any, b: Any, u: Any, c: Any, x: Any) -> Any:
    out = u @ rose.tanh(w @ x + b) + c
    return rose.sum(out * out)


def network_by_hand(w: Any, b: Any, u: Any, c: Any, x: Any) -> Any:
    dot = lambda v, y: rose.sum(v[j] * y[j] for j in rose.range(K))
    h = rose.vec(rose.tanh(dot(w[i], x) + b[i]) for i in rose.range(K))
    return rose.sum((dot(u[i], h) + c[i]) ** 2 for i in rose.range(K))


def softmax(x: Any, y: Any) -> Any:
    e = rose.exp(x - rose.max(x))
    return rose.sum(e / rose.sum(e) * y)


def softmax_by_hand(x: Any, y: Any) -> Any:
    most = rose.max(x)
    e = rose.vec(rose.exp(x[i] - most) for i in rose.range(N))
    s = rose.sum(e)
    return rose.sum(e[i] / s * y[i] for i in rose.range(N))


def logistic(x: Any, w: Any, y: Any) -> Any:
    z = x @ w
    return rose.sum(rose.softplus(z) - y * z)


def logistic_by_hand(x: Any, w: Any, y: Any) -> Any:
    def item(i: Any) -> Any:
        z = rose.sum(x[i][j] * w[j] for j in rose.range(K))
        return rose.softplus(z) - y[i] * z

    return rose.sum(item(i) for i in rose.range(N))


def laplacian(u: Any) -> Any:
    v = 4.0 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    return total(v * v)


def laplacian_by_hand(u: Any) -> Any:
    def item(i: Any, j: Any) -> Any:
        around = 4.0 * u[i + 1][j + 1] - u[i][j + 1] - u[i + 2][j + 1] - u[i + 1][j] - u[i + 1][j + 2]
        return around * around

    rows = lambda i: rose.sum(item(i, j) for j in rose.range(M - 2))
    return rose.sum(rows(i) for i in rose.range(M - 2))


def distances(p: Any) -> Any:
    d = p[:, None] - p[None]
    squares = d[..., 0] ** 2 + d[..., 1] ** 2 + d[..., 2] ** 2
    return total(rose.exp(-squares))


def distances_by_hand(p: Any) -> Any:
    def item(i: Any, j: Any) -> Any:
        x, y, z = [p[i][k] - p[j][k] for k in range(3)]
        return rose.exp(-(x**2 + y**2 + z**2))

    rows = lambda i: rose.sum(item(i, j) for j in rose.range(M))
    return rose.sum(rows(i) for i in rose.range(M))


def gelu(x: Any) -> Any:
    return rose.sum(x * 0.5 * (1.0 + rose.tanh(0.8 * (x + 0.044715 * x * x * x))))


def gelu_by_hand(x: Any) -> Any:
    item = lambda y: y * 0.5 * (1.0 + rose.tanh(0.8 * (y + 0.044715 * y * y * y)))
    return rose.sum(item(x[i]) for i in rose.range(N))


def huber(x: Any, y: Any) -> Any:
    r = x - y
    return rose.sum(rose.where(abs(r) < 1.0, 0.5 * r * r, abs(r) - 0.5))


def huber_by_hand(x: Any, y: Any) -> Any:
    def item(r: Any) -> Any:
        return rose.select(abs(r) < 1.0, 0.5 * r * r, abs(r) - 0.5)

    return rose.sum(item(x[i] - y[i]) for i in rose.range(N))


PROGRAMS: list[tuple[Body, Body, list[Any]]] = [
    (chain, chain_by_hand, [Vec[N]] * 3),
    (broadcast, broadcast_by_hand, [Vec[M, M], Vec[M], Vec[M]]),
    (stencil, stencil_by_hand, [Vec[N]]),
    (network, network_by_hand, [Vec[K, K], Vec[K], Vec[K, K], Vec[K], Vec[K]]),
    (softmax, softmax_by_hand, [Vec[N]] * 2),
    (logistic, logistic_by_hand, [Vec[N, K], Vec[K], Vec[N]]),
    (laplacian, laplacian_by_hand, [Vec[M, M]]),
    (distances, distances_by_hand, [Vec[M, 3]]),
    (gelu, gelu_by_hand, [Vec[N]]),
    (huber, huber_by_hand, [Vec[N]] * 2),
]


class Form:
    """One form of a program, compiled with its gradient."""

    def __init__(self, body: Body, types: list[Any], args: list[Any]) -> None:
        self.body, self.types, self.args = body, types, args
        self.compiling = self.running = float("inf")
        self.compile()

    def compile(self) -> None:
        start = time.thread_time()
        f = rose.fn([*self.types], Real)(self.body)
        f.name = "f"
        self.module = rose.compile(rose.value_and_grad(f))
        self.compiling = min(self.compiling, time.thread_time() - start)
        self.call = self.module

    def run(self) -> Any:
        start = time.thread_time()
        for _ in range(10):
            out = self.call(*self.args)
        self.running = min(self.running, (time.thread_time() - start) / 10)
        return out


def compared(forms: list[Form]) -> tuple[float, float, float]:
    """Array style over loops: time, bytes, compile time."""
    (x, dx), (y, dy) = [f.run() for f in forms]
    assert x == y, (x, y)
    np.testing.assert_allclose(dx, dy, rtol=1e-12, atol=1e-12)
    for _ in range(REPEATS):
        for f in forms:
            f.run()
    for _ in range(COMPILES):
        for f in forms:
            f.compile()
    a, b = forms
    return a.running / b.running, len(a.module.wasm) / len(b.module.wasm), a.compiling / b.compiling


# products


def squares(a: Any, b: Any) -> Any:
    return rose.sum((a @ b) ** 2)


def squares_by_numpy(a: Any, b: Any) -> tuple[float, list[Any]]:
    c = a @ b
    return np.sum(c * c), [2 * c @ b.T, a.T @ (2 * c)]


def layers(w: Any, b: Any, u: Any, x: Any, y: Any) -> Any:
    """Two layers, with relu, and squares."""
    return rose.sum((rose.relu(x @ w + b) @ u - y) ** 2)


def layers_by_numpy(w: Any, b: Any, u: Any, x: Any, y: Any) -> tuple[float, list[Any]]:
    z = x @ w + b
    h = np.maximum(z, 0.0)
    far = h @ u - y
    back = 2 * far @ u.T * (z > 0)
    return np.sum(far * far), [x.T @ back, back.sum(axis=0), h.T @ (2 * far)]


def regression(w: Any, x: Any, y: Any) -> Any:
    z = x @ w
    return rose.sum(rose.softplus(z) - y * z)


def regression_by_numpy(w: Any, x: Any, y: Any) -> tuple[float, list[Any]]:
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z), [x.T @ (1 / (1 + np.exp(-z)) - y)]


Shapes = Sequence[tuple[int, ...]]
LAYERS = [(32, 48), (48,), (48, 16), (64, 32), (64, 16)]
PRODUCTS: list[tuple[str, Body, Body, Shapes, int]] = [  # with how many arguments the gradient is taken in
    ("squares of a 64 x 64 product", squares, squares_by_numpy, [(64, 64)] * 2, 2),
    ("squares of a 256 x 256 product", squares, squares_by_numpy, [(256, 256)] * 2, 2),
    ("two layers, relu, 64 x 32 x 48 x 16", layers, layers_by_numpy, LAYERS, 3),
    ("logistic regression, 10,000 x 10", regression, regression_by_numpy, [(10,), (10_000, 10), (10_000,)], 1),
]
WAYS: list[Any] = [False, True, "relaxed"]


def beside_numpy(ours: Body, numpys: Body, shapes: Shapes, count: int, repeats: int) -> list[float]:
    """Of a value and gradient: NumPy's time in ms; and of each way of compiling, the time over NumPy's."""
    rng = np.random.default_rng(0)
    args = [rng.normal(size=s) / s[-1] ** 0.5 for s in shapes]
    f = rose.fn([Vec[s] for s in shapes], Real)(ours)
    both = rose.value_and_grad(f, tuple(range(count)))
    calls = [numpys, *[rose.compile(both, simd=simd) for simd in WAYS]]
    (value, slope), *others = [call(*args) for call in calls]
    for y, dy in others:
        np.testing.assert_allclose(y, value, rtol=1e-10)
        for mine, its in zip(dy, slope, strict=True):
            np.testing.assert_allclose(mine, its, rtol=1e-8, atol=1e-10)
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        for k, call in enumerate(calls):
            start = time.thread_time()
            call(*args)
            least[k] = min(least[k], time.thread_time() - start)
    return [1e3 * least[0], *[x / least[0] for x in least[1:]]]


def main() -> None:
    rng, rows = np.random.default_rng(0), list[tuple[float, float, float]]()
    print(f"{'array style over loops':24}{'time':>8}{'bytes':>8}{'compile':>9}")
    for body, by_hand, types in PROGRAMS:
        args = [rng.normal(size=shape_of(t)) for t in types]
        rows.append(compared([Form(f, types, args) for f in (body, by_hand)]))
        print(f"{body.__name__:24}{rows[-1][0]:8.2f}{rows[-1][1]:8.2f}{rows[-1][2]:9.2f}")
    print(f"{'geometric mean':24}{'':0}" + "{:8.2f}{:8.2f}{:9.2f}".format(*np.exp(np.log(rows).mean(axis=0))))
    print(f"\n{'value and gradient':40}{'NumPy, ms':>10}{'ours over it':>14}{'simd':>8}{'relaxed':>9}")
    for name, ours, numpys, shapes, count in PRODUCTS:
        least, *over = beside_numpy(ours, numpys, shapes, count, REPEATS // 4)
        print(f"{name:40}{least:10.3f}{over[0]:14.2f}{over[1]:8.2f}{over[2]:9.2f}")


if __name__ == "__main__":
    main()
