"""Linear equations whose matrix is a function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.prove_linear import as_linear
from ..differentiation.jacobians import jacfwd
from ..differentiation.linear_map import LinearMap
from ..errors import OutOfRange, argument, here
from ..frontend import options
from ..frontend.annotations import struct_of
from ..frontend.any_size import of_any_size
from ..frontend.duals import split_dual, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.language.select import stop_gradient
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..ir import Value, shown
from ..ir.types import Real, tangent
from ..linalg import krylov
from .equations import Plain, Solution, as_many, length, solver_with, unknown


@of_any_size
def linear_solve(
    matvec: AnyFn,
    *,
    method: str = "lu",
    rtol: float = 1e-10,
    max_steps: int | None = None,
    restart: int = 20,
    full: bool = False,
) -> AnyFn:
    """The function from a right side and data to the solution `x` of linear equations: `matvec(x, *data) == b`.

    `matvec` takes the unknown, of any type made of Reals, and data after it; it is linear in the unknown, of which it
    gives a value of as many Reals.

    By "lu" its matrix is made, column by column, and factorised: for a few hundred unknowns at most. Where it is
    singular the result has infinities and nan. The others only call `matvec`: "cg", conjugate gradients, is for
    symmetric positive definite matrices, and "gmres", in cycles of `restart` steps, for all regular ones; each step of
    a cycle stores a vector. They end where the residual is at most `rtol` times as long as the right side, and after
    `max_steps` calls: ten for each unknown, or ten cycles, if it is not given. What has not converged is nan.

    With `full=True` the result is a `Solution`. The derivatives, by the right side, the data and what `matvec`
    captures, are solutions by the same method, with the matrix and with its transpose, in all modes and to any order.
    `rose.linear_transpose` takes a solution that is not `full`, as a function of its right side.
    """
    of = unknown("linear_solve", matvec)
    as_many("linear_solve", of)
    way = _method(method, rtol, max_steps, restart)

    def body(b: Value, *data: object) -> Any:
        plain = Plain(of)
        apply = plain.residual()
        if not plain.type.empty:
            _ = as_linear(untype(apply.func), [k == 0 for k in range(len(apply.types))])  # which says where it is not
        right = plain.result(b)
        given = [*data, *[ir.current_builder().reach(v) for v in plain.captured]]
        if way is None or plain.type is Real or plain.type.empty:
            x = _by_lu(apply)(right, *given)
            if full:
                size = stop_gradient(length(apply(x, *given) - right))
                return Solution(plain.value(x), size, 1.0, size < math.inf)
        elif full:
            x, *more = krylov.solver(apply, None, way).search(right, ir.current_builder().zero(plain.type), *given)
            return Solution(plain.value(x), *more)
        else:
            x = krylov.solver(apply, None, way).alone(right, *given)
        return plain.value(x)

    result = struct_of(Solution, of.types[0]) if full else of.types[0]
    return make(body, [of.result, *of.types[1:]], result, f"linear_solve({of.name})", ["b", *of.names[1:]])


def _method(method: str, rtol: float, max_steps: int | None, restart: int) -> krylov.Method | None:
    """How a solution is searched; None, where the matrix is factorised."""
    rtol, restart = options.number(rtol, "rtol"), options.count(restart, "restart")
    if max_steps is not None:
        max_steps = options.count(max_steps, "max_steps")
    if method not in ("lu", "cg", "gmres"):
        at = here().narrow(argument(9, "method", *range(1, 7)))
        what = f"there is no method {shown(method)} for linear equations"
        raise OutOfRange(what, at, 'write "lu", "cg" or "gmres"')
    return None if method == "lu" else krylov.Method(None if method == "cg" else restart, rtol, 0.0, max_steps)


def _by_lu(apply: AnyFn) -> AnyFn:
    """The function from a right side, in which it is linear, and data to the solution of `apply(x, *data) == b`."""
    types, names = list(apply.types), [fresh_name("b", apply.names[1:]), *apply.names[1:]]
    matrix, moving = jacfwd(apply), [k for k, t in enumerate(types) if k and t.real]
    along = LinearMap(apply, moving)

    def factorised(*data: object) -> Callable[[Any], Any]:
        return solver_with(matrix(ir.current_builder().zero(types[0]), *data))  # which is the same everywhere

    def body(b: Value, *data: object) -> Any:
        return factorised(*data)(b)

    f = make(body, types, types[0], "linear_solve", names)

    @f.jvp
    def rule(*duals: object) -> Any:
        pairs = [split_dual(x, t, tangent) for x, t in zip(duals, types, strict=True)]
        given, rest = [re for re, _ in pairs], view(pairs[0][1])
        x = f(*given)
        if moving:
            rest = rest - along.jvp([x, *given[1:]], {k: pairs[k][1] for k in moving}, numbers=False)[1]
        return view_dual(x, factorised(*given[1:])(rest))

    return f
