"""Lengths, which have a kink at 0, and products of them, which are smooth there: `norm`, and `product`.

A length is what `abs`, `hypot` or `norm` gives. Its derivative at 0 is 0 by convention, so by the product rule the
second derivative of its square would be 0 there, too. Hence a product in which a length stands twice, such as
`norm(x) * norm(x)` or `k * n * n`, has the derivatives of the sum of squares: those of `dot(x, x)` and `k * dot(x, x)`.
Its value is that of the product, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from ..errors import Loc
from .builder import PURE_CALL, Builder, building, current_builder, deriving
from .callgraph import make_branch
from .func import Func, Origin
from .ops import abs_, div, hypot, max_, mul, neg, select, sqrt
from .sizes import Size
from .types import Fin, Real, Type, Vec, count_leaves, tangent
from .value import Value

NORM, PART = Origin("library"), Origin("library")  # of a norm, which is a length, and of what it calls
LEAST = 2.0**-100  # of a sum of squares that has lost nothing, in single precision too
NEAR = 2.0**-50  # to 1: and its reciprocal
LONGEST = 16  # factors of a product among which a length is looked for
SMOOTH = "rose.smooth"  # the function that gives a value another derivative
FEW = 8  # elements that are handed on as numbers: a vector would be put into memory for it


# norm


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
        scale = b.call(_scale(), (n,))
        reciprocal = 1.0 / select(n == 0.0, b.lift(math.inf), n * scale)
        slope: Callable[[Value, Value], Value] = lambda dy, y: dy * (y * scale * reciprocal)
        f.jvp = b.func(b.tuple([n, _sum(slope, dx, x)]))
    return f


@cache
def _scale() -> Func:
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
        f.jvp = b.func(b.tuple([b.call(f, (n,)), b.zero(dn.type)]))
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


# products of lengths


def product(b: Builder, x: Value, y: Value) -> Value | None:
    """`x * y` as one smooth expression, if the same length is a factor of both; else None."""
    n = _length_in(x)
    if n is None or _length_in(y) is not n:
        return None
    smooth = _instead(y, n, _instead(x, n, _square(n)))
    if n.op is abs_ and x is n and y is n:
        return smooth  # which has the same bits
    return b.call(_smooth(), (b.emit(mul, (x, y)), smooth))


def _length_in(v: Value) -> Value | None:
    """The length that is a factor of `v`, in the first place of quotients and in either of products; None without."""
    for _ in range(LONGEST):
        if v.op is mul:
            v = v.args[1] if _is_length(v.args[1]) else v.args[0]
        elif v.op is div or v.op is neg:
            v = v.args[0]
        else:
            break
    return v if _is_length(v) else None


def _is_length(v: Value) -> bool:
    return v.op is abs_ or v.op is hypot or (v.op is PURE_CALL and v.attr.origin is NORM)


def _square(n: Value) -> Value:
    if n.op is PURE_CALL:
        return squares(n.args[0])
    return n.args[0] * n.args[0] if n.op is abs_ else n.args[0] * n.args[0] + n.args[1] * n.args[1]


def _instead(v: Value, n: Value, s: Value) -> Value:
    """`v` with `s` in the place of its factor `n`."""
    steps: list[Value] = []
    while v is not n:
        steps.append(v)
        v = v.args[1] if v.op is mul and v.args[1] is n else v.args[0]
    for step in reversed(steps):
        if step.op is neg:
            s = -s
        elif step.op is div:
            s = s / step.args[1]
        else:
            s = s * step.args[0 if step.args[1] is n else 1]
    return s


@cache
def _smooth() -> Func:
    """From a value and a second one, which is equal but for rounding: the first, with the derivatives of the second."""
    at = Loc(product.__code__, -1)
    with building(SMOOTH, PART) as b:
        b.loc = at
        value, _ = b.param(Real, "x"), b.param(Real, "y")
        f = b.func(value)
    with deriving(f, "jvp") as b:
        b.loc = at
        x, _, y, dy = [b.param(t) for t in (Real, tangent(Real), Real, tangent(Real))]
        f.jvp = b.func(b.tuple([b.call(f, (x, y)), dy]))
    return f
