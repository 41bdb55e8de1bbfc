"""Literals that a module writes itself: their bytes are those of data, and what they take does not grow with them."""

import math
import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, fn
from rose.ir import types
from rose.ir.types import Bool, Fin, Type, Vec, tuple_of
from wasm_backend.binary.disassembler import disassemble
from wasm_backend.codegen.costs import PATTERN_BYTES
from wasm_backend.codegen.literals import encoded
from wasm_backend.codegen.patterns import Fill, Piece, Raw, Repeat, pieces_of

Shape = tuple[int, ...]


def table(n: int) -> Any:
    return np.random.default_rng(n).normal(size=n)


def corner(n: int) -> Any:
    a = np.zeros((n, n))
    a[: n // 3, : n // 2] = 2.5
    return a


FAMILIES: dict[str, Callable[[int], Any]] = {
    "zeros": lambda n: np.zeros((n, n)),
    "ones": lambda n: np.ones((n, n)),
    "minus_zeros": lambda n: np.full(n * n, -0.0),
    "nans": lambda n: np.full(n * n, math.nan),
    "eye": np.eye,
    "scaled_eye": lambda n: 0.1 * np.eye(n),
    "diagonal_above": lambda n: np.eye(n, n + 2, k=3),
    "triangle": np.tri,
    "triangle_above": lambda n: np.triu(np.ones((n, n)), 2),
    "triangle_below": lambda n: np.tril(np.full((n, n), -1.5), -2),
    "corner": corner,
    "whole_numbers": lambda n: np.arange(n * n) - 7.0,
    "backwards": lambda n: np.arange(n * n, 0.0, -1.0),
    "tenths": lambda n: np.arange(0.0, 0.1 * n * n, 0.1),
    "linspace": lambda n: np.linspace(-1.0, 1.0, n * n),
    "linspace_from_a_tenth": lambda n: np.linspace(0.1, 0.7, n * n),
    "rows_of_numbers": lambda n: np.meshgrid(np.linspace(0.0, 1.0, n * n), np.zeros(n))[0],
    "matrices": lambda n: np.broadcast_to(np.eye(n), (5, n, n)),
    "boxes": lambda n: np.broadcast_to(np.tri(n), (3, 4, n, n)),
}
SPARSE: dict[str, Callable[[int], Any]] = {
    "diagonal_of_numbers": lambda n: np.diag(table(n)),
    "three_diagonals": lambda n: 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1),
    "equal_rows": lambda n: np.tile(table(n), (n, 1)),
    "columns": lambda n: np.repeat(table(n), n).reshape(n, n),
}


def typed(a: Any, elem: Type = types.Real) -> Type:
    for n in reversed(a.shape):
        elem = Vec(n, elem)
    return elem


def written(pieces: Sequence[Piece], size: int) -> bytes:
    """The meaning of pieces: memory after them."""
    out = bytearray(size)
    for x in pieces:
        if isinstance(x, Raw):
            out[x.at : x.at + len(x.content)] = x.content
        elif isinstance(x, Repeat):
            for k in range(x.copies):
                out[x.at + k * x.bytes : x.at + (k + 1) * x.bytes] = out[x.source : x.source + x.bytes]
        elif isinstance(x, Fill):
            for k in range(x.runs):
                at, n = x.at + k * x.step, x.length + k * x.growth
                out[at : at + n * x.width] = x.word.to_bytes(x.width, "little") * n
        else:
            for j, k in enumerate(range(x.start, x.end)):
                y = k * x.by + x.first
                word = struct.pack("<I", int(y) % 2**32) if x.code == "I" else struct.pack(f"<{x.code}", y)
                out[x.at + j * len(word) : x.at + (j + 1) * len(word)] = word
    return bytes(out)


def taken(pieces: Sequence[Piece]) -> int:
    return sum([8 + len(x.content) if isinstance(x, Raw) else 28 for x in pieces])


def perturbed(a: Any, value: float) -> Any:
    out = np.array(a, order="C")
    out.flat[out.size // 2 + 3] = value
    return out


@pytest.mark.parametrize("name", [*FAMILIES, *SPARSE])
def test_the_pieces_of_a_literal_are_its_bytes_and_few(name: str):
    for n in (9, 16, 23, 40):
        whole = (FAMILIES | SPARSE)[name](n)
        for a in (whole, *[perturbed(whole, y) for y in (0.0, -0.0, 1.0, 0.1, math.nan, 5e-324)]):
            data = a.tobytes()
            pieces = pieces_of(data, typed(a))
            assert written(pieces, len(data)) == data
            assert taken(pieces) <= (300 if name in FAMILIES else 900 + 30 * n) or len(data) <= 4 * PATTERN_BYTES


@pytest.mark.parametrize("name", [*FAMILIES, *SPARSE])
def test_a_module_has_the_literal_to_the_bit(name: str):
    a = perturbed((FAMILIES | SPARSE)[name](12), 0.1)
    f = fn([], rose.Vec[a.shape])(lambda: rose.constant(rose.Vec[a.shape], a.tolist()))
    assert rose.compile(f)().tobytes() == a.tobytes()


def test_tables_of_all_kinds_are_their_bytes():
    r = random.Random(1)
    pair = tuple_of(types.Real, Fin(9))
    cases: list[tuple[Type, Callable[[int], Any]]] = [
        (Bool, lambda k: k % 40 <= k // 40), (Bool, lambda k: k == 700), (Bool, lambda k: r.random() < 0.5),
        (Fin(5000), lambda k: k), (Fin(5000), lambda k: 3 * k + 2), (Fin(5000), lambda k: 4000 - k),
        (Fin(9), lambda k: k % 9), (types.Single, lambda k: float(k)), (types.Single, lambda k: 1.5),
        (pair, lambda k: (1.0, 2)), (pair, lambda k: (0.0, k % 9)),
    ]  # fmt: skip
    for elem, item in cases:
        t = Vec(1600, elem)
        data = encoded(tuple([item(k) for k in range(1600)]), t)
        assert written(pieces_of(data, t), len(data)) == data


def test_numbers_that_nearly_go_on_evenly_are_data():
    a = np.arange(400.0) * 0.1 + np.geomspace(1e-3, 1.0, 400)
    assert pieces_of(a.tobytes(), typed(a)) == [Raw(0, a.tobytes())]


def test_small_literals_and_those_without_a_pattern_are_data():
    for a in (np.eye(7), table(2000)):
        assert pieces_of(a.tobytes(), typed(a)) == [Raw(0, a.tobytes())]


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (0, 90)])
def test_a_literal_of_nothing_is_nothing(shape: Shape):
    f = fn([], rose.Vec[shape])(lambda: np.zeros(shape).tolist() if shape[0] else rose.zeros(shape))
    assert "data" not in disassemble(rose.compile(f).wasm)


def test_a_constant_of_numpys_is_as_small_as_one_of_ours():
    n = 100

    def size(made: Any) -> int:
        f = fn([rose.Vec[n, n]], Real)(lambda x: rose.sum((x * made())[0]))
        return len(rose.compile(rose.grad(f)).wasm)

    assert size(lambda: np.eye(n)) < size(lambda: rose.eye(n)) + 300
    assert size(lambda: np.zeros((n, n))) < 400


def test_a_module_says_with_what_it_starts():
    f = fn([rose.Vec[99]], Real)(lambda x: rose.dot(x, np.arange(99.0)))
    module = rose.compile(f)
    assert "\nstart start\n" in disassemble(module.wasm)
    assert module(np.ones(99)) == 99 * 49.0


@pytest.mark.parametrize("first", [0.0, -7.0, 2.0**24 - 50.0, 1e-45, 3.3e38])
def test_whole_numbers_in_single_precision_to_the_bit(first: float):
    a = np.array(first + np.arange(200.0) * (1e-45 if first == 1e-45 else 1.0), np.float32)
    for b in (a, perturbed(a, 0.1), perturbed(a, math.inf)):
        f = fn([], rose.Vec[200])(lambda b=b: rose.constant(rose.Vec[200], b.astype(float).tolist()))
        module = rose.compile(f, dtype="f32")
        assert module().tobytes() == b.tobytes()
        assert len(module.wasm) < 400 or first > 0.0
