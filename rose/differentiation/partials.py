# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false
"""All mixed partial derivatives of one order, each once: by jets along lines, and interpolation.

The derivative of order k along a line is a homogeneous polynomial of degree k in the line's direction, and the partial
derivatives are its coefficients. So it is found along as many lines as it has coefficients, those to the points with
whole coordinates of sum k, and interpolated. (A. Griewank, J. Utke, A. Walther: Evaluating higher derivative tensors by
forward propagation of univariate Taylor series, Math. Comp. 69, 2000.) Between the points of some variables alone
stand the derivatives by just these; so one matrix serves all choices of as many variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from .. import ir
from ..autodiff.jvp import interleaved
from ..errors import OutOfRange, TypeMismatch, edge, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked, make
from ..frontend.language import accumulators, loops
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Builder, Value
from ..ir.sizes import Size, plus, quotient, times
from ..ir.types import Fin, Real, Tuple, Type, Vec, count_reals, map_leaves
from ..ir.value import host_index
from ..taylor_mode.jets import further, shaped
from ..taylor_mode.jets import jet as on_series
from .arguments import Argnums, check_reals, positions, real_result
from .flatten import Path, build, place
from .jets import checked_order
from .linear_map import LinearMap

_At = Callable[[Value], Value]  # what there is for a line, by its number

MOST = 10_000  # partial derivatives: the tables of so many take some 100 kB of a module


@of_any_size
def derivatives(f: AnyFn, k: int, argnums: Argnums = 0) -> AnyFn:
    """All mixed partial derivatives of order `k`, of which no two are equal by symmetry, by jets.

    For each Real in the result of `f` it gives a `Vec[C(n + k - 1, k)]`, where the parameters of `argnums` have `n`
    Reals, which are numbered in order. That by the variables `a <= b <= c` stands at `partial_index(a, b, c)`: first
    those by the first variable alone, then those that the second one adds, and so on; of order 2 the lower triangle
    of the Hessian, row by row. What is no Real is in the result as it was.

    It takes as many jets of order `k` as there are derivatives, 10,000 at most; `k` is an integer from 1 on.
    """
    f, order = checked(f, "derivatives"), checked_order(k, "derivatives")
    at, result = positions(f, argnums, "derivatives"), real_result(f, "derivatives")
    check_reals(f, at, "derivatives")
    lin = LinearMap(f, at)
    n = sum([count_reals(lin.types[j]) for j in at])
    count = _count(n, order)
    if count.__class__ is int and count > MOST:
        what = (
            f"{f.name} has {count:,} partial derivatives of order {order}, and rose.derivatives gives {MOST:,} at most"
        )
        raise OutOfRange(what, here(), "take those along the vectors that you need, by rose.directional")

    def body(*args: Any) -> Any:
        if isinstance(n, Size):
            what = f"rose.derivatives takes a number of variables that is known, not {n!r}"
            raise TypeMismatch(what, here(), "compile it for a size: f.at(n=3)")
        b, xs = ir.current_builder(), lin.arguments(args)
        d = on_series(lin.primal_func, order, lin.mask, here())
        value: Callable[[], Value] = lambda: b.call(lin.primal_func, xs)
        if d.flat:
            return view(_each(b, result, value(), lambda _: value(), lambda _: b.zero(Vec(count, Real))))

        def along(i: Value) -> Value:
            """The coefficient of order k along line number `i`."""
            dxs = _line(b, lin.types, at, _direction(i, n, order), order)
            beside = [dxs[j] if j in dxs else b.zero(further(xs[j].type, order)) for j in lin.moving]
            out = b.get(b.call(d.func, interleaved(xs, beside, lin.mask)), 1)
            return shaped(b, result, lambda c: b.index(c, order - 1), out)

        lines = b.vec(count, along)
        leaf: Callable[[_At], Value] = lambda of: _interpolated(b, b.vec(count, of), n, order)
        return view(_each(b, result, value(), lambda i: b.index(lines, i), leaf))

    each = map_leaves(result, lambda t: Vec(count, Real) if t is Real else t)
    return make(body, f.types, each, f"derivatives({f.name}, {order})", f.names)


@edge
def partial_index(*variables: int) -> int:
    """The place of a mixed partial derivative among those that `derivatives` gives, by its variables in any order.

    `partial_index(0, 2)` is the place of `d^2 f / dx0 dx2`, and `partial_index(1, 1, 1)` that of `d^3 f / dx1^3`. It
    depends on the order alone, and not on how many variables there are.
    """
    given = [host_index(v) for v in variables]
    for v, k in zip(variables, given, strict=True):
        if k is None or k < 0:
            what = f"rose.partial_index takes the numbers of variables, from 0, not {ir.shown(v)}"
            kind = TypeMismatch if k is None else OutOfRange
            raise kind(what, here(), "write rose.partial_index(0, 2) for the derivative by x[0] and x[2]")
    return sum([math.comb(k + t, t + 1) for t, k in enumerate(sorted([k for k in given if k is not None]))])


def _count(n: Any, order: int) -> Any:
    """The number of monomials of a degree in `n` variables; of a size, a size."""
    rising: Any = 1
    for k in range(order):
        rising = times(rising, plus(n, k))
    return quotient(rising, math.factorial(order))


# lines


def _all_variables(n: int, order: int) -> list[tuple[int, ...]]:
    """The variables of each partial derivative, in order of their places."""
    return sorted(combinations_with_replacement(range(n), order), key=lambda v: v[::-1])


def _direction(i: Value, n: int, order: int) -> Any:
    """The direction of line number `i`, a vector of whole numbers without a common divisor."""
    b, variables = ir.current_builder(), _all_variables(n, order)
    steps = view(to_value(variables, Vec(len(variables), Vec(order, Fin(n)))))
    divisors = [float(math.gcd(*[v.count(a) for a in v])) for v in variables]
    whole = accumulators.accum(b.zero(Vec(n, Real)))
    for t in loops.range(order):
        whole[steps[i][t]] += 1.0
    return whole.value / view(to_value(divisors, Vec(len(divisors), Real)))[i]


def _line(b: Builder, types: Sequence[Type], at: Sequence[int], direction: Any, order: int) -> dict[int, Value]:
    """The series of the parameters `at` along a direction, by their numbers."""
    out, begin = dict[int, Value](), 0
    zeros = [b.const(0.0, Real)] * (order - 1)
    for j, t in [(j, types[j]) for j in at]:

        def coefficients(path: Path, t: Type = t, first: int = begin) -> Value:
            return b.pack([direction[first + place(t, path)], *zeros], Vec(order, Real))

        out[j] = build(b, t, coefficients)
        begin += count_reals(t)
    return out


# interpolation


def _interpolated(b: Builder, along: Value, n: int, order: int) -> Value:
    """The partial derivatives, from the coefficients along all lines."""
    total, given = accumulators.accum(b.zero(along.type)), view(along)
    for r in range(1, min(n, order) + 1):
        points = [*_compositions(order, r, 0)]
        inner = [p for p in points if all(p)]
        chosen = [[_place(s, p) for p in points] for s in combinations(range(n), r)]
        places = view(to_value(chosen, Vec(len(chosen), Vec(len(points), Fin(len(given))))))
        weights = view(to_value([_weights(p, points) for p in inner], Vec(len(inner), Vec(len(points), Real))))
        own = view(to_value([points.index(p) for p in inner], Vec(len(inner), Fin(len(points)))))
        for s in loops.range(len(chosen)):
            near = loops.vec(given[places[s][j]] for j in loops.range(len(points)))
            for c in loops.range(len(inner)):
                total[places[s][own[c]]] += loops.sum(weights[c][j] * near[j] for j in loops.range(len(points)))
    return to_value(total.value, along.type)


def _place(variables: Sequence[int], powers: Sequence[int]) -> int:
    return partial_index(*[v for v, k in zip(variables, powers, strict=True) for _ in range(k)])


@cache
def _compositions(total: int, parts: int, least: int) -> tuple[tuple[int, ...], ...]:
    """The ways to write a number as an ordered sum of so many."""
    if parts == 0:
        return () if total else ((),)
    return tuple([(k, *rest) for k in range(least, total + 1) for rest in _compositions(total - k, parts - 1, least)])


def _weights(powers: Sequence[int], points: Sequence[Sequence[int]]) -> list[float]:
    """The weights of the coefficients along the lines to points, in the derivative by these powers of variables."""
    return [_weight(tuple(sorted(zip(powers, p, strict=True)))) for p in points]


@cache
def _weight(pairs: Sequence[tuple[int, int]]) -> float:
    """The weight for a power and a coordinate of each variable, in any order.

    A coefficient of degree k is a difference of order k of the polynomial, which is a sum of Lagrange polynomials, one
    for each point: all of them are integers, divided once.
    """
    powers, point = zip(*pairs, strict=True)
    k, above = sum(powers), 0
    for m in product(*[range(c + 1) for c in powers]):
        values = [_falling(k * x, j, sum(m)) for x, j in zip(m, point, strict=True)]
        above += (-1) ** (k - sum(m)) * math.prod(map(math.comb, powers, m)) * math.prod(values)
    return above * math.gcd(*point) ** k / (k**k * math.prod(map(math.factorial, point)))


def _falling(x: int, factors: int, step: int) -> int:
    """`x (x - step) (x - 2 step) ...`."""
    return math.prod([x - u * step for u in range(factors)])


def _each(b: Builder, t: Type, y: Value, at: _At, leaf: Callable[[_At], Value]) -> Value:
    """A value shaped as `y`, with `leaf` of what the lines have there for each Real in it."""
    if not t.real:
        return y
    if isinstance(t, Vec):
        return b.vec(t.size, lambda j: _each(b, t.elem, b.index(y, j), lambda i: b.index(at(i), j), leaf))
    if isinstance(t, Tuple):
        parts = [_each(b, s, b.get(y, k), lambda i, k=k: b.get(at(i), k), leaf) for k, s in enumerate(t.items)]
        return b.tuple(parts, t.of(tuple([p.type for p in parts])))
    return leaf(at)
