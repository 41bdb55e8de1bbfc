"""Laws of the table where a `select` flips: in the expression of a row, and in its rules for derivatives.

There, a derivative lies between those of both sides, as differences have them; where both sides agree, it is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from operations import plant

import rose
from rose import Fn, Real
from rose.host.interpreter import run
from rose.ir import OPS, Op
from rose.ir.ops import select, sin
from rose.ir.rows import UNARY, expression

GRID = [-3.0, -2.0, -1.75, -1.0, -0.5, 0.0, 0.5, 1.0, 1.75, 3.0]
STEP = 1e-3
NODES = np.arange(1, 7) * STEP


def derivatives(f: Fn[..., Any]) -> list[Fn[..., Any]]:
    """`f` with its first and second derivative."""
    along = lambda g: rose.fn([Real], Real)(lambda x: rose.jvp(g)(rose.Dual(x, 1.0)).du)
    return [f, along(f), along(rose.grad(f))]


def taken(f: Fn[..., Any], x: float, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The conditions of all selects, in the order in which they are evaluated."""
    found: list[bool] = []
    with monkeypatch.context() as patched:
        plant(patched, select, eval=lambda c, x, y: found.append(c) or (x if c else y))
        run(f.func, x)
    return found


def flips(fs: list[Fn[..., Any]], monkeypatch: pytest.MonkeyPatch) -> Iterator[float]:
    """Where a condition is another than on one of its sides: on the grid, and between its points."""
    at = lambda x: [taken(f, x, monkeypatch) for f in fs]
    for x in GRID:
        if not at(x - 1e-6) == at(x) == at(x + 1e-6):
            yield x
    for low, high in pairwise(GRID):
        low, high = low + 1e-6, high - 1e-6
        if at(low) != at(high):
            while high - low > 1e-12:
                middle = (low + high) / 2.0
                low, high = (middle, high) if at(middle) == at(low) else (low, middle)
            yield high


def side(f: Fn[..., Any], x: float, sign: int) -> list[float]:
    """The value, the first and the second derivative of `f` at `x`, as seen from one side: by differences."""
    ys = [run(f.func, x + sign * float(h)) for h in NODES]
    if not all([math.isfinite(y) for y in ys]):
        return [math.nan] * 3
    c = np.polynomial.polynomial.polyfit(sign * NODES / STEP, ys, len(NODES) - 1)
    return [float(c[0]), float(c[1]) / STEP, 2.0 * float(c[2]) / STEP**2]


def between(y: float, a: float, b: float, to: float) -> bool:
    return min(a, b) - to <= y <= max(a, b) + to


def check_branch_points(f: Fn[..., Any], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many points there were to look at."""
    fs = derivatives(f)
    count = 0
    for x in flips(fs, monkeypatch):
        left, right = side(f, x, -1), side(f, x, 1)
        for k, g in enumerate(fs):
            to = (1e-9, 1e-7, 1e-3)[k]
            if left[k] != left[k] or right[k] != right[k]:
                break
            y = run(g.func, x)
            if not math.isfinite(y):
                break
            assert between(y, left[k], right[k], to), (f.func.name, k, x, y, left[k], right[k])
            count += 1
            if abs(left[k] - right[k]) > to:  # a step or a kink, beyond which there is no derivative
                break
    return count


def of_one(op: Op) -> Iterator[Fn[..., Any]]:
    """The row as functions of each of its arguments, with the others on the grid and off it."""
    n = op.type.__code__.co_argcount
    for k in range(n):
        for others in ((1.0, 2.5), (-0.5, 0.75), (0.0, 1.75))[: 3 if n > 1 else 1]:
            yield partial_row(op, k, others[: n - 1])


def partial_row(op: Op, k: int, others: tuple[float, ...]) -> Fn[..., Any]:
    f = rose.fn([Real], Real)(lambda x: op(*others[:k], x, *others[k:]))
    f.func.name = op.name
    return f


ROWS = [op for op in OPS.values() if op.name != "select" and (op.jvp is not None or op.expand is not None)]


@pytest.mark.parametrize("op", ROWS, ids=repr)
def test_derivatives_where_a_select_flips_lie_between_those_of_both_sides(op: Op, monkeypatch: pytest.MonkeyPatch):
    for f in of_one(op):
        check_branch_points(f, monkeypatch)


@pytest.mark.parametrize("op", [op for op in ROWS if op.expand is not None], ids=repr)
def test_each_expression_of_other_rows_has_points_to_look_at(op: Op, monkeypatch: pytest.MonkeyPatch):
    assert sum([check_branch_points(f, monkeypatch) for f in of_one(op)])


@pytest.mark.parametrize(
    ("sinc", "wrong"),
    [
        (lambda x: select(x == 0.0, 1.0 + 0.0 * x, sin(x) / x), True),  # its second derivative at 0 is -1/3
        (lambda x: select(abs(x) < 1e-2, 1.0 - x * x / 6.0 + x * x * x * x / 120.0, sin(x) / x), False),
    ],
)
def test_a_row_that_is_wrong_at_a_point_alone_is_found(sinc: Any, wrong: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rose.ir.builder.OPS", {})
    op = expression("sinc", "sin(x) / x", UNARY, sinc)
    with pytest.raises(AssertionError, match="sinc") if wrong else nullcontext():
        check_branch_points(partial_row(op, 0, ()), monkeypatch)
