"""Loops: states, vectors that are made, and what counts the iterations."""

from typing import Any

import pytest
from harness import compiled, same

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower


def scanned(step: Any, init: Any, result: Any, n: int = 20) -> Any:
    return fn([Real], result)(lambda x: rose.scan(lambda i, s: step(s, x, i), init, n)).func


@pytest.mark.parametrize("n", [0, 1, 2, 20])
def test_a_number_is_a_state_in_a_local(n: int):
    f = scanned(lambda s, x, i: s * 0.5 + x, 1.0, Real, n)
    assert same(compiled(f)(3.0), run(f, 3.0))


def test_aggregates_of_a_state_change_buffers():
    f = scanned(lambda s, x, i: [s[1], s[2], s[0] + x], [1.0, 2.0, 3.0], Vec[3])
    assert same(compiled(f)(3.0), run(f, 3.0))


def test_states_that_depend_on_each_other_move_at_once():
    f = scanned(lambda s, x, i: (s[1], s[0] + x), (1.0, 2.0), tuple[Real, Real])
    assert same(compiled(f)(3.0), run(f, 3.0))


def test_a_vector_of_aggregates_is_made_in_place():
    f = fn([Real], Vec[20, Vec[2]])(lambda x: rose.vec([x * i, x + i] for i in rose.range(20))).func
    text = disassemble(lower({"f": f}).wasm)
    assert "memory.copy" not in text and same(compiled(f)(3.0), run(f, 3.0))


def test_a_loop_of_no_iterations_makes_no_code():
    f = fn([Real], Real)(lambda x: rose.sum(rose.sqrt(x) for i in rose.range(0))).func
    assert "loop" not in disassemble(lower({"f": f}).wasm)
