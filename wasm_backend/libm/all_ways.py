"""Functions for a vector of numbers whose ordinary arguments go several ways: each lane takes its own of all of them.

They are musl's (`NOTICE` has its authors): the same operations in the same order for each way, so the bits of the
function for one number. What the ways have in common is computed once, with what a way has of its own chosen in each
lane before: `expm1` of a number that needs no reduction is that of one reduced by 0, `tanh` has one division, and the
multiple of pi/2 that is taken off an angle is a number, not a branch. Where a lane goes none of these ways, `leave`
sends all to the function for one number. `tanh` is one text for two numbers of 64 bits, and four of 32. Measured
(`python -m benchmarks.lanes`): `tanh` takes 0.57 of the time of one after the other, `sin` and `cos` 0.3 to 0.5.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ..binary.encoder import LOCAL_GET, OPCODES, V128, Code, instruction
from ..binary.shapes import F32X4, F64X2, Shape


class Linked(Protocol):
    """The linked library: the functions for one number, those for a vector, and the addresses of data."""

    index: dict[str, int]
    address: dict[str, int]

    def twice(self, name: str, /) -> int: ...


class Vector:
    """The code that computes the numbers of a vector, or masks; as integers they are what their bits are."""

    def __init__(self, code: bytes, shape: Shape = F64X2) -> None:
        self.code, self.shape = code, shape

    def __add__(self, y: Operand) -> Vector:
        return self.of("add", y)

    def __radd__(self, x: float) -> Vector:
        return self.constant(x).of("add", self)

    def __sub__(self, y: Operand) -> Vector:
        return self.of("sub", y)

    def __rsub__(self, x: float) -> Vector:
        return self.constant(x).of("sub", self)

    def __mul__(self, y: Operand) -> Vector:
        return self.of("mul", y)

    def __truediv__(self, y: Operand) -> Vector:
        return self.of("div", y)

    def __rtruediv__(self, x: float) -> Vector:
        return self.constant(x).of("div", self)

    def __and__(self, y: Operand) -> Vector:
        return self.instruction("v128.and", y)

    def __or__(self, y: Operand) -> Vector:
        return self.instruction("v128.or", y)

    def __xor__(self, y: Operand) -> Vector:
        return self.instruction("v128.xor", y)

    def __lshift__(self, n: int) -> Vector:
        return self.shifted("shl", n)

    def shifted(self, name: str, n: int) -> Vector:
        return Vector(self.code + instruction("i32.const", n) + instruction(f"{self.shape.ints}.{name}"), self.shape)

    def below(self, y: Operand) -> Vector:
        return self.of("lt", y)

    def from_(self, y: Operand) -> Vector:
        """Where `y` is not below it."""
        return self.operand(y).of("le", self)

    def of(self, name: str, *others: Operand) -> Vector:
        """An operation on numbers."""
        return self.instruction(f"{self.shape.floats}.{name}", *others)

    def of_integers(self, name: str, *others: Operand) -> Vector:
        return self.instruction(f"{self.shape.ints}.{name}", *others)

    def instruction(self, mnemonic: str, *others: Operand) -> Vector:
        code = b"".join([self.code, *[self.operand(x).code for x in others], instruction(mnemonic)])
        return Vector(code, self.shape)

    def operand(self, x: Operand) -> Vector:
        return x if isinstance(x, Vector) else self.constant(x)

    def constant(self, x: float) -> Vector:
        return Vector(self.shape.constant(x), self.shape)


Operand = Vector | float


def integers(shape: Shape, n: int) -> Vector:
    """An integer in each lane."""
    return Vector(OPCODES["v128.const"][0] + n.to_bytes(shape.bytes, "little") * shape.lanes, shape)


def choose(mask: Vector, x: Operand, y: Operand) -> Vector:
    return mask.operand(x).instruction("v128.bitselect", y, mask)


def _double(bits: int) -> float:
    return struct.unpack("<d", bits.to_bytes(8, "little"))[0]


def _begins(upper: int) -> float:
    """The least number that begins with these 32 bits: musl compares no more."""
    return _double(upper << 32)


def size_of(x: Vector) -> Vector:
    """The bits of it."""
    return x & Vector(x.shape.no_sign, x.shape)


def sign_of(x: Vector) -> Vector:
    return x & -0.0


def polynomial(x: Vector, first: float, *others: float) -> Vector:
    """By Horner's rule, the highest power first."""
    total = x * first + others[0]
    for a in others[1:]:
        total = x * total + a
    return total


_ONE, _TWO = _double(1), _double(2)  # integers
_ROUND = 1.5 * 2.0**52  # added to a number it rounds it, to an integer in the lower bits
_hex = float.fromhex
_TURNS, _PI, _REST_OF_PI = _hex("0x1.45f306dc9c883p-1"), _hex("0x1.921fb54400000p+0"), _hex("0x1.0b4611a626331p-34")


class Hyperbolic(NamedTuple):
    """The constants of `tanh` and `expm1`."""

    near: float  # below this it is that of a negative number
    far: float  # from here on it is 1 less what is left
    most: float  # from which on it is 1
    reduced: float  # from here on multiples of ln 2 are taken off
    inverse: float
    ln2: float
    rest: float
    odd: tuple[float, ...]
    places: int  # of a fraction
    bias: float  # added to an exponent it makes that of a number, in the lower bits
    whole: float  # exponents below this leave the fraction of 1


_HYPERBOLIC = {
    F64X2: Hyperbolic(
        _begins(0x3FD058AF), _begins(0x3FE193EB), 40.0, _begins(0x3FD62E43), _hex("0x1.71547652b82fep+0"),
        _hex("0x1.62e42fee00000p-1"), _hex("0x1.a39ef35793c76p-33"),
        tuple([_hex(x) for x in (
            "-0x1.afdb76e09c32dp-23", "0x1.0cfca86e65239p-18", "-0x1.4ce199eaadbb7p-14", "0x1.a01a019fe5585p-10",
            "-0x1.11111111110f4p-5", "0x1p+0",
        )]), 52, _ROUND + 1023, 20.0,
    ),
    F32X4: Hyperbolic(
        _hex("0x1.058af2p-2"), _hex("0x1.193eaap-1"), 20.0, _hex("0x1.62e432p-2"), _hex("0x1.715476p+0"),
        _hex("0x1.62e3p-1"), _hex("0x1.2fefa2p-17"),
        tuple([_hex(x) for x in ("0x1.9e602p-10", "-0x1.1110dp-5", "0x1p+0")]), 23, 1.5 * 2.0**23 + 127, 23.0,
    ),
}  # fmt: skip
_SIN = [_hex(x) for x in (
    "0x1.5d93a5acfd57cp-33", "-0x1.ae5e68a2b9cebp-26", "0x1.71de357b1fe7dp-19", "-0x1.a01a019c161d5p-13",
    "0x1.111111110f8a6p-7", "-0x1.5555555555549p-3",
)]  # fmt: skip
_COS = [_hex(x) for x in (
    "-0x1.8fae9be8838d4p-37", "0x1.1ee9ebdb4b1c4p-29", "-0x1.27e4f809c52adp-22", "0x1.a01a019cb1590p-16",
    "-0x1.6c16c16c15177p-10", "0x1.555555555554cp-5",
)]  # fmt: skip


class Writer:
    """Writes one of the functions: its method `name` has its result for the numbers of a vector."""

    def __init__(self, c: Code, linked: Linked) -> None:
        self.c, self.linked = c, linked

    def let(self, x: Vector) -> Vector:
        """Compute numbers that are read more than once."""
        k = self.c.local(V128)
        self.c.emit(x.code)
        self.c.set(k)
        return Vector(LOCAL_GET[k], x.shape)

    def leave(self, mask: Vector) -> None:
        """Leave the block around, if a lane is to be computed elsewhere."""
        self.c.emit(mask.code)
        self.c("v128.any_true")
        self.c("br_if", 0)

    def chosen(self, ways: Sequence[tuple[Vector, Callable[[], Vector]]]) -> Vector:
        """What each way makes of the lanes of its mask, which is computed if there are any."""
        k = self.c.local(V128)
        for mask, way in ways:
            self.c.emit(mask.code)
            self.c("v128.any_true")
            self.c("if")
            self.c.emit(choose(mask, way(), Vector(LOCAL_GET[k], mask.shape)).code)
            self.c.set(k)
            self.c("end")
        return Vector(LOCAL_GET[k], ways[0][0].shape)

    def call(self, name: str, x: Vector) -> Vector:
        """A function for the numbers of a vector."""
        return Vector(x.code + instruction("call", self.linked.twice(name)), x.shape)

    # hyperbolic

    def tanh(self, given: Vector) -> Vector:
        of = _HYPERBOLIC[given.shape]
        size = self.let(size_of(given))
        far = self.let(size.from_(of.far))
        twice = self.let((size + size).of("min", of.most))
        t = self.let(self.expm1(choose(size.below(of.near), twice ^ -0.0, twice), of))
        ratio = self.let(choose(far, 2.0, size_of(t)) / (t + 2.0))
        return size_of(choose(far, 1.0 - ratio, ratio)) | sign_of(given)

    def expm1(self, given: Vector, of: Hyperbolic) -> Vector:
        """From -0.5 to 40: `2**k * (1 + p) - 1`, where `p` is that of what is left without `k * ln 2`."""
        x = self.let(given)
        far = size_of(x).from_(of.reduced)
        k = self.let((x * of.inverse + (sign_of(x) | 0.5)).of("trunc") & far)
        high, low = self.let(x + k * -of.ln2), self.let(k * of.rest)
        x = self.let(high - low)
        rest = self.let(high - x - low)
        half = self.let(x * 0.5)
        square = self.let(x * half)
        r = self.let(polynomial(square, *of.odd))
        t = self.let(3.0 - r * half)
        e = square * ((r - t) / (6.0 - x * t))
        e = self.let(x * (e - rest) - rest - square)
        power, inverse = (k + of.bias) << of.places, self.let((of.bias - k) << of.places)
        usual = choose(k.below(of.whole), (1.0 - inverse) + (x - e), x - (e + inverse) + 1.0) * power
        return choose(k.of("eq", 1.0) & x.below(-0.25), (e - (x + 0.5)) * -2.0, usual)

    # trigonometric

    def sin(self, given: Vector) -> Vector:
        multiple, sine, cosine = self.turned(given)
        found = choose(_is_odd(multiple), cosine, sine) ^ ((multiple & _TWO) << 62)
        return choose(size_of(given).below(_begins(0x3E500000)), given, found)

    def cos(self, given: Vector) -> Vector:
        multiple, sine, cosine = self.turned(given)
        return choose(_is_odd(multiple), sine, cosine) ^ ((multiple.of_integers("add", _ONE) & _TWO) << 62)

    def turned(self, given: Vector) -> tuple[Vector, Vector, Vector]:
        """How often pi/2 is to be taken off an angle, in the lower bits; sine and cosine of what is left."""
        turns = self.let(given * _TURNS)
        multiple = self.let(turns + _ROUND)
        n = self.let(multiple - _ROUND)
        high, low = self.let(given + n * -_PI), self.let(n * _REST_OF_PI)
        x = self.let(high - low)
        moved = self.let(n.of("ne", 0.0))
        self.leave(self.unusual(given, turns - n, x, moved))
        rest = self.let(high - x - low)
        z = self.let(x * x)
        return multiple, self.sine(x, rest, z, moved), self.cosine(x, rest, z)

    def unusual(self, given: Vector, off: Vector, x: Vector, moved: Vector) -> Vector:
        """Where musl may take off another multiple, or needs more bits of pi: beside odd multiples of pi/4 and those of
        pi/2, and far away; and what is not a number."""
        size = self.let(size_of(given))
        odd = size_of(off).from_(0.49999)
        return odd | (size_of(x).below(size * 2.0**-16) & moved) | size.below(1e5).instruction("v128.not")

    def sine(self, x: Vector, rest: Vector, z: Vector, moved: Vector) -> Vector:
        """There are two ways: that without a rest rounds otherwise."""
        cube = self.let(z * x)
        r = self.let(z * (z * z) * polynomial(z, *_SIN[:2]) + polynomial(z, *_SIN[2:5]))
        other = x - (z * (rest * 0.5 - r * cube) - rest + cube * -_SIN[5])
        return self.let(choose(moved, other, cube * (z * r + _SIN[5]) + x))

    def cosine(self, x: Vector, rest: Vector, z: Vector) -> Vector:
        half, square = self.let(z * 0.5), self.let(z * z)
        w = self.let(1.0 - half)
        r = z * polynomial(z, *_COS[3:]) + square * square * polynomial(z, *_COS[:3])
        return self.let(w + (1.0 - w - half + (z * r - x * rest)))


def _is_odd(n: Vector) -> Vector:
    return (n & _ONE).of_integers("ne", 0.0)


FORMS = {"tanh": Writer.tanh, "tanhf": Writer.tanh, "sin": Writer.sin, "cos": Writer.cos}
