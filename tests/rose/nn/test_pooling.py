"""Pooling against loops in NumPy; derivatives, also at ties; and `upsample`."""

from __future__ import annotations

from typing import Any

import layers
import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Real, fn, nn

CASES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 5, 6, 3), (2, 2), {}),
    ((2, 5, 6, 3), (2, 3), {"padding": "same"}),
    ((1, 5, 5, 1), (3, 3), {"padding": "same", "stride": 2}),
    ((1, 7, 2), (3,), {"stride": 1}),
    ((1, 4, 1), (1,), {}),
    ((0, 4, 4, 2), (2, 2), {}),
    ((1, 4, 3, 4, 2), (2, 3, 1), {}),
    ((1, 5, 2), (2,), {"padding": [(1, 1)], "stride": 2}),
    ((2, 7, 2), (3,), {"dilation": 2, "stride": 1}),
    ((1, 6, 7, 1), (2, 3), {"dilation": 2, "stride": 2, "padding": "same"}),
    ((1, 6, 1), (2,), {"dilation": 3, "padding": [(2, 1)], "stride": 3}),
]


def wanted(x: Any, window: Any, options: Any, of: Any) -> Any:
    places = tuple(range(1, x.ndim - 1))
    padding, dilation = options.get("padding", "valid"), options.get("dilation", 1)
    windows = lambda stride: layers.slide(x, window, stride, padding, dilation, np.nan, lambda v: of(v, places))
    if "stride" in options:
        return windows(options["stride"])
    full = layers.slide(x, window, 1, "valid", 1, np.nan, lambda v: of(v, places))
    if options.get("padding") == "same":
        pads = [layers.margins("same", n, k, k, 0) for n, k in zip(x.shape[1:-1], window, strict=True)]
        padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=np.nan)
        full = layers.slide(padded, window, 1, "valid", 1, np.nan, lambda v: of(v, places))
    return full[(slice(None), *[slice(None, None, k) for k in window])]


@pytest.mark.parametrize(("shape", "window", "options"), CASES)
@pytest.mark.parametrize(("pool", "of"), [(nn.max_pool, np.nanmax), (nn.avg_pool, np.nanmean)])
def test_pools_are_those_of_loops(shape: Any, window: Any, options: Any, pool: Any, of: Any):
    x = random(0, *shape)
    y = wanted(x, window, options, of)
    close(fn([matrix(*shape)], matrix(*y.shape))(lambda x: pool(x, window, **options))(x), y, 1e-13)


@pytest.mark.parametrize("pool", [nn.max_pool, nn.avg_pool])
def test_derivatives_of_both_modes(pool: Any):
    derivatives_hold(lambda x: rose.sum(rose.sin(pool(x, 2, stride=1, padding="same"))), random(3, 1, 3, 3, 1))
    derivatives_hold(lambda x: rose.sum(rose.sin(pool(x, 2, stride=1, dilation=2))), random(3, 1, 4, 3, 1))


def test_at_a_tie_each_has_half():
    f = fn([matrix(1, 2, 1)], Real)(lambda x: rose.sum(nn.max_pool(x, 2)))
    assert rose.grad(f)([[[1.0], [1.0]]]).ravel().tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("shape", "factor"), [((2, 3, 2), 2), ((1, 2, 3, 2), (2, 3)), ((0, 2, 1), 1), ((1, 2, 2, 1, 1), 2)]
)
def test_upsampling_repeats_each_pixel(shape: Any, factor: Any):
    x, y = random(0, *shape), random(0, *shape)
    for k in range(len(shape) - 2):
        y = np.repeat(y, factor if isinstance(factor, int) else factor[k], k + 1)
    assert np.array_equal(fn([matrix(*shape)], matrix(*y.shape))(lambda x: nn.upsample(x, factor))(x), y)
