"""The assembler: loads, stores, copies and addresses."""

from collections.abc import Callable

import pytest

from rose.ir.sizes import Dim
from rose.ir.types import Bool, Fin, Real, Single, Type, Vec
from wasm_backend.abi.layout import size
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.binary.encoder import I32, Body, Module
from wasm_backend.codegen.assembler import Assembler, pieces
from wasm_backend.codegen.costs import COPIED_BYTES
from wasm_backend.codegen.locations import Mem


def written(write: Callable[[Assembler], None], **options: Callable[..., int]) -> list[str]:
    """The instructions that are written into a function of one i32."""
    m, c = Module(), Assembler(1, False, **options)
    write(c)
    m.define(m.reserve(m.type([I32], [])), c)
    return [line.strip() for line in disassemble(m.finish()).split("-> ()\n")[1].splitlines()][:-1]


@pytest.mark.parametrize(("t", "load"), [(Real, "f64"), (Single, "f32"), (Fin(3), "i32"), (Vec(2, Real), "i32")])
def test_a_load_has_the_offset_and_the_type(t: Type, load: str):
    assert written(lambda c: c.load(t, Mem(0, 24))) == ["local.get 0", f"{load}.load 24"]


def test_a_truth_value_is_one_byte():
    assert written(lambda c: c.load(Bool, Mem(None, 9))) == ["i32.const 0", "i32.load8_u 9"]


def test_an_address_without_an_offset_is_its_base():
    assert written(lambda c: c.address(Mem(0, 0))) == ["local.get 0"]
    assert written(lambda c: c.address(Mem(0, 8))) == ["local.get 0", "i32.const 8", "i32.add"]
    assert written(lambda c: c.address(Mem(None, 8))) == ["i32.const 8"]


def test_a_dynamic_part_of_an_address_is_a_global():
    lines = written(lambda c: c.address(Mem(0, 8, Dim("n"))), global_of=lambda x: 7)
    assert lines == ["local.get 0", "global.get 7", "i32.add", "i32.const 8", "i32.add"]


def test_few_bytes_are_copied_by_single_instructions():
    assert [k for k, _ in pieces(size(Vec(COPIED_BYTES // 8, Real)), False)] == list(range(0, COPIED_BYTES, 8))
    assert pieces(size(Vec(COPIED_BYTES // 8 + 1, Real)), False) == ()
    assert written(lambda c: c.copy(Vec(9, Real), Mem(0, 0), Mem(None, 16)))[-1] == "memory.copy"


def test_an_odd_number_of_singles_ends_with_half_a_piece():
    assert pieces(size(Vec(3, Single)), True) == ((0, "i64"), (8, "i32"))


def test_what_is_written_aside_goes_into_the_other_body():
    def write(c: Assembler) -> None:
        other = Body()
        with c.aside(other):
            c.get(0)
        c.i32_const(1)
        c.splice(other)

    assert written(write) == ["i32.const 1", "local.get 0"]


def test_the_notes_of_a_body_go_where_it_goes():
    c, other = Assembler(0, False), Body()
    with c.aside(other):
        c.i32_const(1)
    other.notes.starts.append(0), other.notes.ends.append(2), other.notes.texts.append("here")
    c.i32_const(1)
    c.splice(other)
    notes = c.body.notes
    assert (*notes.starts, *notes.ends, *notes.texts) == (2, 4, "here")
