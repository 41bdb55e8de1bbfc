"""Convolutions and their transposes against loops in NumPy, at many shapes; derivatives of both modes, twice."""

from __future__ import annotations

from typing import Any

import layers
import numpy as np
import pytest
from matrices import close, derivatives_hold, differences, matrix, random

import rose
from rose import Real, Vec, fn, nn

SHAPES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 7, 3), (3, 3, 4), {}),
    ((1, 8, 1), (2, 1, 1), {"stride": 2}),
    ((2, 9, 2), (3, 2, 2), {"dilation": 3}),
    ((1, 6, 2), (4, 2, 3), {"padding": "same"}),
    ((2, 7, 1), (3, 1, 2), {"padding": "same", "stride": 3}),
    ((1, 5, 2), (2, 2, 1), {"padding": [(2, 1)], "stride": 2, "dilation": 2}),
    ((0, 5, 2), (3, 2, 2), {}),
    ((2, 1, 1), (1, 1, 1), {}),
    ((2, 5, 6, 3), (3, 2, 3, 4), {}),
    ((1, 6, 5, 2), (3, 3, 2, 2), {"padding": "same", "stride": 2}),
    ((1, 7, 7, 1), (2, 3, 1, 2), {"dilation": 2, "padding": [(1, 0), (0, 2)]}),
    ((1, 4, 1, 2), (1, 1, 2, 3), {"stride": 3}),
    ((1, 3, 4, 3, 2), (2, 2, 3, 2, 2), {}),
    ((1, 3, 3, 4, 1), (2, 2, 2, 1, 2), {"padding": "same", "stride": 2}),
]
CONV: dict[int, Any] = {1: nn.conv1d, 2: nn.conv2d, 3: nn.conv3d}


@pytest.mark.parametrize(("x", "kernel", "options"), SHAPES)
def test_convolutions_are_those_of_loops(x: Any, kernel: Any, options: Any):
    a, w = random(1, *x), random(2, *kernel)
    wanted = layers.conv(a, w, **options)
    f = fn([matrix(*x), matrix(*kernel)], matrix(*wanted.shape))(lambda a, w: CONV[len(x) - 2](a, w, **options))
    close(f(a, w), wanted, 1e-13)


@pytest.mark.parametrize(("x", "kernel", "options"), SHAPES)
def test_transposed_convolutions_are_those_of_loops(x: Any, kernel: Any, options: Any):
    a, w = random(1, *x), random(2, *kernel)
    if isinstance(options.get("padding"), list):
        options = {**options, "padding": [(1, 0)] * (len(x) - 2)}
    wanted = layers.conv_transpose(a, w, **options)
    f = fn([matrix(*x), matrix(*kernel)], matrix(*wanted.shape))(lambda a, w: nn.conv_transpose(a, w, **options))
    close(f(a, w), wanted, 1e-13)


def test_a_transposed_convolution_is_the_transpose_of_one():
    x, y, w = random(0, 1, 5, 4, 2), random(1, 1, 4, 3, 3), random(2, 2, 2, 2, 3)
    there = fn([matrix(*x.shape)], matrix(*y.shape))(lambda x: nn.conv2d(x, w))
    back = fn([matrix(*y.shape)], matrix(*x.shape))(lambda y: nn.conv_transpose(y, np.swapaxes(w, 2, 3)))
    close(back(y), rose.linear_transpose(there)(y), 1e-13)


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": "same"}])
def test_derivatives_of_both_modes_by_the_image(options: Any):
    w = random(2, 2, 2, 2, 2)
    derivatives_hold(lambda x: rose.sum(rose.sin(nn.conv2d(x, w, **options))), random(1, 1, 3, 3, 2))


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": "same"}])
def test_derivatives_of_both_modes_of_a_transposed_convolution_by_the_kernel(options: Any):
    x = random(2, 1, 2, 3, 2)
    derivatives_hold(lambda w: rose.sum(rose.sin(nn.conv_transpose(x, w, **options))), random(1, 2, 1, 2, 2), 1)


SECOND: dict[str, Any] = {
    "signals": ((1, 4, 2), (2, 2, 1), {"dilation": 2}),
    "images": ((1, 3, 3, 1), (2, 2, 1, 1), {"padding": "same", "stride": 2}),
    "volumes": ((1, 2, 3, 2, 1), (2, 2, 1, 1, 1), {"padding": [(1, 0), (0, 0), (0, 1)]}),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_by_the_image_and_the_kernel_together(name: str):
    x, kernel, options = SECOND[name]
    count = int(np.prod(x))

    def of_both(conv: Any) -> Any:
        return lambda z: rose.sum(rose.sin(conv(z[:count].reshape(x), z[count:].reshape(kernel), **options)))

    z = np.random.default_rng(0).normal(size=count + int(np.prod(kernel)))
    derivatives_hold(of_both(CONV[len(x) - 2]), z)
    if name == "images":
        derivatives_hold(of_both(nn.conv_transpose), z)


def test_the_derivative_by_the_kernel():
    x, w = random(1, 2, 4, 4, 2), random(2, 3, 2, 2, 3)
    f = fn([matrix(*w.shape)], Real)(lambda w: rose.sum(nn.conv2d(x, w, padding="same") ** 2))
    close(rose.grad(f)(w), differences(f, w))


def test_places_of_any_size_in_one_module():
    n, w = rose.dim("n"), random(2, 3, 1, 2)
    f = fn([Vec[1, n, 1]], Vec[1, n, 2])(lambda x: nn.conv1d(x, w, padding="same"))
    g = fn([Vec[1, n, 1]], Vec[1, n, 2])(lambda x: nn.conv_transpose(x, w, padding="same"))
    module = rose.compile({"f": f, "g": g}, dynamic=True)
    for size in (3, 4):
        x = random(size, 1, size, 1)
        close(module.f(x), layers.conv(x, w, padding="same"), 1e-13)
        close(module.g(x), layers.conv_transpose(x, w, padding="same"), 1e-13)


def test_a_batch_of_any_size_in_one_module():
    n, w = rose.dim("n"), random(2, 2, 2, 1, 2)
    f = fn([Vec[n, 3, 3, 1]], Vec[n, 2, 2, 2])(lambda x: nn.conv2d(x, w))
    module = rose.compile(f, dynamic=True)
    for batch in (0, 1, 3):
        x = random(batch, batch, 3, 3, 1)
        close(module(x), layers.conv(x, w), 1e-13)
