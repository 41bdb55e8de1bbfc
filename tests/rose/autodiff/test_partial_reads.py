"""Which elements a program reads, by the ranges of its indices."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearity import Loops
from rose.autodiff.partial_reads import partly_read

N, M = 6, 3
ROWS = Vec[N, Vec[M]]
r = rose.range

READS: dict[str, tuple[Any, bool]] = {  # of a matrix: whether it is read in part
    "all": (lambda x: rose.sum(x), False),
    "a literal": (lambda x: x[0, 1], True),
    "all literals": (lambda x: sum([x[i, j] for i in range(N) for j in range(M)]), False),
    "all but one": (lambda x: sum([x[i, j] for i in range(N) for j in range(M) if (i, j) != (2, 1)]), True),
    "neighbours": (lambda x: rose.sum(x[i + 1, 0] - x[i, 1] * x[i, 2] for i in r(N - 1)), True),
    "neighbours of rows": (lambda x: rose.sum(rose.dot(x[i + 1], x[i]) for i in r(N - 1)), False),
    "backwards": (lambda x: rose.sum(x[N - 1 - i, j] for i in r(N) for j in r(M)), False),
    "the inside": (lambda x: rose.sum(x[1:-1]), True),
    "two halves": (lambda x: rose.sum(x[:4]) * rose.sum(x[3:]), False),
    "every other": (lambda x: rose.sum(x[::2]), True),
    "the first and the last": (lambda x: rose.sum(x[:: N - 1]), True),
    "even and odd": (lambda x: rose.sum(x[::2]) * rose.sum(x[1::2]), False),
    "sums of indices": (lambda x: rose.sum(x[i + j, k] for i in r(4) for j in r(3) for k in r(M)), False),
    "some columns": (lambda x: rose.sum(x[:, 0] * x[:, 2]), True),
    "rows and columns": (lambda x: rose.sum(x[0]) + rose.sum(x[:, 0]), True),
    "by data": (lambda x: rose.sum(x[(i * i) % N, j] for i in r(4) for j in r(M)), False),
    "a row handed on": (lambda x: rose.norm(x[0]), True),
    "the whole handed on": (lambda x: rose.fn([ROWS], Real)(lambda y: rose.sum(y))(x), False),
    "a triangle": (
        lambda x: rose.sum(x[i, j] for k in r(N) for i in r(k) for j in r(M)),
        False,
    ),  # how far is not known
}


@pytest.mark.parametrize("name", READS)
def test_what_is_read_in_part(name: str):
    body, partly = READS[name]
    d = jvp(f := rose.fn([ROWS], Real)(body).func, full_mask(f)).func
    loops = Loops(d, lambda call: call.args)
    keys = partly_read(loops.code, d.body.results)
    assert (bool([v for v, _ in keys if v is d.params[1]]), bool(keys)) == (partly, partly)
