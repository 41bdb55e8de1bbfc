"""Products and their gradients: how long a gradient takes, in times of its value.

`OPENBLAS_NUM_THREADS=1 python -m benchmarks.dense.products [NAME ...]` prints a row for each program and size: 64, 500,
and 512, where a row of a matrix is a page of memory. Times are the least of interleaved bare calls, of the thread; the
value is also called in NumPy, from Python. From a gradient three times is taken what it takes to fill the answer in the
same engine, as that is written and not computed: what is left is at most `MOST` times the value.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import rose
from rose import Real, Vec

from ..calls import raw
from .__main__ import least

SIZES = (64, 500, 512)
MOST = 5.0
SECONDS = 1.5  # of each row

PROGRAMS: dict[str, tuple[str, Callable[..., Any]]] = {  # by the ranks of the parameters
    "a @ b": ("22", lambda a, b: np.sum((a @ b) ** 2)),
    "a @ b.T": ("22", lambda a, b: np.sum((a @ b.T) ** 2)),
    "a.T @ b": ("22", lambda a, b: np.sum((a.T @ b) ** 2)),
    "tanh(a @ b)": ("22", lambda a, b: np.sum(np.tanh(a @ b))),
    "a @ v": ("21", lambda a, v: np.sum((a @ v) ** 2)),
    "v @ a": ("12", lambda v, a: np.sum((v @ a) ** 2)),
    "tanh(v @ a)": ("12", lambda v, a: np.sum(np.tanh(v @ a))),
    "v @ a @ w": ("121", lambda v, a, w: v @ a @ w),
    "x @ x": ("2", lambda x: np.sum((x @ x) ** 2)),
    "x @ x.T": ("2", lambda x: np.sum((x @ x.T) ** 2)),
    "x.T @ x": ("2", lambda x: np.sum((x.T @ x) ** 2)),
    "v @ a @ v": ("12", lambda v, a: v @ a @ v),
    "maximum(a @ b, 0)": ("22", lambda a, b: np.sum(np.maximum(a @ b, 0.0))),
}


class Row(NamedTuple):
    """Times in s: of the value, of the gradient with it, and of filling its answer; and of the value in NumPy."""

    value: float
    gradient: float
    fill: float
    numpys: float

    @property
    def multiple(self) -> float:
        return (self.gradient - 3 * self.fill) / self.value


def program(name: str, n: int) -> tuple[rose.Fn[..., Any], list[Any]]:
    """A program, with its arguments."""
    ranks, body = PROGRAMS[name]
    f = rose.fn([Vec[(n,) * int(rank)] for rank in ranks], Real)(body)
    rng = np.random.default_rng(n)
    return f, [rng.normal(size=(n,) * int(rank)) / n**0.5 for rank in ranks]


def measured(name: str, n: int, simd: bool, seconds: float = SECONDS) -> Row:
    f, args = program(name, n)
    answer = sum(x.size for x in args)
    value = rose.compile(f, simd=simd)
    gradient = rose.compile(rose.value_and_grad(f, tuple(range(len(args)))), simd=simd)
    fill = rose.compile(rose.fn([], Vec[answer])(lambda: rose.zeros(answer)))
    numpys = functools.partial(PROGRAMS[name][1], *args)
    return Row(*least([raw(value, *args), raw(gradient, *args), raw(fill), numpys], seconds))


def rows(names: Iterable[str] = PROGRAMS, sizes: tuple[int, ...] = SIZES) -> Iterator[tuple[str, int, Row, Row]]:
    for name in names:
        for n in sizes:
            yield name, n, measured(name, n, False), measured(name, n, True)


def shown(seconds: float) -> str:
    """A time in µs."""
    return f"{1e6 * seconds:.1f}" if seconds < 1e-4 else f"{1e6 * seconds:,.0f}"


def main(*names: str) -> None:
    """Print the rows of these programs, or of all."""
    print(
        "| | n | value, µs | over NumPy | gradient, µs | multiple | `simd`: value | over NumPy | gradient | multiple |"
    )
    print("|" + "---|" * 10)
    over = 0
    for name, n, plain, simd in rows(names or PROGRAMS):
        cells = [
            cell
            for row in (plain, simd)
            for cell in (shown(row.value), f"{row.value / row.numpys:.2f}", shown(row.gradient), f"{row.multiple:.2f}")
        ]
        print(f"| `{name}` | {n} | {' | '.join(cells)} |", flush=True)
        over += max(plain.multiple, simd.multiple) > MOST
    sys.exit(f"{over} take more than {MOST} times their value" if over else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
