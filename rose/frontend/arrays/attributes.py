"""What a user may write after the dot of an array: `.shape`, `.T` and their kind. A method is one more row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from ...errors import NoField, here
from ...ir import Value, a_traced
from ...ir.sizes import times
from ...ir.value import instead_of_part
from .shapes import shape_of
from .shaping import transpose
from .ufuncs import clip
from .updates import At

ATTRIBUTES: dict[str, Callable[[Value], Any]] = {
    "shape": lambda v: shape_of(v.type),
    "ndim": lambda v: len(shape_of(v.type)),
    "size": lambda v: reduce(times, shape_of(v.type), 1),
    "T": transpose,
    "at": At,
    "clip": lambda v: partial(clip, v),
}


def attribute(v: Value, name: str) -> Any:
    """The attribute of that name; a NoField if there is none."""
    if (found := ATTRIBUTES.get(name)) is not None:
        return found(v)
    raise NoField(f"{a_traced(v)} has no {name}", here(), instead_of_part(v, name))
