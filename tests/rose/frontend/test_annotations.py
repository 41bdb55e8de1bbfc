"""Types as a user writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast

import pytest

import rose
from rose import Bool, Dual, Fin, Real, Tan, TypeMismatch, Unit, Vec, fn
from rose.frontend.annotations import Generic, as_type, dual, struct_of
from rose.ir.forms import form_of
from rose.ir.types import Tuple, tuple_of


class Pair(NamedTuple):
    a: Real
    b: Bool


@dataclass
class Point:
    x: Real
    y: Vec[2]


@pytest.mark.parametrize(
    ("hint", "items"),
    [(Pair, (Real, Bool)), (Point, (Real, Vec[2])), (tuple[Real, Fin[3]], (Real, Fin[3])), ({"z": float}, (Real,))],
)
def test_structs_are_tuples(hint: Any, items: tuple[Any, ...]):
    t = as_type(hint)
    assert isinstance(t, Tuple)
    assert t.items == items


def test_equal_annotations_are_one_type():
    assert as_type(Point) is as_type(Point)
    assert Vec[2, Vec[3]] is Vec[2, Vec[3, Real]]
    assert as_type(None) is Unit


def test_a_dual_has_a_tangent_for_each_real():
    assert dual(Real) is as_type(Dual)
    assert Dual[Vec[2]] is Vec[2, Dual[Real]]
    assert dual(tuple_of(Bool, Tan)) is tuple_of(Bool, dual(Real))


@pytest.mark.parametrize("hint", [int, str, list, 3, Vec, Fin, {1: Real}])
def test_what_is_not_a_type_is_refused_with_a_hint(hint: Any):
    with pytest.raises(TypeMismatch) as e:
        as_type(hint)
    assert e.value.hint


@pytest.mark.parametrize("cls", [Vec, Fin, rose.Dual])
def test_no_struct_is_made_of_a_type(cls: type):
    with pytest.raises(TypeMismatch, match=f"rose.struct takes a class of yours, not {cls.__name__}"):
        rose.struct(cls)
    assert cls is rose.Dual or form_of(cls) is None


def test_a_struct_that_holds_itself_is_refused():
    with pytest.raises(TypeMismatch, match="a Tree holds a Tree, without end"):

        @rose.struct
        class Tree:  # pyright: ignore[reportUnusedClass]
            left: Tree


Content = TypeVar("Content")


@rose.struct
class Box(Generic[Content]):
    content: Content
    row: Vec[2, Content]
    weight: float


def test_a_struct_with_a_type_parameter_is_a_type_for_each():
    t = cast("Any", Box)[Vec[3]]
    assert t is struct_of(Box, Vec[3])
    assert t.items == (Vec[3], Vec[2, Vec[3]], Real)
    assert as_type(Box) is cast("Any", Box)[Real]


def test_values_of_such_a_struct_are_ordinary_ones():
    @fn
    def filled(x: Real) -> Box[Vec[3]]:
        return Box([x, x, x], [[x, 1.0, 2.0]] * 2, x)

    box = filled(2.0)
    assert isinstance(box, Box)
    assert list(box.content) == [2.0, 2.0, 2.0]
    assert list(box.row[1]) == [2.0, 1.0, 2.0]
