"""Functions of four numbers of 32 bits, which musl computes in 64 bits: in halves, of two numbers each.

They are musl's (`NOTICE` has its authors): the same operations in the same order, with constants that are read from its
tables, so the bits of the function for one number. Where a lane is no ordinary argument, all are left to that.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from rose.ir.libm.library import library

from ..binary.encoder import instruction
from ..binary.shapes import F32X4, F64X2
from .all_ways import Vector, Writer, integers, size_of

_EXP, _LOG = "__exp2f_data", "__logf_data"


def _constants(table: str, first: int, n: int) -> tuple[float, ...]:
    """Numbers of a table, from an offset on."""
    return struct.unpack_from(f"<{n}d", library().data[table].content, first)


def _in_halves(w: Writer, half: Callable[[int], Vector]) -> Vector:
    """Numbers of 32 bits of two halves, of two numbers of 64 bits each."""
    low, high = [w.let(half(k)).code + instruction("f32x4.demote_f64x2_zero") for k in (0, 1)]
    return Vector(low + high + F32X4.halves(0), F32X4)


def _wide(x: Vector, half: int, mnemonic: str) -> Vector:
    """Two lanes as numbers of 64 bits."""
    code = x.code if half == 0 else x.code + x.code + F32X4.halves(1)
    return Vector(code + instruction(mnemonic), F64X2)


def expf(w: Writer, x: Vector) -> Vector:
    w.leave(size_of(x).below(88.0).instruction("v128.not"))
    return _in_halves(w, lambda half: _exponential(w, w.let(_wide(x, half, "f64x2.promote_low_f32x4"))))


def _exponential(w: Writer, x: Vector) -> Vector:
    """A power of 2 of a table, times a polynomial of what is left."""
    shift, inverse, third, second, first = _constants(_EXP, 288, 5)
    turns = w.let(x * inverse)
    shifted = w.let(turns + shift)
    r = w.let(turns - (shifted - shift))
    entry = w.let((shifted & integers(F64X2, 31)) << 3)
    powers = b""
    for lane, put in enumerate((instruction("i64x2.splat"), instruction("i64x2.replace_lane", 1))):
        at = entry.code + instruction("i32x4.extract_lane", 2 * lane)
        powers += at + instruction("i64.load", w.linked.address[_EXP]) + put
    p = (r * third + second) * (r * r) + (r * first + 1.0)
    return p * Vector(powers, F64X2).of_integers("add", shifted << 47)


def logf(w: Writer, x: Vector) -> Vector:
    w.leave((x.from_(2.0**-126) & x.below(math.inf)).instruction("v128.not"))
    above = w.let(x.of_integers("sub", integers(F32X4, 0x3F330000)))
    exponent = w.let(above.shifted("shr_s", 23))
    fraction = w.let(x.of_integers("sub", above & integers(F32X4, 0xFF800000)))
    entry = w.let(above.shifted("shr_u", 15) & integers(F32X4, 0xF0))

    def half(k: int) -> Vector:
        rows = [
            w.let(Vector(
                entry.code + instruction("i32x4.extract_lane", 2 * k + lane)
                + instruction("v128.load", w.linked.address[_LOG]), F64X2,
            ))
            for lane in (0, 1)
        ]  # fmt: skip
        inverse, logarithm = [
            Vector(rows[0].code + rows[1].code + order, F64X2) for order in (F64X2.even(), F64X2.odd())
        ]
        return _logarithm(
            w, _wide(fraction, k, "f64x2.promote_low_f32x4") * inverse,
            _wide(exponent, k, "f64x2.convert_low_i32x4_s"), logarithm,
        )  # fmt: skip

    return _in_halves(w, half)


def _logarithm(w: Writer, quotient: Vector, exponent: Vector, logarithm: Vector) -> Vector:
    """That of the entry of a table and of 2, and a polynomial of what is left."""
    ln2, third, second, first = _constants(_LOG, 256, 4)
    r = w.let(quotient + -1.0)
    square = w.let(r * r)
    p = square * third + (r * second + first)
    return p * square + (exponent * ln2 + logarithm + r)


FORMS = {"expf": expf, "logf": logf}
