"""Loops: states, vectors that are made, and what counts the iterations."""

from typing import Any

import pytest
from harness import compiled, same

import rose
from rose import Fin, Real, Vec, fn
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


@pytest.mark.parametrize("simd", [False, True])
def test_a_loop_of_dependent_length_has_its_bits_wherever_it_begins_and_ends(simd: bool):
    f = fn([Vec[5], Fin[5], Fin[6]], Vec[5])(added)
    module, x = rose.compile(f, simd=simd), (0.5, -1.0, 2.0, 0.25, 3.0)
    for a in range(5):
        for b in range(6):
            assert same(tuple(module(x, a, b)), run(f.func, x, a, b))


def added(v: Any, a: Any, b: Any) -> Any:
    """Sums in elements that an iteration hands on to the next, and a state."""
    total = rose.accum([0.0] * 5)
    for j in rose.range(a, rose.min(b, 4)):
        total[j] += v[j]
        total[j + 1] += v[j] * 2.0
        total[0] += rose.scan(lambda k, s: s * v[k] + 1.0, v[j], rose.range(j, b))
    return total.value
