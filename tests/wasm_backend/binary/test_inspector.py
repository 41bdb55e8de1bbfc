"""Facts about modules; `tests/rose/cli/test_inspect.py` compares them with wasmtime's."""

import pytest
import wasmtime

from wasm_backend.binary.encoder import MAX_LOCALS, MAX_PARAMS
from wasm_backend.binary.inspector import Function, anatomy

WASM = bytes(
    wasmtime.wat2wasm(
        """(module
          (memory (export "memory") 1 2)
          (func $f (export "f") (param f64 f64) (result f64) (local i32) (f64.add (local.get 0) (local.get 1)))
          (data (i32.const 8) "abc"))"""
    )
)


def test_the_facts_about_a_module():
    found = anatomy(WASM)
    assert found.bytes == len(WASM) == 8 + sum([n for _, n in found.sections])
    assert found.exports == [("memory", "memory", "1 page, at most 2"), ("f", "func", "(f64 f64) -> (f64)")]
    assert found.functions == [Function("f", "(f64 f64) -> (f64)", 9, 3)]
    assert (found.imports, found.pages, found.data, found.source_map) == ([], (1, 2), 3, None)


def test_the_values_of_a_module_stand_beside_the_limits_of_engines():
    limits = {name: (value, most) for name, value, most in anatomy(WASM).limits}
    assert limits["locals of a function"] == (3, MAX_LOCALS)
    assert limits["parameters of a function"] == (2, MAX_PARAMS)


@pytest.mark.parametrize(
    ("wasm", "why"),
    [
        (b"<!doctype html>", "does not begin like a WebAssembly module"),
        (b"\0asm\x0d\0\1\0", "a component"),
        (WASM[:-1], "ends too early"),
        (wasmtime.wat2wasm("(module (memory 1 2 shared))"), "shared"),
        (wasmtime.wat2wasm('(module (import "a" "t" (table 1 funcref)))'), "imports a table"),
        (wasmtime.wat2wasm('(module (data "abc"))'), "without a fixed address"),
    ],
)
def test_what_cannot_be_inspected_is_a_value_error(wasm: bytes, why: str):
    with pytest.raises(ValueError, match=why):
        anatomy(bytes(wasm))
