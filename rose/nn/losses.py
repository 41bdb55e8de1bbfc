"""Losses."""

from __future__ import annotations

from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.order import take_along_axis
from ..frontend.arrays.shapes import as_array, leaf_of, same, shape_of
from ..frontend.language.loops import sum as total
from ..frontend.typed import Operand
from ..ir import a_traced
from ..ir.types import Fin
from .activations import log_softmax


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
