"""Keys of JAX, and Threefry-2x32: a bijection of two words for each key, whose values look random.

Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011). A key is two words. The bits are
those of JAX's default, `jax_threefry_partitionable`: the number at a place depends on the key and the place alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

from ...frontend.arrays import joining, shaping
from ...frontend.arrays.elementwise import each
from ...frontend.function import AnyFn, make
from ...frontend.language import loops
from ...frontend.language.select import stop_gradient
from ...ir import Value, ops
from ...ir.types import Real, tuple_of
from ...random.philox import Word as Halves
from ...random.philox import added, half, xored
from ...random.reparameterisation import of_shape
from ..equations import Equation, rule
from ..jax_api import jax
from ..known_keys import PARITY, ROTATIONS
from ..operands import Operand, Word, shape_of, traced
from .whole_numbers import different, halves, joined, modulo

_WORD = (0, 2**32 - 1)


@cache
def threefry() -> AnyFn:
    """The function from the two words of a key and two words to two others: one function of a module."""

    def body(*words: Value) -> Any:
        a, b, x, y = [halves(w) for w in words]
        keys = [a, b, xored(xored(a, b), (PARITY >> 16, PARITY & 0xFFFF))]
        x, y = added(x, a), added(y, b)
        for k in range(5):
            for r in ROTATIONS[k % 2]:
                x = added(x, y)
                y = xored(_rotated(y, r), x)
            x, y = added(x, keys[(k + 1) % 3]), added(added(y, keys[(k + 2) % 3]), (0, k + 1))
        return joined(x), joined(y)

    return make(body, [Real] * 4, tuple_of(Real, Real), "threefry", ["a", "b", "x", "y"])


def _rotated(x: Halves, by: int) -> Halves:
    """The bits of a word, turned to the left."""
    high, low = x if by < 16 else (x[1], x[0])
    k = by % 16
    if not k:
        return high, low
    turned: Callable[[Any, Any], Any] = lambda a, b: half(half(a * 2**k) + b // 2 ** (16 - k))
    return turned(high, low), turned(low, high)


def _drawn(key: Any, count: int) -> Any:
    """Two words for each of the first places, a matrix of two columns."""
    return loops.vec(joining.array([*threefry()(key[0], key[1], 0.0, ops.real(i))]) for i in loops.range(count))


@rule("threefry2x32")
def _threefry2x32(e: Equation, a: Any, b: Any, x: Any, y: Any) -> list[Any]:
    shape = e.out.shape
    rows = [shaping.reshape(shaping.broadcast_to(v, shape), (-1,)) if shape else [v] for v in (a, b, x, y)]
    pairs = loops.vec(joining.array(list(threefry()(*[r[i] for r in rows]))) for i in loops.range(prod(shape)))
    made = [shaping.reshape(pairs[:, k], shape) if shape else pairs[0, k] for k in range(2)]
    return [e.remember(v, _WORD) for v in made]


@rule("random_wrap", "random_unwrap", "random_clone", raw=True)
def _same(e: Equation, key: Operand) -> Operand:
    return key


@rule("random_seed")
def _seed(e: Equation, seed: Any) -> Any:
    high = modulo(ops.floor(seed / 2.0**32), _WORD) if e.ins[0].dtype.itemsize > 4 else 0.0 * seed
    return joining.stack([high, modulo(seed, _WORD)], axis=-1)


@rule("random_fold_in")
def _fold_in(e: Equation, key: Any, data: Any) -> Any:
    folded: Callable[[Any, Any], Any] = lambda k, x: joining.array([*threefry()(k[0], k[1], 0.0, modulo(x, _WORD))])
    return _each_key(key, folded, data)


def _each_key(keys: Any, f: Callable[..., Any], *more: Any) -> Any:
    """`f` of each of an array of keys, and of what there is for each."""
    shape = shape_of(keys)
    if len(shape) == 1:
        return f(keys, *more)
    items: Callable[[Any], list[Any]] = lambda i: [x[i] if shape_of(x) else x for x in more]
    return loops.vec(_each_key(keys[i], f, *items(i)) for i in loops.range(shape[0]))


@rule("random_split")
def _split(e: Equation, key: Any) -> Any:
    shape = tuple(e.params["shape"])
    some: Callable[[Any], Any] = lambda k: shaping.reshape(_drawn(k, prod(shape)), (*shape, 2))
    return _each_key(key, some)


@rule("random_bits", raw=True, note="but of 8, 16, 32 and 64 bits")
def _bits(e: Equation, key: Operand) -> Operand:
    shape, width = tuple(e.params["shape"]), e.params["bit_width"]
    keys = traced(key)
    some: Callable[[Any], Any] = lambda k: _drawn(k, prod(shape))
    words = _each_key(keys, some)
    full = (*shape_of(keys)[:-1], *shape)
    high, low = [_of_shape(words[..., k], full) for k in range(2)]
    if width == 64:
        return Word((high, low), 64)
    mixed = different(high, low)
    return Word(mixed if width == 32 else modulo(mixed, (0, 2**width - 1)), width)


def _of_shape(x: Any, shape: tuple[int, ...]) -> Any:
    return shaping.reshape(x, shape) if shape else x[0]


@rule("random_gamma")
def _gamma(e: Equation, key: Any, a: Any) -> Any:
    """The numbers that JAX draws, which move with the shape `a` as those of `rose.random.gamma`."""
    impl, ins = e.written.primitive.impl, e.variables
    args = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in ins]
    drawn = jax.make_jaxpr(lambda k, a: impl(k, a, **e.params))(*args)
    (x,) = e.program.run(drawn, [key, stop_gradient(a)])
    if not e.params["log_space"]:
        return each(of_shape(), a, stop_gradient(x))
    in_logarithms: Callable[[Any, Any], Any] = lambda a, x: ops.log(of_shape()(a, ops.exp(x)))
    return each(in_logarithms, a, stop_gradient(x))


@rule("rng_uniform", "rng_bit_generator", note="of a key that is an argument", raw=True)
def _refused(e: Equation, *_: Operand) -> Any:
    raise e.refused("of a key that is known only when the module runs", "draw by uniform or normal numbers")
