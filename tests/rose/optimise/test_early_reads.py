"""Elements of a vector are read before one is put into it, where that can be, so that the put is done in place."""

from __future__ import annotations

from typing import Any

import pytest
from costs import cost

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import Func
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.optimise.early_reads import read_early
from rose.optimise.pipeline import Instruments, optimised

N = 30  # more than are unrolled
X = tuple([0.25 - 0.0625 * (k % 7) for k in range(N)])


def two_tables(x: Any) -> Any:
    step = lambda i, s: (s[0].at[i].set(x[i] * s[1][i]), s[1].at[i].set(s[0][i] + s[0][(i + 1) % N]))
    p, q = rose.scan(step, (x, x), N)
    return rose.dot(p, q)


def one_place_twice(x: Any) -> Any:
    y = rose.scan(lambda i, s: s.at[i].set(x[i]).at[i].set(s[i] * s[(i + 3) % N]), x, N)
    return rose.dot(x, y)


def rows(x: Any) -> Any:
    step = lambda i, m: m.at[i, 0].set(x[i] * m[i, 1]).at[i, 1].set(m[i, 0] + m[(i + 1) % N, 1])
    m = rose.scan(step, rose.vec([v, 2.0 * v] for v in [x[k] for k in range(N)]), N)
    return rose.sum(m[i, 0] * m[i, 1] for i in rose.range(N))


def late(x: Any) -> Any:
    """The index of what is read of the old vector is made of the new one: it is copied."""
    chosen = lambda t: rose.select(t[0] > 0.1, t[1], t[2])
    y = rose.scan(lambda i, s: (lambda t: t.at[0].set(s[i] * chosen(t)))(s.at[i].set(x[i])), x, N)
    return rose.dot(x, y)


PROGRAMS = {"two tables": two_tables, "one place twice": one_place_twice, "rows": rows, "late": late}


def compiled(name: str, without: tuple[str, ...] = ()) -> Func:
    f = fn([Vec[N]], Real)(PROGRAMS[name]).func
    return optimised({"f": f}, asked=Instruments(without=without))["f"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_result_stays_as_it_is(name: str):
    f = check(compiled(name))
    assert run(f, X) == run(compiled(name, ("early-reads",)), X)


@pytest.mark.parametrize("name", ["two tables", "one place twice", "rows"])
def test_the_puts_are_done_in_place(name: str):
    assert 2 * cost(compiled(name), X) < cost(compiled(name, ("early-reads",)), X)


def test_a_function_without_puts_is_left_alone():
    f = fn([Vec[N]], Real)(lambda x: rose.dot(x, x)).func
    before = list(instructions(f.body))
    assert list(instructions(read_early(f).body)) == before
