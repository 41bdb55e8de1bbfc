"""Wrong arguments of rose.fft."""

import numpy as np
import scipy.fft

import rose
from rose import Complex, Real, Vec, fft, fn


def a_transform_of_a_number():
    return fn([Real], Complex)(lambda x: fft.fft(x))


def a_transform_of_nothing():
    return fn([Vec[0]], Vec[0, Complex])(lambda x: np.fft.fft(x))


def a_transform_along_an_axis_that_is_not_there():
    return fn([Vec[4]], Vec[4, Complex])(lambda x: fft.fft(x, axis=1))


def a_transform_with_another_norm():
    return fn([Vec[4]], Vec[4, Complex])(lambda x: fft.fft(x, norm="orthonormal"))


def a_transform_of_a_size_that_is_traced():
    return fn([Vec[4], Real], Vec[4, Complex])(lambda x, n: fft.fft(x, n))


def a_transform_of_reals_of_complex_numbers():
    return fn([Vec[4, Complex]], Vec[3, Complex])(lambda z: np.fft.rfft(z))


def a_transform_of_scipys():
    return fn([Vec[4]], Vec[4])(lambda x: scipy.fft.dct(x))


def a_cosine_transform_of_another_type():
    return fn([Vec[4]], Vec[4])(lambda x: fft.dct(x, 5))


def a_cosine_transform_of_every_size():
    n = rose.dim("n")
    return rose.compile(fn([Vec[n]], Vec[n])(lambda x: fft.dct(x)), dynamic=True)


def a_transform_along_axes_of_other_sizes():
    return fn([Vec[4, 4]], Vec[4, 4, Complex])(lambda x: fft.fft2(x, s=(4,)))


def a_convolution_of_arrays_of_other_axes():
    return fn([Vec[4, 4], Vec[3]], Vec[6, 4])(lambda x, y: fft.fftconvolve(x, y))
