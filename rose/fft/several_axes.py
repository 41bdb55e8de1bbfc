"""The discrete Fourier transform along several axes, by NumPy's names: one axis after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.typed import Array, ArrayLike
from ..ir import Value
from .arguments import along, axes_of, given, reals
from .transforms import half, inverted, transformed, whole

Sizes = Sequence[int | None] | None
Axes = Sequence[int] | None

_OF_COMPLEX = "write rose.fft.fftn for the transform of complex numbers"


@lenient
def fft2(x: ArrayLike, s: Sizes = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    """The transform along two axes, which are cut to the sizes `s`, or have zeros behind their own."""
    return _each(given(x, "fft2"), s, axes, norm, "fft2", transformed)


@lenient
def ifft2(x: ArrayLike, s: Sizes = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    """The inverse of `fft2`."""
    return _each(given(x, "ifft2"), s, axes, norm, "ifft2", inverted)


@lenient
def fftn(x: ArrayLike, s: Sizes = None, axes: Axes = None, norm: str | None = None) -> Array:
    """The transform along several axes: by default all, or as many of the last ones as there are sizes in `s`."""
    return _each(given(x, "fftn"), s, axes, norm, "fftn", transformed)


@lenient
def ifftn(x: ArrayLike, s: Sizes = None, axes: Axes = None, norm: str | None = None) -> Array:
    """The inverse of `fftn`."""
    return _each(given(x, "ifftn"), s, axes, norm, "ifftn", inverted)


@lenient
def rfft2(x: ArrayLike, s: Sizes = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    """The transform of Reals along two axes, of the last of which the first half is given, as by `rfft`."""
    return _of_reals(x, s, axes, norm, "rfft2")


@lenient
def irfft2(x: ArrayLike, s: Sizes = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    """The inverse of `rfft2`, of which the last axis has `s[-1]` Reals, by default an even number of them."""
    return _to_reals(x, s, axes, norm, "irfft2")


@lenient
def rfftn(x: ArrayLike, s: Sizes = None, axes: Axes = None, norm: str | None = None) -> Array:
    """The transform of Reals along several axes, of the last of which the first half is given, as by `rfft`."""
    return _of_reals(x, s, axes, norm, "rfftn")


@lenient
def irfftn(x: ArrayLike, s: Sizes = None, axes: Axes = None, norm: str | None = None) -> Array:
    """The inverse of `rfftn`, of which the last axis has `s[-1]` Reals, by default an even number of them."""
    return _to_reals(x, s, axes, norm, "irfftn")


Transform = Callable[..., Any]  # of rows, with a norm, and its name


def _each(v: Value, s: Sizes, axes: Axes, norm: str | None, name: str, f: Transform) -> Any:
    """A transform along several axes, the last one first."""
    for k, n in reversed(axes_of(v, s, axes, name)):
        v = along(v, n, k, partial(f, norm=norm, name=name), name)
    return v


def _of_reals(x: ArrayLike, s: Sizes, axes: Axes, norm: str | None, name: str) -> Any:
    v = reals(x, name, _OF_COMPLEX)
    *others, (last, n) = axes_of(v, s, axes, name)
    v = along(v, n, last, partial(half, norm=norm, name=name), name)
    for k, n in reversed(others):
        v = along(v, n, k, partial(transformed, norm=norm, name=name), name)
    return v


def _to_reals(x: ArrayLike, s: Sizes, axes: Axes, norm: str | None, name: str) -> Any:
    v = given(x, name)
    *others, (last, size) = axes_of(v, s, axes, name)
    for k, n in others:
        v = along(v, n, k, partial(inverted, norm=norm, name=name), name)
    return whole(v, size, last, norm, name)
