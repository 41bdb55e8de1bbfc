"""Comparison with NumPy: a function of arrays, compiled and interpreted, gives what NumPy's gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import same

from rose import Bool, Real, fn
from rose.frontend.arrays.shapes import array_type
from rose.host.interpreter import run
from rose.ir.types import Type

Of = Callable[..., Any]


def tuples(x: Any) -> Any:
    return tuple(map(tuples, x)) if isinstance(x, list) else x


def names(of: Any) -> dict[str, Any]:
    """What a program may name, of `rose` or of NumPy."""
    return {**vars(of), **{k: getattr(of, k) for k in of.__all__}}


def agree(f: Of, theirs: Of, leaf: Type, xs: list[Any], rtol: float, *others: list[Any], signs: bool = False) -> None:
    """Check the compiled function and the interpreter against NumPy, of `xs` and of other arrays of these shapes.

    With `signs` a zero has that of NumPy's.
    """
    want = np.asarray(theirs(*xs))
    result = array_type(want.shape, Bool if want.dtype == bool else Real)
    g = fn([array_type(np.shape(x), leaf) for x in xs], result)(lambda *v: f(*v))
    for arrays in (xs, *others):
        want = np.asarray(theirs(*arrays))
        given = [tuples(np.asarray(x).tolist()) for x in arrays]
        got = g(*given)
        assert same(run(g.func, *given), tuples(np.asarray(got).tolist()) if want.ndim else got)
        got = np.reshape(np.asarray(got, float), want.shape)
        np.testing.assert_allclose(got, want.astype(float), rtol=rtol, atol=rtol, err_msg=f"of {arrays}")
        if signs:
            assert (np.signbit(got) == np.signbit(want))[got == got].all(), f"zeros of {arrays}"
