"""Dead code removal: what it leaves is well formed, however often it is run."""

from __future__ import annotations

import pytest

from rose import ir
from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import FOR, ZERO, Func, Value
from rose.ir.check import check
from rose.ir.types import Real
from rose.optimise.dead_code import remove_dead_code


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


def test_a_state_that_nobody_reads_is_not_carried():
    """A tangent of it would be: see guards.py, for what that would do to the arms of a `select`."""
    with ir.building("f") as b:
        b.loc = Loc((lambda: None).__code__, -1)
        x = b.param(Real, "x")

        def body(i: Value, s: Value, t: Value, u: Value) -> tuple[list[Value], list[Value]]:
            return [s * u, t * s * 3.0, u + 1.0], []

        (s, *_), _ = b.loop(2, body, [x, x + 1.0, x + 2.0])
        f = b.func(s)
    assert run(f, 2.0) == 2.0 * 4.0 * 5.0
    check(remove_dead_code(f))
    assert run(f, 2.0) == 2.0 * 4.0 * 5.0
    (loop,) = [v for v in f.body.code if v.op is FOR]
    assert [a.op is ZERO for a in loop.args] == [False, True, False]
    assert len([v for v in loop.attr.code if v.op is not ZERO]) == 2
