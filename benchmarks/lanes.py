"""Functions of mathematics, two numbers at once: `python -m benchmarks.lanes [the beginning of a name ...]`.

10^5 numbers in one call from Python, compiled without and with `simd`, and NumPy's function, or for `erf`, which is
computed one by one in double precision, SciPy's, if it is installed: nanoseconds a number, the median of rounds in
turns, of a round the least of three; and the median of the ratios within a round. The answers are checked to have the
same bits.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import rose
from rose import Vec, fn

special: Any = None
with suppress(ImportError):
    from scipy import special

N, ROUNDS, REPEATS = 100_000, 15, 3
# the function, where its arguments are (in a range, or normal), and NumPy's name for it
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], tuple[float, float] | None, str]] = {
    "exp": (rose.exp, (-10, 10), "exp"),
    "log": (rose.log, (0.01, 100), "log"),
    "sigmoid": (rose.sigmoid, (-5, 5), ""),
    "tanh, -3 to 3": (rose.tanh, (-3, 3), "tanh"),
    "tanh, normal": (rose.tanh, None, "tanh"),
    "sin, -10 to 10": (rose.sin, (-10, 10), "sin"),
    "sin, normal": (rose.sin, None, "sin"),
    "cos, -10 to 10": (rose.cos, (-10, 10), "cos"),
    "cos, normal": (rose.cos, None, "cos"),
    "erf, -3 to 3": (rose.erf, (-3, 3), "erf"),
    "erf, normal": (rose.erf, None, "erf"),
}


def measured(name: str) -> tuple[float, float, float, float | None]:
    """Nanoseconds of one at a time and of two; two over one; two over NumPy."""
    body, bounds, theirs = FUNCTIONS[name]
    r = np.random.default_rng(0)
    x = r.normal(size=N) if bounds is None else r.uniform(*bounds, N)
    f = fn([Vec[N]], Vec[N])(lambda x: rose.vec(body(x[i]) for i in rose.range(N)))
    one, two = [rose.compile(f, simd=simd) for simd in (False, True)]
    assert np.asarray(one(x)).tobytes() == np.asarray(two(x)).tobytes(), name
    their: Any = getattr(np, theirs, None) or getattr(special, theirs, None) if theirs else None
    ways = [lambda: one(x), lambda: two(x), *([lambda: their(x)] if their else [])]
    rounds = [[min([ns(way) for _ in range(REPEATS)]) / N for way in ways] for _ in range(ROUNDS)]
    ratio = [statistics.median([row[1] / row[k] for row in rounds]) for k in range(len(ways))]
    plain, both = [statistics.median([row[k] for row in rounds]) for k in (0, 1)]
    return plain, both, ratio[0], ratio[2] if their else None


def ns(way: Callable[[], Any]) -> int:
    start = time.thread_time_ns()
    way()
    return time.thread_time_ns() - start


def main(names: Sequence[str]) -> None:
    print("| | scalar, ns | two at once, ns | over scalar | over NumPy |\n|---|---|---|---|---|")
    for name in [x for x in FUNCTIONS if not names or x.startswith(tuple(names))]:
        plain, both, ratio, numpy = measured(name)
        print(f"| {name} | {plain:.2f} | {both:.2f} | {ratio:.2f} | {'' if numpy is None else f'{numpy:.2f}'} |")


if __name__ == "__main__":
    main(sys.argv[1:])
