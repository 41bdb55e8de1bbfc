"""Dead code removal: what it leaves is well formed, however often it is run."""

from __future__ import annotations

import pytest

from rose import ir
from rose.check import check
from rose.ir import Func, Loc, Value
from rose.optimise.dead_code import remove_dead_code
from rose.types import Real


def a_loop_with_a_vector_that_nobody_reads(zero: bool) -> Func:
    with ir.building("f") as b:
        b.loc = Loc((lambda: None).__code__, -1)
        x = b.param(Real, "x")
        total = b.accum(x)

        def body(i: Value) -> tuple[list[Value], list[Value]]:
            b.add_to(total, x * x)
            return [], [b.zero(x.type) if zero else x * 3.0]

        b.loop(2, body)
        return b.func(b.freeze(total))


@pytest.mark.parametrize("zero", [False, True])
def test_running_it_again_changes_nothing(zero: bool):
    f = a_loop_with_a_vector_that_nobody_reads(zero)
    check(remove_dead_code(f))
    before = len(f.body.code)
    check(remove_dead_code(f))
    assert len(f.body.code) == before
