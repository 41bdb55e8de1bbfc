"""Attributes of arrays: `.shape`, `.T` and their kind, which are no functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from ...errors import edge
from ...ir import Value
from ...ir.hooks import above
from ...ir.sizes import times
from ...ir.value import unchanging
from .shapes import axes_given, shape_of
from .shaping import transpose
from .updates import At


def shape(v: Value) -> Any:
    """The size along each axis."""
    return shape_of(v.type)


def ndim(v: Value) -> int:
    """The number of axes."""
    return len(shape_of(v.type))


def size(v: Value, axis: Any = None) -> Any:
    """The number of elements, or of those along axes."""
    sizes = shape_of(v.type)
    return reduce(times, sizes if axis is None else [sizes[k] for k in axes_given(axis, len(sizes))], 1)


PARTS = (  # by NumPy's names
    "real", "imag", "conj", "conjugate", "angle", "isreal", "iscomplex", "iscomplexobj", "isrealobj", "real_if_close",
)  # fmt: skip


def part(name: str) -> Callable[..., Any]:
    """The function of complex numbers, and of others, of NumPy's name."""

    def of(x: Any) -> Any:
        return above().complex.part(name, x)

    def angle(x: Any, deg: Any = False) -> Any:
        return above().complex.part(name, x, deg)

    return angle if name == "angle" else of


def parts() -> dict[str, Any]:
    """What stands after the dot of a complex number: a field of that name comes first."""
    methods = {name: edge(part(name)) for name in ("conj", "conjugate")}
    return {name: property(edge(part(name)), unchanging) for name in ("real", "imag")} | methods


ATTRIBUTES: dict[str, Callable[[Value], Any]] = {"shape": shape, "ndim": ndim, "size": size, "T": transpose, "at": At}
