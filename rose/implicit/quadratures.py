"""Integrals over one variable, to a tolerance, whose limits and data have derivatives (Leibniz's rule)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from .. import ir
from ..differentiation.flatten import Flat, is_real
from ..differentiation.linear_map import LinearMap
from ..errors import TypeMismatch, argument, edge, here
from ..frontend.annotations import Generic, struct, struct_of
from ..frontend.any_size import AnySize
from ..frontend.arrays.reductions import argmax
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import AnyFn, checked, from_func, make
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import constant, select
from ..frontend.signatures import fresh_name
from ..frontend.transforms import remembered
from ..frontend.typed import ArrayLike
from ..ir import Value
from ..ir.ops import real
from ..ir.types import Bool, Fin, Real, Tan, Type, Vec, tangent, tuple_of
from .equations import length, limits

Number = TypeVar("Number")

# Gauss and Kronrod's rule of 15 nodes from -1 to 1: those above 0, with the weights of both; Gauss's has each second
_NODES = (0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
          0.741531185599394439863864773280788, 0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
          0.207784955007898467600689403773245)  # fmt: skip
_KRONROD = (0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
            0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
            0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
            0.204432940075298892414161999234649)  # fmt: skip
_GAUSS = (0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780, 0.0,
          0.381830050505118944950369775488975, 0.0)  # fmt: skip
NODES = [-x for x in _NODES] + [0.0, *_NODES[::-1]]
KRONROD = [*_KRONROD, 0.209482141084727828012999174891714, *_KRONROD[::-1]]
GAUSS = [*_GAUSS, 0.417959183673469387755102040816327, *_GAUSS[::-1]]


@struct
class Integral(Generic[Number]):
    """What `quadrature` found. As a type, `Integral[T]` is that of a function to a `T`.

    `error` estimates the length of the error of `value`, and `intervals` counts those that the range was cut into.
    """

    value: Number
    error: float
    intervals: float
    converged: bool


@edge
def quadrature(
    f: AnyFn,
    a: ArrayLike,
    b: ArrayLike,
    *data: object,
    tolerance: float = 1e-10,
    max_intervals: int = 100,
    full: bool = False,
) -> Any:
    """The integral of `f(x, *data)` for `x` from `a` to `b`; `f` gives a value of any type made of Reals.

    By Gauss and Kronrod's rule of 15 nodes. The interval with the largest error is halved until the errors, estimated
    by Gauss's rule of 7, have a sum of at most `tolerance` times the integral of the length of `f`. If that takes more
    than `max_intervals`, the result is nan. With `full=True` the result is an `Integral`. A limit that Python knows may
    be infinite.

    The derivatives are those of the integral, by its limits, by the data and by what `f` captures: by Leibniz's rule,
    with the derivative of `f` integrated over the same intervals.
    """
    at = here().narrow(argument(0, "f", *range(3, 9)))
    of = checked(f, "implicit.quadrature", at)
    if not of.types or of.types[0] is not Real or not is_real(of.result):
        hint = "take a Real first, and return Reals; data come after it"
        raise TypeMismatch(f"rose.implicit.quadrature: {of.name} is no function of a number to Reals", at, hint)
    tolerance, max_intervals = limits(tolerance, max_intervals, "max_intervals")
    one = of.fitting([0.0, *data]) if isinstance(of, AnySize) else of
    return _integral(one, tolerance, max_intervals, bool(full), _end(a), _end(b))(a, b, *data)


def _end(x: ArrayLike) -> str:
    """What is known of a limit: it moves if it is traced, and if it does not, it may be infinite."""
    if isinstance(x, Value):
        return "moving"
    return "fixed" if not isinstance(x, (int, float)) or math.isfinite(x) else "above" if x > 0.0 else "below"


@remembered
def _integral(f: AnyFn, tolerance: float, most: int, full: bool, start: str, end: str) -> AnyFn:
    """The integral as a function of the limits and the data."""

    def body(a: Value, b: Value, *data: object) -> Any:
        given = from_func(f.func, [p.attr or "captured" for p in f.func.params])
        solve = _solver(given, tolerance, most, start, end)
        captured = [ir.current_builder().reach(v) for v in f.captured]
        y, error, used, converged, *_ = solve(a, b, *data, *captured)
        whole: Callable[[Any], Any] = Flat(f.result).value if f.result is not Real else lambda y: y
        if full:
            return Integral(whole(y), error, real(used), converged)
        return whole(y * select(converged, 1.0, math.nan))

    result = struct_of(Integral, f.result) if full else f.result
    return make(body, [Real, Real, *f.types[1:]], result, f"quadrature({f.name})", _names(f))


def _names(f: AnyFn, *more: str) -> list[str]:
    """The names of the limits and the data."""
    data = f.names[1:]
    return [*[fresh_name(k, data) for k in (*more, "a", "b")], *data]


def _solver(f: AnyFn, tolerance: float, most: int, start: str, end: str) -> AnyFn:
    """The integral, its error, and the intervals, with a derivative rule: of a variable `u` from 0 to 1.

    The intervals are constant to derivatives. The nodes in them move with the limits, as second derivatives ask.
    """
    out = Flat(f.result)
    t = Real if f.result is Real else out.vec

    def flattened(*xs: object) -> Value:
        return f(*xs) if t is Real else out.vector(f(*xs))

    flat, point = make(flattened, f.types, t, f.name, f.names), _substitution(start, end)
    types, names, each = [Real, Real, *f.types[1:]], _names(f), Vec(most, Real)
    result = tuple_of(t, Real, Fin(most + 1), Bool, each, each)
    solve = make(_adaptive(_measured(flat, point), t, tolerance, most), types, result, "quadrature", names)
    moving = [k for k, s in enumerate(f.types) if k and s.real]
    along = LinearMap(flat, moving)

    @solve.jvp
    def rule(*duals: object) -> Any:
        b = ir.current_builder()
        pairs = [split_dual(x, s, tangent) for x, s in zip(duals, types, strict=True)]
        low, high, *data = [re for re, _ in pairs]
        y, error, used, converged, lo, hi = solve(low, high, *data)
        dy = b.zero(tangent(t))
        if start == "moving":
            dy = dy - _times(pairs[0][1], flat(low, *data))
        if end == "moving":
            dy = dy + _times(pairs[1][1], flat(high, *data))
        total = accum(dy)
        for i in loops.range(used) if moving else ():
            for k in loops.range(len(NODES)):
                x, w = _node(point, low, high, lo[i], hi[i], k)
                total += along.jvp([x, *data], {j: pairs[j + 1][1] for j in moving}, numbers=False)[1] * w
        no, none = b.zero(Tan), b.zero(tangent(each))
        intervals = view_dual(lo, none), view_dual(hi, none)
        return view_dual(y, total.value), view_dual(error, no), used, converged, *intervals

    return solve


def _times(d: Value, y: Value) -> Value:
    """A tangent times a number, or each of a vector."""
    return d * y if y.type is Real else loops.vec(d * y[i] for i in loops.range(y.shape[0]))


Point = Callable[[Any, Any, Any], tuple[Any, Any]]  # of the limits and `u`: `x`, and its derivative by `u`


def _substitution(start: str, end: str) -> Point:
    """The map from 0 to 1 to the range: linear, or rational, if that is infinite (as in QUADPACK's QAGI)."""
    infinite = [kind in ("above", "below") for kind in (start, end)]
    sign = -1.0 if start == "above" or end == "below" else 1.0  # of a range from right to left
    if infinite == [True, True]:
        return lambda a, b, u: (sign * (u - 0.5) / (u * (1.0 - u)), sign * (u * u - u + 0.5) / (u * (1.0 - u)) ** 2)
    if infinite == [True, False]:
        return lambda a, b, u: (b - sign * (1.0 - u) / u, sign / (u * u))
    if infinite == [False, True]:
        return lambda a, b, u: (a + sign * u / (1.0 - u), sign / ((1.0 - u) * (1.0 - u)))
    return lambda a, b, u: (a + (b - a) * u, b - a)


def _node(point: Point, a: Value, b: Value, lo: Value, hi: Value, k: Value) -> tuple[Any, Any]:
    """Node `k` of an interval from `lo` to `hi`, and its weight."""
    x, w = point(a, b, lo + (hi - lo) * (0.5 + 0.5 * _table(NODES)[k]))
    return x, w * (0.5 * (hi - lo)) * _table(KRONROD)[k]


def _table(numbers: list[float]) -> Value:
    return constant(Vec(len(numbers), Real), numbers)


def _measured(f: AnyFn, point: Point) -> AnyFn:
    """The integral over an interval of `u`, an estimate of its error, and the integral of the length of `f`."""

    def measured(lo: Value, hi: Value, a: Value, b: Value, *data: object) -> Any:
        zero = ir.current_builder().zero(f.result)
        total, rest, size = accum(zero), accum(zero), accum(0.0)
        for k in loops.range(len(NODES)):
            x, w = _node(point, a, b, lo, hi, k)
            y = f(x, *data)
            total += y * w
            rest += y * (w * (1.0 - _table(GAUSS)[k] / _table(KRONROD)[k]))
            size += length(y) * abs(w)
        return total.value, length(rest.value), size.value

    types, names = [Real, Real, Real, Real, *f.types[1:]], _names(f, "lo", "hi")
    return make(measured, types, tuple_of(f.result, Real, Real), f"{f.name}.measured", names)


def _adaptive(measured: AnyFn, t: Type, tolerance: float, most: int) -> Callable[..., Any]:
    """The search: the interval with the largest error is halved, until all are small, or there are too many."""
    each = Vec(most, Real)

    def near(s: dict[str, Any]) -> Value:
        error = loops.sum(s["error"])
        return (error <= tolerance * loops.sum(s["size"])) & (error < math.inf)

    def search(a: Value, b: Value, *data: object) -> Any:
        zero = ir.current_builder().zero
        y, error, size = measured(0.0, 1.0, a, b, *data)

        def placed(s: dict[str, Any], i: Value | int, **parts: Value | float) -> Any:
            for name, x in parts.items():
                s = {**s, name: loops.vec(select(j == i, x, s[name][j]) for j in loops.range(most))}
            return s

        def step(s: dict[str, Any]) -> Any:
            i = argmax(s["error"])
            lo, hi = s["lo"][i], s["hi"][i]
            mid = 0.5 * (lo + hi)
            for place, ends in ((i, (lo, mid)), (s["used"], (mid, hi))):
                y, error, size = measured(*ends, a, b, *data)
                s = placed(s, place, lo=ends[0], hi=ends[1], y=y, error=error, size=size)
            return {**s, "used": within(s["used"] + 1, most + 1)}

        s: Any = {k: zero(each) for k in ("lo", "hi", "error", "size")}
        s = {**s, "y": zero(Vec(most, t)), "used": ir.current_builder().const(1, Fin(most + 1))}
        first = placed(s, 0, hi=1.0, y=y, error=error, size=size)
        s = control.while_loop(lambda s: ~near(s) & (s["used"] < most), step, first)
        total = accum(zero(t))
        for i in loops.range(s["used"]):
            total += s["y"][i]
        return total.value, loops.sum(s["error"]), s["used"], near(s), s["lo"], s["hi"]

    return search
