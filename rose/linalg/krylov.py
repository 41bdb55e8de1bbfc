"""Linear equations by Krylov subspaces: a matrix is only multiplied with vectors, so that a function may stand for it.

The tangent of a solution is another one, with the same matrix, and its transpose is a solution with the transposed
matrix: both are searched by the method that found the first. No derivative goes through the iterations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..autodiff.erase_tangents import untype
from ..autodiff.prove_linear import as_linear, assume_linear
from ..differentiation.gradients import pulled_back
from ..differentiation.linear_map import LinearMap, filled
from ..frontend.arrays.products import dot, matmul
from ..frontend.arrays.reductions import count_of
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..ir import Func, Value, current_builder, ops
from ..ir.callgraph import make_linear
from ..ir.sizes import Size
from ..ir.types import Bool, Fin, Real, Tan, Tuple, Vec, tangent

TOLERANCE = 1e-5  # of derivatives, where there is only an absolute one for the solution


class Method(NamedTuple):
    """How a solution is searched: by conjugate gradients, or by GMRES with a restart after so many steps.

    It has converged if the residual has a length of at most `max(rtol * length of b, atol)`. `most` counts the products
    with the matrix: without, ten for each unknown, or ten cycles.
    """

    restart: int | None
    rtol: float
    atol: float = 0.0
    most: int | None = None

    @property
    def name(self) -> str:
        return "cg" if self.restart is None else "gmres"


Apply = Callable[[Any], Any]


class Solver(NamedTuple):
    """A solver of `apply(x, *data) == b`, as functions.

    `search` is from a right side, a start and data to the solution, the length of the residual, the number of steps,
    and whether it has converged. The start has no derivative. `alone` is from a right side, in which it is linear, and
    data to the solution, to the relative tolerance; it is nan where the search has not converged.
    """

    search: AnyFn
    alone: AnyFn


def solver(apply: AnyFn, inverse: AnyFn | None, method: Method) -> Solver:
    """The solver for a linear function, and one that preconditions: they take a vector and the same data."""
    back = transposed(apply), None if inverse is None else transposed(inverse)
    pairs = (apply, inverse), back
    exact = method._replace(atol=0.0, rtol=method.rtol or TOLERANCE)
    searches = [_search(*pair, exact) for pair in pairs]
    alone = [_alone(f) for f in searches]
    linear = [make_linear(method.name, f.func, g.func) for f, g in (alone, alone[::-1])]
    for f, search, (matrix, _), by in zip(alone, searches, pairs, linear, strict=True):
        assume_linear(f.func, by)
        _rule(search, matrix, by)
    if exact == method:
        return Solver(searches[0], alone[0])
    f = _search(apply, inverse, method)
    _rule(f, apply, linear[0])
    return Solver(f, alone[0])


def transposed(apply: AnyFn) -> AnyFn:
    """The function of a cotangent and data that is the transpose of `apply`, which is linear in its first parameter."""
    active = [k == 0 for k in range(len(apply.types))]

    def body(ct: Value, *data: Value) -> Any:
        b, t = current_builder(), apply.types[0]
        (made,) = pulled_back(as_linear(untype(apply.func), active), dict(enumerate(data, 1)), ct)
        return view(filled(b, made, b.zero(t)))

    return make(body, apply.types, apply.result, f"transpose({apply.name})", apply.names)


def _search(apply: AnyFn, inverse: AnyFn | None, method: Method) -> AnyFn:
    """The search, of `b / norm(b)`: so it is the same for all multiples of a right side, and nothing overflows."""

    def body(right: Value, start: Value, *data: Value) -> tuple[Any, Any, Any, Any]:
        size = norm(right)
        scale = select(size > 0.0, size, 1.0)
        near = ops.max_(method.rtol * (size / scale), method.atol / scale)
        tries = 10.0 * (method.restart or 1)
        most = tries * count_of([right.shape[0]]) if method.most is None else float(method.most)
        first = start * select(size > 0.0, 1.0 / scale, 0.0)
        walk = _Walk(right / scale, lambda v: apply(v, *data), _with(inverse, data), near, most)
        x, rest, steps = walk.conjugate(first) if method.restart is None else walk.restarted(first, method.restart)
        return x * scale, rest * scale, steps, rest <= near

    t, *types = apply.types
    names = [fresh_name(k, apply.names[1:]) for k in ("b", "x0")]
    return make(body, [t, t, *types], Tuple((t, Real, Real, Bool)), method.name, [*names, *apply.names[1:]])


def _with(inverse: AnyFn | None, data: tuple[Any, ...]) -> Apply:
    return (lambda v: v) if inverse is None else lambda v: inverse(v, *data)


def _alone(search: AnyFn) -> AnyFn:
    """The solution alone, from no start; nan where the search has not converged."""

    def body(right: Value, *data: Value) -> Any:
        x, _, _, converged = search(right, current_builder().zero(right.type), *data)
        return x * select(converged, 1.0, math.nan)

    types, names = [*search.types[:1], *search.types[2:]], [*search.names[:1], *search.names[2:]]
    return make(body, types, search.types[0], search.name, names)


def _rule(search: AnyFn, apply: AnyFn, linear: Func) -> None:
    """Give a search its derivative: `linear` of what the tangents leave of the right side."""
    moving = [k for k, t in enumerate(apply.types) if k and t.real]
    along = LinearMap(apply, moving)

    @search.jvp
    def rule(*duals: object) -> Any:
        b = current_builder()
        pairs = [split_dual(x, t, tangent) for x, t in zip(duals, search.types, strict=True)]
        x, rest, steps, converged = search(*[re for re, _ in pairs])
        (_, rest_of_b), _, *data = pairs
        there, no = [x, *[re for re, _ in data]], b.zero(Tan)
        if moving:
            rest_of_b = view(rest_of_b) - along.jvp(there, {k: data[k - 1][1] for k in moving}, numbers=False)[1]
        dx = view(b.call(linear, [rest_of_b, *there[1:]])) * select(converged, 1.0, math.nan)
        return view_dual(x, dx), view_dual(rest, no), view_dual(steps, no), converged


class _Walk:
    """The steps of a search for `apply(x) == right`, until the residual is at most `near`."""

    def __init__(self, right: Value, apply: Apply, inverse: Apply, near: Value, most: Value | float) -> None:
        self.right, self.apply, self.inverse, self.near, self.most = right, apply, inverse, near, most

    def conjugate(self, x: Value) -> tuple[Any, Any, Any]:
        """Conjugate gradients: the solution, the length of the residual, and how many steps there were.

        Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems (1952); with a preconditioner,
        as in Saad, Iterative methods for sparse linear systems (2003), section 9.2.
        """

        def step(s: dict[str, Any]) -> Any:
            q = self.apply(s["p"])
            by = s["rz"] / dot(s["p"], q)
            r = s["r"] - by * q
            z = self.inverse(r)
            rz = dot(r, z)
            p = z + (rz / s["rz"]) * s["p"]
            x = s["x"] + by * s["p"]
            return {"x": x, "r": r, "p": p, "rz": rz, "size": length(r), "steps": s["steps"] + 1.0}

        r = self.right - self.apply(x)
        z = self.inverse(r)
        s: Any = {"x": x, "r": r, "p": z, "rz": dot(r, z), "size": length(r), "steps": 0.0}
        s = control.while_loop(self.far, step, s)
        return s["x"], s["size"], s["steps"]

    def far(self, s: dict[str, Any]) -> Value:
        return (s["size"] > self.near) & (s["size"] < math.inf) & (s["steps"] < self.most)

    def restarted(self, x: Value, restart: int) -> tuple[Any, Any, Any]:
        """GMRES: cycles of at most so many steps, for as long as each makes the residual shorter.

        Saad and Schultz, GMRES (1986); preconditioned from the right, so that the residual is that of the equations.
        """
        n = self.right.shape[0]
        m = restart if isinstance(n, Size) else min(n, restart)

        def cycle(s: dict[str, Any]) -> Any:
            y, steps = self.cycle(s["r"], s["size"], s["steps"], m)
            x = s["x"] + self.inverse(y)
            r = self.right - self.apply(x)
            good = length(r) < s["size"]
            x, r = select(good, x, s["x"]), select(good, r, s["r"])
            return {"x": x, "r": r, "size": length(r), "steps": steps, "helps": good}

        r = self.right - self.apply(x)
        s: Any = {"x": x, "r": r, "size": length(r), "steps": 0.0, "helps": True}
        s = control.while_loop(lambda s: self.far(s) & s["helps"], cycle, s)
        return s["x"], s["size"], s["steps"]

    def cycle(self, r: Value, size: int | Size, steps: Value, m: int) -> tuple[Any, Any]:
        """The step of at most `m` dimensions that makes the residual `r` shortest, and how many steps there were then.

        Of the matrix of the Krylov subspace, `columns` has those that Givens' rotations have made triangular.
        """
        b, zeros = current_builder(), Vec(m + 1, Real)

        def step(s: dict[str, Any]) -> Any:
            k, basis, cos, sin = s["k"], s["basis"], s["cos"], s["sin"]
            after = within(k + 1, m + 1)
            w = self.apply(self.inverse(basis[k]))

            def orthogonal(i: Value, s: dict[str, Any]) -> Any:
                by = dot(basis[i], s["w"])
                return {"w": s["w"] - by * basis[i], "h": s["h"].at[i].set(by)}

            def turned(i: Value, h: Value) -> Value:
                x, y = h[i], h[i + 1]
                return h.at[i].set(cos[i] * x + sin[i] * y).at[i + 1].set(cos[i] * y - sin[i] * x)

            s1 = control.scan(orthogonal, {"w": w, "h": b.zero(zeros)}, loops.range(k + 1))
            rest = length(s1["w"])
            h = control.scan(turned, s1["h"].at[after].set(rest), loops.range(k))
            d = ops.hypot(h[k], rest)
            c, t = select(d > 0.0, h[k] / d, 1.0), select(d > 0.0, rest / d, 0.0)
            g = s["right"][k]
            return {
                "k": after, "steps": s["steps"] + 1.0, "size": abs(t * g),
                "basis": basis.at[after].set(s1["w"] * select(rest > 0.0, 1.0 / rest, 0.0)),
                "columns": s["columns"].at[k].set(h.at[k].set(d)), "cos": cos.at[k].set(c), "sin": sin.at[k].set(t),
                "right": s["right"].at[k].set(c * g).at[after].set(-t * g),
            }  # fmt: skip

        s: Any = {
            "k": b.const(0, Fin(m + 1)), "steps": steps, "size": size,
            "basis": view(b.zero(Vec(m + 1, r.type))).at[0].set(r / size),
            "columns": b.zero(Vec(m + 1, zeros)), "cos": b.zero(zeros), "sin": b.zero(zeros),
            "right": view(b.zero(zeros)).at[0].set(size),
        }  # fmt: skip
        s = control.while_loop(lambda s: self.far(s) & (s["k"] < m), step, s)

        def unknown(i: Value, y: Value) -> Value:
            rest = s["right"][i] - loops.sum(s["columns"][j][i] * y[j] for j in loops.range(i + 1, m))
            d = s["columns"][i][i]
            return y.at[i].set(select(d == 0.0, 0.0, rest / d))  # a step that was not taken has no column

        y = control.scan(unknown, b.zero(zeros), loops.range(m - 1, -1, -1))
        return matmul(y, s["basis"]), s["steps"]


def length(r: Value) -> Value:
    """The length of a residual, which is not many times as long as the right side, of length 1."""
    return ops.sqrt(dot(r, r))
