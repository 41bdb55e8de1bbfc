"""Expressions: what is put on the stack."""

from typing import Any

from harness import compiled

import rose
from rose import Real, Vec, fn
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower


def body_of(f: Any, name: str = "f") -> list[str]:
    """The instructions of a function of a module."""
    text = disassemble(lower({"f": f.func}).wasm).split(f"func {name} ")[1].split("\nend")[0]
    return [line.strip() for line in text.splitlines()[1:]]


def test_an_expression_is_one_tree_on_the_stack():
    f = fn([Real, Real], Real)(lambda x, y: x * y + rose.sqrt(y))
    assert body_of(f) == ["local.get 0", "local.get 1", "f64.mul", "local.get 1", "f64.sqrt", "f64.add"]


def test_an_element_at_a_literal_index_is_a_load_with_an_offset():
    f = fn([Vec[9]], Real)(lambda x: x[3])
    assert body_of(f) == ["i32.const 0", "f64.load 40"]


def test_an_index_is_scaled_by_a_shift_or_a_product():
    element = fn([Vec[9], rose.Fin[9]], Real)(lambda x, i: x[i])
    assert "i32.shl" in body_of(element)
    of_three = fn([Vec[9, Vec[3]], rose.Fin[9]], Real)(lambda x, i: x[i][1])
    assert "i32.mul" in body_of(of_three)


def test_a_row_reads_its_arguments_as_its_column_names_them():
    f = fn([rose.Bool, Real, Real], Real)(rose.select)
    assert body_of(f) == ["local.get 1", "local.get 2", "local.get 0", "select"]
    assert compiled(f.func)(False, 1.0, 2.0) == 2.0
