"""Fourier transforms by the names of NumPy and SciPy: of complex and real numbers, along several axes, cosines, sines.

Each is written in the language itself, as loops over stages, of any size in `n * log(n)` operations. A transform is a
linear function, whose reverse mode is another transform: a gradient costs what the value costs.

    plans               by which radices, or by which convolution
    roots               roots of unity, as a table that a module makes
    stages              a row of numbers with small factors, in place of which others are made
    convolutions        a row of any other size
    any_size            a row of a size that is known when a module runs
    linear              linear functions with their transposes, as functions of a module
    rows                arrays as rows along their last axis
    complex_transforms  rows of complex numbers
    real_transforms     rows of real numbers, and halves of Hermitian ones
    arguments           what is given, checked
    transforms          `fft`, `ifft`, `rfft`, `irfft`, `hfft`, `ihfft`
    several_axes        `fft2`, `fftn` and their kin
    trigonometric       `dct`, `dst` and their inverses
    frequencies         `fftfreq`, `rfftfreq`, `fftshift`, `ifftshift`
    signals             `fftconvolve`
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors.advice import listed, missing
from .frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from .several_axes import fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn
from .signals import fftconvolve
from .transforms import fft, hfft, ifft, ihfft, irfft, rfft
from .trigonometric import dct, dst, idct, idst

__all__ = [
    "dct", "dst", "fft", "fft2", "fftconvolve", "fftfreq", "fftn", "fftshift", "hfft", "idct", "idst", "ifft", "ifft2",
    "ifftn", "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

_NUMPYS: tuple[Callable[..., Any], ...] = (
    fft, fft2, fftn, fftshift, hfft, ifft, ifft2, ifftn, ifftshift, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn,
)  # fmt: skip
NUMPYS = {f"fft.{f.__name__}": f for f in _NUMPYS}  # by their names of NumPy

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)
