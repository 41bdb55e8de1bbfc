"""A complex number as its two parts, and back; what a user writes after its dot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir import Value, current_builder
from ...ir.forms import COMPLEX
from ...ir.ops import neg, real, select
from ...ir.types import Bool, Fin, Real, Tan, Tuple, is_complex

Parts = tuple[Value, Value]


def made(re: Any, im: Any) -> Value:
    """The complex number of two parts: Reals, or tangents."""
    b = current_builder()
    items = [b.lift(re), b.lift(im)]
    if items[0].type is not items[1].type:  # the one is a tangent, and the other the literal 0
        items = [x if x.type is Tan else b.zero(Tan) for x in items]
    return b.tuple(items, Tuple((items[0].type, items[1].type), COMPLEX))


def parts(z: Value) -> Parts:
    """The real and the imaginary part of a complex number."""
    b = current_builder()
    return b.get(z, 0), b.get(z, 1)


def promoted(x: Value) -> Parts:
    """The parts of a number of any kind."""
    if is_complex(x.type):
        return parts(x)
    return number(x), current_builder().zero(Tan if x.type is Tan else Real)


def number(x: Value) -> Value:
    """A number that is not complex as a Real: an index, or a condition, which counts as 1 or 0."""
    if x.type is Bool:
        return select(x, 1.0, 0.0)
    return real(x) if isinstance(x.type, Fin) else x


def of_number(z: Any, of_complex: Callable[[Value], Any], of_real: Callable[[Any], Any]) -> Any:
    """What is done with a complex number, or else with another."""
    v = current_builder().lift(z)
    return of_complex(v) if is_complex(v.type) else of_real(v)


def real_part(z: Any) -> Any:
    """The real part of a number."""
    return of_number(z, lambda v: parts(v)[0], lambda x: x)


def imaginary_part(z: Any) -> Any:
    """The imaginary part of a number; 0 of a Real."""
    return of_number(z, lambda v: parts(v)[1], lambda x: current_builder().zero(x.type if x.type is Tan else Real))


def conjugate(z: Any) -> Any:
    """The conjugate of a number: a Real is its own."""
    return of_number(z, conjugated, lambda x: x)


def conjugated(z: Value) -> Value:
    """The conjugate of a complex number."""
    re, im = parts(z)
    return made(re, neg(im))
