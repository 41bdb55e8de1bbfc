"""Reading relocatable objects and archives, made by hand."""

import pytest

from wasm_backend.binary.encoder import F64, name, section, unsigned, vector
from wasm_backend.libm.objects import FUNCTION, Archive, Hole, Piece, Symbol, read_object

TYPE = b"\x60" + vector([bytes([F64])]) + vector([bytes([F64])])
BODY = b"\0\x20\0\x10\x80\x80\x80\x80\0\x0b"  # no locals; local.get 0, a call with a hole, end
SYMBOLS = vector([bytes([FUNCTION, 0, 1]) + name("f"), bytes([FUNCTION, 0x10, 0])])  # f is defined, g is imported
OBJECT = b"\0asm\1\0\0\0" + b"".join(
    [
        section(1, vector([TYPE])),
        section(2, vector([name("env") + name("g") + b"\0\0"])),
        section(3, vector([b"\0"])),
        section(10, vector([unsigned(len(BODY)) + BODY])),
        section(0, name("linking") + unsigned(2) + section(8, SYMBOLS)),
        section(0, name("reloc.CODE") + unsigned(3) + vector([b"\0" + unsigned(6) + unsigned(1)])),
    ]
)


def test_an_object_has_functions_symbols_and_holes():
    read = read_object(OBJECT)
    assert read.types == [((F64,), (F64,))] * 2
    assert read.functions == [None, Piece(2, BODY)]
    assert read.symbols == [Symbol(FUNCTION, "f", False, 1), Symbol(FUNCTION, "g", False, None)]
    assert read.holes == [Hole(6, 0, 1, 0)]
    assert (read.segments, read.compiler) == ([], "")


def test_an_archive_finds_an_object_by_a_symbol():
    table = (1).to_bytes(4, "big") + (8 + 60 + 10).to_bytes(4, "big") + b"f\0"
    member = lambda content: b" " * 48 + b"%-10d" % len(content) + b"`\n" + content
    archive = Archive(b"!<arch>\n" + member(table) + member(OBJECT))
    assert archive.defining("f") == read_object(OBJECT)
    assert archive.defining("f") is archive.defining("f")


def test_other_files_are_refused():
    with pytest.raises(AssertionError, match="not an archive"):
        Archive(OBJECT)
    with pytest.raises(AssertionError, match="not an object"):
        read_object(b"!<arch>\n")
