"""The arguments of transforms: what is an array, a size, a norm, and axes."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn
from rose.fft.arguments import axes_of, resized, scale_of


def test_rows_are_cut_or_have_zeros_behind_them():
    f = fn([Vec[2, 3]], tuple[Vec[2, 2], Vec[2, 4]])(lambda x: (resized(x, 2), resized(x, 4)))
    cut, longer = f([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert cut.tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert longer.tolist() == [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0]]
    assert fn([Vec[0]], Vec[2])(lambda x: resized(x, 2))([]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("norm", "forward", "inverse"),
    [(None, 1.0, 0.25), ("backward", 1.0, 0.25), ("ortho", 0.5, 0.5), ("forward", 0.25, 1.0)],
)
def test_scales_of_norms(norm: str | None, forward: float, inverse: float):
    assert scale_of(4, norm, "fft", inverse=False) == forward and scale_of(4, norm, "fft", inverse=True) == inverse


def test_axes_with_their_sizes():
    found: list[Any] = []

    def body(x: Any) -> Any:
        found.extend([axes_of(x, s, axes, "fftn") for s, axes in ((None, None), ((4,), None), ((-1, 5), (2, 0)))])
        return x[0, 0, 0]

    _ = fn([Vec[2, 3, 4]], Real)(body).func
    assert found == [[(0, None), (1, None), (2, None)], [(2, 4)], [(2, None), (0, 5)]]


def test_structs_are_no_numbers():
    @rose.struct
    class P:
        x: Real

    with pytest.raises(TypeMismatch, match=r"rose.fft.fft multiplies numbers, not the elements of"):
        _ = fn([Vec[4, P]], Real)(lambda x: rose.sum(abs(rose.fft.fft(x)))).func
