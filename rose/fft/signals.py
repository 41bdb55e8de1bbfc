"""Convolutions by transforms, by SciPy's name."""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.arrays.products import MODES
from ..frontend.arrays.shapes import axes_given, shape_of, spelled
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, shown
from .arguments import count, given, of_complex
from .plans import friendly
from .several_axes import Axes, fftn, ifftn, irfftn, rfftn


@lenient
def fftconvolve(x: ArrayLike, y: ArrayLike, mode: str = "full", axes: Axes = None) -> Array:
    """The convolution of two arrays along all axes, or some, by transforms: `n * log(n)` operations.

    "full" has all elements that are not zero, "same" as many as `x`, from the middle, and "valid" those to which both
    contribute in full, where one array is as long as the other along each axis. Axes that are not convolved are
    broadcast. Errors are relative to the largest elements: small ones of the result may lose all digits, which those
    of `rose.convolve` do not.
    """
    v, w = given(x, "fftconvolve"), given(y, "fftconvolve")
    a, b = shape_of(v.type), shape_of(w.type)
    if len(a) != len(b):
        what = f"rose.fft.fftconvolve takes arrays of as many axes, not of the shapes {spelled(a)} and {spelled(b)}"
        raise TypeMismatch(what, here(), "give the one with fewer axes others of size 1: y[None]")
    if not isinstance(mode, str) or mode not in MODES:  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"rose.fft.fftconvolve has no mode {shown(mode)}"
        raise TypeMismatch(what, here(), f"write one of {', '.join(MODES)}")
    along = axes_given(tuple(range(len(a))) if axes is None else axes, len(a))
    sizes = [(count(a[k], "fftconvolve"), count(b[k], "fftconvolve")) for k in along]
    if mode == "valid" and not (all([n >= m for n, m in sizes]) or all([n <= m for n, m in sizes])):
        what = f"of the shapes {spelled(a)} and {spelled(b)} none is as long as the other along each axis"
        raise TypeMismatch(what, here(), 'write mode="full" or mode="same"')
    whole = _whole(v, w, [friendly(n + m - 1) for n, m in sizes], along)
    return whole[_kept(len(a), along, sizes, mode)]


def _whole(v: Value, w: Value, sizes: list[int], along: tuple[int, ...]) -> Any:
    """The circular convolution of these sizes."""
    if of_complex(v) or of_complex(w):
        return ifftn(reduce(mul, [fftn(x, sizes, along) for x in (v, w)]), sizes, along)
    return irfftn(reduce(mul, [rfftn(x, sizes, along) for x in (v, w)]), sizes, along)


def _kept(rank: int, along: tuple[int, ...], sizes: list[tuple[int, int]], mode: str) -> tuple[slice, ...]:
    """The part of a convolution that a mode asks for."""
    key = [slice(None)] * rank
    for k, (n, m) in zip(along, sizes, strict=True):
        size = {"full": n + m - 1, "same": n, "valid": max(n, m) - min(n, m) + 1}[mode]
        start = (n + m - 1 - size) // 2
        key[k] = slice(start, start + size)
    return tuple(key)
