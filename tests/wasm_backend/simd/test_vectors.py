"""Vectors: the instructions of two iterations at once."""

from typing import Any

import numpy as np
import pytest
from harness import Module, same

import rose
from rose import Vec, fn
from rose.host.interpreter import run
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.lower import lower
from wasm_backend.simd import loops
from wasm_backend.simd.vectors import At, VectorWriter


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch):
    """Loops are vectorised also where that does not pay."""
    monkeypatch.setattr(loops, "pays", lambda *_: True)


def vector(body: Any, n: int = 20) -> Any:
    return fn([Vec[64]], Vec[n])(lambda x: rose.vec(body(x, i) for i in rose.range(n))).func


X = tuple([(7 * k % 11 - 4) / 3 for k in range(64)])


def text(f: Any) -> str:
    return disassemble(lower({"f": f}, simd=True).wasm)


@pytest.mark.parametrize(
    ("body", "instruction"),
    [
        (lambda x, i: x[i] + x[i + 1], "v128.load"),
        (lambda x, i: x[3 * i] * 2.0, "f64x2.splat"),
        (lambda x, i: x[2 * i] - x[2 * i + 1], "i8x16.shuffle"),
        (lambda x, i: rose.select(x[i] > 0.0, x[i], 1.0), "v128.bitselect"),
        (lambda x, i: rose.sin(x[i]), "f64x2.replace_lane"),
        (lambda x, i: rose.exp(x[i]), "call exp twice"),
        (lambda x, i: rose.sigmoid(x[i] * x[i + 1]), "call exp twice"),
        (lambda x, i: abs(x[i]) ** x[i + 1] * rose.log(x[i]), "call pow twice"),
        (lambda x, i: x[i] * i, "f64.convert_i32_u"),
    ],
)
def test_two_iterations_have_the_bits_of_single_ones(body: Any, instruction: str):
    f = vector(body)
    assert instruction in text(f)
    assert same(Module({"f": f}, simd=True)["f"](X), run(f, X))


def test_a_truth_value_of_each_lane_becomes_a_mask_once():
    f = vector(lambda x, i: rose.select(i % 3 == 0, x[i], 1.0) * rose.select(i % 3 == 0, x[i + 1], x[i + 2]))
    assert text(f).count("v128.bitselect") == 2 and text(f).count("i64x2.replace_lane") == 1
    assert same(Module({"f": f}, simd=True)["f"](X), run(f, X))


@pytest.mark.parametrize("n", [2, 3, 20, 21])
def test_an_odd_last_iteration_is_alone(n: int):
    f = vector(lambda x, i: x[i] * x[i], n)
    assert same(Module({"f": f}, simd=True)["f"](X), run(f, X))


def test_a_relaxed_product_and_sum_are_one_instruction():
    f = vector(lambda x, i: x[i] * x[i + 1] + x[i + 2])
    assert "f64x2.relaxed_madd" in disassemble(lower({"f": f}, simd="relaxed").wasm)
    assert "relaxed" not in text(f)


def test_the_address_of_the_next_number_is_8_bytes_on():
    at = At(1, None, (), (), 16, 24)
    assert at.is_before(at._replace(offset=32), 8)
    assert not at.is_before(at._replace(offset=40), 8) and not at.is_before(at._replace(offset=32, step=8), 8)


def test_neighbours_whose_products_are_added_at_once_are_not_loaded_one_by_one_too(monkeypatch: pytest.MonkeyPatch):
    n = 40
    f = fn([Vec[n, Vec[n]], Vec[n, Vec[n]]], Vec[n, Vec[n]])(lambda a, b: rose.matmul(a, b))
    loads = rose.compile(f, simd=True).disassemble().count("v128.load")
    monkeypatch.setattr(VectorWriter, "waits", lambda self, v: False)  # pyright: ignore
    assert 0 < loads < rose.compile(f, simd=True).disassemble().count("v128.load")


def shifted(x: Any, z: Any) -> Any:
    """Each iteration of the loop around reads the elements of a vector in reverse from one before."""
    y = x[::-1]
    step = lambda i, s: rose.vec(rose.sqrt(y[i + 127 - j]) * s[j] for j in rose.range(64))
    return rose.scan(step, z, 4)


def chosen(x: Any, k: Any) -> Any:
    return rose.vec(rose.sqrt(x[63 - j][k[j]]) for j in rose.range(64))


FALLING: dict[str, tuple[Any, Any]] = {
    "with the loop around": (
        fn([Vec[192], Vec[64]], Vec[64])(shifted),
        (np.linspace(0.3, 2.0, 192), np.linspace(1.0, 2.0, 64)),
    ),
    "to an index that is read": (
        fn([Vec[64, Vec[8]], Vec[64, rose.Fin[8]]], Vec[64])(chosen),
        (np.linspace(0.3, 2.0, 512).reshape(64, 8), [3 * j % 8 for j in range(64)]),
    ),
}


@pytest.mark.parametrize(("f", "args"), FALLING.values(), ids=FALLING)
def test_no_part_of_an_address_that_falls_is_below_zero(f: Any, args: Any):
    with rose.eager():
        want = np.asarray(f(*args))
    assert np.asarray(rose.compile(f, simd=True)(*args)).tobytes() == want.tobytes()
