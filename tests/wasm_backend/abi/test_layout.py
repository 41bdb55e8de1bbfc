"""The memory layout of types."""

import dataclasses
import struct
from typing import Any, NamedTuple

import pytest

import rose
from rose.frontend.annotations import as_type
from rose.ir.sizes import Dim, times
from rose.ir.types import Bool, Complex, Fin, Real, Ref, Single, Stack, Tuple, Type, Unit, Vec, tuple_of
from wasm_backend.abi.layout import (
    align,
    describe,
    in_javascript,
    is_flat,
    item_leaves,
    known_size,
    leaf_offsets,
    leaves,
    offsets,
    packing,
    plan,
    size,
    wasm_type,
)
from wasm_backend.binary.encoder import F32, F64, I32

WIDE = tuple_of(*[Real] * 17)


@pytest.mark.parametrize(
    ("t", "bytes", "alignment"),
    [
        (Real, 8, 8), (Single, 4, 4), (Bool, 1, 1), (Fin(3), 4, 4), (Unit, 0, 1), (Stack(Real), 4, 4),
        (Vec(3, Bool), 3, 1), (Vec(0, Real), 0, 1), (tuple_of(Bool, Real), 16, 8), (tuple_of(Real, Bool), 16, 8),
        (Vec(2, tuple_of(Bool, Fin(2))), 16, 4), (tuple_of(), 0, 1),
    ],
)  # fmt: skip
def test_sizes_are_multiples_of_alignments(t: Type, bytes: int, alignment: int):
    assert (size(t), align(t)) == (bytes, alignment)


def test_items_lie_in_order_at_their_alignments():
    assert offsets(tuple_of(Bool, Real, Bool, Fin(2), Unit, Single)) == (0, 8, 16, 20, 24, 24)


def test_a_size_that_only_a_call_tells_is_a_polynomial():
    n = Dim("n")
    assert size(Vec(n, Real)) is times(n, 8)
    assert known_size(Vec(n, Real)) == 0


def test_a_small_tuple_is_the_leaves_of_its_items():
    t = tuple_of(Bool, tuple_of(Real, Vec(2, Real)), Unit)
    assert is_flat(t)
    assert leaves(t) == (Bool, Real, Vec(2, Real))
    assert leaf_offsets(t) == (0, 8, 16)
    assert [item_leaves(t, k) for k in range(3)] == [slice(0, 1), slice(1, 3), slice(3, 3)]


def test_a_large_tuple_is_one_leaf():
    assert not is_flat(WIDE)
    assert leaves(WIDE) == (WIDE,)
    assert leaf_offsets(WIDE) == (0,)


def test_a_local_holds_a_number_or_an_address():
    assert [wasm_type(t) for t in (Real, Single, Bool, Fin(9), Vec(2, Real), WIDE)] == [F64, F32, I32, I32, I32, I32]


def test_runtimes_are_told_sizes_as_data_and_dynamic_ones_by_their_export():
    assert describe(Vec(3, tuple_of(Bool, Real))) == {
        "kind": "vec", "size": 3, "stride": 16,
        "elem": {"kind": "tuple", "items": [[0, {"kind": "bool"}], [8, {"kind": "real"}]]},
    }  # fmt: skip
    assert describe(Vec(Dim("n"), Real))["size"] == {"#": "#n"}


def test_a_plan_has_the_leaves_of_a_value_in_order_with_their_vectors():
    p = plan(Vec(2, tuple_of(Bool, Vec(3, Vec(4, Fin(5))), tuple_of(Real, Unit))))
    assert (p.dims, p.strides, p.at, [*p.names]) == ((2,), (64,), (0, 4, 56), [0, 1, 2])
    assert [(x.kind and x.kind.name, x.dims, x.strides) for x in p.leaves()] == [
        ("bool", (), ()), ("index", (3, 4), (16, 4)), ("real", (), ()), ("unit", (), ())
    ]  # fmt: skip


def test_a_plan_knows_the_paths_to_the_vectors_of_a_size():
    n = Dim("n")
    inside = Vec(2, tuple_of(Vec(n, Vec(n, Real)), Vec(3, Real)))
    assert [*plan(inside).paths(n, ("x",))] == [["x", 0, 0], ["x", 0, 0, 0]]


@pytest.mark.parametrize("t", [Ref(Real), Stack(Real)])
def test_accumulators_and_stacks_are_not_told(t: Type):
    with pytest.raises(AssertionError, match="never crosses the border"):
        describe(t)


def test_leaves_cover_a_flat_tuple_without_overlap():
    t = tuple_of(Real, tuple_of(Fin(2), Vec(3, Bool)), Single)
    assert isinstance(t, Tuple)
    ends = [at + known_size(x) for at, x in zip(leaf_offsets(t), leaves(t), strict=True)]
    assert all([end <= at for end, at in zip(ends, leaf_offsets(t)[1:], strict=False)])
    assert ends[-1] <= known_size(t)


@pytest.mark.parametrize(
    "t",
    [
        Vec(3, Bool), Vec(0, Real), tuple_of(Bool, Real), tuple_of(Real, Bool), tuple_of(), Unit,
        Vec(2, tuple_of(Bool, Fin(2), Unit, Single)),
        tuple_of(Bool, Vec(2, tuple_of(Single, Bool)), Real, Vec(0, Bool)),
    ],
)  # fmt: skip
def test_what_is_packed_has_the_size_of_its_type(t: Type):
    assert struct.calcsize("<" + packing(t)) == size(t)


def test_a_complex_number_is_one_of_numpys_and_an_array_of_its_parts_in_javascript():
    n = Dim("n")
    assert (size(Complex), align(Complex), packing(Vec(2, Complex))) == (16, 8, "dddd")
    kind = plan(Vec(3, Complex)).kind
    assert kind is not None and (kind.dtype, kind.bytes) == ("c16", 16)
    assert in_javascript(Complex) is Vec(2, Real) and in_javascript(Vec(4, Vec(n, Complex))) is Vec(
        4, Vec(times(n, 2), Real)
    )
    assert describe(Vec(3, Complex)) == describe(Vec(6, Real))
    assert [*plan(Vec(n, Complex)).paths(n, (0,))] == [[0, "length"]]


@rose.struct
class Settings:
    rate: rose.Real
    limit: rose.Real = float("inf")
    start: rose.Vec[2] = (0.5, -0.0)
    steps: rose.Fin[10] = 3
    fast: rose.Bool = True
    more: rose.Vec[2] = dataclasses.field(default_factory=lambda: [1, 2])
    wrong: rose.Real = None


class Named(NamedTuple):
    x: rose.Real
    y: rose.Real = 1.5


def test_defaults_of_the_fields_of_a_class():
    given = {"limit": "Infinity", "start": "[0.5,-0.0]", "steps": "3", "fast": "true", "more": "[1.0,2.0]"}
    assert describe(as_type(Settings))["defaults"] == given
    assert describe(as_type(Named))["defaults"] == {"y": "1.5"}
    outer: Any = dataclasses.make_dataclass("Outer", [("inner", Named, dataclasses.field(default=Named(1.0)))])
    assert describe(as_type(outer))["defaults"] == {"inner": '{"x":1.0,"y":1.5}'}
    assert "defaults" not in describe(as_type({"x": rose.Real}))
