"""Arrays of complex numbers: their parts, and arrays of such parts; NumPy's functions that begin with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value
from ...ir.types import is_complex
from ..arrays.elementwise import array_function, each
from ..arrays.shapes import as_array, leaf_of
from . import arithmetic
from .parts import conjugate, imaginary_part, made, real_part


def has_complex(x: Any) -> bool:
    """True for a traced complex number, and for an array of them."""
    return isinstance(x, Value) and is_complex(leaf_of(x.type))


def _of_complex(f: Callable[[Any], Any], otherwise: Callable[[Value], Any]) -> Callable[[Any], Any]:
    """`f` of each element of an array of complex numbers; else another function of the array."""

    @array_function
    def of(z: Any) -> Any:
        v = as_array(z)
        return each(f, v) if has_complex(v) else otherwise(v)

    return of


def _itself(x: Value) -> Value:
    return x


def _zeros(x: Value) -> Any:
    return each(imaginary_part, x)


real = _of_complex(real_part, _itself)
imag = _of_complex(imaginary_part, _zeros)
conj = _of_complex(conjugate, _itself)


@array_function
def angle(z: Any, deg: Any = False) -> Any:
    """The angles of complex numbers, from -pi to pi, or in degrees."""
    turns = each(arithmetic.angle, as_array(z))
    return turns * (180.0 / 3.141592653589793) if deg else turns


def of_parts(re: Any, im: Any) -> Value:
    """The array of complex numbers with these parts, which are broadcast: one loop, that fuses with what reads it."""
    return each(made, re, im)


@array_function
def isreal(z: Any) -> Any:
    """Whether the imaginary part is 0."""
    return imag(z) == 0.0


@array_function
def iscomplex(z: Any) -> Any:
    """Whether the imaginary part is not 0."""
    return imag(z) != 0.0


def iscomplexobj(z: Any) -> bool:
    """Whether it is a complex number or an array of them, which is known at once."""
    return has_complex(as_array(z))


def isrealobj(x: Any) -> bool:
    """Whether it is no complex number, and no array of them, which is known at once."""
    return not iscomplexobj(x)


@array_function
def real_if_close(a: Any) -> Any:
    """Numbers that are not complex; a TypeMismatch of others, whose imaginary parts only a run knows."""
    if has_complex(a):
        what = "whether imaginary parts are close to 0 is known only when the function runs, and would be a type"
        raise TypeMismatch(what, here(), "write z.real")
    return a
