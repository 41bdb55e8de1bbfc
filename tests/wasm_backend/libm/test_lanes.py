"""Functions for a vector of numbers: the bits of the function for one, in each lane and whatever is in the others."""

import base64
import json
import random
import shutil
import struct
import subprocess
from collections.abc import Callable

import pytest
from libm_points import Instance, bits, instance, module, points

from rose.ir.libm import nearest
from rose.ir.libm.branches import ORDINARY, branches
from rose.ir.libm.library import DOUBLE, SINGLE, library
from wasm_backend.binary.encoder import Module
from wasm_backend.libm.lanes import has_lanes, lanes
from wasm_backend.libm.link import link

RANGES = {**ORDINARY, "tanh": ((-8.0, 8.0),), "sin": ((-90.0, 90.0),), "cos": ((-90.0, 90.0),)}
SINGLES = {"expf": ((-80.0, 80.0),), "logf": ((1e-4, 100.0),), "tanhf": ((-5.0, 5.0),), "erff": ((-3.0, 3.0),)}
RANGES |= SINGLES
NAMES = list(RANGES)
Points = list[tuple[float, ...]]


def ordinary(name: str, n: int) -> Points:
    r = random.Random(name)
    as_given: Callable[[float], float] = nearest if name in SINGLES else float
    return [tuple([as_given(r.uniform(*bounds)) for bounds in RANGES[name]]) for _ in range(n)]


@pytest.mark.parametrize("name", NAMES)
def test_each_lane_has_the_bits_of_the_function_for_one_number(name: str):
    """Ordinary numbers in both lanes, any numbers, and one beside the other, on either side."""
    usual, others, two = ordinary(name, 8000), points(name, 8000), Instance(module([name], sweeps=True, lanes=2))
    mixed = [p for four in zip(usual[:2000], others, others[::-1], usual[::-1], strict=False) for p in four]
    for at in (usual, others, mixed):
        assert list(map(bits, two.over(name, at))) == list(map(bits, instance(name).over(name, at)))


@pytest.mark.parametrize("name", ["exp", "exp2", "pow"])
def test_where_the_result_is_1_or_beside_it_the_bits_are_the_same(name: str):
    """There the function for one number has a way of its own, and that for two has not."""
    r, two = random.Random(name), Instance(module([name], sweeps=True, lanes=2))
    tiny = [0.0, -0.0, *[r.choice([1, -1]) * 2.0 ** r.uniform(-1074, -40) for _ in range(7998)]]
    near = [1 + r.randrange(-4, 5) * 2.0**-53 for _ in tiny]
    at = [(x,) for x in tiny] if name != "pow" else [*zip(near, tiny, strict=True), *[(x, 3 * x) for x in near]]
    assert list(map(bits, two.over(name, at))) == list(map(bits, instance(name).over(name, at)))


@pytest.mark.parametrize("name", NAMES)
def test_node_has_the_same_bits(name: str):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    at = [*ordinary(name, 2000), *points(name, 2000)]
    wanted = instance(name).over(name, at)
    form = "f" if name in SINGLES else "d"
    numbers = [_text(struct.pack(f"<{len(xs)}{form}", *xs)) for xs in (sum(at, ()), wanted)]
    given = json.dumps([_text(module([name], sweeps=True, lanes=2)), *numbers, name, form])
    said = subprocess.run([node, "-e", SCRIPT], input=given, capture_output=True, text=True, check=True).stdout
    assert said == "0\n"


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


SCRIPT = """
const [wasm, points, wanted, name, form] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const [Floats, Words] = form === "f" ? [Float32Array, Uint32Array] : [Float64Array, BigUint64Array];
const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64"));
const exports = new WebAssembly.Instance(new WebAssembly.Module(bytes(wasm))).exports;
const [given, expected] = [bytes(points), new Floats(bytes(wanted).buffer)];
const to = 65536 + given.length;
new Uint8Array(exports.memory.buffer).set(given, 65536);
exports["sweep " + name](to, 65536, to + expected.byteLength);
const got = new Floats(exports.memory.buffer, to, expected.length);
const word = (xs, k) => new Words(xs.buffer, xs.byteOffset, xs.length)[k];
const nans = (k) => got[k] !== got[k] && expected[k] !== expected[k];
console.log(got.filter((_, k) => word(got, k) !== word(expected, k) && !nans(k)).length);
"""


@pytest.mark.parametrize("name", ORDINARY)
def test_a_form_for_two_numbers_is_small(name: str):
    """Beside the code for one number, whose branches it has not, and whose constants it has twice."""
    f, linked = library().functions[name], link(Module(), [name], lambda size, align: 16)
    assert len(lanes(f, linked).finish()) < 2 * len(f.code) < 2100


def test_what_ordinary_arguments_decide_is_one_thing():
    for name in ORDINARY:
        assert all([len({bool(x) for x in seen}) == 1 for (f, _), seen in branches(name).items() if f == name]), name


def test_others_have_no_such_form():
    assert {name for name in (*DOUBLE, *SINGLE) if has_lanes(name)} == {*NAMES}
    assert not has_lanes("atan") and not has_lanes("erf")


def test_a_module_has_the_forms_that_it_calls_and_each_once():
    text = module(["exp", "log"], sweeps=True, lanes=2)
    assert text.count(b"exp twice") == text.count(b"log twice") == 1
    assert b"twice" not in module(["exp", "log"], sweeps=True)
