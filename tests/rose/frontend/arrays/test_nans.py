"""Reductions that pass over nan, beside NumPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn

X = np.array([[1.0, math.nan, -2.0, 0.5], [math.nan] * 4, [3.0, 0.25, math.inf, math.nan]])
W = np.array([[True, True, False, True]])
CALLS: list[tuple[str, dict[str, Any]]] = [
    (name, named)
    for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nancumsum", "nancumprod")
    for named in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1), "keepdims": True})
    if not name.startswith("nancum") or "keepdims" not in named
]
MORE: list[tuple[str, dict[str, Any]]] = [
    ("nansum", {"initial": 2.0, "axis": 1, "dtype": float}),
    ("nanprod", {"initial": 2.0, "where": W}),
    ("nanmax", {"initial": -1.0, "axis": 0}),
    ("nanmin", {"initial": 0.75, "where": W, "axis": 1}),
    ("nanmean", {"where": W, "axis": 1}),
    ("nanvar", {"ddof": 1, "axis": 1}),
    ("nanstd", {"correction": 1, "axis": 0, "where": W}),
    ("nansum", {"axis": ()}),
    ("nanmedian", {}),
    ("nanmedian", {"axis": 1, "keepdims": True}),
    ("nanquantile", {"q": [0.3, 0.45], "axis": 0}),
    ("nanpercentile", {"q": 30, "axis": (0, 1)}),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "named"), [*CALLS, *MORE], ids=str)
def test_it_is_numpys(name: str, named: dict[str, Any]):
    of: Any = getattr(np, name)
    agree(lambda x: of(x, **named), lambda x: of(x, **named), [X], rtol=1e-14)


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_an_index_is_that_of_a_number(name: str):
    of: Any = getattr(np, name)
    agree(lambda x: of(x) + 0.0, lambda x: of(x) + 0.0, [X])
    agree(lambda x: of(x, axis=1) + 0.0, lambda x: of(x, axis=1) + 0.0, [X[::2]])


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nancumsum", "nanmedian"]
)
def test_derivatives_in_both_modes_and_twice(name: str):
    of: Any = getattr(np, name)
    differentiate(lambda x: of(np.where(x > 1e9, math.nan, x + x * x)), (4,))


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmean", "nanvar"])
def test_a_number_is_an_array_of_no_axes(name: str):
    of: Any = getattr(np, name)
    f = fn([Real], Real)(lambda x: of(x))
    assert f(3.0) == of(3.0)


def test_which_elements_count_may_be_all_or_none_only_with_an_initial():
    with pytest.raises(TypeMismatch, match=r"rose\.max with where= may be of nothing"):
        _ = fn([Vec[3]], Real)(lambda x: np.nanmax(x, where=x > 0.0)).func


@pytest.mark.parametrize("of", [rose.nansum, rose.nanmean, rose.nanmin, rose.nanmax])
def test_a_nan_contributes_nothing_to_a_derivative(of: Any):
    f = fn([Vec[3]], Real)(of)
    slopes = rose.grad(f)([1.0, math.nan, 3.0])
    assert np.isfinite(slopes).all() and slopes[1] == 0.0 and np.sum(slopes) == pytest.approx(1.0 + (of is rose.nansum))


@pytest.mark.parametrize("of", [rose.nanmean, rose.nanmin, rose.nanmax])
def test_of_nothing_but_nan_the_answer_is_nan(of: Any):
    assert math.isnan(fn([Vec[2]], Real)(of)([math.nan, math.nan]))


@pytest.mark.parametrize("of", [rose.nansum, rose.nanmean, rose.nanmin, rose.nanmax])
def test_conditions_and_indices_are_never_nan(of: Any):
    c, k = np.array([True, False, True]), np.array([2, 0, 1])
    numpys = getattr(np, of.__name__)
    assert fn([Vec[3, rose.Bool]], Real)(of)(c) == numpys(c.astype(float))
    assert fn([Vec[3, Fin[3]]], Real)(of)(k) == numpys(k)
