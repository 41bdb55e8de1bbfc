"""The rows in single precision: the same operation, rounded to 32 bits."""

import math

import numpy as np
import pytest

from rose.ir import OPS
from rose.ir.single_ops import TWINS


@pytest.mark.parametrize(("x", "y"), [(0.1, 3.0), (1e38, 1e-38), (-0.0, 0.0), (math.inf, 1.0)])
def test_arithmetic_is_that_of_32_bits(x: float, y: float):
    a, b = np.float32(x), np.float32(y)
    with np.errstate(all="ignore"):
        for name, want in [("add", a + b), ("sub", a - b), ("mul", a * b), ("div", a / b)]:
            evaluate = TWINS[OPS[name]].eval
            assert evaluate is not None
            assert np.array_equal(np.float32(evaluate(float(a), float(b))), want, equal_nan=True)


def test_a_twin_calls_the_function_of_the_library_for_floats():
    assert (TWINS[OPS["sin"]].library, TWINS[OPS["add"]].library) == ("sinf", None)
    assert TWINS[OPS["add"]].wasm == "f32.add"


def test_indices_have_no_twin():
    assert OPS["iadd"] not in TWINS and OPS["ieq"] not in TWINS
