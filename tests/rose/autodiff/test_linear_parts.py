"""Parts of linear values that have a cotangent of their own: items of tuples have one, elements of vectors have not."""

from __future__ import annotations

from optimising import HERE

from rose import ir
from rose.autodiff.linear_parts import inner, key_of, leaves
from rose.ir.types import Fin, Real, Ref, Tan, Tuple, Vec

NESTED = Tuple((Tan, Vec(3, Vec(2, Tan)), Real, Tuple((Vec(4, Tan),))))


def test_the_leaves_of_a_type_are_its_numbers_and_vectors():
    assert list(leaves(NESTED)) == [((0,), Tan), ((1,), Vec(3, Vec(2, Tan))), ((3, 0), Vec(4, Tan))]
    assert list(leaves(Real)) == []


def test_an_accumulator_has_the_parts_of_its_sum():
    assert inner(Ref(NESTED)) is NESTED and inner(Tan) is Tan


def test_a_row_is_a_part_of_its_matrix_and_a_number_of_it_is_not():
    with ir.building("f") as b:
        b.loc = HERE
        x, i = b.param(NESTED), b.param(Fin(2))
        matrix = b.get(x, 1)
        row = b.index(matrix, i)
        number = b.index(row, i)
        b.func(b.unit())
    assert key_of(matrix) == key_of(row) == (x, (1,))
    assert key_of(number) == (number, ()) and key_of(x, (3, 0)) == (x, (3, 0))
