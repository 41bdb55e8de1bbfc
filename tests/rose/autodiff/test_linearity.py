"""Which instructions and loops are linear."""

from __future__ import annotations

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearity import Loops, is_linear
from rose.ir import FOR, Func


def derivative(mask: tuple[bool, ...]) -> Func:
    f = rose.fn([Vec[3], Vec[3]], Real)(
        lambda v, w: (
            rose.sum(rose.sin(v[i]) * 2.0 for i in rose.range(3)) + rose.sum(rose.sin(w[i]) for i in rose.range(3))
        )
    )
    return jvp(f.func, mask).func


def test_an_instruction_is_linear_if_it_makes_or_adds_a_tangent():
    code = derivative((True, True)).body.code
    assert {v.op.name for v in code if not is_linear(v)} >= {"accum", "freeze"}
    assert all([is_linear(v) for v in code if v.type.linear])


def test_a_loop_without_tangents_is_not_linear():
    body = derivative((True, False)).body
    loops = Loops(body)
    assert sorted(loops.linear[v] for v in body.code if v.op is FOR) == [False, True]
    assert all([v.op is not FOR or loops.linear[v] for v in loops.code[body]])


def test_a_loop_knows_the_linear_values_that_it_uses_from_outside():
    g = derivative(full_mask(derivative((False, False))))
    loops = Loops(g.body)
    used = {a for v in g.body.code if v.op is FOR for a in loops.outside[v]}
    assert {p for p in g.params if p.type.linear} <= used
