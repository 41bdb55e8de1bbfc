"""How the linear half reads primals: once, and in the block that they belong to."""

from __future__ import annotations

from typing import Any

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import transpose
from rose.ir import FOR, Func
from rose.ir.callgraph import instructions


def halves(f: Any) -> list[Func]:
    d = jvp(f.func, full_mask(f.func)).func
    return [transpose(d).bwd, linearize(d).lin]


def count(half: Func, name: str) -> int:
    return sum([v.op.name == name for v in instructions(half.body)])


def test_nothing_costly_is_computed_again():
    for half in halves(rose.fn([Vec[3]], Real)(lambda v: rose.prod(rose.exp(v[i]) for i in rose.range(3)))):
        assert count(half, "exp") == 0


def test_a_residual_is_read_once():
    f = rose.fn([Real, Vec[2]], Real)(lambda x, v: rose.exp(x) * v[0] * v[1] + rose.exp(x) * v[0])
    for half in halves(f):
        reads = [v for v in instructions(half.body) if v.op.name == "get" and v.args[0] is half.params[-1]]
        assert len({v.attr for v in reads}) == len(reads)


def test_what_is_the_same_in_all_iterations_is_read_before_them():
    times = lambda y, v: rose.sum(v[i] * y for i in rose.range(3))
    f = rose.fn([Real, Vec[3]], Real)(lambda x, v: times(rose.exp(x), v))
    for half in halves(f):
        (loop,) = [v for v in half.body.code if v.op is FOR]
        assert not any([v.op.name == "get" and v.args[0] is half.params[-1] for v in instructions(loop.attr)])


def test_the_backward_half_reverses_what_the_linear_half_does_in_order():
    f = rose.fn([Vec[4]], Real)(lambda v: rose.scan(lambda i, s: s * v[i] + 1.0, v[0], 4))
    bwd, lin = halves(f)
    assert count(bwd, "ifrom") == 1 and count(lin, "ifrom") == 0
