"""Whether an answer is that of the adjoint by hand: before anything is timed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .modules import Answer

CLOSE = 1e-11  # of the largest number in the derivative; tools that compute in 32 bits have a bound of their own


def difference(got: Answer, known: Answer) -> float:
    """How far the value and the derivative are from those that are known, relative to the largest of each."""
    value = abs(got[0] - known[0]) / max(abs(known[0]), 1e-300)
    given: Any = np.asarray(got[1], dtype=float).ravel()
    scale = float(np.abs(known[1]).max()) or 1.0
    return max(value, float(np.abs(given - known[1]).max()) / scale)


def agree(what: str, got: Answer, known: Answer, bound: float = CLOSE) -> float:
    """The difference, or an error that names what is wrong."""
    found = difference(got, known)
    if not found <= bound:
        raise ValueError(f"{what}: differs from the adjoint by hand by {found:.1e}")
    return found
