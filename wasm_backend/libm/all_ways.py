"""Functions for two numbers at once whose ordinary arguments go several ways: each lane takes its own of all of them.

They are musl's (`NOTICE` has its authors): the same operations in the same order for each way, so the bits of the
function for one number. What the ways have in common is computed once, with what a way has of its own chosen in each
lane before: `expm1` of a number that needs no reduction is that of one reduced by 0, `tanh` has one division, and the
multiple of pi/2 that is taken off an angle is a number, not a branch. Where a lane goes none of these ways, `leave`
sends both to the function for one number. Measured (`python -m benchmarks.lanes`): `tanh` takes 0.57 of the
time of one after the other, `sin` and `cos` 0.3 to 0.5.
"""

from __future__ import annotations

import struct

from ..binary.encoder import LOCAL_GET, V128, Code, instruction


class Vector:
    """The code that computes two numbers, or two masks; as integers they are what their bits are."""

    def __init__(self, code: bytes) -> None:
        self.code = code

    def __add__(self, y: Operand) -> Vector:
        return _of("f64x2.add", self, y)

    def __radd__(self, x: float) -> Vector:
        return _of("f64x2.add", x, self)

    def __sub__(self, y: Operand) -> Vector:
        return _of("f64x2.sub", self, y)

    def __rsub__(self, x: float) -> Vector:
        return _of("f64x2.sub", x, self)

    def __mul__(self, y: Operand) -> Vector:
        return _of("f64x2.mul", self, y)

    def __truediv__(self, y: Operand) -> Vector:
        return _of("f64x2.div", self, y)

    def __and__(self, y: Operand) -> Vector:
        return _of("v128.and", self, y)

    def __or__(self, y: Operand) -> Vector:
        return _of("v128.or", self, y)

    def __xor__(self, y: Operand) -> Vector:
        return _of("v128.xor", self, y)

    def __lshift__(self, n: int) -> Vector:
        return Vector(self.code + instruction("i32.const", n) + instruction("i64x2.shl"))

    def below(self, y: Operand) -> Vector:
        return _of("f64x2.lt", self, y)


Operand = Vector | float


def _of(mnemonic: str, *operands: Operand) -> Vector:
    return Vector(b"".join([*map(_code, operands), instruction(mnemonic)]))


def _code(x: Operand) -> bytes:
    return x.code if isinstance(x, Vector) else instruction("v128.const", x, x)


def _choose(mask: Vector, x: Operand, y: Operand) -> Vector:
    return _of("v128.bitselect", x, y, mask)


def _double(bits: int) -> float:
    return struct.unpack("<d", bits.to_bytes(8, "little"))[0]


def _begins(upper: int) -> float:
    """The least number that begins with these 32 bits: musl compares no more."""
    return _double(upper << 32)


def _polynomial(x: Vector, first: float, *others: float) -> Vector:
    """By Horner's rule, the highest power first."""
    total = x * first + others[0]
    for a in others[1:]:
        total = x * total + a
    return total


_SIGN, _SIZE = _double(1 << 63), _double((1 << 63) - 1)  # the bits of it
_ONE, _TWO = _double(1), _double(2)  # integers
_ROUND = 1.5 * 2.0**52  # added to a number it rounds it, to an integer in the lower bits
_hex = float.fromhex
_INVERSE, _LN2, _REST = _hex("0x1.71547652b82fep+0"), _hex("0x1.62e42fee00000p-1"), _hex("0x1.a39ef35793c76p-33")
_TURNS, _PI, _REST_OF_PI = _hex("0x1.45f306dc9c883p-1"), _hex("0x1.921fb54400000p+0"), _hex("0x1.0b4611a626331p-34")
_EXPM1 = [_hex(x) for x in (
    "-0x1.afdb76e09c32dp-23", "0x1.0cfca86e65239p-18", "-0x1.4ce199eaadbb7p-14", "0x1.a01a019fe5585p-10",
    "-0x1.11111111110f4p-5", "0x1p+0",
)]  # fmt: skip
_SIN = [_hex(x) for x in (
    "0x1.5d93a5acfd57cp-33", "-0x1.ae5e68a2b9cebp-26", "0x1.71de357b1fe7dp-19", "-0x1.a01a019c161d5p-13",
    "0x1.111111110f8a6p-7", "-0x1.5555555555549p-3",
)]  # fmt: skip
_COS = [_hex(x) for x in (
    "-0x1.8fae9be8838d4p-37", "0x1.1ee9ebdb4b1c4p-29", "-0x1.27e4f809c52adp-22", "0x1.a01a019cb1590p-16",
    "-0x1.6c16c16c15177p-10", "0x1.555555555554cp-5",
)]  # fmt: skip


class Writer:
    """Writes one of the functions: its method `name` has its result for two numbers."""

    def __init__(self, c: Code) -> None:
        self.c = c

    def let(self, x: Vector) -> Vector:
        """Compute two numbers that are read more than once."""
        k = self.c.local(V128)
        self.c.emit(x.code)
        self.c.set(k)
        return Vector(LOCAL_GET[k])

    def leave(self, mask: Vector) -> None:
        """Leave the block around, if a lane is to be computed elsewhere."""
        self.c.emit(mask.code)
        self.c("v128.any_true")
        self.c("br_if", 0)

    # hyperbolic

    def tanh(self, given: Vector) -> Vector:
        size = self.let(given & _SIZE)
        far = self.let(_of("f64x2.le", _begins(0x3FE193EB), size))
        twice = self.let(_of("f64x2.min", size + size, 40.0))
        t = self.let(self.expm1(_choose(size.below(_begins(0x3FD058AF)), twice ^ _SIGN, twice)))
        ratio = self.let(_choose(far, 2.0, t & _SIZE) / (t + 2.0))
        return (_choose(far, 1.0 - ratio, ratio) & _SIZE) | (given & _SIGN)

    def expm1(self, given: Vector) -> Vector:
        """From -0.5 to 40: `2**k * (1 + p) - 1`, where `p` is that of what is left without `k * ln 2`."""
        x = self.let(given)
        far = _of("f64x2.le", _begins(0x3FD62E43), x & _SIZE)
        k = self.let(_of("f64x2.trunc", x * _INVERSE + (x & _SIGN | 0.5)) & far)
        high, low = self.let(x + k * -_LN2), self.let(k * _REST)
        x = self.let(high - low)
        rest = self.let(high - x - low)
        half = self.let(x * 0.5)
        square = self.let(x * half)
        r = self.let(_polynomial(square, *_EXPM1))
        t = self.let(3.0 - r * half)
        e = square * ((r - t) / (6.0 - x * t))
        e = self.let(x * (e - rest) - rest - square)
        power, inverse = (k + (_ROUND + 1023)) << 52, self.let((_ROUND + 1023 - k) << 52)
        usual = _choose(k.below(20.0), (1.0 - inverse) + (x - e), x - (e + inverse) + 1.0) * power
        return _choose(_of("f64x2.eq", k, 1.0) & x.below(-0.25), (e - (x + 0.5)) * -2.0, usual)

    # trigonometric

    def sin(self, given: Vector) -> Vector:
        multiple, sine, cosine = self.turned(given)
        found = _choose(_is_odd(multiple), cosine, sine) ^ ((multiple & _TWO) << 62)
        return _choose((given & _SIZE).below(_begins(0x3E500000)), given, found)

    def cos(self, given: Vector) -> Vector:
        multiple, sine, cosine = self.turned(given)
        return _choose(_is_odd(multiple), sine, cosine) ^ ((_of("i64x2.add", multiple, _ONE) & _TWO) << 62)

    def turned(self, given: Vector) -> tuple[Vector, Vector, Vector]:
        """How often pi/2 is to be taken off an angle, in the lower bits; sine and cosine of what is left."""
        turns = self.let(given * _TURNS)
        multiple = self.let(turns + _ROUND)
        n = self.let(multiple - _ROUND)
        high, low = self.let(given + n * -_PI), self.let(n * _REST_OF_PI)
        x = self.let(high - low)
        moved = self.let(_of("f64x2.ne", n, 0.0))
        self.leave(self.unusual(given, turns - n, x, moved))
        rest = self.let(high - x - low)
        z = self.let(x * x)
        return multiple, self.sine(x, rest, z, moved), self.cosine(x, rest, z)

    def unusual(self, given: Vector, off: Vector, x: Vector, moved: Vector) -> Vector:
        """Where musl may take off another multiple, or needs more bits of pi: beside odd multiples of pi/4 and those of
        pi/2, and far away; and what is not a number."""
        size = self.let(given & _SIZE)
        odd = _of("f64x2.le", 0.49999, off & _SIZE)
        return odd | ((x & _SIZE).below(size * 2.0**-16) & moved) | _of("v128.not", size.below(1e5))

    def sine(self, x: Vector, rest: Vector, z: Vector, moved: Vector) -> Vector:
        """There are two ways: that without a rest rounds otherwise."""
        cube = self.let(z * x)
        r = self.let(z * (z * z) * _polynomial(z, *_SIN[:2]) + _polynomial(z, *_SIN[2:5]))
        other = x - (z * (rest * 0.5 - r * cube) - rest + cube * -_SIN[5])
        return self.let(_choose(moved, other, cube * (z * r + _SIN[5]) + x))

    def cosine(self, x: Vector, rest: Vector, z: Vector) -> Vector:
        half, square = self.let(z * 0.5), self.let(z * z)
        w = self.let(1.0 - half)
        r = z * _polynomial(z, *_COS[3:]) + square * square * _polynomial(z, *_COS[:3])
        return self.let(w + (1.0 - w - half + (z * r - x * rest)))


def _is_odd(n: Vector) -> Vector:
    return _of("i64x2.ne", n & _ONE, 0.0)


FORMS = {"tanh": Writer.tanh, "sin": Writer.sin, "cos": Writer.cos}
