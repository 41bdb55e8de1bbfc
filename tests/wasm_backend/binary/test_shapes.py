"""Shapes: what the shuffles make of two vectors, and constants."""

from collections.abc import Callable
from typing import Any

import pytest

from wasm_backend.binary.encoder import instruction
from wasm_backend.binary.shapes import F32X4, F64X2, Shape

EACH = pytest.mark.parametrize("s", [F64X2, F32X4], ids=["f64x2", "f32x4"])


def shuffled(order: bytes, s: Shape) -> list[Any]:
    """What a shuffle makes: (0, k) is number k of the first vector, and (1, k) of the second."""
    return [divmod(x // s.bytes, s.lanes) for x in order[-16 :: s.bytes]]


@EACH
def test_numbers_fill_a_vector(s: Shape):
    assert s.lanes * s.bytes == 16 and s.floats == f"{s.float}x{s.lanes}"


@EACH
def test_a_constant_is_in_each_lane(s: Shape):
    assert s.constant(1.5) == instruction("v128.const", *[1.5] * s.lanes)
    sign = int.from_bytes(s.no_sign[-s.bytes :], "little")
    assert sign == 2 ** (8 * s.bytes - 1) - 1


def pairs(s: Shape) -> list[Any]:
    return [(half, lane) for lane in range(s.lanes) for half in (0, 1)]


@EACH
def test_numbers_of_two_vectors_in_turns_are_taken_apart_again(s: Shape):
    woven = [*shuffled(s.woven(0), s), *shuffled(s.woven(1), s)]
    assert woven == pairs(s)
    in_turns = [woven[2 * k + j] for j in (0, 1) for k in range(s.lanes)]
    order = [divmod(x // s.bytes, s.lanes) for o in (s.even(), s.odd()) for x in o[-16 :: s.bytes]]
    assert [woven[half * s.lanes + k] for half, k in order] == in_turns


@EACH
def test_a_lane_of_each_has_half_of_a_vector(s: Shape):
    for lane in range(s.lanes):
        assert shuffled(s.together(lane), s) == [(k, lane) for k in (0, 1) for _ in range(s.lanes // 2)]
        assert shuffled(s.splat(lane), s) == [(0, lane)] * s.lanes


@EACH
def test_what_is_handed_on_is_the_last_of_one_and_then_the_next(s: Shape):
    both = [(v, lane) for v in (0, 1) for lane in range(s.lanes)]
    for n in range(1, s.lanes):
        assert shuffled(s.across(n), s) == both[s.lanes - n : 2 * s.lanes - n]


@EACH
def test_halves_of_two_vectors_are_put_side_by_side(s: Shape):
    n = s.lanes // 2
    made: Callable[[int], Any] = lambda half: [(v, half * n + k) for v in (0, 1) for k in range(n)]
    assert [shuffled(s.halves(half), s) for half in (0, 1)] == [made(0), made(1)]
