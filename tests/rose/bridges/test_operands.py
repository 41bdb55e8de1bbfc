"""What stands for a variable of a jaxpr."""

import numpy as np

import rose
from rose import Vec
from rose.bridges.operands import FEW, Known, Truth, Word, array_type, leaf_type, shape_of, traced
from rose.ir.types import Bool, Complex, Real


def test_a_known_number_is_one_of_python_and_a_short_array_a_constant():
    assert traced(Known(np.float64(2.5))) == 2.5 and traced(Known(np.int32(3))).__class__ is int
    f = rose.fn([], Vec[3])(lambda: traced(Known(np.arange(3.0), lambda: 1 / 0)))
    assert list(f()) == [0.0, 1.0, 2.0]


def test_a_long_array_is_made_as_it_was():
    f = rose.fn([], Vec[FEW + 1])(lambda: traced(Known(np.arange(FEW + 1.0), lambda: rose.arange(FEW + 1) * 2.0)))
    assert f()[-1] == 2.0 * FEW


def test_a_condition_counts_as_0_and_1():
    f = rose.fn([Real], Real)(lambda x: traced(Truth(x > 0.0)))
    assert f(1.0) == 1.0 and f(-1.0) == 0.0


def test_the_number_of_a_word():
    f = rose.fn([Real, Real], Real)(lambda a, b: traced(Word((a, b), 64, 2**63)))
    assert f(1.0, 2.0) == 2.0**63 + 2.0**32 + 2.0


def test_types():
    assert leaf_type(np.int32) is Real and leaf_type(bool) is Bool and leaf_type(complex) is Complex
    assert repr(array_type((2, 3), bool)) == "Vec[2, Vec[3, Bool]]" and shape_of(1.0) == ()
