"""Curves, by their value and derivatives: a jet along one, the same by nested forward mode, and what it multiplies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rose
from rose import Real
from rose.host.interpreter import Watch, run
from rose.host.marshal import plain
from rose.ir import Block
from rose.ir.ops import div, mul
from tests.programs.test_inventory import both

CURVE = (0.8, -0.3, 0.5, 0.7, -1.1)  # derivatives after the value


def curve(x: float, n: int) -> list[float]:
    """A curve that begins at `x`: its derivatives up to `n`."""
    return [x, *[CURVE[k % 5] for k in range(n)]]


def curves(x: Any, n: int) -> Any:
    """The same for each number of a vector of vectors, all different."""
    each = np.ndindex(np.shape(x))
    out = np.array([np.roll(curve(float(np.asarray(x)[k]), n)[1:], sum(k)).tolist() for k in each])
    return np.concatenate([np.asarray(x)[..., None], out.reshape(*np.shape(x), n)], axis=-1)


def jets(f: Any, n: int, *at: Any) -> Any:
    """The jet along curves, compiled; the interpreter gives the same bits."""
    return np.array(both(rose.jet(f, n), *at))


def nested(f: Any, n: int, *at: Any) -> Any:
    """The derivatives of the orders 0 to n along the same curves, by forward mode over forward mode, the last axis."""

    def point(x: Any, t: Any) -> Any:
        if np.ndim(x) > 1:
            return [point(row, t) for row in x]
        total = 0.0 * t
        for k in reversed(range(n + 1)):
            total = total * t + float(x[k]) / math.factorial(k)
        return total

    d = rose.fn([Real], f.result)(lambda t: f(*[point(x, t) for x in at]))
    out = [np.array(d(0.0))]
    for _ in range(n):
        d = rose.jacfwd(d)
        out.append(np.array(d(0.0)))
    return np.stack(out, axis=-1)


class Products(Watch):
    """Counts multiplications and divisions."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def ran(self, block: Block) -> None:
        self.count += sum([v.op in (mul, div) for v in block.code])


def products(f: Any, *at: Any) -> int:
    """The multiplications and divisions of a call."""
    watch = Products()
    run(f.func, *[plain(x, t) for x, t in zip(at, f.types, strict=True)], watch=watch)
    return watch.count
