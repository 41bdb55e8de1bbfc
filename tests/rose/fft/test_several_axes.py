"""Transforms along several axes: NumPy's values for all sizes and axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transforms import agree, numbers

import rose
from rose import Complex, Real, TypeMismatch, Vec, fn

NAMES = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
ARGUMENTS: list[dict[str, Any]] = [
    {}, {"norm": "ortho"}, {"norm": "forward"}, {"axes": (0, 1)}, {"axes": (2, 0)}, {"s": (4, 3), "axes": (0, -1)},
    {"s": (2, 5), "axes": (-1, 1), "norm": "ortho"},
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(ARGUMENTS)))
@pytest.mark.parametrize("name", NAMES)
def test_values_are_numpys(name: str, k: int):
    x, more = numbers(3, 4, 5, real=name.startswith("rfft")), ARGUMENTS[k]
    wanted = getattr(np.fft, name)(x, **more)
    agree(lambda x: getattr(rose.fft, name)(x, **more), wanted, x)
    agree(lambda x: getattr(np.fft, name)(x, **more), wanted, x)


def test_an_axis_may_keep_its_size():
    x = numbers(3, 4, real=True)
    agree(lambda x: rose.fft.fftn(x, (-1, 6)), np.fft.fftn(x, (3, 6), (0, 1)), x)


def test_derivatives_are_those_of_differences():
    f = fn([Vec[2, 3]], Real)(lambda x: rose.sum(abs(rose.fft.fft2(rose.sin(x) * x)) ** 2))
    g = fn([Vec[3, 3, Complex]], Vec[3, 4])(lambda z: rose.fft.irfft2(z * z))
    assert all([rose.testing.examine(h, points=1).ok for h in (f, g)])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"s": (1, 2, 3)}, "rose.fft.fftn is given 3 sizes, and a traced Vec[2, Vec[3]]"),
        ({"s": (1, 2), "axes": (0,)}, "is given 2 sizes for 1 axes"),
        ({"axes": ()}, "is given no axes"),
        ({"axes": (0, 0)}, "name one twice"),
    ],
)
def test_sizes_that_are_not_those_of_axes_are_refused(more: dict[str, Any], words: str):
    with pytest.raises(TypeMismatch) as e:
        _ = fn([Vec[2, 3]], Real)(lambda x: rose.sum(abs(rose.fft.fftn(x, **more)))).func
    assert words in e.value.message
