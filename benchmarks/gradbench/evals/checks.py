"""Whether an output is what is wanted: its structure, and each of its numbers.

GradBench's own check takes nan for any number, and 0 for all that is small. This one takes neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

SMALL = 1e-3  # of the largest number of an array: below that, rounding may have more of a number than the tolerance
REAL = (int, float)


def wrong(got: Any, wanted: Any, tolerance: float) -> str | None:
    """What is first found to be wrong; nothing, if nothing is."""
    return next(differences(got, wanted, tolerance, "the output"), None)


def differences(got: Any, wanted: Any, tolerance: float, path: str) -> Iterator[str]:
    if isinstance(wanted, dict):
        if not isinstance(got, dict) or got.keys() != wanted.keys():
            yield f"{path} should be an object with {', '.join(wanted)}"
            return
        for key in wanted:
            yield from differences(got[key], wanted[key], tolerance, f"{path}.{key}")
    elif isinstance(wanted, list):
        yield from apart(got, wanted, tolerance, path)
    elif not is_number(got):
        yield f"{path} should be a number"
    else:
        yield from numbers([got], [wanted], tolerance, path)


def apart(got: Any, wanted: list[Any], tolerance: float, path: str) -> Iterator[str]:
    """Of a list, whose rows are compared with one scale."""
    mine, yours = list[Any](), list[Any]()
    error = flattened(got, wanted, path, mine, yours)
    if error is not None:
        yield error
    else:
        yield from numbers(mine, yours, tolerance, path)


def flattened(got: Any, wanted: Any, path: str, mine: list[Any], yours: list[Any]) -> str | None:
    """The numbers of both, in order, if both are lists of the same lengths."""
    if not isinstance(wanted, list):
        mine.append(got)
        yours.append(wanted)
        return None if is_number(got) else f"{path} should be a number"
    if not isinstance(got, list) or len(got) != len(wanted):
        return f"{path} should be a list of {len(wanted)}"
    for k, (x, y) in enumerate(zip(got, wanted, strict=True)):
        if (error := flattened(x, y, f"{path}[{k}]", mine, yours)) is not None:
            return error
    return None


def is_number(x: Any) -> bool:
    return isinstance(x, REAL) and not isinstance(x, bool)


def numbers(got: list[Any], wanted: list[Any], tolerance: float, path: str) -> Iterator[str]:
    x, y = np.array(got, float), np.array(wanted, float)
    if not np.isfinite(y).all():
        yield f"{path} has no finite value by hand"
    elif not np.isfinite(x).all():
        yield f"{path} is not finite"
    elif len(y):
        scale = np.maximum(np.abs(y), SMALL * np.abs(y).max())
        off = np.divide(np.abs(x - y), scale, out=np.abs(x - y), where=scale > 0)
        if off.max() > tolerance:
            k = int(off.argmax())
            yield f"{path}: number {k} is {x[k]!r}, and by hand {y[k]!r}: off by {off[k]:.1e}"
