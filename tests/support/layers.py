"""Layers of neural networks in plain NumPy: loops over places, without a thought of speed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def margins(padding: Any, n: int, reach: int, stride: int, axis: int) -> tuple[int, int]:
    if padding == "valid":
        return 0, 0
    if padding == "same":
        missing = max((-(-n // stride) - 1) * stride + reach - n, 0)
        return missing // 2, missing - missing // 2
    return padding[axis]


def slide(
    x: Any, size: Sequence[int], stride: int, padding: Any, dilation: int, around: float, of: Callable[[Any], Any]
) -> Any:
    """`of` each window of places; what it gives are the channels there."""
    reach = [(k - 1) * dilation + 1 for k in size]
    widths = [margins(padding, n, r, stride, k) for k, (n, r) in enumerate(zip(x.shape[1:-1], reach, strict=True))]
    x = np.pad(x, [(0, 0), *widths, (0, 0)], constant_values=around)
    counts = [(n - r) // stride + 1 for n, r in zip(x.shape[1:-1], reach, strict=True)]
    out: dict[Any, Any] = {}
    for at in itertools.product(*map(range, counts)):
        cut = [slice(i * stride, i * stride + r, dilation) for i, r in zip(at, reach, strict=True)]
        out[at] = of(x[(slice(None), *cut)])
    channels = next(iter(out.values())).shape[-1]
    made = np.zeros((x.shape[0], *counts, channels))
    for at, y in out.items():
        made[(slice(None), *at)] = y
    return made


def conv(x: Any, w: Any, stride: int = 1, padding: Any = "valid", dilation: int = 1) -> Any:
    places = tuple(range(1, x.ndim - 1))
    of: Callable[[Any], Any] = lambda window: np.tensordot(window, w, (*[(*places, x.ndim - 1)], range(w.ndim - 1)))
    return slide(x, w.shape[:-2], stride, padding, dilation, 0.0, of)


def conv_transpose(x: Any, w: Any, stride: int = 1, padding: Any = "valid", dilation: int = 1) -> Any:
    sizes = x.shape[1:-1]
    reach = [(k - 1) * dilation + 1 for k in w.shape[:-2]]
    whole = [max((n - 1) * stride + r, n * stride) for n, r in zip(sizes, reach, strict=True)]
    out = np.zeros((x.shape[0], *whole, w.shape[-1]))
    for at in itertools.product(*map(range, sizes)):
        for tap in itertools.product(*map(range, w.shape[:-2])):
            there = tuple([i * stride + k * dilation for i, k in zip(at, tap, strict=True)])
            out[(slice(None), *there)] += x[(slice(None), *at)] @ w[tap]
    cuts: list[slice] = []
    for axis, (n, r) in enumerate(zip(sizes, reach, strict=True)):
        before = max(r - stride, 0) // 2 if padding == "same" else 0 if padding == "valid" else padding[axis][0]
        full = (n - 1) * stride + r
        after = 0 if padding in ("valid", "same") else padding[axis][1]
        cuts.append(slice(before, before + n * stride if padding == "same" else full - after))
    return out[(slice(None), *cuts)]
