"""Functions for two numbers at once, all of whose ways are computed: the bits of each way, and of those beside it."""

import math
import random
import struct

import pytest
from libm_points import Instance, bits, instance, is_single, module

from rose.ir.libm.library import library
from wasm_backend.binary.encoder import Module
from wasm_backend.libm.all_ways import FORMS
from wasm_backend.libm.lanes import lanes
from wasm_backend.libm.link import link

# where a function changes its way: musl compares the upper 32 bits
WORDS = {
    "tanh": (0x3FE193EA, 0x3FD058AE, 0x3FD62E42, 0x3FF0A2B2, 0x40340000, 0x00100000, 0x3C900000, 0x40436879),
    "sin": (0x3FE921FB, 0x3E500000, 0x400F6A7A, 0x4002D97C, 0x401C463B, 0x4015FDBC, 0x3FF921FB, 0x4012D97C, 0x413921FB),
}
WORDS["cos"] = (*WORDS["sin"], 0x3E46A09E)
WORDS["tanhf"] = (0x3F0C9F54, 0x3E82C578, 0x3EB17218, 0x3F851592, 0x41200000, 0x00800000, 0x33000000, 0x4195B844)


def agree(name: str, xs: list[float]) -> None:
    at = [(x,) for x in xs]
    two = Instance(module([name], sweeps=True, lanes=2))
    assert list(map(bits, two.over(name, at))) == list(map(bits, instance(name).over(name, at)))


@pytest.mark.parametrize("name", FORMS)
def test_beside_each_border_the_bits_are_those_of_one_number(name: str):
    r, xs = random.Random(name), list[float]()
    for word in WORDS[name]:
        for scale in (0.5, 1.0):  # of twice a number, too
            for _ in range(200):
                if is_single(name):
                    raw = struct.pack("<I", word + r.randrange(-2, 4))
                    xs.append(r.choice([scale, -scale]) * struct.unpack("<f", raw)[0])
                    continue
                raw = (word + r.randrange(-1, 3) << 32) + r.choice([0, 1, 2**32 - 1, r.randrange(2**32)])
                xs.append(r.choice([scale, -scale]) * struct.unpack("<d", struct.pack("<Q", raw))[0])
    agree(name, xs)


@pytest.mark.parametrize("name", FORMS)
def test_each_size_of_number_has_the_bits_of_one_number(name: str):
    r = random.Random(name)
    agree(name, [r.choice([1, -1]) * 2.0 ** r.uniform(-60, 24) for _ in range(8000)])
    agree(name, [r.gauss(0.0, 1.0) for _ in range(8000)])


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_beside_multiples_of_an_eighth_of_a_turn(name: str):
    r = random.Random(name)
    agree(name, [r.randrange(-400, 400) * math.pi / 4 * (1 + 10 ** r.uniform(-17, -3)) for _ in range(8000)])


@pytest.mark.parametrize("name", FORMS)
def test_a_form_has_all_ways_in_1500_bytes(name: str):
    f, linked = library().functions[name], link(Module(), [name], lambda size, align: 16)
    assert len(lanes(f, linked).finish()) < 1500
