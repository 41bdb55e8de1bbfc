"""The cross entropy of logits, with labels as indices and as probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from matrices import close, derivatives_hold, random

import rose
from rose import Fin, Real, Vec, fn, nn

X, LABELS = random(0, 4, 3), [2, 0, 1, 1]


def expected() -> object:
    p = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    return -np.log(p[range(4), LABELS])


def test_labels_may_be_indices_or_probabilities():
    close(fn([Vec[4, 3], Vec[4, Fin[3]]], Vec[4])(nn.cross_entropy)(X, LABELS), expected(), 1e-13)
    close(fn([Vec[4, 3], Vec[4, 3]], Vec[4])(nn.cross_entropy)(X, np.eye(3)[LABELS]), expected(), 1e-13)
    assert fn([Vec[0, 3], Vec[0, Fin[3]]], Vec[0])(nn.cross_entropy)(np.zeros((0, 3)), []).shape == (0,)


def test_the_gradient_is_softmax_less_the_label():
    f = fn([Vec[4, 3], Vec[4, Fin[3]]], rose.Real)(lambda x, y: rose.sum(nn.cross_entropy(x, y)))
    close(rose.grad(f)(X, LABELS), np.exp(X) / np.exp(X).sum(1, keepdims=True) - np.eye(3)[LABELS], 1e-13)


def test_derivatives_of_both_modes():
    derivatives_hold(lambda x: rose.sum(nn.cross_entropy(x, np.eye(3)[LABELS]) ** 2), X)


def test_one_example_alone():
    f = fn([Vec[3], Fin[3]], rose.Real)(nn.cross_entropy)
    close(f(X[0], 2), expected()[0], 1e-13)


def test_binary_cross_entropy_of_conditions_and_of_probabilities():
    x = np.array([-800.0, -1.0, 0.0, 2.0, 800.0])
    expected = np.maximum(x, 0) - x * [1, 0, 1, 0, 1] + np.log1p(np.exp(-abs(x)))
    f = rose.fn([Vec[5], Vec[5, rose.Bool]], Vec[5])(nn.binary_cross_entropy)
    g = rose.fn([Vec[5], Vec[5]], Vec[5])(nn.binary_cross_entropy)
    assert np.allclose(f(x, np.array([1, 0, 1, 0, 1]) > 0), expected, rtol=1e-14)
    assert np.allclose(g(x, np.array([1.0, 0.0, 1.0, 0.0, 1.0])), expected, rtol=1e-14)
    slope = rose.grad(rose.fn([Vec[5]], Real)(lambda x: rose.sum(nn.binary_cross_entropy(x, [0.25] * 5))))(x)
    assert np.allclose(slope, 0.5 * (1 + np.tanh(x / 2)) - 0.25)


def test_mean_of_squares_is_a_number():
    f = rose.fn([Vec[2, 3], Vec[3]], Real)(nn.mse)
    x = np.arange(6.0).reshape(2, 3)
    assert f(x, [1.0, 1.0, 1.0]) == pytest.approx(np.mean((x - 1) ** 2))
    close(rose.grad(f)(x, np.ones(3)), (x - 1) / 3, 1e-15)


def test_one_hot_rows_of_an_index_and_of_arrays():
    f = rose.fn([Vec[2, Vec[2, rose.Fin[3]]]], Vec[2, 2, 3])(lambda i: nn.one_hot(i, 3))
    assert f([[0, 2], [1, 1]]).tolist() == np.eye(3)[[[0, 2], [1, 1]]].tolist()
    assert rose.fn([rose.Fin[3]], Vec[4])(lambda i: nn.one_hot(i, 4))(2).tolist() == [0.0, 0.0, 1.0, 0.0]
    with pytest.raises(rose.TypeMismatch, match="one_hot takes indices, not a traced Vec"):
        rose.fn([Vec[2]], Vec[2, 3])(lambda x: nn.one_hot(x, 3))([0.0, 1.0])
