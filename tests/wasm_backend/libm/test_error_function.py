"""The error function of four numbers: each way, with the others beside it."""

import itertools
import random

from libm_points import Instance, bits, instance, module

from rose.ir.libm import nearest
from rose.ir.libm.library import library
from wasm_backend.binary.encoder import Module
from wasm_backend.libm.lanes import lanes
from wasm_backend.libm.link import link

WAYS = [(0.0, 2.0**-28), (2.0**-28, 0.84375), (0.84375, 1.25), (1.25, 1 / 0.35), (1 / 0.35, 6.0), (6.0, 40.0)]


def test_each_way_beside_each_other():
    r = random.Random(0)
    at = [(nearest(r.choice([1, -1]) * r.uniform(*w)),) for four in itertools.product(WAYS, repeat=4) for w in four]
    assert list(map(bits, Instance(module(["erff"], sweeps=True, lanes=4)).over("erff", at))) == list(
        map(bits, instance("erff").over("erff", at))
    )


def test_it_has_no_more_code_than_three_of_one_number():
    f = library().functions
    made = lanes(f["erff"], link(Module(), ["erff"], lambda size, align: 16)).finish()
    assert len(made) < 3 * (len(f["erff"].code) + len(f["erff.erfc2"].code))
