"""Transforms beside NumPy's: `python -m benchmarks.fft`.

From Python, of random numbers; medians of interleaved calls, of the time of the thread. The gradient is that of the sum
of squares of all parts. Errors are root mean squares beside SciPy's transform in extended precision, relative to the
root mean square of the result, in units of 2 ** -53. With `MALLOC_MMAP_THRESHOLD_` and `MALLOC_TRIM_THRESHOLD_` of
1000000000 glibc keeps memory: else NumPy's transforms of 16,384 numbers and more take two or three times as long, as
each call asks the system for new pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import median
from time import thread_time_ns
from typing import Any

import numpy as np
import scipy.fft

import rose
from rose import Complex, Real, Vec, fn

POWERS = [2**k for k in range(6, 17)]
OTHERS = [1000, 1001, 1009, 19683, 65537]
ROUNDS, LEAST = 25, 2_000_000  # of interleaved measurements; nanoseconds of each at least
HEAD = "| n | NumPy | ours | | `simd=True` | | gradient / value | bytes |\n|---|---|---|---|---|---|---|---|"


def medians(calls: list[Callable[[], Any]]) -> list[float]:
    """The microseconds of a call of each, by turns."""
    counts: list[int] = []
    for call in calls:
        call()
        start = thread_time_ns()
        call()
        counts.append(max(1, LEAST // max(1, thread_time_ns() - start)))
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, count, found in zip(calls, counts, times, strict=True):
            start = thread_time_ns()
            for _ in range(count):
                call()
            found.append((thread_time_ns() - start) / count / 1000.0)
    return [median(found) for found in times]


def functions(name: str, n: int) -> tuple[Any, Any, Any]:
    """The transform, the gradient of the sum of squares of it, and an input."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    given, leaf = (x, Real) if name == "rfft" else (x + 1j * rng.normal(size=n), Complex)
    size = n // 2 + 1 if name == "rfft" else n
    transform: Any = getattr(rose.fft, name)
    f = fn([Vec[n, leaf]], Vec[size, Complex])(lambda x: transform(x))
    norm = fn([Vec[n, leaf]], Real)(lambda x: rose.sum(abs(transform(x)) ** 2))
    return f, norm, given


def row(name: str, n: int) -> str:
    f, norm, x = functions(name, n)
    plain, fast = rose.compile(f), rose.compile(f, simd=True)
    value, gradient = rose.compile(norm), rose.compile(rose.grad(norm))
    theirs = getattr(np.fft, name)
    assert np.abs(np.asarray(plain(x)) - theirs(x)).max() < 1e-12 * np.abs(theirs(x)).max()
    calls: list[Callable[[], Any]] = [partial(g, x) for g in (theirs, plain, fast, value, gradient)]
    numpy, ours, simd, one, both = medians(calls)
    size = len(plain.wasm)
    return (
        f"| {n:,} | {numpy:.1f} | {ours:.1f} | {ours / numpy:.2f} | {simd:.1f} | {simd / numpy:.2f} "
        f"| {both / one:.2f} | {size:,} |"
    )


def error(got: Any, exact: Any) -> float:
    """The root mean square of the errors, in units of 2 ** -53 of that of the result."""
    rest = np.asarray(got, np.clongdouble) - exact
    return float(np.sqrt(np.mean(np.abs(rest) ** 2) / np.mean(np.abs(exact) ** 2))) * 2.0**53


def accuracy(n: int) -> str:
    f, _, x = functions("fft", n)
    exact = scipy.fft.fft(x.astype(np.clongdouble))
    ours, numpy = error(rose.compile(f)(x), exact), error(np.fft.fft(x), exact)
    return f"| {n:,} | {ours:.2f} | {ours / math.log2(n):.3f} | {numpy:.2f} |"


def convolution(n: int, m: int) -> str:
    x, y = np.random.default_rng(n).normal(size=n), np.random.default_rng(m).normal(size=m)
    fs = [
        fn([Vec[n], Vec[m]], Vec[n + m - 1])(lambda x, y, f=f: f(x, y)) for f in (rose.convolve, rose.fft.fftconvolve)
    ]
    direct, transformed = medians([partial(rose.compile(f), x, y) for f in fs])
    return f"| {n:,} and {m} | {direct:.1f} | {transformed:.1f} |"


def main() -> None:
    for name in ("fft", "rfft"):
        print(f"\n`{name}`, in µs:\n\n{HEAD}")
        for n in POWERS + OTHERS:
            print(row(name, n), flush=True)
    print("\n| n | error | over log2(n) | NumPy's |\n|---|---|---|---|")
    for n in (64, 1000, 1001, 1009, 1024, 4096, 19683, 65536, 65537):
        print(accuracy(n), flush=True)
    print("\n| n and m, µs | `rose.convolve` | `rose.fft.fftconvolve` |\n|---|---|---|")
    for n, m in ((1000, 10), (1000, 30), (1000, 50), (1000, 200), (50, 50), (200, 200)):
        print(convolution(n, m), flush=True)


if __name__ == "__main__":
    main()
