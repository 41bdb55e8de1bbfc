"""NumPy's ufuncs on traced values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rose import Bool, Real, TypeMismatch, Vec, fn, grad
from rose.frontend.arrays.ufuncs import MEANINGS

UFUNCS = {name: getattr(np, name) for name in MEANINGS if isinstance(getattr(np, name, None), np.ufunc)}
OF_TRUTH = {"logical_and", "logical_or", "logical_xor", "logical_not", "invert", "bitwise_not", "bitwise_invert"} | {
    "bitwise_and", "bitwise_or", "bitwise_xor",
}  # fmt: skip
OTHERS = {"divmod", "floor_divide", "matmul"}  # two results; of indices alone; of axes


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() - OTHERS - OF_TRUTH))
def test_a_ufunc_gives_what_numpy_gives(name: str):
    of: Any = UFUNCS[name]
    xs = [
        np.array([0.25, 0.5, 0.875]) + (name.endswith("cosh") and name.startswith("a")),
        np.array([0.5, 0.75, 0.125]),
    ][: of.nin]
    xs = [*xs, *[np.array([1.0, 1.0, 1.0])] * (of.nin - len(xs))]
    want = of(*xs)
    one = fn([Vec[3]] * of.nin, Vec[3, Bool] if want.dtype == bool else Vec[3])(lambda *x: of(*x))
    np.testing.assert_allclose(np.asarray(one(*xs), dtype=float), np.asarray(want, dtype=float), rtol=1e-15, atol=0)


@pytest.mark.parametrize("name", sorted(OF_TRUTH))
def test_a_ufunc_of_truth_values(name: str):
    of: Any = UFUNCS[name]
    f = fn([Vec[4, Bool]] * of.nin, Vec[4, Bool])(lambda *c: of(*c))
    c, d = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert np.array_equal(f(*[c, d][: of.nin]), of(*[c, d][: of.nin]))


UNKNOWN = [lambda x: np.add.reduce(x), lambda x: np.fmax(x, x), lambda x: np.exp(x, where=[True])]


@pytest.mark.parametrize("call", UNKNOWN)
def test_what_has_no_meaning_names_what_has(call: Any):
    with pytest.raises(TypeMismatch, match=r"hint: (write|rose has no)"):
        _ = fn([Vec[1]], Real)(lambda x: call(x)[0]).func


CLIP: Any = np.clip
CLIPS: list[Callable[[Any], Any]] = [
    lambda x: CLIP(x, None, 1.0),
    lambda x: CLIP(x, 0.5, None),
    lambda x: CLIP(x, min=0.5, max=1.0),
    lambda x: x.clip([0.0, 1.0, 2.0], 2.5),
]


@pytest.mark.parametrize("of", CLIPS)
def test_clip_takes_the_bounds_that_numpys_takes(of: Any):
    x = np.array([-1.0, 0.75, 3.0])
    assert fn([Vec[3]], Vec[3])(of)(x).tolist() == of(x).tolist()


def test_a_logarithm_of_a_sum_of_exponentials_has_derivatives_of_all_orders_where_both_are_the_same():
    of: Any = np.logaddexp
    f = fn([Real], Real)(lambda x: of(x, 1.0))
    assert [grad(f)(1.0), grad(grad(f))(1.0), grad(grad(grad(f)))(1.0)] == [0.5, 0.25, 0.0]


@pytest.mark.parametrize(("x", "slope"), [(800.0, 1.0), (-800.0, 0.0), (-math.inf, 0.0)])
def test_a_logarithm_of_a_sum_of_exponentials_does_not_overflow(x: float, slope: float):
    of: Any = np.logaddexp
    f = fn([Real, Real], Real)(lambda x, y: of(x, y))
    assert [f(x, 0.0), grad(f)(x, 0.0)] == [np.logaddexp(x, 0.0), slope]
    assert f(-math.inf, x) == x
