"""Keys: where random numbers come from. Nothing about a key is secret."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import OutOfRange, TypeMismatch, argument, edge, here
from ..frontend.arrays.shapes import size_given
from ..frontend.function import AnyFn, make
from ..frontend.language import loops
from ..frontend.typed import Array
from ..ir import Value, shown
from ..ir.types import Fin, Vec
from ..ir.value import host_index
from .philox import KEY, block, half, halves

if TYPE_CHECKING:
    Key: TypeAlias = Array
else:
    Key = KEY

_MOST = 2**31  # numbers of one key


@edge
def key(seed: int) -> tuple[int, ...]:
    """The key for a seed, a whole number from 0 to `2 ** 64 - 1`: four indices below 65,536, a `Key`."""
    k = host_index(seed)
    at = here().narrow(argument(0, "seed", 1))
    if k is None or isinstance(seed, bool):
        hint = "write rose.random.key(0); rose.random.fold_in(key, i) makes one of an index"
        raise TypeMismatch(f"a seed is an integer, not {shown(seed)}", at, hint)
    if not 0 <= k < 2**64:
        raise OutOfRange(f"a seed is from 0 to 2 ** 64 - 1, not {shown(seed)}", at, "write another integer")
    return (*halves(k >> 32), *halves(k & 0xFFFFFFFF))


@edge
def fold_in(key: Key, i: int | Value) -> Any:
    """Another key, by an index: that of an iteration, or an integer from 0 to `2 ** 31 - 1`."""
    t = i.type if isinstance(i, Value) else Fin(_MOST)
    return _folded(t if isinstance(t, Fin) else Fin(_MOST))(key, i)


@edge
def split(key: Key, count: int = 2) -> Any:
    """So many keys as one has made: `split(key, n)[i]` is `fold_in(key, i)`."""
    return _split(size_given(count, "rose.random.split"))(key)


@cache
def _folded(t: Fin) -> AnyFn:
    return make(_other, [KEY, t], KEY, "fold_in", ["key", "i"])


@cache
def _split(n: int) -> AnyFn:
    def body(key: Value) -> Value:
        return loops.vec(_other(key, i) for i in loops.range(n))

    return make(body, [KEY], Vec(n, KEY), "split", ["key"])


def _other(key: Value, i: Value | int) -> Any:
    made = drawn(key, i, 0, 1)
    return [made[k] for k in range(4)]


def drawn(key: Value, i: Value | int, attempt: Value | int = 0, use: int = 0) -> Any:
    """The block at an index: that of an attempt, for one use of the key, each of which has others."""
    return block()(key, (half(i // 2**16), half(i), half(0), half(attempt), half(0), half(use), half(0), half(0)))
