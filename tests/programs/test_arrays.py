"""Programs in array style beside loops, and products beside NumPy's: `benchmarks/arrays.py` runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import arrays
from rose.frontend.arrays.shapes import shape_of


@pytest.mark.parametrize("name", ["stencil", "network"])
def test_array_style_has_the_bits_and_the_bytes_of_loops(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(arrays, "REPEATS", 1)
    monkeypatch.setattr(arrays, "COMPILES", 1)
    body, by_hand, types = next(p for p in arrays.PROGRAMS if p[0].__name__ == name)
    rng = np.random.default_rng(0)
    forms = [arrays.Form(f, types, [rng.normal(size=shape_of(t)) for t in types]) for f in (body, by_hand)]
    forms[1].args = forms[0].args
    time, size, compiling = arrays.compared(forms)
    assert (size, time > 0.0, compiling > 0.0) == (1.0, True, True)


SMALL: list[tuple[Any, Any, Any, int]] = [
    (arrays.squares, arrays.squares_by_numpy, [(9, 4), (4, 8)], 2),
    (arrays.layers, arrays.layers_by_numpy, [(3, 9), (9,), (9, 2), (8, 3), (8, 2)], 3),
    (arrays.regression, arrays.regression_by_numpy, [(3,), (20, 3), (20,)], 1),
]


@pytest.mark.parametrize(("ours", "numpys", "shapes", "count"), SMALL)
def test_products_have_numpys_values_and_slopes(ours: Any, numpys: Any, shapes: Any, count: int):
    assert all([x > 0.0 for x in arrays.beside_numpy(ours, numpys, shapes, count, 1)])
