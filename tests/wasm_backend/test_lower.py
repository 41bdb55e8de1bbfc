"""Lowering: a module for some exports, with what they call and nothing else."""

import pytest

import rose
from rose import Real, RoseError, Vec, fn, opaque
from rose.ir import Func
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower, wrapper


@fn
def square(x: Real) -> Real:
    return x * x


@fn
def twice(x: Real) -> Real:
    return square(x) + square(x + 1.0)


@fn
def summed(x: Vec[64]) -> Real:
    return rose.sum(rose.sqrt(x[i]) * x[i] / (1.0 + x[i]) for i in rose.range(64))


def text(**exports: Func) -> str:
    return disassemble(lower(exports).wasm)


def test_a_callee_is_written_once_and_an_export_is_its_own_function():
    lines = text(twice=twice.func, square=square.func).splitlines()
    assert [line for line in lines if line.startswith("func ")] == [
        "func square (f64) -> (f64)", "func twice (f64) -> (f64)", "func square (f64) -> (f64)",
    ]  # fmt: skip


def test_the_same_functions_give_the_same_bytes():
    assert lower({"f": twice.func}).wasm == lower({"f": twice.func}).wasm


@pytest.mark.parametrize("name", ["memory", "#f"])
def test_names_of_ours_cannot_be_exported(name: str):
    with pytest.raises(RoseError, match="cannot be exported"):
        lower({name: square.func})


def test_a_module_with_vectors_has_a_plain_one_beside_it():
    made, plain = lower({"f": summed.func}, simd=True), lower({"f": summed.func})
    assert made.plain is not None and made.plain.wasm == plain.wasm != made.wasm
    assert made.signatures == plain.signatures


def test_a_module_in_which_no_loop_is_vectorised_is_the_plain_one():
    made = lower({"f": square.func}, simd=True)
    assert made.plain is None and made.wasm == lower({"f": square.func}).wasm


def test_a_wrapper_has_the_parameters_of_what_it_calls():
    @opaque
    def host(x: Real, v: Vec[2]) -> Real:
        return x + v[0]

    made = wrapper(host.func)
    assert made.has_body and [p.attr for p in made.params] == ["x", "v"]
    assert [v.attr for v in made.body.code] == [host.func]
