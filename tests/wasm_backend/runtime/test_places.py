"""Places in linear memory of numbers and of structs of them, which need no NumPy."""

from __future__ import annotations

import math
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from rose.errors import OutOfRange, TypeMismatch
from rose.ir.types import Bool, Fin, Real, Single, Type, Unit, tuple_of
from wasm_backend.abi.layout import plan, size
from wasm_backend.runtime.arrays import Leaf
from wasm_backend.runtime.places import Cell, Struct, filled, place_of

LARGEST = float(np.finfo(np.float32).max)

# a type, what is written there as it is, and what takes `plain` to decide
CELLS: list[tuple[Type, list[Any], list[Any]]] = [
    (Real, [1.5, -0.0, math.inf, math.nan, np.float64(2.5), 3, -(2**53), 2**60], [2**53 + 1, True, np.int64(3), "1"]),
    (Single, [1.5, -0.0, math.inf, LARGEST, -LARGEST], [LARGEST * (1 + 1e-7), 1, np.float32(1.5)]),
    (Bool, [True, False], [1, 0, np.True_, 1.0]),
    (Fin(5), [0, 4], [5, -1, True, 1.0, np.int64(1)]),
    (Unit, [None], [0, ()]),
]


def cell(t: Type) -> Cell:
    made = place_of(plan(t), 0, bytearray(8))
    assert isinstance(made, Cell)
    return made


@pytest.mark.parametrize(("t", "written", "asked"), CELLS, ids=repr)
def test_a_cell_takes_the_usual_numbers_and_leaves_the_others(t: Type, written: list[Any], asked: list[Any]):
    place = cell(t)
    for x in written:
        assert place.put(x)
        read = place.read()
        assert read is x or read == x or (read != read and x != x)
        assert str(read) == str(x if x is None or t is not Real else float(x))  # the sign of a zero, too
        assert place.peek() == read or read != read
    before = place.read()
    for x in asked:
        assert not place.put(x)
        assert place.read() is before or place.read() == before or before != before


def test_what_is_no_usual_number_is_converted_or_refused_by_name():
    assert filled(np.int64(3), Real, ("x",)).read() == 3.0
    assert filled(np.float32(1.5), Single, ("x",)).read() == 1.5
    with pytest.raises(TypeMismatch, match=r"x must be a Real, got '1'"):
        filled("1", Real, ("x",))
    with pytest.raises(OutOfRange, match=r"x is out of range: 5"):
        filled(5, Fin(5), ("x",))


def test_a_number_can_be_seen_as_an_array_of_no_axes():
    place = cell(Real)
    view = place.view
    assert view.shape == () and place.put(2.5) and view == 2.5


def test_a_struct_of_numbers_has_cells_and_a_vector_of_them_arrays():
    t = tuple_of(Real, Bool, Fin(3))
    place = place_of(plan(t), 0, bytearray(size(t)))
    assert isinstance(place, Struct) and all([isinstance(x, Cell) for x in place.items])
    assert place.put((1.5, True, 2)) and place.read() == (1.5, True, 2)
    assert not place.put((1.5, True, 3)) and not place.put((1.5, True)) and not place.put(1.5)
    several = place_of(plan(t), 0, bytearray(4 * size(t)), (4,), (size(t),))
    assert isinstance(several, Struct) and all([isinstance(x, Leaf) for x in several.items])


PROGRAM = """
    import sys
    sys.modules["numpy"] = None  # as if it were not installed
    import rose
    from rose import Dual, Fin, Real, fn, struct

    @struct
    class Point:
        x: Real
        y: Real

    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.sin(x) * y + x * x

    @fn
    def g(p: Point, k: Fin[3]) -> Point:
        return Point(p.x * k, rose.exp(p.y))

    assert f(1, 2.0) == f(1.0, 2) == rose.compile(f)(1.0, 2.0)
    value, slope = rose.value_and_grad(f)(1.0, 2.0)
    assert rose.compile(rose.hessian(f))(1.0, 2.0) == rose.hessian(f)(1.0, 2.0)
    p = g(Point(1.5, 0.0), 2)
    assert (p.x, p.y) == (3.0, 1.0)
    assert rose.compile(f, dtype="f32")(1.0, 2.0) == rose.compile(f, dtype="f32")(1, 2)
    try:
        f("1", 2.0)
    except rose.TypeMismatch as e:
        print(e.message)
"""


def test_functions_of_numbers_run_without_numpy():
    program = textwrap.dedent(PROGRAM)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "x must be a Real, got '1' (str)"
