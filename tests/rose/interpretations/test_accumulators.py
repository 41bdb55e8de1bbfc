"""Accumulators as states: no accumulator is left, and every bit stays."""

from __future__ import annotations

import pytest
from meaning_programs import PROGRAMS, WHILE, ones

from rose.differentiation.gradients import pullback
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.interpretations.accumulators import without_accumulators
from rose.ir.callgraph import instructions, reachable

ALL = {**PROGRAMS, "a while loop": WHILE}
each_program = pytest.mark.parametrize("name", ALL)


@each_program
def test_sums_as_states_have_the_bits_of_accumulators(name: str):
    f, args = ALL[name]
    given = [plain(x, t) for x, t in zip(args, f.types, strict=True)]
    assert repr(run(without_accumulators(f.func), *given)) == repr(run(f.func, *given))


@each_program
def test_so_do_those_that_the_halves_of_a_derivative_are_given(name: str):
    f, args = ALL[name]
    g = pullback(f)
    given = [plain(x, t) for x, t in zip((*args, ones(f.result)), g.types, strict=True)]
    assert repr(run(without_accumulators(g.func), *given)) == repr(run(g.func, *given))


@each_program
def test_no_accumulator_is_left_in_a_function_or_in_what_is_given_one(name: str):
    made = [without_accumulators(f) for f in reachable(without_accumulators(pullback(ALL[name].f).func))]
    assert not {"accum", "add_to", "freeze", "at"} & {v.op.name for f in made for v in instructions(f.body)}
