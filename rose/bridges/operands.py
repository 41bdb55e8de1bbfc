"""Operands: what stands for a variable of a jaxpr while it is traced.

Most are traced values. Others know more than a value says: `Known` its number, `Truth` that it is a condition counted
as 0 or 1, `Word` which bits of it are set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..frontend.arrays import shapes
from ..frontend.language.select import constant, where
from ..ir import Value
from ..ir.types import Bool, Complex, Real, Type

FEW = 64  # elements of a known array that are written as a constant; of more, what made them is evaluated

Operand = Any  # a traced value, or one of the classes here
Range = tuple[int, int]  # the least and the largest of whole numbers


class Known:
    """An array that is known while tracing: a literal, a constant of the program, or made of such."""

    __slots__ = ("array", "express")

    def __init__(self, array: Any, express: Callable[[], Any] | None = None) -> None:
        self.array = np.asarray(array)
        self.express = express  # the same as a traced value, of what it was made of: shorter than many numbers

    def traced(self) -> Any:
        """The numbers, as a constant of the module; where they are many, evaluated."""
        if self.array.ndim == 0:
            return _exact(self.array.item())
        if self.express is not None and self.array.size > FEW:
            return self.express()
        return constant(array_type(self.array.shape, self.array.dtype), _exact(self.array).tolist())


def _exact(x: Any) -> Any:
    """Whole numbers, as Reals have them: beyond `2 ** 53`, as of a counter that never gets so far, they are rounded."""
    if x.__class__ is int:
        return x if abs(x) <= 2**53 else float(x)
    whole = x.__class__ is np.ndarray and x.dtype.kind in "iu"
    return x.astype(float) if whole and (abs(x.astype(float)) > 2.0**53).any() else x


class Truth:
    """A condition, or an array of them, as the numbers 0 and 1."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def traced(self) -> Any:
        return where(self.value, 1.0, 0.0)


class Word:
    """Whole numbers without a sign: `top`, known bits, and `low`, traced numbers below `2 ** bits`, disjoint of them.

    Of numbers of 64 bits, `low` is a pair of numbers below `2 ** 32`, the high one first.
    """

    __slots__ = ("bits", "low", "top")

    def __init__(self, low: Any, bits: int, top: int = 0) -> None:
        self.low, self.bits, self.top = low, bits, top

    @property
    def number(self) -> Any:
        """What `low` is, as one number."""
        low: Any = self.low
        return low[0] * 2.0**32 + low[1] if low.__class__ is tuple else low

    def traced(self) -> Any:
        """The number itself: of more than 53 bits, rounded."""
        low = self.number
        return low + float(self.top) if self.top else low


def traced(x: Operand) -> Any:
    """An operand as a traced value, or a number of Python."""
    return x.traced() if x.__class__ in (Known, Truth, Word) else x


def leaf_type(dtype: Any) -> Type:
    """The type of the elements of an array: whole numbers are Reals, as their arithmetic is."""
    kind = np.dtype(dtype).kind
    return Bool if kind == "b" else Complex if kind == "c" else Real


def array_type(shape: Sequence[int], dtype: Any) -> Type:
    """The type of an array of NumPy or JAX."""
    return shapes.array_type(shape, leaf_type(dtype))


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of a traced value, or of a number."""
    return cast("tuple[int, ...]", shapes.shape_of(x.type)) if isinstance(x, Value) else ()
