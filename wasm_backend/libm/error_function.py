"""The error function of four numbers of 32 bits: of each way of musl's, the lanes that go it.

The operations are musl's in their order, with constants that are read from its code (`NOTICE` has its authors): so the
bits of the function for one number. Of 64 bits there is none: two lanes take 0.7 to 1.2 times as long as one after the
other, since a processor guesses the way of most numbers, and each way waits for its sums one by one.
"""

from __future__ import annotations

import math

from rose.ir.libm.decode import decode
from rose.ir.libm.library import library

from ..binary.shapes import F32X4
from .all_ways import Vector, Writer, choose, integers, polynomial, sign_of, size_of


def _constants(name: str) -> list[float]:
    """The numbers in the code of a function, in order."""
    _, code = decode(library().functions[name], library().opcodes)
    found = [i.immediates[0] for i in code if i.mnemonic == "f32.const"]
    return [x for x in found if isinstance(x, float)]


def erff(w: Writer, given: Vector) -> Vector:
    near, far = _constants("erff"), _constants("erff.erfc2")
    size = w.let(size_of(given))
    w.leave((size.below(2.0**-28) & size.of("ne", 0.0)) | size.below(math.inf).instruction("v128.not"))
    x = w.let(size.of("min", 6.0))  # where it is 1
    first, second = w.let(x.below(0.84375)), w.let(x.below(1.25))
    large = choose(second, 1.25, x)
    found = w.chosen([
        (first, lambda: _near(w, x, near)),
        (second.instruction("v128.andnot", first), lambda: 1.0 - _around_1(w, x, far)),
        (second.instruction("v128.not"), lambda: 1.0 - _complement(w, w.let(large), far)),
    ])  # fmt: skip
    return found | sign_of(given)


def _near(w: Writer, x: Vector, of: list[float]) -> Vector:
    z = w.let(x * x)
    return x * (polynomial(z, *of[4:9]) / polynomial(z, *of[9:15])) + x


def _around_1(w: Writer, x: Vector, of: list[float]) -> Vector:
    """What it lacks to 1, below 1.25."""
    s = w.let(x + of[1])
    return of[0] - polynomial(s, *of[2:9]) / polynomial(s, *of[9:16])


def _complement(w: Writer, x: Vector, of: list[float]) -> Vector:
    """What it lacks to 1, from 1.25 on."""
    z = w.let(x & integers(F32X4, 0xFFFFE000))
    tail = w.let(w.call("expf", -0.5625 - z * z))  # first, as a processor does what follows meanwhile
    s = w.let(1.0 / (x * x))
    middle = w.let(x.below(float.fromhex("0x1.6db6dap+1")))
    ratio = w.chosen([
        (middle, lambda: polynomial(s, *of[25:33]) / (s * polynomial(s, *of[17:25]) + 1.0)),
        (middle.instruction("v128.not"), lambda: polynomial(s, *of[40:47]) / (s * polynomial(s, *of[33:40]) + 1.0)),
    ])  # fmt: skip
    return w.call("expf", (z - x) * (x + z) + ratio) * tail / x


FORMS = {"erff": erff}
