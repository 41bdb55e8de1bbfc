"""Accumulators: numbers in locals, vectors in memory."""

from harness import compiled

import rose
from rose import Real, Vec, fn
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower


def test_a_sum_of_numbers_is_in_a_local():
    f = fn([Real], Real)(lambda x: rose.sum(x * i for i in rose.range(50)))
    assert "store" not in disassemble(lower({"f": f.func}).wasm)
    assert compiled(f.func)(2.0) == 2450.0


def test_a_vector_is_added_as_a_whole_by_one_function():
    @fn
    def f(x: Vec[30]) -> Vec[30]:
        total = rose.accum(x)
        for _ in rose.range(20):
            total += x
        return total.value

    assert "call add" in disassemble(lower({"f": f.func}).wasm)
    assert compiled(f.func)(tuple(range(30))) == tuple([21.0 * k for k in range(30)])


def test_a_sum_begins_again_in_each_call():
    @fn
    def f(x: Real) -> Vec[40]:
        total = rose.accum([0.0] * 40)
        for i in rose.range(40):
            total[i] += x
        return total.value

    run = compiled(f.func)
    assert run(1.0) == (1.0,) * 40
    assert run(2.0) == (2.0,) * 40


def test_a_negation_that_is_added_is_subtracted():
    f = fn([Real], Real)(lambda x: rose.sum(-(x * i) for i in rose.range(50)))
    text = disassemble(lower({"f": f.func}).wasm)
    assert "f64.sub" in text and "f64.neg" not in text
