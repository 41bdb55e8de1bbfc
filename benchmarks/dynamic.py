"""One module for every size beside a module for just one: bytes, and the time of a call.

`python -m benchmarks.dynamic`. Times are of the thread, with arrays of NumPy's in and out; the two take turns, and the
ratio is the median of those of pairs. A change of size is the time of a call whose size differs from the last one's,
less that of one whose size does not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console

import rose
from rose import Real, Vec

from .loops import saved, shown

n, m = rose.dim("n"), rose.dim("m")
PAIRS = 31

product = rose.fn([Vec[n, Vec[m]], Vec[m]], Real)(lambda a, x: rose.sum(rose.dot(a[i], x) ** 2 for i in rose.range(n)))
chain = rose.fn([Vec[n]], Real)(lambda x: rose.scan(lambda i, s: rose.sin(s) + x[i], 0.5, n))
spread = rose.fn([Vec[n]], Real)(
    lambda x: rose.sum((x[i] - x[(i + 1) % n]) ** 2 * rose.tanh(x[i]) for i in rose.range(n))
)

PROGRAMS: list[tuple[str, rose.Fn, tuple[int, ...]]] = [
    ("product, gradient", rose.grad(product), (300, 300)),
    ("chain, value and gradient", rose.value_and_grad(chain), (10_000,)),
    ("spread, gradient", rose.grad(spread), (10_000,)),
    ("spread, Hessian", rose.hessian(spread), (100,)),
]


def microseconds(f: Callable[..., Any], *args: Any) -> float:
    start = time.thread_time_ns()
    f(*args)
    return (time.thread_time_ns() - start) / 1e3


def measured(name: str, f: rose.Fn, sizes: tuple[int, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    make = lambda sizes: [rng.normal(size=sizes), *([rng.normal(size=sizes[-1])] if len(sizes) > 1 else [])]
    args, others = make(sizes), make(tuple([s - 1 for s in sizes]))
    for_one, for_all = rose.compile(f, **dict(zip("nm", sizes, strict=False))), rose.compile(f, dynamic=True)
    pairs = [(microseconds(for_one, *args), microseconds(for_all, *args)) for _ in range(PAIRS)]
    changed: list[float] = []
    for _ in range(PAIRS):
        for_all(*others)
        first = microseconds(for_all, *args)
        changed.append(first - microseconds(for_all, *args))
    return {
        "program": name, "sizes": " x ".join(map(str, sizes)), "bytes of one": len(for_one.wasm),
        "bytes of all": len(for_all.wasm), "one, us": statistics.median([x for x, _ in pairs]),
        "all, us": statistics.median([y for _, y in pairs]), "ratio": statistics.median([y / x for x, y in pairs]),
        "change, us": statistics.median(changed),
    }  # fmt: skip


def main() -> None:
    rows = [measured(*program) for program in PROGRAMS]
    Console(width=140).print(shown("one module for every size, beside one for just this", rows))
    saved("dynamic", {"rows": rows})


if __name__ == "__main__":
    main()
