"""Recurrent layers against loops in NumPy, by PyTorch's formulas; states, batches, derivatives, any number of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Real, Vec, fn, nn


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def lstm(x: Any, w: Any, u: Any, b: Any, h: Any, c: Any) -> Any:
    made: list[Any] = []
    for t in range(x.shape[-2]):
        i, f, g, o = np.split(x[..., t, :] @ w + b + h @ u, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        made.append(h)
    return np.stack(made, -2) if made else np.zeros((*x.shape[:-1], u.shape[0])), h, c


def gru(x: Any, w: Any, u: Any, b: Any, b_hidden: Any, h: Any) -> Any:
    made: list[Any] = []
    for t in range(x.shape[-2]):
        r, z, n = np.split(x[..., t, :] @ w + b, 3, axis=-1)
        r_hidden, z_hidden, n_hidden = np.split(h @ u + b_hidden, 3, axis=-1)
        z = sigmoid(z + z_hidden)
        h = z * h + (1.0 - z) * np.tanh(n + sigmoid(r + r_hidden) * n_hidden)
        made.append(h)
    return np.stack(made, -2) if made else np.zeros((*x.shape[:-1], u.shape[0])), h


SHAPES = [((), 4), ((2,), 3), ((2, 3), 2), ((0,), 2), ((2,), 0), ((), 1)]


@pytest.mark.parametrize(("batch", "steps"), SHAPES)
def test_long_short_term_memory_is_that_of_loops(batch: Any, steps: int):
    x, w, u, b = random(0, 1, *batch, steps, 3)[0], random(1, 3, 8), random(2, 2, 8), random(3, 1, 8)[0]
    h, c = random(4, 1, *batch, 2)[0], random(5, 1, *batch, 2)[0]
    types = [matrix(*batch, steps, 2), matrix(*batch, 2), matrix(*batch, 2)]
    f = fn([matrix(*x.shape), types[1], types[2]], tuple[*types])(lambda x, h, c: tuple(nn.lstm(x, w, u, b, h=h, c=c)))
    for got, wanted in zip(f(x, h, c), lstm(x, w, u, b, h, c), strict=True):
        close(got, wanted, 1e-13)


@pytest.mark.parametrize(("batch", "steps"), SHAPES)
def test_gated_recurrent_units_are_those_of_loops(batch: Any, steps: int):
    x, w, u, b = random(0, 1, *batch, steps, 3)[0], random(1, 3, 6), random(2, 2, 6), random(3, 2, 6)
    types = [matrix(*batch, steps, 2), matrix(*batch, 2)]
    f = fn([matrix(*x.shape), types[1]], tuple[*types])(lambda x, h: tuple(nn.gru(x, w, u, b[0], b[1], h=h)))
    h = random(4, 1, *batch, 2)[0]
    for got, wanted in zip(f(x, h), gru(x, w, u, b[0], b[1], h), strict=True):
        close(got, wanted, 1e-13)


def test_without_a_state_the_first_is_zero():
    x, w, u = random(0, 4, 3), random(1, 3, 8), random(2, 2, 8)
    f = fn([Vec[4, 3]], Vec[2])(lambda x: nn.lstm(x, w, u).c)
    close(f(x), lstm(x, w, u, 0.0, np.zeros(2), np.zeros(2))[2], 1e-13)
    g = fn([Vec[4, 3]], Vec[2])(lambda x: nn.gru(x, w[:, :6], u[:, :6]).h)
    close(g(x), gru(x, w[:, :6], u[:, :6], 0.0, 0.0, np.zeros(2))[1], 1e-13)


@pytest.mark.parametrize("layer", [nn.lstm, nn.gru])
def test_derivatives_of_both_modes_by_all_parameters(layer: Any):
    gates = 4 if layer is nn.lstm else 3
    x, w, u = random(0, 3, 2), random(1, 2, gates * 2), random(2, 2, gates * 2)
    derivatives_hold(lambda x: rose.sum(rose.sin(layer(x, w, u).outputs)), x)
    derivatives_hold(lambda u: rose.sum(rose.sin(layer(x, w, u).outputs)), u, orders=1)
    derivatives_hold(lambda b: rose.sum(layer(x, w, u, b[0]).h), random(3, 1, gates * 2))


def test_one_module_for_any_number_of_steps():
    n, w, u = rose.dim("n"), random(1, 3, 6), random(2, 2, 6)
    f = fn([Vec[n, Vec[3]]], Vec[2])(lambda x: nn.gru(x, w, u).h)
    module = rose.compile({"f": f, "g": rose.grad(fn([Vec[n, Vec[3]]], Real)(lambda x: rose.sum(f(x))))}, dynamic=True)
    for steps in (0, 2, 5):
        x = random(steps, steps, 3)
        close(module.f(x), gru(x, w, u, 0.0, 0.0, np.zeros(2))[1], 1e-13)
        assert module.g(x).shape == x.shape
