"""Derivatives of random programs, by every way to take them: by the compiler, and by the second semantics."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness import bits, reals
from random_programs import Program
from second_semantics import along, lift

import rose
from rose.frontend.function import Fn
from rose.ir.types import Real, Tuple, Type, Unit, Vec, tuple_of

AnyFn = Fn[..., Any]


def pulled_back(f: AnyFn) -> AnyFn:
    """The value of `f`, and its gradient in all parameters, twice from one tape."""
    grads: Type = tuple_of(*[t if t.real else Unit for t in f.types])
    grads = grads.items[0] if isinstance(grads, Tuple) and len(f.types) == 1 else grads

    def body(*args: Any) -> Any:
        *xs, ct = args
        y, pull = rose.vjp(f)(*xs)
        return y, pull(ct), pull(ct)

    return rose.fn([*f.types, f.result], tuple_of(f.result, grads, grads))(body)


def lift_all(x: Any, t: Type) -> Any:
    """A plain value, as `meaning` holds it."""
    if isinstance(t, Tuple):
        parts = [lift_all(y, s) for y, s in zip(x, t.items, strict=True)]
        return tuple(parts) if t.form is None else t.form.make(parts)
    return [lift_all(y, t.elem) for y in x] if isinstance(t, Vec) else lift(x) if t is Real else x


def twin(x: Any, d: Any, t: Type) -> Any:
    """The plain value of a `Dual[t]`."""
    if isinstance(t, Vec):
        return tuple([twin(y, e, t.elem) for y, e in zip(x, d, strict=True)])
    if isinstance(t, Tuple):
        return tuple([twin(y, e, s) for y, e, s in zip(x, d, t.items, strict=True)])
    return (x, d) if t is Real else x


def pairs(y: Any, t: Type) -> Iterator[tuple[float, float]]:
    """The pairs in the plain value of a `Dual[t]`."""
    if isinstance(t, Vec):
        for z in y:
            yield from pairs(z, t.elem)
    elif isinstance(t, Tuple):
        for z, s in zip(y, t.items, strict=True):
            yield from pairs(z, s)
    elif t is Real:
        yield y


def gradients(g: Any, types: Sequence[Type]) -> Iterator[float]:
    for x, t in zip([g] if len(types) == 1 else g, types, strict=True):
        if t.real:
            yield from reals(x, t)


def mixed(xs: Any, t: Type) -> Any:
    """A cotangent of a `t`, of numbers that depend on `xs`."""
    rng = random.Random(repr(bits(xs)))

    def value(t: Type) -> Any:
        if isinstance(t, Vec):
            return tuple([value(t.elem) for _ in range(t.size)])
        if isinstance(t, Tuple):
            return tuple([value(s) for s in t.items])
        return rng.uniform(-1.0, 1.0) if t is Real else None if t is Unit else rng.randrange(getattr(t, "size", 2)) \
            if hasattr(t, "size") else False  # fmt: skip

    return value(t)


def inner(xs: Any, ys: Any) -> float:
    return math.fsum([x * y for x, y in zip(xs, ys, strict=True)])


def size(xs: Any, ys: Any) -> float:
    return math.fsum([abs(x * y) for x, y in zip(xs, ys, strict=True)])


def close(x: float, y: float, scale: float = 0.0, to: float = 1e-9) -> None:
    assert abs(x - y) <= to * (1.0 + scale + max(abs(x), abs(y))), (x, y)


# compositions


def direction(k: int, n: int) -> list[float]:
    return [math.cos(1.7 * k + 0.9 * j) for j in range(n)]


def forwards(f: AnyFn, u: Sequence[float]) -> AnyFn:
    n = len(u)
    return rose.fn([Vec(n, Real)], Real)(
        lambda x: rose.jvp(f)([rose.Dual(x[k], u[k]) for k in range(n)]).du
    )  # fmt: skip


def backwards(f: AnyFn, u: Sequence[float]) -> AnyFn:
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(lambda x: rose.dot(rose.grad(f)(x), rose.constant(t, u)))


def linearized(f: AnyFn, u: Sequence[float]) -> AnyFn:
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(lambda x: rose.linearize(f)(x)[1](rose.constant(t, u)))


def by_hvp(f: AnyFn, u: Sequence[float]) -> AnyFn:
    """The value along a gradient that is itself taken with a loop: `value_and_grad`, in the middle of a trace."""
    t = Vec(len(u), Real)
    return rose.fn([t], Real)(
        lambda x: rose.sum(rose.value_and_grad(f)(x)[1][i] * rose.constant(t, u)[i] for i in rose.range(len(u)))
    )


WAYS = {"j": forwards, "v": backwards, "l": linearized, "g": by_hvp}


def steps(f: Any, u: Sequence[float]) -> Callable[..., Any]:
    """The derivative of a meaning along `u`."""
    return type(f)(lambda x: along(f, [x], [[lift(y) for y in u]])[1], f.types, Real)


def flat(main: Any, module: Any, p: Program, n: int) -> Any:
    """`main` from a vector of all its Reals to one: the sum of its Reals, each with a weight."""

    def body(x: Any) -> Any:
        it = iter(range(n))
        args = [rebuilt(a, t, lambda: x[next(it)]) for a, t in zip(p.args[0], p.types, strict=True)]
        out = [z * math.cos(k) for k, z in enumerate(parts(main(*args), p.result))]
        return sum(out[1:], out[0]) if out else x[0] * 0.0

    return module.fn([Vec(n, Real)], Real)(body)


def rebuilt(x: Any, t: Type, leaf: Callable[[], Any]) -> Any:
    if isinstance(t, Tuple):
        items = [rebuilt(y, s, leaf) for y, s in zip(x, t.items, strict=True)]
        return tuple(items) if t.form is None else t.form.make(items)
    return [rebuilt(y, t.elem, leaf) for y in x] if isinstance(t, Vec) else leaf() if t is Real else x


def parts(y: Any, t: Type) -> Iterator[Any]:
    """The Reals of what a program gives, traced or not."""
    if isinstance(t, Vec):
        for k in range(t.size if t.real else 0):
            yield from parts(y[k], t.elem)
    elif isinstance(t, Tuple):
        items = y if t.form is None else t.form.read(y)
        for z, s in zip(items, t.items, strict=True):
            yield from parts(z, s)
    elif t is Real:
        yield y
