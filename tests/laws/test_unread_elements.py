"""Elements that nothing reads contribute nothing to a derivative, whatever infinities they hold, without any mask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec
from tests.laws.test_untaken_branches import values
from tests.laws.test_untaken_elements import Body, N, line, log_of, same


def inside(x: Any) -> Any:
    return rose.log(x[0]) * rose.log(x[2])


def pairs(x: Any) -> Any:
    return rose.vec([rose.log(x[i]), rose.sin(x[i])] for i in rose.range(N))


@rose.fn
def first_times_third(p: Vec[4]) -> Real:
    return p[0] * p[2]


@rose.fn
def first_and_third(x: Vec[4]) -> Vec[2]:
    p = log_of(x)
    return [p[0], p[2]]


def accumulated(x: Any) -> Any:
    total = rose.accum(rose.vec([0.0] * N))
    for i in rose.range(N):
        total[i] += rose.log(x[i])
    return total.value[0] * total.value[2]


def in_a_loop(x: Any) -> Any:
    p = log_of(x)
    return rose.sum(p[2 * i] * p[2 - 2 * i] for i in rose.range(2)) * 0.5


def scanned(x: Any) -> Any:
    _, p = rose.scan(lambda i, s: (s + 1.0, rose.log(x[i])), 0.0, N)
    return p[0] * p[2]


def a_column_of_rows(x: Any) -> Any:
    q = pairs(x)
    return q[0][0] * q[2][0] + rose.sum(q[i][1] for i in rose.range(N))


PARTS: dict[str, tuple[Body, Body]] = {
    "literal indices": (lambda x: log_of(x)[0] * log_of(x)[2], inside),
    "a helper that reads a part": (lambda x: first_times_third(log_of(x)), inside),
    "a helper that hands on a part": (lambda x: first_and_third(x)[0] * first_and_third(x)[1], inside),
    "a slice": (lambda x: rose.prod(rose.log(x)[::2]), inside),
    "a range": (lambda x: rose.sum(log_of(x)[i] for i in rose.range(1)) * log_of(x)[2], inside),
    "a loop": (in_a_loop, inside),
    "a sum": (accumulated, inside),
    "a scan": (scanned, inside),
    "a column": (a_column_of_rows, lambda x: inside(x) + rose.sum(rose.sin(x))),
    "a quotient": (lambda x: (1.0 / x)[0] * (1.0 / x)[2], lambda x: 1.0 / (x[0] * x[2])),
    "a power": (lambda x: (x**-1.5)[2] + x[1], lambda x: x[2] ** -1.5 + x[1]),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("order", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_what_nothing_reads_adds_nothing(name: str, order: int):
    body, within = PARTS[name]
    want = values(line(within), 0.0, order)
    assert all([math.isfinite(y) for y in want.values()])
    assert same(values(line(body), 0.0, order), want)


@pytest.mark.parametrize("name", PARTS)
def test_gradients_are_those_of_what_is_read(name: str):
    x = [1.5, 0.0, 2.0, -1.0]
    body, within = [rose.fn([Vec[4]], Real)(f) for f in PARTS[name]]
    for way in (rose.grad, rose.jacfwd, rose.hessian, lambda f: rose.hessian(f, sparse=True)):
        found, want = [way(f)(x) for f in (body, within)]
        found, want = [y.toarray() if hasattr(y, "toarray") else y for y in (found, want)]
        assert np.isfinite(found).all() and np.allclose(found, want, rtol=1e-12, atol=0.0)
