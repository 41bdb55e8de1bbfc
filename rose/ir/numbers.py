"""Plain numbers as literals, and how errors spell them."""

from __future__ import annotations

import marshal
import math
from functools import cached_property
from typing import Any

from ..errors import Loc, TypeMismatch
from .libm import nearest
from .sizes import Size


class Numbers(tuple[Any, ...]):
    """The elements of a literal vector: passes hand them on, and what tells them from others is worked out once."""

    @cached_property
    def bits(self) -> bytes:
        return marshal.dumps(tuple(self), 2)  # the format that writes floats as they are, and what is equal alike


def is_truth(x: Any) -> bool:
    """True for a Python or NumPy truth value."""
    return isinstance(x, bool) or (getattr(getattr(x, "dtype", None), "kind", "") == "b" and x.shape == ())


def is_listed(x: Any) -> bool:
    """True for a list, and for an array of NumPy's that has an axis."""
    return x.__class__ is list or (hasattr(x.__class__, "shape") and x.shape != ())


def of_objects(x: Any) -> bool:
    """True for an array of NumPy's, or a column of a table, that holds objects, such as traced values."""
    return hasattr(x.__class__, "shape") and getattr(getattr(x, "dtype", None), "kind", "") == "O"


def is_one_object(x: Any) -> bool:
    """True for such an array of no dimensions: `np.asarray(x)` of a traced number."""
    return of_objects(x) and x.shape == ()


def complex_of(x: Any) -> complex | None:
    """`x` as a complex number of Python's, if it is one of Python's or NumPy's; else None."""
    if isinstance(x, complex):
        return complex(x)
    is_one = getattr(x, "shape", None) == () and getattr(getattr(x, "dtype", None), "kind", "") == "c"
    return complex(x) if is_one else None


def as_number(x: Any, loc: Loc) -> float:
    """`x` as a float, if it is a real number in any of the ways that Python and NumPy have to say so."""
    if isinstance(x, (int, float, Size)) and not isinstance(x, bool):
        try:
            number = float(x)
        except OverflowError:
            raise TypeMismatch(f"{shown(x)} is too large for a Real", loc, "the largest is 1.8e308") from None
        return _exact(number, x, loc) if isinstance(x, int) else number
    # NumPy's scalars and arrays of no dimensions, without importing NumPy
    if getattr(x, "shape", None) == () and (kind := getattr(getattr(x, "dtype", None), "kind", "")) in "iuf":
        return _exact(float(x), int(x), loc) if kind in "iu" else float(x)
    raise TypeMismatch(f"expected a number or a traced value, got {shown(x)}", loc, as_a_number(x))


WHOLE = 2**53  # up to it, floats hold all whole numbers


def _exact(number: float, n: int, loc: Loc) -> float:
    """The float of a whole number, which must be the same number."""
    if -WHOLE <= n <= WHOLE or int(number) == n:
        return number
    hint = f"write float(...) to have it rounded, to {int(number)}" if n.bit_length() < 128 else "write it as a float"
    raise TypeMismatch(f"{shown(n)} is no float: those above 2**53 have gaps", loc, hint)


def as_single(x: Any, loc: Loc) -> float:
    """`x` as the nearest number of 32 bits; a finite one that is too large for them is an error."""
    exact = as_number(_few_digits(x) if x.__class__ is int and x.bit_length() < 1024 else x, loc)
    near = nearest(exact)
    if math.isinf(near) and not math.isinf(exact):
        hint = 'the largest number in single precision is 3.4e38; a module of dtype="f64" takes larger ones'
        raise TypeMismatch(f"{shown(x)} is too large for a Single", loc, hint)
    return near


def _few_digits(n: int) -> float:
    """An integer, or one that a float can hold and that rounds to 32 bits as it does."""
    shift = max(n.bit_length() - 50, 0)
    return math.ldexp(n >> shift | (n & (1 << shift) - 1 != 0), shift)


def as_a_number(x: Any) -> str:
    """The hint for `x`, which is not a number: what to write for it."""
    if isinstance(x, bool):
        return "write 1.0 or 0.0 for it"
    if type(x) in (list, tuple) or hasattr(x, "__next__") or getattr(x, "shape", ()) != ():
        return "operations work on numbers: rose.vec(... for i in rose.range(n)) does one for each element"
    if instead := getattr(x.__class__, "_instead", None):
        return str(instead)
    if fields := list(getattr(x, "__dataclass_fields__", getattr(x, "_fields", ()))):
        return f"name one of its fields, as in p.{fields[0]}"
    if isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c":
        return "take its .real, its .imag or its abs; Complex is the type of a complex number"
    return "a Real is written as an int or a float" + ("; float(...) makes one of it" * hasattr(x, "__float__"))


def digits(k: int) -> str:
    """An integer in a message, which may have thousands of digits."""
    return shown(k).partition(" (")[0]


def shown(x: Any) -> str:
    """A host value in a message: what it is, and its kind, on a part of a line."""
    kind, count = type(x).__name__, f" of {len(x)}" if type(x) in (list, tuple) else ""
    if x is None or isinstance(x, type):
        return "None" if x is None else f"the class {x.__name__}"
    if callable(x) and hasattr(x, "__name__") and not hasattr(x, "__origin__"):
        return f"the function {x.__name__}"
    try:
        text = " ".join(repr(x).split())
    except Exception:  # Python writes no very long integers; and a class of the user's may do anything
        text = "<traced >"
    if "<traced " in text or " at 0x" in text:
        article = "an" if kind[0] in "AEIOUaeiou" else "a"
        return f"{article} {kind}{count}"
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({kind})"
