"""Reading integers, names and instructions of WebAssembly."""

import pytest

from rose.ir.libm.decode import Reader, decode
from rose.ir.libm.library import library


@pytest.mark.parametrize(
    ("raw", "value"), [(b"\x00", 0), (b"\x7f", 127), (b"\x80\x01", 128), (b"\xe5\x8e\x26", 624485)]
)
def test_unsigned_integers_are_leb128(raw: bytes, value: int):
    assert Reader(raw).unsigned() == value


@pytest.mark.parametrize(("raw", "value"), [(b"\x7f", -1), (b"\x3f", 63), (b"\x40", -64), (b"\xc0\xbb\x78", -123456)])
def test_signed_integers_are_leb128(raw: bytes, value: int):
    assert Reader(raw).signed() == value


def test_a_reader_goes_on_where_it_was():
    r = Reader(b"\x02hi\x05")
    assert (r.name(), r.byte(), r.at) == ("hi", 5, 4)


def test_each_function_of_the_library_is_decoded_to_its_end():
    made = library()
    for f in made.functions.values():
        _, code = decode(f, made.opcodes)
        assert code[-1].mnemonic == "end"
