"""Numbers of a user's, as linear memory holds them: which are the same there, and the shapes of their vectors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from rose.ir.numbers import WHOLE
from rose.ir.sizes import Size
from rose.ir.sizes import number as number_of

if TYPE_CHECKING:
    import numpy as np

Shape = tuple[int, ...]
Array: TypeAlias = "np.ndarray[Any, Any]"

LARGEST_SINGLE = (2.0 - 2.0**-23) * 2.0**127


def is_exact(n: int) -> bool:
    """True for an integer that is the same number as a float."""
    return -WHOLE <= n <= WHOLE or (n.bit_length() < 1024 and int(float(n)) == n)


def numbers_of(sizes: Sequence[int | Size]) -> Shape:
    """Sizes that are known by now, as a shape."""
    return tuple(map(number_of, sizes))


def is_array(x: Any) -> TypeGuard[Array]:
    """True for an array of NumPy, which nobody can have made before NumPy was imported."""
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray)


def nothing() -> None:
    """What is dead, or was never there, as a weak reference gives it."""
