"""Reading sections of modules."""

import pytest

from wasm_backend.binary.encoder import F64, FUNC, Code, Module
from wasm_backend.binary.reader import Reader, function_type, items, names_of, sections_of


def wasm() -> bytes:
    m, c = Module("example"), Code(params=1)
    square = m.reserve(m.type([F64], [F64]), "square")
    c.get(0), c.get(0), c("f64.mul")
    m.define(square, c)
    m.export("square", FUNC, square)
    return m.finish()


def test_sections_come_in_order_and_custom_ones_by_name():
    assert [id for id, _ in sections_of(wasm())] == [1, 3, 7, 10, "name"]


def test_items_of_a_section_are_read_one_after_another():
    sections = dict(sections_of(wasm()))
    assert [function_type(r) for r in items(sections, 1)] == ["(f64) -> (f64)"]
    assert [(r.name(), r.unsigned(), r.unsigned()) for r in items(sections, 7)] == [("square", FUNC, 0)]
    assert [*items(sections, 2)] == []


def test_functions_have_the_names_of_the_name_section():
    assert names_of(dict(sections_of(wasm()))) == {0: "square"}
    assert names_of({}) == {}


def test_bytes_beyond_the_end_are_an_error():
    with pytest.raises(ValueError, match="ends too early"):
        Reader(b"\x05ab").name()
