"""Products, factorisations and convolutions, beside blocked C in the same engine, and beside OpenBLAS.

`OPENBLAS_NUM_THREADS=1 python -m benchmarks.dense` wants clang, lld and wasi-libc. The C is `kernels.c`: compiled by
`clang -O3` for wasm, without and with `-msimd128`, it is called as our modules are. Times are the least of interleaved
calls, of the thread: of the bare call for C and for ours beside it, and from Python beside NumPy. Answers must agree
before anything is timed.
"""

from __future__ import annotations

import functools
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import wasmtime

import rose
from rose import Vec, linalg, nn
from wasm_backend.runtime import raw_call

from ..calls import raw
from ..gradbench.byhand import PAGE, WASM
from ..gradbench.compiling import kept

KERNELS = Path(__file__).with_name("kernels.c")
PRODUCTS, OPENBLAS = (16, 32, 64, 128, 256, 512), (64, 128, 256, 512)
SECONDS = 2.0  # of each row

Call = Callable[[], Any]


class Kernel(NamedTuple):
    """A program: ours, its name and first argument in C, its arguments, what it does with them in NumPy, its work."""

    name: str
    ours: rose.Fn[..., Any]
    c: str
    n: int
    args: Sequence[Any]
    numpys: Callable[..., Any]
    flops: float


def kernels() -> list[Kernel]:
    rng = np.random.default_rng(0)
    made: list[Kernel] = []
    for n in PRODUCTS:
        square, args = Vec[n, n], [rng.normal(size=(n, n)) for _ in "ab"]
        made.append(
            Kernel(f"matmul, {n}", rose.fn([square, square], square)(_product), "matmul", n, args, np.matmul, 2 * n**3)
        )
    a = rng.normal(size=(64, 64))
    definite = a @ a.T + 64 * np.eye(64)
    factor = rose.fn([Vec[64, 64]], Vec[64, 64])(linalg.cholesky)
    made.append(Kernel("cholesky, 64", factor, "cholesky", 64, [definite], np.linalg.cholesky, 64**3 / 3))
    for out in (8, 16):
        x, w = rng.normal(size=(1, 32, 32, 8)), rng.normal(size=(3, 3, 8, out))
        conv = rose.fn([Vec[1, 32, 32, 8], Vec[3, 3, 8, out]], Vec[1, 30, 30, out])(nn.conv2d)
        work = 2 * 30 * 30 * out * 9 * 8
        made.append(Kernel(f"conv2d, 32 x 32, 8 to {out}", conv, f"conv{out}", 32, [x, w], convolved, work))
    return made


def _product(a: Any, b: Any) -> Any:
    return a @ b


def convolved(x: Any, w: Any) -> Any:
    """A 3 x 3 convolution in NumPy, a product for each element of the kernel."""
    n = x.shape[1] - 2
    return sum(x[:, k : k + n, l : l + n] @ w[k, l] for k in range(3) for l in range(3))


def in_c(kernel: Kernel, simd: bool) -> tuple[Call, Callable[[], Any]]:
    """The bare call of a kernel in C, and what reads its result."""
    clang = shutil.which("clang")
    if clang is None:
        raise FileNotFoundError("clang is not installed")
    exports = [f"-Wl,--export={name}" for name in ("matmul", "cholesky", "conv8", "conv16")]
    command = [clang, *WASM, *exports, *(["-msimd128"] if simd else []), str(KERNELS)]
    path = kept(command, ["-lm"], [KERNELS], "kernels.wasm")
    store = wasmtime.Store(raw_call.engine())
    exported = wasmtime.Instance(store, wasmtime.Module(store.engine, path.read_bytes()), []).exports(store)
    memory, callee = exported["memory"], exported[kernel.c]
    assert isinstance(memory, wasmtime.Memory) and isinstance(callee, wasmtime.Func)
    shape = np.shape(kernel.numpys(*kernel.args))
    given = [*kernel.args, *[np.zeros(1)] * (2 - len(kernel.args)), np.zeros(shape)]
    begin = memory.data_len(store)
    places = [begin + sum(-(-8 * x.size // 16) * 16 for x in given[:k]) for k in range(4)]
    memory.grow(store, -(-(places[3] - begin) // PAGE))
    for x, at in zip(given, places, strict=False):
        memory.write(store, np.ascontiguousarray(x).tobytes(), at)
    entry = raw_call.entry(store, callee, "iiii", "", [])
    for k, word in enumerate((kernel.n, *places[:3])):
        entry.words[2 * k + 2] = word

    def call() -> None:
        error = entry.call(*entry.args)
        if error is not None:
            raise entry.fail(error)

    return call, lambda: np.frombuffer(memory.read(store, places[2], places[2] + given[2].nbytes)).reshape(shape)


def least(calls: Sequence[Call], seconds: float) -> list[float]:
    """The least time of a call of each, in s: in turns, several calls in a turn if they are short."""
    best = [float("inf")] * len(calls)
    start = time.thread_time()
    calls[0]()
    each = max(1, int(2e-4 / max(time.thread_time() - start, 1e-7)))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for k, call in enumerate(calls):
            start = time.thread_time()
            for _ in range(each):
                call()
            best[k] = min(best[k], (time.thread_time() - start) / each)
    return best


def main() -> None:
    print(
        f"{'':26}{'GFLOP/s':>9}{'of C':>7}{'simd':>7}{'of C':>7}{'relaxed':>9}{'NumPy':>8}{'relaxed, NumPy: time':>22}"
    )
    for kernel in kernels():
        wanted = kernel.numpys(*kernel.args)
        modules = [rose.compile(kernel.ours, simd=simd) for simd in (False, True, "relaxed")]
        theirs = [in_c(kernel, simd) for simd in (False, True)]
        for call, read in theirs:
            call()
            np.testing.assert_allclose(read(), wanted, rtol=1e-9, atol=1e-9)
        for m in modules:
            np.testing.assert_allclose(m(*kernel.args), wanted, rtol=1e-9, atol=1e-9)
        bare = [raw(m, *kernel.args) for m in modules]
        a, b, c, x, y = least([*bare, *[call for call, _ in theirs]], SECONDS)
        numpys, whole = least([functools.partial(f, *kernel.args) for f in (kernel.numpys, modules[2])], SECONDS)
        speed = [kernel.flops / t / 1e9 for t in (a, b, c, numpys)]
        print(
            f"{kernel.name:26}{speed[0]:9.1f}{a / x:7.2f}{speed[1]:7.1f}{b / y:7.2f}{speed[2]:9.1f}{speed[3]:8.1f}"
            f"{whole / numpys:22.2f}"
        )


if __name__ == "__main__":
    main()
