"""How often a window fits, and what is added to an axis for it."""

from __future__ import annotations

import pytest

from rose.nn.windows import windows

STEPS = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (2, 3, 1), (3, 1, 2), (4, 2, 2)]


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize(("size", "stride", "dilation"), STEPS)
def test_with_same_there_is_a_place_for_each_stride(n: int, size: int, stride: int, dilation: int):
    (w,) = windows([n], [size], stride, "same", dilation, "conv1d")
    assert w.places == -(-n // stride) and 0 <= w.after - w.before <= 1
    assert (w.places - 1) * stride + (size - 1) * dilation + 1 <= n + w.before + w.after


def test_explicit_margins_are_kept():
    (w,) = windows([5], [3], 2, [(2, 1)], 1, "conv1d")
    assert (w.before, w.after, w.places) == (2, 1, 3)
