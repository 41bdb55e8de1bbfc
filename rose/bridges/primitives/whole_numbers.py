"""Whole numbers: what wraps, and their bits.

A whole number is a Real, or an index of the language, which is faster where it is one. Of 32 bits and fewer it wraps as
JAX's does, unless its range says that it cannot. Of 64 bits it is exact below `2 ** 53`. The bits of a number are seen
through its halves, indices below 65,536.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...frontend.arrays.elementwise import each
from ...frontend.index_expressions import within as limited
from ...frontend.language import control
from ...frontend.language.select import where
from ...frontend.values import to_value
from ...ir import Value, ops
from ...ir.types import Real
from ..equations import EXACT, Aval, Equation, limits, rule
from ..operands import Known, Operand, Range, Word, traced

_HALF = 2.0**16


def is_bool(a: Aval) -> bool:
    return a.dtype.kind == "b"


def wrapped(e: Equation, x: Any, ranges: Callable[..., Range | None], *operands: Any) -> Any:
    """The result `x` of an operation on whole numbers, of whose ranges `ranges` gives that of the result."""
    if e.out.dtype.kind not in "iu":
        return x
    within = limits(e.out.dtype)
    known = [_range(e, v, k) for k, v in enumerate(operands)]
    found = None if None in known else ranges(*known)
    if found is not None and (within is None or (within[0] <= found[0] and found[1] <= within[1])):
        return e.remember(x, found)
    return x if within is None else e.remember(modulo(x, within), within)


# ranges of results, of those of operands


def sums(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def differences(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def negatives(a: Range) -> Range:
    return -a[1], -a[0]


def maxima(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), max(a[1], b[1])


def minima(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), min(a[1], b[1])


def same(a: Range) -> Range:
    return a


def _range(e: Equation, v: Any, k: int) -> Range | None:
    if isinstance(v, (bool, int, float)):
        return int(v), int(v)
    return None if v is None else e.range_of(v, e.ins[k])


def modulo(x: Any, within: Range) -> Any:
    """The number of a range that differs from `x` by a multiple of its length."""
    low, length = float(within[0]), float(within[1] - within[0] + 1)
    return x - length * ops.floor((x - low) / length)


@rule("integer_pow", "square")
def _integer_pow(e: Equation, x: Any) -> Any:
    n = e.params.get("y", 2)
    if e.kind not in "iu":
        return x**n if n != 2 else x * x
    power = x
    for _ in range(n - 1):
        power = _mul(e, power, x)
    return power if n else 0.0 * x + 1.0


@rule("mul")
def _mul(e: Equation, x: Any, y: Any) -> Any:
    if e.out.dtype.kind not in "iu":
        return x * y
    a, b, within = _range(e, x, 0), _range(e, y, -1), limits(e.out.dtype)
    ends = None if a is None or b is None else [p * q for p in a for q in b]
    if ends is not None and (within is None or (within[0] <= min(ends) and max(ends) <= within[1])):
        return e.remember(x * y, (min(ends), max(ends)))
    if within is None:
        return x * y
    if ends is not None and max(map(abs, ends)) < 2**53:
        return e.remember(modulo(x * y, within), within)
    high = ops.floor(x / _HALF)  # in halves, of which all products are exact
    return e.remember(modulo(modulo(high * y, within) * _HALF % 2.0**32 + (x - high * _HALF) * y, within), within)


_BITS: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
}  # fmt: skip


@rule("and", "or", "xor", raw=True, note="known numbers and random bits of more than 53 bits")
def _bits(e: Equation, x: Operand, y: Operand) -> Operand:
    if is_bool(e.out):
        return _BITS[e.name](traced(x), traced(y))
    if y.__class__ is Word or x.__class__ is Known:
        x, y = y, x
    if e.name == "or" and x.__class__ is Word and y.__class__ is Known and y.array.size == 1 and not x.top:
        top = int(y.array.flat[0])
        if top % 2**x.bits == 0:
            return Word(x.low, x.bits, top)
    if any(map(_beyond, (x, y))):
        raise e.refused("the bits of numbers of 64 bits are not all there", "use numbers of 32 bits")
    if e.name == "and" and y.__class__ is Known and y.array.ndim == 0 and _are_ones(int(y.array)):
        within = 0, int(y.array)
        return e.remember(modulo(traced(x), within), within)
    single: Callable[[Any, Any], Any] = lambda a, b: _word(e, _of_halves(e.name, _unsigned(e, a), _unsigned(e, b)))
    double: Callable[[Any, Any], Any] = lambda a, b: _of_words(e, to_value(a, Real), to_value(b, Real))
    return each(double if e.out.dtype.itemsize > 4 else single, traced(x), traced(y))


def _beyond(x: Operand) -> bool:
    """True of numbers with bits that a Real does not hold."""
    if x.__class__ is Word:
        return max(x.bits, x.top.bit_length()) > EXACT
    return x.__class__ is Known and bool((abs(x.array.astype(float)) > 2.0**EXACT).any())


def _are_ones(mask: int) -> bool:
    return mask > 0 and mask & (mask + 1) == 0


def _of_words(e: Equation, x: Any, y: Any) -> Any:
    """An operation on the bits of two numbers of 64 bits, of which each is exact: by their words."""
    a, b = ops.floor(x * 2.0**-32), ops.floor(y * 2.0**-32)
    low = _of_halves(e.name, x - a * 2.0**32, y - b * 2.0**32)
    high = _of_halves(e.name, modulo(a, (0, 2**32 - 1)), modulo(b, (0, 2**32 - 1)))
    return (modulo(high, (-(2**31), 2**31 - 1)) if e.kind == "i" else high) * 2.0**32 + low


@rule("not")
def _not(e: Equation, x: Any) -> Any:
    if is_bool(e.out):
        return ~x
    return -1.0 - x if e.kind == "i" else float(2 ** (8 * e.out.dtype.itemsize) - 1) - x


@rule("shift_left", "shift_right_logical", "shift_right_arithmetic", raw=True, note="by a distance that is not known")
def _shift(e: Equation, x: Operand, by: Operand) -> Operand:
    bits = 8 * e.out.dtype.itemsize
    if by.__class__ is not Known or not by.array.size or (by.array != by.array.flat[0]).any():
        raise e.refused("the distance is known only when the module runs", "shift by a number that Python knows")
    k = int(by.array.flat[0])
    if not 0 <= k < bits:
        raise e.refused(f"a distance of {k} in numbers of {bits} bits", "shift by less")
    if e.name == "shift_right_logical" and x.__class__ is Word and not x.top and k < x.bits:
        return Word(_moved(x.low, k), x.bits - k)
    if bits > 32 and x.__class__ is Word:
        raise e.refused("the bits of numbers of 64 bits are not all there", "use numbers of 32 bits")
    v, within = traced(x), limits(e.out.dtype)
    if e.name == "shift_left":
        return v * 2.0**k if within is None else e.remember(modulo(v * 2.0**k, within), within)
    if e.name == "shift_right_logical" and e.kind == "i":
        v = modulo(v, (0, 2**bits - 1)) if within is not None else v
    shifted = ops.floor(v * 2.0**-k)
    least, most = within or (-(2**53), 2**53)
    natural = e.kind == "u" or e.name == "shift_right_logical"
    return e.remember(shifted, (0 if natural else least >> k, most >> k))


def _moved(low: Any, k: int) -> Any:
    """The bits of a word, moved to the right."""
    if low.__class__ is not tuple:
        return ops.floor(low * 2.0**-k)
    high, low = low
    if k >= 32:
        return 0.0 * low, ops.floor(high * 2.0 ** (32 - k))
    above = ops.floor(high * 2.0**-k)
    return above, ops.floor(low * 2.0**-k) + (high - above * 2.0**k) * 2.0 ** (32 - k)


@rule("bitcast_convert_type", raw=True, note="but for fractions from 1 to below 2, and signs of whole numbers")
def _bitcast(e: Equation, x: Operand) -> Operand:
    to, bits = e.out.dtype, 8 * e.out.dtype.itemsize
    if to.kind in "iu" and e.kind in "iu" and bits == 8 * e.ins[0].dtype.itemsize:
        within = limits(to)
        return traced(x) if within is None else e.remember(modulo(traced(x), within), within)
    fraction = {32: 23, 64: 52}.get(bits, 0)
    if to.kind == "f" and x.__class__ is Word and 0 < x.bits <= fraction:
        exponent = (x.top >> fraction) - (127 if bits == 32 else 1023)
        return (1.0 + (x.number + float(x.top % 2**fraction)) * 2.0**-fraction) * 2.0**exponent
    raise e.refused("the bits of a number that is computed are not seen", "write it with arithmetic")


@rule("population_count", "clz", raw=True)
def _counts(e: Equation, x: Operand) -> Any:
    if _beyond(x):
        raise e.refused("the bits of numbers of 64 bits are not all there", "use numbers of 32 bits")
    bits = 8 * e.out.dtype.itemsize
    of: Callable[[Any], Any] = lambda v: _counted(e, to_value(v, Real), bits)
    return e.remember(each(of, traced(x)), (0, bits))


def _counted(e: Equation, x: Any, bits: int) -> Any:
    """How many bits of a number are set, or how many zeros are before the first."""
    if bits > 32:
        high = ops.floor(x * 2.0**-32)
        above, below = _counted(e, high, 32), _counted(e, x - high * 2.0**32, 32)
        return above + below if e.name == "population_count" else above + where(above < 32.0, 0.0, below)
    v = modulo(x, (0, 2**bits - 1))
    ones = e.name == "population_count"

    def step(_: Any, state: Any) -> Any:
        rest, count = state
        return ops.floor(rest / 2.0), count + rest % 2.0 if ones else count - where(rest > 0.0, 1.0, 0.0)

    return control.scan(step, (v, 0.0 if ones else float(bits)), bits)[1]


# bits of one number


def _unsigned(e: Equation, x: Any) -> Any:
    v = to_value(x, Real)
    return modulo(v, (0, 2**32 - 1)) if e.kind == "i" else v


def _word(e: Equation, x: Any) -> Any:
    within = limits(e.out.dtype)
    return modulo(x, within) if e.kind == "i" and within is not None else x


def _of_halves(name: str, x: Any, y: Any) -> Value:
    """An operation on the bits of two words, by `ixor` of their halves: `x & y` is half of `x + y - (x ^ y)`."""
    differing = _differing(x, y)
    if name == "xor":
        return differing
    return (x + y - differing) * 0.5 if name == "and" else (x + y + differing) * 0.5


def _differing(x: Any, y: Any) -> Any:
    a, b = halves(x), halves(y)
    return joined((ops.ixor(a[0], b[0]), ops.ixor(a[1], b[1])))


def different(x: Any, y: Any) -> Any:
    """The bits in which words differ: two, or those of arrays."""
    return each(_differing, x, y)


def halves(x: Any) -> tuple[Value, Value]:
    """The high and the low half of a word."""
    high = ops.floor(x / _HALF)
    return limited(ops.itrunc(high), 2**16), limited(ops.itrunc(x - high * _HALF), 2**16)


def joined(word: tuple[Value, Value]) -> Any:
    return ops.real(word[0]) * _HALF + ops.real(word[1])
