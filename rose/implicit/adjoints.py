"""First derivatives of the solutions of differential equations, as solutions of equations of their own.

Along the solution of `y' == f(t, y, p)`, a tangent is the solution of `s' == f_y s + f_p dp`. The transpose goes back
in time: `l' == -transpose(f_y) l` from the cotangent at the end, and the integral of `transpose(f_p) l` is that of `p`.
See Pontryagin and others, The mathematical theory of optimal processes (1962).
"""

from __future__ import annotations

import math
from typing import Any

from .. import ir
from ..differentiation.flatten import Flat
from ..differentiation.linear_map import LinearMap, as_cotangent
from ..frontend.arrays.joining import joined
from ..frontend.arrays.products import dot
from ..frontend.arrays.shapes import as_array
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.language.select import select, stop_gradient
from ..frontend.language.vectors import norm
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Value
from ..ir.callgraph import make_linear
from ..ir.sizes import differ
from ..ir.types import Bool, Real, Tan, Tuple, Type, Vec, linear_part, tangent, tuple_of
from .walks import Found, States, Steps, walked

ASTRAY = 1e4  # tolerances: a state that is so far from where it was has lost its way back


def solver(rate: AnyFn, times: Type, steps: Steps, full: bool) -> AnyFn:
    """The function from times, a start and data to what a walk finds. `rate` takes plain states, and captures nothing.

    Its derivative is `along`, of the tangents of the parameters, of which `back` is the transpose.
    """
    of = _Equations(rate, times, steps)
    result = Tuple((of.ys, Real, Real, Real, Bool))

    def body(t0: Value, t1: Value, y0: Value, *data: object) -> Found:
        return walked(steps.walk(rate, data), times, t0, t1, y0, full=full)

    f = make(body, of.types, result, "ode", of.names)
    at, names = [of.ys, *of.types], ["y", *of.names]
    along = make(of.along, [of.moving, *at], of.ys, "ode.along", ["dx", *names])
    back = make(of.back, [of.ys, *at], of.moving, "ode.back", ["ct", *names])
    linear = make_linear("ode.linear", along.func, back.func)

    @f.jvp
    def rule(*duals: object) -> Any:
        b = ir.current_builder()
        pairs = [split_dual(x, t, tangent) for x, t in zip(duals, of.types, strict=True)]
        given, no = [re for re, _ in pairs], b.zero(Tan)
        y, t, count, rejected, converged = f(*given)
        dx = b.tuple([du for (_, du), t in zip(pairs, of.types, strict=True) if t.real])
        dy = view(b.call(linear, [dx, y, *given]))
        if full:
            dy = dy * select(converged, 1.0, math.nan)
        end = pairs[0][1] if not differ(of.count, 0) else pairs[1][1] if times is Real else view(pairs[1][1])[-1]
        return view_dual(y, dy), view_dual(t, end), view_dual(count, no), view_dual(rejected, no), converged

    return f


class _Equations:
    """The equations of the derivatives, of a state `y` and data, with what they take and give."""

    def __init__(self, rate: AnyFn, times: Type, steps: Steps) -> None:
        self.rate, self.times, self.steps = rate, times, steps
        state, data = rate.types[1], rate.types[2:]
        self.ys = Vec(times.size, state) if isinstance(times, Vec) else state
        self.types, self.names = [Real, times, state, *data], ["t0", "t1", "y0", *rate.names[2:]]
        self.active = [k for k, t in enumerate(rate.types) if k and t.real]
        self.parts = tuple_of(*[linear_part(tangent(t)) for t in data if t.real])
        self.count = times.size if isinstance(times, Vec) else 1
        self.moving = tuple_of(*[linear_part(tangent(t)) for t in self.types if t.real])

    # forward mode

    def along(self, dx: Value, y: Value, t0: Value, t1: Value, y0: Value, *data: object) -> Value:
        """The tangents of the states `y`, from those of the parameters."""
        one, size = _of_length_one(self.moving, dx)
        dt0, dt1, dy0, *moved = one
        state = self.rate.types[1]
        both, lin, n = States(tuple_of(state, state)), LinearMap(self.rate, self.active), len(data)

        def rate(t: Value, z: tuple[Any, ...], *given: object) -> Any:
            v, dv = z
            kinds = [state, *self.parts.items]
            tangents = [to_value(x, t) for x, t in zip([dv, *given[n:]], kinds, strict=True)]
            return lin.jvp(lin.arguments([t, v, *given[:n]]), dict(zip(self.active, tangents, strict=True)))

        types = [Real, tuple_of(state, state), *self.rate.types[2:], *self.parts.items]
        f = both.plainly(make(rate, types, types[1], "ode.along", [f"x{k}" for k in range(len(types))]))
        start = both.vector((y0, dy0 - self.rate(t0, y0, *data) * dt0))
        zs = walked(self.steps.walk(f, (*data, *moved)), self.times, t0, t1, start, full=False)[0]

        def at(z: Value, t: Value, y: Value, dt: Value) -> Value:
            return size * (both.value(z)[1] + self.rate(t, y, *data) * dt)

        if not isinstance(self.times, Vec):
            return at(zs, t1, y, dt1)
        return loops.vec(at(zs[i], t1[i], y[i], dt1[i]) for i in loops.range(self.times.size))

    # reverse mode

    def back(self, ct: Value, y: Value, t0: Value, t1: Value, y0: Value, *data: object) -> Any:
        """The cotangents of the parameters, from those of the states `y`: from each time to the one before."""
        one, size = _of_length_one(self.ys, ct)
        sums = Flat(self.parts)
        s: Any = {"l": ir.current_builder().zero(y0.type), "sums": ir.current_builder().zero(sums.vec), "good": True}
        if isinstance(self.times, Vec):
            before, states = joined([as_array([t0]), t1], 0), joined([as_array([y0]), y], 0)

            def stretch(i: Value, s: dict[str, Any]) -> Any:
                return self._stretch(s, one[i], t1[i], y[i], before[i], states[i], data)

            n = self.times.size
            s = control.scan(stretch, s, loops.range(n - 1, -1, -1))
            dt1 = loops.vec(_product(one[i], self.rate(t1[i], y[i], *data)) for i in loops.range(n))
        else:
            s = self._stretch(s, one, t1, y, t0, y0, data)
            dt1 = _product(one, self.rate(t1, y, *data))
        dt0 = -_product(s["l"], self.rate(t0, y0, *data))
        flat = Flat(self.moving)
        found = flat.vector((dt0, dt1, s["l"], *sums.value(s["sums"])))
        return flat.value(found * (size * select(s["good"], 1.0, math.nan)))

    def _stretch(
        self, s: dict[str, Any], ct: Value, t: Value, y: Value, before: Value, wanted: Value, data: tuple[Any, ...]
    ) -> Any:
        """The adjoint state at the time before `t`, where the state was `wanted`; it must be found there again."""
        state, sums = self.rate.types[1], Flat(self.parts)
        whole, lin = tuple_of(state, state, sums.vec), LinearMap(self.rate, self.active)
        all_of = States(whole)

        def rate(t: Value, z: tuple[Any, ...], *data: object) -> Any:
            b = ir.current_builder()
            v, l, _ = z
            xs = lin.arguments([t, v, *data])
            after, tape = lin.primal(xs)
            by_state, *by_data = lin.pullback(xs, tape, l)
            return view(after), -view(by_state), -sums.vector(b.tuple([as_cotangent(b, x) for x in by_data]))

        f = all_of.plainly(make(rate, [Real, whole, *self.rate.types[2:]], whole, "ode.back", self.rate.names))
        walk = self.steps.walk(f, data)
        start = all_of.vector((y, s["l"] + ct, s["sums"]))
        z, _, _, _, converged = walked(walk, Real, t, before, start, full=True)
        v, l, found = all_of.value(z)
        near = walk.error(v - wanted, v, wanted) <= ASTRAY
        return {"l": l, "sums": found, "good": s["good"] & converged & near}


def _of_length_one(t: Type, x: Value) -> tuple[Any, Any]:
    """A value, divided by its length, and this: the tolerances of steps are those of values of no special length."""
    flat = Flat(t)
    v = flat.vector(x)
    size = stop_gradient(norm(v))
    size = select(size > 0.0, size, 1.0)
    return flat.value(v / size), size


def _product(ct: Value, rate: Value) -> Value:
    return ct * rate if rate.type is Real else dot(ct, rate)
