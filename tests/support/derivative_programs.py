"""Functions of many types to differentiate, and their derivatives, compiled and interpreted."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from harness import same

import rose
from rose import Bool, Dual, Fin, Real, Unit, Vec
from rose.host.marshal import plain
from rose.ir.types import tuple_of
from tests.programs.test_inventory import both

R2, R3 = Vec[2], Vec[3]
R23 = Vec[2, R3]


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Mixed:
    """A struct of which some members have no derivative."""

    on: Bool
    v: R2
    k: Fin[3]
    note: Unit


class Pair(NamedTuple):
    first: Point
    second: R2


def everywhere(g: Any, *args: Any) -> Any:
    """The value of `g`: outside of a trace, compiled, interpreted, and in a trace of another function."""
    value = both(g, *args)
    t = g.result
    inside = rose.fn(g.types, t)(lambda *xs: g(*xs))
    for other in (g(*args), both(inside, *args)):
        assert same(plain(other, t), plain(value, t))
    return value


def gradients(f: Any) -> Any:
    """The type of what `vjp(f)(...).grad` gives."""
    each = [t if t.real else Unit for t in f.types]
    return each[0] if len(each) == 1 else tuple_of(*each)


def pulled(f: Any, xs: Sequence[Any], *cts: Any) -> Any:
    """The value of `f`, and what each cotangent is pulled back to, on one tape: outside of a trace, and in one."""
    n, t = len(f.types), tuple_of(f.result, *[gradients(f)] * len(cts))

    def body(*given: Any) -> Any:
        y, pullback = rose.vjp(f)(*given[:n])
        return y, *[pullback(ct) for ct in given[n:]]

    inside = both(rose.fn([*f.types, *[f.result] * len(cts)], t)(body), *xs, *cts)
    outside = rose.vjp(f)(*xs)
    assert same(plain((outside.ret, *[outside.grad(ct) for ct in cts]), t), plain(inside, t))
    return inside


def close(x: Any, y: Any, tolerance: float) -> bool:
    """Do two numbers agree, or two lists of numbers, or of lists?"""
    if isinstance(x, float):
        return math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance)
    return all(close(a, b, tolerance) for a, b in zip(x, y, strict=True))


@rose.fn
def square(x: Real) -> Real:
    return x * x


@rose.fn
def cube(x: Real) -> Real:
    return x * x * x


@rose.fn
def times(x: Real, y: Real) -> Real:
    return x * y


@rose.fn
def squares(v: R3) -> R3:
    return rose.vec(v[i] ** 2 for i in rose.range(3))


@rose.fn
def norm2(v: R3) -> Real:
    return rose.sum(v[i] ** 2 for i in rose.range(3))


@rose.fn
def mirror(p: Point) -> Point:
    return Point(p.x * p.y, p.x - p.y)


@rose.fn
def weigh(s: Mixed, w: Real) -> Mixed:
    return Mixed(~s.on, [w * s.v[0], s.v[1] ** 2], s.k, s.note)


@rose.fn
def pick(v: R3, i: Fin[3], on: Bool, w: Real) -> Real:
    return rose.select(on, v[i] * w, 0.0)


@rose.fn
def mix(x: Real, v: R2, i: Fin[2], p: Point) -> Real:
    return x * v[i] + x**2 * p.x - p.y


MIX = 3, [5, 7], 1, Point(11, 13)


@rose.fn
def swapped(p: Point) -> Point:
    return Point(p.y, p.x)


@rose.opaque(name="Math.sin", pure=True)
def sin(x: Real) -> Real:
    return math.sin(x)


@rose.opaque(name="Math.cos", pure=True)
def cos(x: Real) -> Real:
    return math.cos(x)


sin.jvp(lambda x: Dual(sin(x.re), x.du * cos(x.re)))
cos.jvp(lambda x: Dual(cos(x.re), x.du * -sin(x.re)))


def along(f: Any, xs: Sequence[Any], *dxs: Sequence[Any]) -> Any:
    """`linearize` at a point, along several tangents: outside of a trace, and in one."""
    n, real = len(f.types), [t for t in f.types if t.real]
    y, slope = rose.linearize(f)(*xs)
    outside = y, *[slope(*dx) for dx in dxs]
    t = tuple_of(*[f.result] * (1 + len(dxs)))

    def body(*given: Any) -> Any:
        y, slope = rose.linearize(f)(*given[:n])
        rest = given[n:]
        return y, *[slope(*rest[k * len(real) : (k + 1) * len(real)]) for k in range(len(dxs))]

    inside = both(rose.fn([*f.types, *real * len(dxs)], t)(body), *xs, *[x for dx in dxs for x in dx])
    assert same(plain(outside, t), plain(inside, t))
    return inside
