"""The static memory of a function."""

import pytest

from rose.errors import TooLarge
from rose.ir.sizes import Dim, times
from rose.ir.types import Bool, Real, Vec
from wasm_backend.abi.signature import BASE, LARGEST
from wasm_backend.codegen.locations import Mem
from wasm_backend.codegen.memory import Memory


def memory(top: int = 16) -> Memory:
    return Memory(top, 0, lambda needed: TooLarge(f"{needed} bytes", None, "less"))


def test_addresses_follow_each_other_at_multiples_of_8():
    m = memory()
    assert [m.reserve(Vec(3, Bool)), m.reserve(Real), m.reserve(Real)] == [Mem(None, 16), Mem(None, 24), Mem(None, 32)]
    assert m.top == 40


def test_what_depends_on_a_size_lies_above_the_base():
    m, n = memory(), Dim("n")
    first, second = m.reserve(Vec(n, Real)), m.reserve(Vec(n, Real))
    assert first.total is BASE
    assert second.offset == 0 and m.more is times(n, 16)
    assert m.top == 16


def test_a_type_that_is_too_large_by_itself_is_refused():
    with pytest.raises(TooLarge, match=f"{LARGEST + 24} bytes"):
        memory().reserve(Vec(LARGEST // 8 + 1, Real))


def test_what_has_no_address_is_counted():
    m = memory(LARGEST - 8)
    assert m.reserve(Vec(2, Real)) == Mem(None, 0)
    assert m.top == LARGEST + 8
