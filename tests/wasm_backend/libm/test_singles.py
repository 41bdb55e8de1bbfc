"""Functions of four numbers of 32 bits: the bits of one number, beside each border and far from it."""

import random
import struct

import pytest
from libm_points import Instance, bits, instance, module

from wasm_backend.libm import error_function
from wasm_backend.libm.singles import FORMS

# where a function changes its way, or is left to the one for one number
WORDS = {
    "expf": (0x42B00000, 0x42B17218, 0xC2CFF1B5, 0x00000000, 0x7F800000, 0x3F800000),
    "logf": (0x00800000, 0x3F800000, 0x3F330000, 0x3F7F0000, 0x7F800000, 0x00000000, 0x3FB00000),
    "erff": (0x3F580000, 0x31800000, 0x3FA00000, 0x4036DB6D, 0x40C00000, 0x7F800000, 0x00000000),
}


def numbers(name: str) -> list[float]:
    r = random.Random(name)
    near = [word ^ r.choice([0, 0x80000000]) for word in WORDS[name] for _ in range(400)]
    words = [(x + r.randrange(-4, 5)) % 2**32 for x in near] + [r.randrange(2**32) for _ in range(4000)]
    return [*struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *words))]


@pytest.mark.parametrize("name", [*FORMS, *error_function.FORMS])
def test_four_at_once_have_the_bits_of_one(name: str):
    at = [(x,) for x in numbers(name)]
    mixed = random.Random(1).sample(at, len(at))
    four = Instance(module([name], sweeps=True, lanes=4))
    for xs in (at, mixed):
        assert list(map(bits, four.over(name, xs))) == list(map(bits, instance(name).over(name, xs)))
