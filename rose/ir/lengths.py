"""The Euclidean norm of an array, of which no magnitude overflows; its derivatives at 0 are 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from ..errors import Loc
from .builder import building, current_builder, deriving
from .callgraph import make_branch
from .func import Func, Origin
from .ops import max_, select, sqrt
from .sizes import Size
from .types import Fin, Real, Type, Vec, count_leaves, tangent
from .value import Value

NORM, PART = Origin("library"), Origin("library")  # of a norm, which is a length, and of what it calls
LEAST = 2.0**-100  # of a sum of squares that has lost nothing, in single precision too
NEAR = 2.0**-50  # to 1: and its reciprocal
FEW = 8  # elements that are handed on as numbers: a vector would be put into memory for it


def norm_of(x: Value) -> Value:
    """The Euclidean norm of an array of Reals."""
    return current_builder().call(_norm(x.type), (x,))


def squares(x: Value) -> Value:
    """The sum of the squares of all elements, in their order."""
    return _sum(_squared, x)


def _squared(y: Value) -> Value:
    return y * y


@cache
def _norm(t: Type) -> Func:
    """The norm of a `t`: the root of the sum of squares, or of scaled ones where that overflows or loses digits.

    The derivative by an element `y` is `y / norm(x)`: a product with the reciprocal, as there may be many elements, of
    a norm that is scaled to be near 1, as else the reciprocals of second and third derivatives would overflow. Where
    the norm is 0, it is the reciprocal of infinity: so the derivatives of all orders are 0.
    """
    at = Loc(_norm.__wrapped__.__code__, -1)  # not where it is needed first
    with building("rose.norm", NORM) as b:
        b.loc = at
        x = b.param(t, "x")
        s = squares(x)
        parts = _numbers(x)
        plain, safe = [_arm(arm, at, (s, *parts)) for arm in (_root, _scaled)]
        exact = (s >= LEAST) & (s < math.inf)
        f = b.func(b.call(make_branch("rose.norm.of", plain, safe, origin=PART), [exact, s, *parts]))
    with deriving(f, "jvp") as b:
        b.loc = at
        x, dx = b.param(t, "x"), b.param(tangent(t), "dx")
        n = b.call(f, (x,))
        scale = b.call(scaling(), (n,))
        reciprocal = 1.0 / select(n == 0.0, b.lift(math.inf), n * scale)
        slope: Callable[[Value, Value], Value] = lambda dy, y: dy * (y * scale * reciprocal)
        f.mark(jvp=b.func(b.tuple([n, _sum(slope, dx, x)])))
    return f


@cache
def scaling() -> Func:
    """From a norm to a factor that brings it near 1, if it is far from it. All derivatives are those of a constant."""
    at = Loc(_norm.__wrapped__.__code__, -1)
    with building("rose.norm.scale", PART) as b:
        b.loc = at
        n = b.param(Real, "n")
        far, inverse = (n < NEAR) | ((n > 1.0 / NEAR) & (n < math.inf)), 1.0 / n
        f = b.func(select(far, select(inverse == math.inf, b.lift(1.0 / LEAST), inverse), b.lift(1.0)))
    with deriving(f, "jvp") as b:
        b.loc = at
        n, dn = b.param(Real, "n"), b.param(tangent(Real), "dn")
        f.mark(jvp=b.func(b.tuple([b.call(f, (n,)), b.zero(dn.type)])))
    return f


def _arm(body: Callable[..., Value], at: Loc, like: Sequence[Value]) -> Func:
    with building(f"rose.norm.{body.__name__}", PART) as b:
        b.loc = at
        return b.func(body(*[b.param(v.type) for v in like]))


def _root(s: Value, *_: Value) -> Value:
    return sqrt(s)


def _scaled(_: Value, *parts: Value) -> Value:
    """The norm by way of the largest element: it overflows only if its answer does."""
    largest = total = current_builder().zero(Real)
    for x in parts:
        largest = _largest(x, largest)
    part: Callable[[Value], Value] = lambda y: _squared(y / largest)
    for x in parts:
        total = total + _sum(part, x)
    return select((largest == 0.0) | (largest == math.inf), largest, largest * sqrt(total))


def _numbers(x: Value) -> list[Value]:
    """The elements of a short array; a longer one as it is."""
    if isinstance(size := count_leaves(x.type), Size) or size > FEW:
        return [x]
    if not isinstance(x.type, Vec):
        return [x]
    b = current_builder()
    return [y for k in range(x.type.size) for y in _numbers(b.index(x, k))]


def _sum(term: Callable[..., Value], *arrays: Value) -> Value:
    """The sum of `term(y, ...)` over the elements of arrays of one shape, in their order."""
    b = current_builder()
    total = b.accum(b.zero(Real if len(arrays) == 1 else tangent(Real)))

    def add(*xs: Value) -> None:
        if not isinstance(t := xs[0].type, Vec):
            b.add_to(total, term(*xs))
            return
        with b.nested() as block:
            i = b.param(Fin(t.size))
            add(*[b.index(x, i) for x in xs])
        b.close(block, ())

    add(*arrays)
    return b.freeze(total)


def _largest(x: Value, least: Value) -> Value:
    """The largest absolute value of an element, and of `least`; nan if one is."""
    if not isinstance(x.type, Vec):
        return max_(least, abs(x))
    b = current_builder()
    each: Callable[[Value, Value], tuple[list[Value], list[Value]]] = lambda i, m: ([_largest(b.index(x, i), m)], [])
    (last,), _ = b.loop(x.type.size, each, [least])
    return last
