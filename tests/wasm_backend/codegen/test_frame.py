"""Frames: the locals and the locations of the values of a function."""

from typing import Any

import rose
from rose import Real, Vec, fn
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower


def text(f: Any) -> str:
    return disassemble(lower({"f": f.func}).wasm)


def test_a_local_is_free_again_after_the_last_use_of_its_value():
    def body(x: Any) -> Any:
        for k in range(40):
            y = x + k
            x = y * y
        return x

    assert text(fn([Real], Real)(body)).count("local ") <= 2


def test_the_zero_of_each_aggregate_is_the_same_memory():
    @fn
    def f(i: rose.Fin[3]) -> tuple[Vec[100], Vec[50]]:
        return rose.constant(Vec[100], [0.0] * 100), rose.constant(Vec[50], [0.0] * 50)

    signature = lower({"f": f.func}).signatures["f"]
    assert isinstance(signature.result.at, int)
    assert signature.result.at < 3000


def test_a_parameter_that_is_an_aggregate_is_a_pointer_between_functions():
    g = fn([Vec[3]], Real)(lambda v: v[0] * v[2] + v[1])
    f = fn([Vec[3]], Real)(lambda v: g(v) + 1.0)
    assert "func <lambda> (i32) -> (f64)" in text(f)


def test_a_vector_that_is_the_result_of_a_call_is_built_where_the_caller_wants_it():
    g = fn([Real], Vec[30])(lambda x: rose.vec(x * i for i in rose.range(30)))
    f = fn([Real], Vec[30])(lambda x: g(x))
    assert "memory.copy" not in text(f)
