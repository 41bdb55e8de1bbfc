"""Philox-4x32-10: a bijection of counters for each key, whose values look random.

Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011). A counter has four words, a key two.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..frontend.function import AnyFn, make
from ..frontend.language import control
from ..frontend.values import to_value
from ..ir import Value
from ..ir.ops import ihigh, ilow, ixor
from ..ir.sizes import at_most
from ..ir.types import Fin, Tuple, Vec

HALF = Fin(2**16)
KEY = Vec(4, HALF)
COUNTER = Tuple((HALF,) * 8)
ROUNDS = 10

Block = tuple[Value, ...]  # of four words, or a counter: eight halves
Word = tuple[Any, Any]  # the high and the low half

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_INCREMENTS = (0x9E3779B9, 0xBB67AE85)  # of the key: the golden ratio, and the square root of 3 less 1


def halves(word: int) -> tuple[int, int]:
    return word >> 16, word & 0xFFFF


def half(i: Value | int) -> Value:
    """An index, of Python or traced, as a half: what is left of it, where it may be too large."""
    large = isinstance(i, Value) and isinstance(i.type, Fin) and not at_most(i.type.size, HALF.size)
    return to_value(i % HALF.size if large else i, HALF)


@cache
def block() -> AnyFn:
    """The function from a key and a counter to a block, of eight halves: one function of a module."""

    def body(key: Value, counter: Block) -> Any:
        words = [half(counter[k]) for k in range(8)]
        state = control.scan(lambda _, s: _round(s), (*words, *[key[k] for k in range(4)]), ROUNDS)
        return tuple(state[k] for k in range(8))

    return make(body, [KEY, COUNTER], COUNTER, "philox", ["key", "counter"])


def _round(s: tuple[Value, ...]) -> Any:
    """One round, with the key for the next."""
    c = [(s[2 * k], s[2 * k + 1]) for k in range(6)]
    (high0, low0), (high1, low1) = [_product(c[2 * k], halves(m)) for k, m in enumerate(_MULTIPLIERS)]
    after = xored(xored(high1, c[1]), c[4]), low1, xored(xored(high0, c[3]), c[5]), low0
    keys = [added(c[4 + k], halves(n)) for k, n in enumerate(_INCREMENTS)]
    return tuple(x for word in (*after, *keys) for x in word)


def xored(x: Word, y: Word) -> Word:
    """The bits in which two words differ."""
    return ixor(x[0], half(y[0])), ixor(x[1], half(y[1]))


def added(x: Word, y: Word) -> Word:
    """The sum, modulo 2 ** 32."""
    low = x[1] + half(y[1])
    return half(x[0] + half(y[0]) + low // 2**16), half(low)


def _product(x: Word, y: Word) -> tuple[Word, Word]:
    """The high and the low word of a product, from those of the halves."""
    (a, b), (c, d) = x, [half(k) for k in y]
    second = ihigh(b, d) + ilow(a, d) + ilow(b, c)
    third = ihigh(a, d) + ihigh(b, c) + ilow(a, c) + second // 2**16
    first = ihigh(a, c) + third // 2**16
    return (half(first), half(third)), (half(second), ilow(b, d))
