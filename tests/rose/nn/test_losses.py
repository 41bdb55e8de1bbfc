"""The cross entropy of logits, with labels as indices and as probabilities."""

from __future__ import annotations

import numpy as np
from matrices import close, derivatives_hold, random

import rose
from rose import Fin, Vec, fn, nn

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
