"""Joining of halves: which forward and backward halves are inlined together."""

from __future__ import annotations

import pytest
from harness import Module

import rose
from rose import Real, Vec, fn
from rose.ir import Func, is_call
from rose.optimise.join_halves import Room, join_halves
from rose.optimise.pipeline import optimised
from tests.rose.optimise.test_scheduling import PROGRAMS, apart


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a chain in pieces", "calls in pieces"])
def test_no_tape_is_left_between_the_halves_of_a_sum(name: str):
    f, x = PROGRAMS[name]
    made = rose.compile(rose.value_and_grad(f))
    s = made._lowered.signatures[made.__name__]
    assert s.result.at is not None
    outside = s.result.at + 8 * (1 + len(x[0]) * (2 if "calls" in name else 1))
    module = Module(optimised({made.__name__: rose.value_and_grad(f).func}))
    size = module.memory.data_len(module.store)
    module.memory.write(module.store, b"\xa5" * (size - outside), outside)
    module[made.__name__](*x)
    left = bytes(module.memory.read(module.store, outside, size))
    written = sum([left[k : k + 8] != b"\xa5" * 8 for k in range(0, len(left) // 8 * 8, 8)])
    assert written < 600, f"{written} numbers for {len(x[0])} terms of several each"


def test_a_chain_of_steps_stays_calls():
    f, _ = PROGRAMS["steps in pieces"]
    made = optimised({"g": rose.value_and_grad(f, (0, 1)).func})["g"]
    assert any(map(is_call, made.body.code)), "each backward half waits for the one before"


def test_one_call_alone_is_no_pair():
    g = fn([Vec[2], Vec[2]], Real)(lambda p, q: apart(p, q)).func
    assert join_halves(g, {}, Room([g])) is g
    assert isinstance(g, Func)
