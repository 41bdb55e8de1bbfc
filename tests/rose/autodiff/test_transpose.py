"""Reverse mode: the backward half has each linear instruction once, over numbers alone, and can be derived again."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Module

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import Halves, transpose
from rose.host.interpreter import run
from rose.ir import ACCUM, ADD_TO, FOR, Func
from rose.ir.callgraph import instructions
from rose.ir.check import check
from rose.ir.types import Tuple


def halves_of(f: Func) -> Halves:
    return transpose(jvp(f, full_mask(f)).func)


def gradient(halves: Halves, *args: Any) -> Any:
    """The cotangents that are numbers, of a function to a number."""
    _, tape = run(halves.fwd, *args)
    linear = [args[k // 2] for k in halves.signature.residuals]
    return run(halves.bwd, *linear, (None, 1.0), tape)


def test_a_product_has_both_factors():
    halves = halves_of(rose.fn([Real, Real], Real)(lambda x, y: x * y * y).func)
    assert gradient(halves, 2.0, 3.0) == (9.0, 12.0)


def test_cotangents_of_several_uses_are_added():
    halves = halves_of(rose.fn([Real], Real)(lambda x: x * 3.0 + x * x).func)
    assert gradient(halves, 5.0) == (13.0,)


def test_both_halves_are_over_numbers():
    f = rose.fn([Vec[3]], Real)(lambda v: rose.sum(rose.sin(v[i]) * v[i] for i in rose.range(3)))
    for half in halves_of(f.func)[:2]:
        check(half)
        assert not any([v.type.linear for v in [*half.params, *instructions(half.body)]])


def test_a_loop_has_one_loop_in_each_half():
    f = rose.fn([Vec[3]], Real)(lambda v: rose.sum(rose.exp(v[i]) for i in rose.range(3)))
    assert [sum([v.op is FOR for v in half.body.code]) for half in halves_of(f.func)[:2]] == [1, 1]


def test_states_are_carried_back_in_reverse():
    """x * 1 * 2 * 3, and what the state had been matters in each iteration."""
    f = rose.fn([Real], Real)(lambda x: rose.scan(lambda i, s: s * s * (i + 1), x, 3))
    assert rose.grad(f)(0.5) == pytest.approx(8 * f(0.5) / 0.5)


def test_a_function_is_transposed_once():
    d = jvp(rose.fn([Real], Real)(lambda x: rose.sin(x)).func, (True,)).func
    assert transpose(d).bwd is transpose(d).bwd


def test_a_half_of_a_half_is_compiled():
    f = rose.fn([Real, Real], Real)(lambda x, y: rose.sin(x * y) * y)
    twice = rose.fn([Real, Real], Real)(lambda x, y: rose.grad(rose.fn([Real], Real)(lambda z: rose.grad(f)(z, y)))(x))
    assert Module({"f": twice.func})["f"](0.3, 0.7) == pytest.approx(-(0.7**3) * f(0.3, 0.7) / 0.7)


@pytest.mark.parametrize("guard", [lambda e: e * e, rose.relu, lambda e: rose.select(e > 0.0, rose.sqrt(e), 0.0)])
def test_an_element_that_is_a_vector_has_no_accumulator_of_its_own(guard: Any):
    """Nor has a vector in an element that is a struct."""
    row = Tuple((Real, Vec[4]), None)
    f = rose.fn([Vec[4, row]], Real)(
        lambda x: rose.sum(rose.sum(guard(x[i][0] - x[i][1][j]) for j in rose.range(4)) for i in rose.range(4))
    )
    opened = [v.args[0].type for v in instructions(halves_of(f.func).bwd.body) if v.op is ACCUM]
    assert all([t is Real for t in opened])


def test_a_call_in_a_loop_may_take_a_zero_that_was_made_outside():
    """Of the second argument alone: the tangent of the first is a zero, which the rule adds to."""
    g = rose.fn([Vec[2], Vec[2]], Vec[2])(lambda a, y: rose.vec(a[i] * y[i] for i in rose.range(2)))

    @g.jvp
    def rule(a: Any, y: Any) -> Any:
        z = g(a.re, y.re)
        return rose.vec(rose.Dual(z[i], y[i].du * a[i].re + a[i].du * y[i].re) for i in rose.range(2))

    f = rose.fn([Vec[2], Vec[2]], Real)(lambda a, y: rose.sum(g(a, y)[i] * y[i] for i in rose.range(2)))
    assert rose.hessian(f, argnums=1)([1.0, 2.0], [0.5, 0.25]).tolist() == [[2.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("rows", [lambda k, n: rose.range(k + 1, n), lambda k, n: rose.range(n)])
def test_the_cotangent_of_a_sum_begins_that_of_the_vector_at_which_it_begins(rows: Any):
    """So a state that is added to in each iteration is neither cleared nor added as a whole."""

    def step(k: Any, m: Any) -> Any:
        after = rose.accum(m)
        for i in rows(k, 6):
            after[i] += m[i] * m[k]
        return after.value

    f = rose.fn([Vec[6]], Real)(lambda x: rose.norm(rose.scan(step, x, 6)))
    bwd = transpose(jvp(f.func, full_mask(f.func)).func).bwd
    added = [v for v in instructions(bwd.body) if v.op is ADD_TO and v.block.parent is not None]
    assert added and all([v.args[1].type.scalar for v in added])
