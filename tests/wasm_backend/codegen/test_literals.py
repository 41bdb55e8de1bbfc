"""Literal vectors and zeros in the data of a module."""

from typing import Any

import pytest

import rose
from rose import Fin, Real, Vec, fn
from rose.ir import Func, types
from rose.ir.types import Bool, Single, Unit
from wasm_backend.abi.layout import size
from wasm_backend.binary.encoder import Module
from wasm_backend.codegen.call_order import needs
from wasm_backend.codegen.literals import encoded, place_literals


def placed(f: Func) -> tuple[list[int], int, int]:
    """The addresses of the literals of a function, that of zeros, and where these end."""
    top = 16

    def reserve(n: int, to: int) -> int:
        nonlocal top
        at = -(-top // to) * to
        top = at + n
        return at

    addresses, zeros = place_literals(Module(), reserve, needs(f.body))
    return list(addresses.values()), zeros.offset, top


def test_equal_literals_share_an_address():
    def body(i: Any) -> Any:
        tables = [rose.constant(Vec[2], xs) for xs in ([1.0, 2.0], [1.0, 2.0], [3.0, 4.0])]
        return tables[0][i] + tables[1][i] * tables[2][i]

    assert placed(fn([Fin[2]], Real)(body).func) == ([16, 32], 48, 48)


def test_there_are_as_many_zeros_as_the_largest_zero_needs():
    grad = rose.grad(fn([Vec[5]], Real)(lambda x: rose.sum(x[i] * x[i] for i in rose.range(5))))
    _, zeros, top = placed(grad.func)
    assert top - zeros == 40


def test_a_literal_is_little_endian_and_has_the_bytes_of_its_type():
    assert encoded((1, 2), types.Vec(2, types.Fin(9))) == b"\1\0\0\0\2\0\0\0"
    assert encoded((True, False), types.Vec(2, Bool)) == b"\1\0"
    assert encoded(1.0, Single) == b"\0\0\x80\x3f"
    assert len(encoded(((1.0,), (2.0,)), types.Vec(2, types.Vec(1, Real)))) == 16


TABLES: list[tuple[Any, Any, str]] = [
    (((1, 2), (3, 4)), types.tuple_of(Fin[9], Fin[9]), "01000000 02000000 03000000 04000000"),
    (((True, 1.0, None),), types.tuple_of(Bool, Single, Unit), "01000000 0000803f"),
    (((1.0, True),), types.tuple_of(Single, Bool), "0000803f 01000000"),
    (
        (((1, (True, False)), 2),),
        types.tuple_of(types.tuple_of(Fin[9], Vec[2, Bool]), Fin[9]),
        "01000000 01000000 02000000",
    ),
    (((), ()), types.tuple_of(), ""),
    (((3, ()),), types.tuple_of(Fin[9], Vec[0]), "03000000"),
]


@pytest.mark.parametrize(("x", "t", "bytes"), TABLES)
def test_a_table_of_tuples_lies_as_in_memory(x: Any, t: Any, bytes: str):
    whole = types.Vec(len(x), t)
    assert encoded(x, whole).hex() == bytes.replace(" ", "") and len(encoded(x, whole)) == size(whole)
