"""Which instructions and loops are linear."""

from __future__ import annotations

from typing import Any

import rose
from rose import Bool, Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearity import Loops, is_linear
from rose.ir import FOR, Func


def loops_of(g: Func) -> Loops:
    return Loops(g, lambda call: [a for a in call.args if a.type.linear])


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
    g = derivative((True, False))
    body, loops = g.body, loops_of(g)
    assert sorted(loops.linear[v] for v in body.code if v.op is FOR) == [False, True]
    assert all([v.op is not FOR or loops.linear[v] for v in loops.code[body]])


def test_a_loop_knows_the_linear_values_that_it_uses_from_outside():
    g = derivative(full_mask(derivative((False, False))))
    loops = loops_of(g)
    used = {a for v in g.body.code if v.op is FOR for a in loops.outside[v]}
    assert {p for p in g.params if p.type.linear} <= used


def test_what_nothing_reads_is_not_linear():
    @rose.fn([Vec[3], Bool], Real)
    def f(v: Any, c: Any):
        unread = rose.vec(rose.sin(v[i]) for i in rose.range(3))
        total = rose.sum(rose.scan(lambda j, s: s * unread[j], unread[i], 2) for i in rose.range(3))
        return rose.cond(c, lambda: rose.select(False, total, v[0]), lambda: v[1])

    g = jvp(f.func, full_mask(f.func)).func
    loops = Loops(g, lambda call: [])  # as if both branches read nothing
    assert [v for v in g.body.code if v.op is FOR and loops.linear[v]] == []
    assert not any([v.op is FOR for code in loops.code.values() for v in code])
