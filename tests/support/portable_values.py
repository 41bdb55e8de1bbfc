"""Plain values as JSON, for tests in JavaScript."""

from __future__ import annotations

import struct
from typing import Any

from rose.ir.types import Fin, Real, Single, Tan, Tuple, Type, Vec


def portable(x: Any, t: Type) -> Any:
    """A plain value as JSON: a Real is its bits, a vector of numbers says what it is in JavaScript."""
    if isinstance(t, Vec):
        items = [portable(y, t.elem) for y in x]
        kind = "Uint32Array" if isinstance(t.elem, Fin) else ARRAYS.get(t.elem)
        return items if kind is None else {kind: items}
    if isinstance(t, Tuple):
        items = [portable(y, s) for y, s in zip(x, t.items, strict=True)]
        return items if t.form is None else {"struct": [*zip(t.form.fields, items, strict=True)]}
    return bits(x) if t in ARRAYS else x


ARRAYS: dict[Type, str] = {Real: "Float64Array", Tan: "Float64Array", Single: "Float32Array"}


def bits(x: float) -> str:
    return struct.pack(">d", x).hex()
