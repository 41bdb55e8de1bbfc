"""Arithmetic of complex numbers: operators, comparisons, and powers."""

from __future__ import annotations

from typing import Any

from ...ir import OPS, Value, current_builder
from ...ir.ops import abs_, atan2, hypot
from ...ir.ops import select as choose
from ...ir.types import is_complex
from .parts import made, number, parts, promoted


def add(z: Value, w: Value) -> Value:
    """`z + w`: a real operand is added to the real part alone."""
    if not is_complex(w.type):
        re, im = parts(z)
        return made(re + number(w), im)
    if not is_complex(z.type):
        re, im = parts(w)
        return made(number(z) + re, im)
    (a, b), (c, d) = parts(z), parts(w)
    return made(a + c, b + d)


def sub(z: Value, w: Value) -> Value:
    """`z - w`."""
    if not is_complex(w.type):
        re, im = parts(z)
        return made(re - number(w), im)
    if not is_complex(z.type):
        re, im = parts(w)
        return made(number(z) - re, -im)
    (a, b), (c, d) = parts(z), parts(w)
    return made(a - c, b - d)


def neg(z: Value) -> Value:
    """`-z`."""
    a, b = parts(z)
    return made(-a, -b)


def mul(z: Value, w: Value) -> Value:
    """`z * w`: four products, and two with a real operand."""
    if not is_complex(w.type):
        z, w = w, z
    c, d = parts(w)
    if not is_complex(z.type):
        x = number(z)
        return made(x * c, x * d)
    a, b = parts(z)
    return made(a * c - b * d, a * d + b * c)


def div(z: Value, w: Value) -> Value:
    """`z / w`, by Smith's method, in which no square overflows; the bits are NumPy's."""
    if not is_complex(w.type):
        (a, b), x = parts(z), number(w)
        return made(a / x, b / x)
    if z.type.linear:  # a tangent, which is multiplied
        return mul(z, div(current_builder().lift(1.0), w))
    (a, b), (c, d) = promoted(z), parts(w)
    far = abs_(c) >= abs_(d)
    p, q = choose(far, c, d), choose(far, d, c)
    none, ratio = (c == 0.0) & (d == 0.0), q / p
    scale = 1.0 / choose(none, 0.0, p + q * ratio)
    ax = choose(none, 0.0, a * ratio)
    if not is_complex(z.type):
        return made(choose(far, a, ax) * scale, -choose(far, ax, a) * scale)
    bx = choose(none, 0.0, b * ratio)
    return made(choose(far, a + bx, ax + b) * scale, choose(far, b - ax, bx - a) * scale)


def absolute(z: Value) -> Value:
    """`abs(z)`, which does not overflow before its answer does; its derivative at 0 is 0."""
    return hypot(*parts(z))


def angle(z: Value) -> Value:
    """The angle of a number, from -pi to pi: that of a negative one is -pi where its imaginary part is -0.0."""
    re, im = promoted(z)
    return atan2(im, re)


def sign(z: Value) -> Value:
    """`z / abs(z)`, and 0 of 0."""
    (a, b), r = parts(z), absolute(z)
    none = r == 0.0
    return made(choose(none, 0.0, a / r), choose(none, 0.0, b / r))


def round_(z: Value) -> Value:
    """Each part, rounded to a whole number."""
    a, b = parts(z)
    return made(OPS["round"](a), OPS["round"](b))


def eq(z: Value, w: Value) -> Any:
    """`z == w`: both parts are."""
    (a, b), (c, d) = promoted(z), promoted(w)
    return (a == c) & (b == d)


def ne(z: Value, w: Value) -> Any:
    """`z != w`: one of the parts is."""
    (a, b), (c, d) = promoted(z), promoted(w)
    return (a != c) | (b != d)


def select(c: Value, z: Value, w: Value) -> Value:
    """The choice between two numbers of which one is complex."""
    return current_builder().emit(choose, (c, made(*promoted(z)), made(*promoted(w))))
