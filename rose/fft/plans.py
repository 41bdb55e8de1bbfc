"""How a transform of each size is done: by stages of which radices, or by a convolution of a friendlier size."""

from __future__ import annotations

from functools import cache

# what decides between algorithms: nanoseconds for each number, measured in wasmtime on sizes from 100 to 65,536
OF_RADIX = {2: 0.9, 3: 1.7, 4: 1.2, 5: 2.0}  # a stage of each whose butterfly is written out
OF_OTHER = 0.8  # a stage of another radix, for each unit of it
AROUND = 8.0  # the products and tables of a convolution
_FIRST = (4, 2, 3, 5)  # fours first, as a modulus that is a power of 2 costs nothing
_ODD = (1, 3, 5, 9, 15, 25, 27)  # factors of friendly sizes


@cache
def radices(n: int) -> tuple[int, ...]:
    """The factors of `n` in the order of their stages; each but 4 is a prime number."""
    found: list[int] = []
    r = 7
    for p in _FIRST:
        while n % p == 0:
            found.append(p)
            n //= p
    while n > 1:
        if r * r > n:
            r = n
        if n % r:
            r += 2
            continue
        found.append(r)
        n //= r
    return tuple(found)


def cost(n: int) -> float:
    """What the stages of a transform of `n` numbers cost."""
    return n * sum([OF_RADIX.get(r, OF_OTHER * r) for r in radices(n)])


@cache
def friendly(least: int) -> int:
    """The size of at least so many numbers whose transform costs least."""
    return min([odd << (-(-least // odd) - 1).bit_length() for odd in _ODD], key=cost)


@cache
def convolution(n: int) -> int | None:
    """The size of the convolution that makes a transform of `n` numbers; None where its own stages cost less."""
    if all([r in OF_RADIX for r in radices(n)]):
        return None
    m = friendly(2 * n - 1)
    return m if 3.0 * cost(m) + AROUND * m < cost(n) else None
