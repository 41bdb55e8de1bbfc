"""NumPy's ufuncs on traced values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rose import Bool, Real, TypeMismatch, Vec, fn
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
