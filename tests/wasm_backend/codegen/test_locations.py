"""Locations: addresses with a fixed and a dynamic part."""

from rose.ir.sizes import Dim, times
from rose.ir.types import Real, Vec, tuple_of
from wasm_backend.codegen.locations import Mem, leaves_at

N = Dim("n")


def test_a_part_of_an_aggregate_is_at_another_offset():
    assert Mem(3, 16).at(8) == Mem(3, 24)


def test_only_the_dynamic_part_of_an_offset_is_left_to_the_module():
    at = Mem(None, 16).at(times(N, 8)).at(4)
    assert at.offset == 20 and at.more is times(N, 8)
    assert at.total is Mem(None, 4).at(times(N, 8)).at(16).total


def test_the_leaves_of_a_flat_tuple_lie_at_their_offsets():
    assert leaves_at(tuple_of(Real, tuple_of(Vec(2, Real), Real)), Mem(1, 8)) == (Mem(1, 8), Mem(1, 16), Mem(1, 32))
    assert leaves_at(Vec(3, Real), Mem(1, 8)) == (Mem(1, 8),)
