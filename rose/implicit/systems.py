"""Linear equations whose matrix is a function."""

from __future__ import annotations

import math
from typing import Any

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.prove_linear import as_linear
from ..differentiation.jacobians import jacfwd
from ..errors import OutOfRange, argument, here
from ..frontend import options
from ..frontend.annotations import struct_of
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, make
from ..frontend.signatures import fresh_name
from ..ir import shown
from ..ir.types import Real
from ..linalg import krylov
from .equations import Found, Plain, Solution, as_many, length, solver, solver_with, unknown


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
    """
    of = unknown("linear_solve", matvec)
    as_many("linear_solve", of)
    way = _method(method, rtol, max_steps, restart)

    def body(b: Any, *data: Any) -> Any:
        plain = Plain(of)
        apply = plain.residual()
        if not plain.type.empty:
            _ = as_linear(untype(apply.func), [k == 0 for k in range(len(apply.types))])  # which says where it is not
        right = plain.result(b)
        given = [*data, *[ir.current_builder().reach(v) for v in plain.captured]]
        if way is None or plain.type is Real or plain.type.empty:
            x, *more = _solver(plain, apply)(right, right, *given)
        elif full:
            x, *more = krylov.solver(apply, None, way).search(right, ir.current_builder().zero(plain.type), *given)
        else:
            x, more = krylov.solver(apply, None, way).alone(right, *given), []
        return Solution(plain.value(x), *more) if full else plain.value(x)

    result = struct_of(Solution, of.types[0]) if full else of.types[0]
    return make(body, [of.result, *of.types[1:]], result, f"linear_solve({of.name})", ["b", *of.names[1:]])


def _method(method: Any, rtol: float, max_steps: int | None, restart: int) -> krylov.Method | None:
    """How a solution is searched; None, where the matrix is factorised."""
    rtol, restart = options.number(rtol, "rtol"), options.count(restart, "restart")
    if max_steps is not None:
        max_steps = options.count(max_steps, "max_steps")
    if method not in ("lu", "cg", "gmres"):
        at = here().narrow(argument(9, "method", *range(1, 7)))
        what = f"there is no method {shown(method)} for linear equations"
        raise OutOfRange(what, at, 'write "lu", "cg" or "gmres"')
    return None if method == "lu" else krylov.Method(None if method == "cg" else restart, rtol, 0.0, max_steps)


def _solver(plain: Plain, apply: AnyFn) -> AnyFn:
    """The solver of `apply(x, *data) - b == 0`, whose data are `b` and `data`. It asks for no start."""
    types, names = [plain.type, *apply.types], ["x", fresh_name("b", apply.names[1:]), *apply.names[1:]]
    matrix = jacfwd(apply)

    def residual(x: Any, b: Any, *data: Any) -> Any:
        return apply(x, *data) - b

    def search(_: Any, b: Any, *data: Any) -> Found:
        x = solver_with(matrix(b, *data))(b)
        size = length(apply(x, *data) - b)
        return x, size, 1.0, size < math.inf

    return solver(make(residual, types, plain.type, apply.name, names), search, "linear_solve")
