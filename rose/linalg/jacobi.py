"""Jacobi's rotations: pairs of rows are turned until all are orthogonal. They are as exact as the numbers allow.

In round `r` of `n`, row `i` is turned against row `(r - i) % n`, so a round turns all rows at once, each in one plane,
and `n` rounds, a sweep, turn each pair once; a row that meets itself stays. See Brent and Luk, The solution of
singular-value and symmetric eigenvalue problems on multiprocessor arrays (1985).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..ir import ops

SWEEPS = 30  # at most; some ten are enough for 100 rows
LEAST = 2.0**-106  # of squares of what is left, beside those of all: nothing
NEAR = 2.0**-92  # what rounding may leave of 100 rows


class Turns(NamedTuple):
    """The rotations of a round: row `i` becomes `cosine[i] * row[i] + sine[i] * row[(r - i) % n]`."""

    cosine: Any
    sine: Any


def partner(r: Any, i: Any, n: Any) -> Any:
    """The row against which row `i` is turned in round `r`."""
    return (r + n - i) % n


def turn(i: Any, j: Any, first: Any, second: Any, both: Any) -> tuple[Any, Any]:
    """The cosine and the sine for row `i` against row `j`, of which `first` and `second` are the squares.

    `both` is what the rotation makes 0, the product of both. The angle is at most 45 degrees.
    """
    there = (i != j) & (both != 0.0)
    low, high = select(i < j, first, second), select(i < j, second, first)
    slope = (high - low) / (2.0 * select(there, both, 1.0))
    tangent = ops.copysign(1.0, slope) / (abs(slope) + ops.hypot(slope, 1.0))
    cosine = 1.0 / ops.hypot(tangent, 1.0)
    return select(there, cosine, 1.0), select(there, select(i < j, -tangent, tangent) * cosine, 0.0)


def turned(rows: Any, turns: Turns, r: Any) -> Any:
    """The rows after a round."""
    n, m = rows.type.size, rows.type.elem.size
    return loops.vec(
        loops.vec(turns.cosine[i] * rows[i][k] + turns.sine[i] * rows[partner(r, i, n)][k] for k in loops.range(m))
        for i in loops.range(n)
    )


def sweeps(round_: Any, left: Any, rows: Any, n: Any) -> Any:
    """The rows after sweeps of `round_(r, rows)`, until `left(rows)`, how far they are from being orthogonal, is small.

    Near the end a sweep squares it, until it is rounding alone: then no sweep halves it. Where it is nan, none helps.
    """

    def more(state: Any) -> Any:
        _, now, before, count = state
        return (count < SWEEPS) & (now > LEAST) & ((now > NEAR) | (now < 0.5 * before))

    def sweep(state: Any) -> Any:
        after = control.scan(round_, state[0], n)
        return after, left(after), state[1], state[3] + 1.0

    return control.while_loop(more, sweep, (rows, left(rows), math.inf, 0.0))[0]
