"""Losses."""

from __future__ import annotations

from typing import Any

from ..errors import TypeMismatch, here
from ..frontend import options
from ..frontend.arrays.creation import arange
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.order import take_along_axis
from ..frontend.arrays.reductions import mean
from ..frontend.arrays.shapes import as_array, leaf_of, same, shape_of
from ..frontend.language.loops import sum as total
from ..frontend.language.select import where
from ..frontend.typed import Operand
from ..ir import a_traced
from ..ir.ops import softplus
from ..ir.types import Bool, Fin
from .activations import log_softmax


@array_function
def mse(prediction: Operand, target: Operand) -> Any:
    """The mean of the squares of the differences, of all elements: a number."""
    difference = as_array(as_array(prediction) - target)
    return mean(difference * difference)


@array_function
def binary_cross_entropy(logits: Operand, labels: Operand) -> Any:
    """The cross entropy of each of two classes, of logits: `softplus(x) - x * y`, without overflow.

    The probability of the class 1 is `sigmoid(logits)`. A label is a condition, or the probability of that class.
    """
    y = as_array(labels)
    return softplus(logits) - logits * (where(y, 1.0, 0.0) if leaf_of(y.type) is Bool else y)


@array_function
def one_hot(indices: Operand, n: int) -> Any:
    """A row of `n` numbers for each index: 1.0 at its place, and 0.0 elsewhere."""
    i = as_array(indices)
    n = options.count(n, "n")
    if not isinstance(leaf_of(i.type), Fin):
        what = f"rose.nn.one_hot takes indices, not {a_traced(i)}"
        raise TypeMismatch(what, here(), "declare them as Fin[n], or Vec[k, Fin[n]]")
    return where(i[..., None] == arange(n) if shape_of(i.type) else arange(n) == i, 1.0, 0.0)


@array_function
def cross_entropy(logits: Operand, labels: Operand) -> Any:
    """The cross entropy of each example: minus the logarithm of the probability of its label.

    `logits` has the classes along its last axis. `labels` has one class for each example, an index below their number
    (`Fin`), or, in the shape of `logits`, the probability of each class.
    """
    x, y = as_array(logits), as_array(labels)
    shape = shape_of(x.type)
    if isinstance(leaf_of(y.type), Fin) and same(shape_of(y.type), shape[:-1]):
        if len(shape) == 1:
            return -log_softmax(x)[y]
        return -take_along_axis(log_softmax(x), y[..., None], -1)[..., 0]
    if isinstance(leaf_of(y.type), Fin) or not same(shape_of(y.type), shape):
        what = f"rose.nn.cross_entropy of {a_traced(x)} has no labels in {a_traced(y)}"
        raise TypeMismatch(what, here(), "give an index for each example, or a probability for each logit")
    return -total(y * log_softmax(x), -1)
