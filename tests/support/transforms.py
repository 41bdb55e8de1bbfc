"""Transforms beside those of NumPy and SciPy: the module near them, and the interpreter with the bits of the module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import bits

import rose
from rose import Complex, Real, fn
from rose.frontend.arrays.shapes import array_type
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir.types import Type

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 21, 25, 27, 30, 32, 35, 36, 40, 64, 97, 100, 128, 251, 1000, 1009)
SHORT = [n for n in SIZES if n < 20]


def numbers(*shape: int, seed: int = 1, real: bool = False) -> Any:
    """Random numbers, complex ones."""
    rng = np.random.default_rng([seed, *shape])
    x = rng.normal(size=shape)
    return x if real else x + 1j * rng.normal(size=shape)


def type_of(x: Any) -> Type:
    """The type of an array of NumPy's."""
    return array_type(np.shape(x), Complex if np.iscomplexobj(x) else Real)


def function(ours: Callable[..., Any], wanted: Any, *xs: Any) -> Any:
    """The function of arrays of these types, with such a result."""
    return fn([type_of(x) for x in xs], type_of(wanted))(lambda *v: ours(*v))


def error(got: Any, wanted: Any) -> float:
    """The largest error, over the largest number."""
    assert np.shape(got) == np.shape(wanted)
    return float(np.abs(np.asarray(got) - wanted).max(initial=0.0) / (np.abs(wanted).max(initial=0.0) or 1.0))


def agree(ours: Callable[..., Any], wanted: Any, *xs: Any, interpreted: bool = True) -> None:
    """Check a function of arrays: within 8 units of precision, and with the same bits in the interpreter."""
    f = function(ours, wanted, *xs)
    got = rose.compile(f)(*xs)
    assert error(got, wanted) < 8 * 2.0**-52
    if interpreted:
        given = [plain(x, t) for x, t in zip(xs, f.types, strict=True)]
        assert bits(run(f.func, *given)) == bits(plain(got, f.result))
