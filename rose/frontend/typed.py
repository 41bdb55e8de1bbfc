"""The types that stand in signatures. Here is what they are when a program runs; `typed.pyi` has what checkers see.

A user writes `Real`, `Vec[n]` and their kind, each of which makes a type of the IR. A function of ours that users call
takes an `ArrayLike`, or an `Operand`, and gives an `Array`, or a number that is typed `Any`, since of arrays it is one.
All that is behind such functions works on traced values, of the class `Value`, and an index is one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from ..ir import Value
from ..ir.types import Bool, Complex, Real, Tan, Unit
from .annotations import Dual, Fin, Vec


class SupportsArray(Protocol):
    """What has elements in the way of NumPy's arrays: a traced value, an array of NumPy's, a table."""

    def __array__(self) -> Any: ...


Array: TypeAlias = Value
ArrayLike: TypeAlias = float | Sequence[Any] | SupportsArray
Operand: TypeAlias = ArrayLike | Any

__all__ = ["Array", "ArrayLike", "Bool", "Complex", "Dual", "Fin", "Operand", "Real", "Tan", "Unit", "Vec"]
