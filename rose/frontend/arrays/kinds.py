"""Kinds of elements by NumPy's names for them: `x.astype(int)`, `dtype=float`."""

from __future__ import annotations

from typing import Any

from ...errors import TypeMismatch, argument, here
from ...ir import Value, ops, shown
from ...ir.types import Bool, Complex, Fin, Real, is_complex
from ..operators import as_real
from ..values import to_value
from .elementwise import array_function, each
from .shapes import as_array, leaf_of

_NAMES = {
    "f": "float double single half longdouble float_ f d f2 f4 f8",
    "i": "int uint long longlong intp intc short i u l q i1 i2 i4 i8 u1 u2 u4 u8 ulong uintp",
    "b": "bool bool_ ?",
    "c": "complex complex_ cdouble csingle c8 c16 D F",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def kind_of(dtype: Any) -> str:
    """The kind of a type of numbers of Python's or NumPy's, by any of its names: "f", "i", "b" or "c"."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
    kind = _KINDS.get(str(name).lstrip("<>=")) or _KINDS.get(str(name).rstrip("0123456789"))
    if kind is None:
        loc = here().narrow(argument(0, "dtype", 1))
        raise TypeMismatch(f"{shown(dtype)} is no type of elements", loc, "write float, int, bool or complex")
    return kind


@array_function
def astype(x: Any, dtype: Any) -> Any:
    """The elements as numbers (`float`), as whole numbers (`int`, towards zero) or as conditions (`bool`, not zero).

    A number has one width, that of the module, so `float32` is `float`. A whole number is a Real: `rose.index(k, n)`
    makes an index of one.
    """
    return of_kind(as_array(x), kind_of(dtype))


def typed(v: Value, dtype: Any) -> Any:
    """An array, or a number, with elements of the type that a user names; as they are, if none is named."""
    return v if dtype is None else of_kind(v, kind_of(dtype))


def summed_as(x: Any, dtype: Any, name: str) -> Any:
    """The argument of a reduction to numbers, with elements of the type that a user names."""
    if dtype is None:
        return x
    if (kind := kind_of(dtype)) == "b":
        what = f"rose.{name} makes numbers, and no conditions"
        raise TypeMismatch(what, here().into(["dtype"]), "leave out the dtype, or write rose.any or rose.all")
    return of_kind(as_array(x), kind)


def averaged_as(x: Any, dtype: Any, name: str) -> Any:
    """The argument of a mean, with elements of the type that a user names, which is that of numbers."""
    if dtype is not None and kind_of(dtype) == "c":
        v = as_array(x)
        if is_complex(leaf_of(v.type)) or name in ("mean", "nanmean"):
            return of_kind(v, "c")
    if dtype is not None and kind_of(dtype) != "f":
        what = f"rose.{name} makes numbers, and its dtype is not {shown(dtype)}"
        hint = f"leave out the dtype, or write rose.{name}(x).astype(int)"
        raise TypeMismatch(what, here().into(["dtype"]), hint)
    return x if dtype is None else of_kind(as_array(x), "f")


def of_kind(v: Value, kind: str) -> Any:
    """An array, or a number, with elements of this kind."""
    leaf = leaf_of(v.type)
    if kind == "c" and is_complex(leaf):
        return v
    if is_complex(leaf) and kind != "b":
        what = "the imaginary parts of complex numbers would be lost"
        raise TypeMismatch(what, here(), "take their .real, their .imag or their abs")
    if (leaf is Real and kind == "f") or (leaf is Bool and kind == "b") or (isinstance(leaf, Fin) and kind == "i"):
        return v
    return each(_TO[kind], v)


def _number(x: Value) -> Value:
    return ops.select(x, 1.0, 0.0) if x.type is Bool else as_real(x)


def _towards_zero(x: Value) -> Value:
    return ops.trunc(_number(x))


def _condition(x: Value) -> Value:
    return ops.ne(as_real(x), 0.0)


def _complex(x: Value) -> Value:
    return to_value(_number(x), Complex)


_TO = {"f": _number, "i": _towards_zero, "b": _condition, "c": _complex}
LEAVES = {"f": Real, "i": Real, "b": Bool, "c": Complex}  # the types of elements
