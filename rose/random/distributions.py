"""Numbers of a key, by their places: none depends on how many others there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sized
from functools import cache
from typing import Any

from ..errors import OutOfRange, TypeMismatch, argument, edge, here
from ..frontend.arrays.order import argsort
from ..frontend.arrays.reductions import argmax
from ..frontend.arrays.shapes import Shape, ShapeLike, array_type, shape_given, size_given
from ..frontend.function import AnyFn, make
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select, stop_gradient
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, ops
from ..ir.sizes import Size
from ..ir.types import Bool, Fin, Real, Type, Vec
from .keys import Key, drawn
from .philox import HALF, KEY, Block, half
from .reparameterisation import of_shape

Draw = Callable[..., Any]  # of a key, a place and parameters: the number there


@edge
def uniform(key: Key, shape: ShapeLike = (), low: float | Array = 0.0, high: float | Array = 1.0) -> Any:
    """Numbers from `low` to below `high`, all of 53 bits alike; one, or an array of that shape.

    As in all of these functions, the number at a place, counted in a row, depends on the key and the place alone.
    """
    return low + _array(_uniform, (Real,), "uniform", shape)(key) * (high - low)


@edge
def normal(key: Key, shape: ShapeLike = ()) -> Any:
    """Numbers of the standard normal distribution; `mean + deviation * normal(key)` has derivatives by both."""
    return _array(_normal, (Real,), "normal", shape)(key)


@edge
def bernoulli(key: Key, p: float | Value = 0.5, shape: ShapeLike = ()) -> Any:
    """Truth values, each true with the probability `p`."""
    return _array(_bernoulli, (Bool, Real), "bernoulli", shape)(key, p)


@edge
def integers(key: Key, n: int, shape: ShapeLike = ()) -> Any:
    """Indices below `n`, of type `Fin[n]`, all alike to a part in `2 ** 53 / n`."""
    size = size_given(n, "rose.random.integers")
    if size == 0:
        at = here().narrow(argument(1, "n", 2, 3))
        raise OutOfRange("rose.random.integers: there is no index below 0", at, "write a number above 0")
    return _array(_integer, (Fin(size),), "integers", shape)(key)


@edge
def gamma(key: Key, a: float | Value, shape: ShapeLike = ()) -> Any:
    """Numbers of the gamma distribution of shape `a`, above 0, and scale 1; of another `a` they are nan.

    Their derivatives by `a` are those of a number whose place in the distribution stays the same: of implicit
    reparameterisation (Figurnov, Mohamed and Mnih, 2018), to 1e-13. The mean of those of `f(gamma(key, a))` is the
    derivative of its expectation. They are not differences of two draws, which may differ in what was rejected.
    """
    return _array(_gamma, (Real, Real), "gamma", shape)(key, a)


@edge
def categorical(key: Key, logits: ArrayLike) -> Any:
    """An index of a vector, each with a probability in proportion to `exp(logits[i])`."""
    t = logits.type if isinstance(logits, Value) else None
    n = t.size if isinstance(t, Vec) else len(logits) if t is None and isinstance(logits, Sized) else None
    if n is None or (n.__class__ is int and n == 0):
        at = here().narrow(argument(1, "logits", 2))
        raise TypeMismatch("rose.random.categorical takes a vector of numbers, one for each index", at, "give a Vec[n]")
    return _categorical(n)(key, logits)


@edge
def permutation(key: Key, n: int) -> Any:
    """The indices below `n`, a `Vec[n, Fin[n]]`, in an order of which all are alike."""
    return _permutation(size_given(n, "rose.random.permutation"))(key)


# arrays


def _array(draw: Draw, types: tuple[Type, ...], name: str, shape: ShapeLike) -> AnyFn:
    return _drawn(draw, types, name, shape_given(shape, f"rose.random.{name}"))


@cache
def _drawn(draw: Draw, types: tuple[Type, ...], name: str, shape: Shape) -> AnyFn:
    """The function from a key, and numbers, to the array of draws. `types` are those of the result and of these."""
    leaf, *given = types

    def body(key: Value, *xs: Value) -> Value:
        return _filled(shape, 0, lambda i: draw(leaf, key, i, *xs))

    names = ["key", *[("a" if name == "gamma" else "p") for _ in given]]
    return make(body, [KEY, *given], array_type(shape, leaf), name, names)


def _filled(shape: Shape, at: Value | int, draw: Callable[[Any], Any]) -> Value:
    """An array of draws, of which the first is at a place."""
    if not shape:
        return draw(at)
    n, *rest = shape
    return loops.vec(_filled(tuple(rest), at * n + i, draw) for i in loops.range(n))


# one number


def _word(block: Block, k: int) -> Value:
    """Word `k` of a block, as a number."""
    return ops.real(block[2 * k]) * 2.0**16 + ops.real(block[2 * k + 1])


def _fraction(block: Block, k: int) -> Value:
    """The 53 bits of two words, from word `k` on, as a number from 0 to below 1."""
    high, low = ops.floor(_word(block, k) * 2.0**-5), ops.floor(_word(block, k + 1) * 2.0**-6)
    u = (high * 2.0**26 + low) * 2.0**-53
    return select(u < 1.0, u, 0.0)  # in single precision, the last of them is rounded


def _bell(block: Block) -> Value:
    """A normal number, of a block (Box and Muller)."""
    radius = ops.sqrt(-2.0 * ops.log(1.0 - _fraction(block, 0)))
    return radius * ops.cos(2.0 * math.pi * _fraction(block, 2))


def _uniform(_: Type, key: Value, i: Value | int) -> Value:
    return _fraction(drawn(key, i), 0)


def _normal(_: Type, key: Value, i: Value | int) -> Value:
    return _bell(drawn(key, i))


def _bernoulli(_: Type, key: Value, i: Value | int, p: Value) -> Value:
    return _fraction(drawn(key, i), 0) < p


def _integer(t: Type, key: Value, i: Value | int) -> Value:
    assert isinstance(t, Fin)
    return within(ops.itrunc(_fraction(drawn(key, i), 0) * t.size), t.size)


def _gamma(_: Type, key: Value, i: Value | int, a: Value) -> Value:
    """Marsaglia and Tsang, A simple method for generating gamma variables (2000)."""
    shape, a = a, stop_gradient(a)
    small = a < 1.0
    d = select(small, a + 1.0, a) - 1.0 / 3.0
    c = 1.0 / ops.sqrt(9.0 * d)

    def attempt(s: dict[str, Any]) -> Any:
        z = _bell(drawn(key, i, s["attempt"], 2))
        v = (1.0 + c * z) * (1.0 + c * z) * (1.0 + c * z)
        u = 1.0 - _fraction(drawn(key, i, s["attempt"], 3), 0)
        found = (v > 0.0) & (ops.log(u) < 0.5 * z * z + d - d * v + d * ops.log(v))
        return {"attempt": (s["attempt"] + 1) % HALF.size, "found": found, "v": v}

    start = {"attempt": half(0), "found": False, "v": math.nan}
    known = (a > 0.0) & (a < math.inf)
    s = control.while_loop(lambda s: ~s["found"] & known, attempt, start)
    u = 1.0 - _fraction(drawn(key, i, 0, 4), 0)
    return of_shape()(shape, select(known, d * s["v"] * select(small, ops.pow_(u, 1.0 / a), 1.0), math.nan))


# others


@cache
def _categorical(n: int | Size) -> AnyFn:
    """By the largest of the sums of the logits and numbers of Gumbel's distribution."""

    def body(key: Value, logits: Value) -> Value:
        return argmax(loops.vec(logits[i] - ops.log(-ops.log(1.0 - _uniform(Real, key, i))) for i in loops.range(n)))

    return make(body, [KEY, Vec(n, Real)], Fin(n), "categorical", ["key", "logits"])


@cache
def _permutation(n: int | Size) -> AnyFn:
    def body(key: Value) -> Value:
        return argsort(loops.vec(_uniform(Real, key, i) for i in loops.range(n)))

    return make(body, [KEY], Vec(n, Fin(n)), "permutation", ["key"])
