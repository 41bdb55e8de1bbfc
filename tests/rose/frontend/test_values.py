"""Conversion of Python values to traced values."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, NotLinear, Real, Tan, TypeMismatch, Unit, Vec, fn
from rose.frontend.annotations import as_type
from rose.frontend.values import coerce, common_type, infer, is_number, is_traced, to_value, widest
from rose.ir import Builder, building, types
from rose.ir.types import tuple_of


@pytest.fixture
def b() -> Generator[Builder]:
    with building("f") as b:
        yield b


@pytest.mark.parametrize(
    ("x", "t"),
    [
        (1, Real),
        (True, Bool),
        (None, Unit),
        ([1.0, 2.0], Vec[2]),
        (np.zeros((2, 3)), Vec[2, Vec[3]]),
        ((1.0, [True]), tuple_of(Real, Vec[1, Bool])),
        ([], Vec[0]),
    ],
)
def test_a_type_is_inferred(b: Builder, x: Any, t: Any):
    assert infer(x).type is t
    assert to_value(x, t).type is t


def test_a_list_of_indices_has_the_widest_range(b: Builder):
    assert infer([b.param(Fin[2], "i"), b.param(Fin[5], "j")]).type is Vec[2, Fin[5]]


def test_a_vector_of_host_numbers_is_one_literal(b: Builder):
    assert to_value([1.0, 2.0], Vec[2]).attr == (1.0, 2.0)
    assert to_value([1.0, b.param(Real, "x")], Vec[2]).op.name == "pack"


def test_an_index_becomes_a_larger_index_or_a_real(b: Builder):
    i = b.param(Fin[2], "i")
    assert coerce(i, Fin[5], (), None).type is Fin[5]
    assert coerce(i, Real, (), None).op.name == "real"
    with pytest.raises(TypeMismatch):
        coerce(i, Fin[1], ("i",), None)


def test_only_zero_is_a_tangent(b: Builder):
    assert to_value(0, Tan).type is Tan
    for x in (1.0, b.param(Real, "x")):
        with pytest.raises(NotLinear, match="dx must be a tangent"):
            to_value(x, Tan, ("dx",))


def test_a_path_names_the_part_that_is_wrong(b: Builder):
    with pytest.raises(TypeMismatch, match=r"v\[1\] must be a Real, got True"):
        to_value([1.0, True], Vec[2], ("v",))


def test_traced_values_are_found_in_structs(b: Builder):
    x = b.param(Real, "x")
    assert is_traced({"a": [1.0, (x,)]})
    assert not is_traced([1.0, {"a": None}])
    assert is_number(np.float64(1.0))
    assert is_number(rose.dim("n"))
    assert not is_number(x)


@dataclasses.dataclass
class Mark:
    at: Fin[9]
    by: Vec[2]


MARKS = [Mark(1, [2.0, 3.0]), Mark(8, [4.0, 5.0])]


@pytest.mark.parametrize(
    "x", [MARKS, [(1, [2, 3]), {"at": 8, "by": [4, 5]}], np.array([(1, [2, 3]), (8, [4, 5])], "i4, 2f4")]
)
def test_a_vector_of_host_structs_is_one_literal(b: Builder, x: Any):
    if isinstance(x, np.ndarray):
        x.dtype.names = ("at", "by")
    assert to_value(x, as_type(Vec[2, Mark])).attr == ((1, (2.0, 3.0)), (8, (4.0, 5.0)))


@pytest.mark.parametrize(
    ("x", "t"),
    [
        (MARKS, Vec[2, Mark]),
        ([(1, True), (2.5, False)], Vec[2, tuple_of(Real, Bool)]),
        ([[[1.0, 2]], [[3, 4]]], Vec[2, Vec[1, Vec[2]]]),
        ([((1.0,), [True])], Vec[1, tuple_of(tuple_of(Real), Vec[1, Bool])]),
        ([{"a": 1.0}, {"a": 2.0}], Vec[2, as_type({"a": Real})]),
        ([[], []], Vec[2, Vec[0]]),
    ],
)
def test_a_list_of_host_values_leaves_nothing_but_its_literal(b: Builder, x: Any, t: Any):
    assert infer(x).type is as_type(t)
    assert [v.type for v in b.root.code if not v.type.scalar and isinstance(v.type, types.Vec)] == [
        as_type(t)
    ] or not x[0]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("of", [lambda m, x: m * x, lambda m, x: np.dot(x, m), lambda m, x: m, lambda m, x: [m, x][0]])
def test_a_matrix_of_numpys_is_refused_as_its_products_are_others(of: Any):
    m = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(TypeMismatch, match=r"an np\.matrix is no array"):
        _ = fn([Vec[2, 2]], Vec[2, 2])(lambda x: of(m, x)).func


def test_of_numbers_and_indices_the_widest_type_has_them_all():
    assert widest([Fin[2], Fin[7], Fin[2]]) is Fin[7]
    assert widest([Fin[2], Real, Fin[7]]) is Real
    assert widest([Fin[2], Bool, Fin[7]]) is Fin[7]
    assert widest([Bool, Fin[2], Real]) is Bool


def test_a_common_type_is_found_part_by_part():
    pair = lambda t: tuple_of(Vec[3, t], Bool)
    assert common_type(pair(Fin[2]), pair(Real)) is pair(Real)
    assert common_type(Vec[3, Real], Vec[4, Real]) is None
    assert common_type(pair(Bool), pair(Unit), lambda s, t: s) is pair(Bool)
