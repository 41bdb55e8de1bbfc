"""Rows of arrays: what is done with each, and their types."""

from functools import partial
from typing import Any

import pytest

import rose
from rose import Complex, Real, Vec, fft, fn, interpretations
from rose.fft.rows import at, chosen, of_size, rows, size
from rose.ir.callgraph import operations, reachable
from rose.ir.types import Tan


def test_rows_lie_along_the_last_axis():
    f = fn([Vec[2, 3]], Vec[2, 3])(lambda x: rows(x, lambda row: row * row[0]))
    assert f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).tolist() == [[1.0, 2.0, 3.0], [16.0, 20.0, 24.0]]
    assert size(Vec[2, 3]) == size(Vec[3]) == 3


def test_types_have_rows_of_another_size():
    assert of_size(Vec[2, 3], 5, Complex) is Vec[2, 5, Complex]
    assert of_size(Vec[2, 3, Complex], 4, Real) is Vec[2, 4]
    assert of_size(Vec[3, Tan], 4, Real) is Vec[4, Tan]


def test_a_place_beyond_a_row_is_what_is_left_of_it():
    f = fn([Vec[3]], Vec[5])(lambda x: [at(x, k) for k in range(5)])
    assert f([1.0, 2.0, 3.0]).tolist() == [1.0, 2.0, 3.0, 1.0, 2.0]


def test_a_number_is_chosen_by_its_place():
    f = fn([Vec[3]], Vec[5])(lambda x: rose.vec(chosen(k < 3, x, k, 5 - k) for k in rose.range(5)))
    assert f([1.0, 2.0, 3.0]).tolist() == [1.0, 2.0, 3.0, 3.0, 2.0]


@pytest.mark.parametrize("n", [7, 8, 9, 97])
@pytest.mark.parametrize("transform", [fft.fft, fft.rfft, fft.dct, fft.idct, fft.dst, partial(fft.dct, type=4)])
def test_no_index_of_a_transform_is_a_number(transform: Any, n: int):
    """Such as would have no meaning on intervals; nor are indices chosen."""
    f = fn([Vec[n]], Real)(lambda x: rose.sum(abs(transform(x)))).func
    assert not {op.name for g in reachable(f) for op in operations(g)} & {"itrunc", "floor"}
    mean = rose.interpret(fn([Vec[n]], Real)(lambda x: rose.sum(abs(transform(x)))), interpretations.Intervals())
    x = [0.25 * k - 1.0 for k in range(n)]
    found = mean([interpretations.Interval(v, v) for v in x])
    assert found.lo <= fn([Vec[n]], Real)(lambda x: rose.sum(abs(transform(x))))(x) <= found.hi
