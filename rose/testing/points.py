"""Points and directions of any type, as host values, and what is read of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from ..ir.sizes import number
from ..ir.types import Complex, Fin, Real, Tuple, Type, Vec, as_tuple, has_complex
from ..optimise.values import bits

Draw = Callable[[random.Random], float]

SCALES: tuple[Draw, ...] = (
    lambda rng: rng.gauss(0.0, 1.0),
    lambda rng: rng.random(),
    lambda rng: rng.uniform(1.0, 4.0),
    lambda rng: rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-2, 2),
)
zero: Draw = lambda rng: 0.0
direction: Draw = lambda rng: rng.choice((-1.0, 1.0)) * rng.uniform(0.25, 1.0)


def draw(t: Type, rng: random.Random, real: Draw, like: Any = None) -> Any:
    """A random value of type `t`; its truth values and indices are those of `like`, if that is given."""
    if isinstance(t, Vec):
        return tuple([draw(t.elem, rng, real, None if like is None else like[k]) for k in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([draw(s, rng, real, None if like is None else like[k]) for k, s in enumerate(t.items)])
    if t is Real:
        return real(rng)
    if like is not None or t.empty:
        return like
    return rng.randrange(number(t.size)) if isinstance(t, Fin) else rng.random() < 0.5


def _parts_of(x: Any, t: Type) -> Iterator[tuple[Any, Type]]:
    """The parts of a vector, a tuple or a struct, with their types; of all else none."""
    if not isinstance(t, (Vec, Tuple)):
        return iter(())
    return zip(x, [t.elem] * t.size if isinstance(t, Vec) else t.items, strict=True)


def reals(x: Any, t: Type) -> Iterator[float]:
    """The Reals in a host value, in order."""
    if t is Real:
        yield x
    elif t.real:
        for y, s in _parts_of(x, t):
            yield from reals(y, s)


def cotangents(x: Any, t: Type) -> Iterator[float]:
    """The Reals in a cotangent, in order, as they meet those of a tangent: imaginary parts with the other sign."""
    if t is Complex:
        yield from (x[0], -x[1])
    elif not has_complex(t):
        yield from reals(x, t)
    else:
        for y, s in _parts_of(x, t):
            yield from cotangents(y, s)


def joined(x: Any, dx: Any, t: Type) -> Any:
    """The host value of type `Dual[t]` with primal `x` and tangent `dx`."""
    if t is Real or t is Complex:
        return (x, dx)
    return tuple([joined(y, dy, s) for (y, s), dy in zip(_parts_of(x, t), dx, strict=True)]) if t.real else x


def duals_of(x: Any, t: Type) -> Iterator[tuple[float, float]]:
    """The Duals in a host value of type `Dual[t]`, in order; two for a complex number."""
    if t is Real:
        yield x
    elif t is Complex:
        yield from zip(*x, strict=True)
    elif t.real:
        for y, s in _parts_of(x, t):
            yield from duals_of(y, s)


def tangents_in(t: Type) -> Iterator[bool]:
    """For each Real in a `Dual[t]`, in order, whether it is one of a tangent."""
    if t is Real or t is Complex:
        each = 1 if t is Real else 2
        yield from [False] * each + [True] * each
    elif t.real:
        for s in [t.elem] * t.size if isinstance(t, Vec) else as_tuple(t).items:
            yield from tangents_in(s)


def moved(x: Any, dx: Any, h: float, t: Type) -> Any:
    if t is Real:
        return x + h * dx
    return tuple([moved(y, dy, h, s) for (y, s), dy in zip(_parts_of(x, t), dx, strict=True)]) if t.real else x


def apart(x: Any, y: Any, t: Type) -> tuple[list[str | int], Any, Any, Type]:
    """The path to the first part of two host values whose bits differ, that part of each, and its type."""
    names = t.form.fields if isinstance(t, Tuple) and t.form is not None else None
    for k, ((a, s), (b, _)) in enumerate(zip(_parts_of(x, t), _parts_of(y, t), strict=True)):
        if bits(a) != bits(b):
            path, one, other, part = apart(a, b, s)
            return [k if names is None else names[k], *path], one, other, part
    return [], x, y, t


def short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
