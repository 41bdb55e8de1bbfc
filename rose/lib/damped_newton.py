"""Damped second-order minimisers: Newton's method, and Gauss-Newton (Levenberg-Marquardt)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..differentiation import gradients, jacobians
from ..differentiation.flatten import Flat
from ..frontend import options
from ..frontend.any_size import of_any_size
from ..frontend.arrays.products import dot
from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.language.select import abs as absolute
from ..frontend.language.select import select, stop_gradient
from ..frontend.language.vectors import norm
from ..ir import Value, ops
from ..linalg.positive_definite import solution
from .descent import each
from .objective import ROUNDING, Found, Objective, State, limits, searching

_FIRST = 1e-3  # the first damping, if there was none: a part of the diagonal
_FLOOR = 1e-12  # a diagonal is at least this part of its largest number
_MOST = 1e20  # the largest damping: a step is shorter than the distance between two numbers


@of_any_size
def newton(f: AnyFn, *, tolerance: float | Value = 1e-12, max_steps: int | Value = 100) -> AnyFn:
    """Newton's method: a minimiser of `f`, whose steps go to the minimum of its quadratic model.

    If the Hessian is not positive definite, or a step does not help, steps are damped as with `gauss_newton`; but
    the diagonal grows by a part of the sum of the absolute values of each row, which makes any Hessian
    positive definite.

    `f` takes a point, of any type made of Reals, and data after it, and gives a Real. The minimiser takes a start in
    the place of the point, and gives a `Minimum`. It ends when the length of the gradient is at most `tolerance`, when
    no step makes the value less, and after `max_steps`.
    """
    tolerance, max_steps = limits(tolerance, max_steps)

    def search(objective: Objective, x: Value) -> Found:
        both, hessian = objective.of(gradients.value_and_grad), objective.of(jacobians.hessian)

        def model(v: Value) -> Any:
            (value, g), matrix = both(v), hessian(v)
            rows = each(v, lambda i: loops.sum(absolute(matrix[i][j]) for j in loops.range(v.shape[0])))
            return {"value": value, "g": g, "matrix": matrix, "diagonal": _above_zero(rows)}

        return _damped(objective.of(lambda f: f), model, x, 0.0, tolerance, max_steps)

    return searching("newton", f, search)


@of_any_size
def gauss_newton(
    residuals: AnyFn, *, damping: float | Value = 0.001, tolerance: float | Value = 1e-12, max_steps: int | Value = 100
) -> AnyFn:
    """Gauss-Newton: a minimiser of the sum of squares of `residuals`, which may be of any type made of Reals.

    A step goes to the minimum of the sum for linearised residuals. It is damped by Levenberg and Marquardt's method:
    the diagonal of the equations grows by a part of itself (Marquardt 1963), which is at first `damping`
    and follows from step to step how much of the promised decrease came true (Madsen, Nielsen and Tingleff, Methods
    for Non-Linear Least Squares Problems, 2nd edition, 2004, algorithm 3.16). With `damping=0` the steps are those of
    Gauss and Newton, until one does not help.

    `residuals` takes a point, of any type made of Reals, and data after it. The minimiser takes a start in the place
    of the point, and gives a `Minimum`, of the sum of squares. It ends when the length of the gradient is at most
    `tolerance`, when no step makes the sum less, and after `max_steps`.
    """
    damping = options.number_or_traced(damping, "damping")
    tolerance, max_steps = limits(tolerance, max_steps)

    def search(objective: Objective, x: Value) -> Found:
        f, out = objective.f, Flat(objective.f.result)
        flat = make(lambda *xs: out.vector(f(*xs)), f.types, out.vec, f.name, f.names)
        at, jacobian = objective.of(lambda _: flat), objective.of(lambda _: jacobians.jacobian(flat))

        def value(v: Value) -> Value:
            r = at(v)
            return dot(r, r)

        def model(v: Value) -> Any:
            r, j = at(v), jacobian(v)
            product: Callable[[Any], Any] = lambda term: 2.0 * loops.sum(term(k) for k in loops.range(out.size))
            g = each(v, lambda i: product(lambda k: j[k][i] * r[k]))
            matrix = each(v, lambda i: each(v, lambda l: product(lambda k: j[k][i] * j[k][l])))
            diagonal = _above_zero(each(v, lambda i: matrix[i][i]))
            return {"value": dot(r, r), "g": g, "matrix": matrix, "diagonal": diagonal}

        return _damped(value, model, x, damping, tolerance, max_steps)

    return searching("gauss_newton", residuals, search, squares=True)


def _above_zero(v: Value) -> Value:
    """The vector `v` of non-negative numbers, with a floor that makes all of them positive."""
    largest = control.scan(lambda i, most: ops.max_(most, v[i]), 0.0, v.shape[0])
    least = select(largest > 0.0, _FLOOR * largest, 1.0)
    return each(v, lambda i: ops.max_(v[i], least))


def _damped(
    f: Callable[[Value], Any],
    model: Callable[[Value], State],
    x: Value,
    damping: float | Value,
    tolerance: float | Value,
    max_steps: int | Value,
) -> Found:
    """The damped search. `model(x)` has the value `f(x)`, the gradient, a matrix of second derivatives, and a diagonal.

    Whether a step helps is decided by a value that is constant to derivatives: that of a refused step may be nan.
    """

    def test(s: State) -> Value:
        return ~s["least"] & (norm(s["model"]["g"]) > tolerance) & (s["damping"] < _MOST) & (s["steps"] < max_steps)

    def body(s: State) -> Any:
        x, here = s["x"], s["model"]
        more = each(x, lambda i: s["damping"] * here["diagonal"][i])
        at: Callable[[Any, Any], Any] = lambda i, j: here["matrix"][i][j] + select(i == j, more[i], 0.0)
        p, definite = solution(each(x, lambda i: each(x, lambda j: at(i, j))), here["g"])
        there = each(x, lambda i: x[i] - p[i])
        promised = 0.5 * loops.sum(p[i] * (more[i] * p[i] + here["g"][i]) for i in loops.range(x.shape[0]))
        sound = definite & (promised > 0.0) & (promised < math.inf)
        value = stop_gradient(control.cond(sound, lambda: f(stop_gradient(there)), lambda: math.nan))
        little = (promised <= ROUNDING * absolute(here["value"])) | (norm(p) <= ROUNDING * norm(x))
        least = sound & little & (s["damping"] < 1.0)

        def taken() -> Any:
            at_there = model(there)
            gain = 2.0 * (here["value"] - at_there["value"]) / promised - 1.0
            less = s["damping"] * ops.max_(1.0 / 3.0, 1.0 - gain * gain * gain)
            return {"x": there, "model": at_there, "damping": less, "growth": 2.0, "least": False}

        def refused() -> Any:
            damping = ops.max_(s["damping"], _FIRST) * s["growth"]
            return {"x": x, "model": here, "damping": damping, "growth": 2.0 * s["growth"], "least": least}

        after = control.cond(value < here["value"], taken, refused)  # which no nan is
        return {**after, "steps": s["steps"] + 1.0}

    s = {"x": x, "model": model(x), "damping": damping, "growth": 2.0, "least": False, "steps": 0.0}
    s = control.while_loop(test, body, s)
    slope = norm(s["model"]["g"])
    return s["x"], s["model"]["value"], slope, s["steps"], (slope <= tolerance) | s["least"]
