"""Linear equations whose matrix is a function."""

from __future__ import annotations

from typing import Any

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.prove_linear import as_linear
from ..derivatives.jacobians import jacfwd
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, make
from ..frontend.signatures import fresh_name
from .equations import Found, Plain, as_many, length, solver, solver_with, unknown


@of_any_size
def linear_solve(matvec: AnyFn) -> AnyFn:
    """The function from a right side and data to the solution `x` of linear equations: `matvec(x, *data) == b`.

    `matvec` takes the unknown, of any type made of Reals, and data after it; it is linear in the unknown, of which it
    gives a value of as many Reals. Its matrix is made, column by column, and factorised: for a few hundred unknowns at
    most. Where it is singular the result has infinities and nan. The derivatives, by the right side and the data,
    are solutions with the same factors.
    """
    of = unknown("linear_solve", matvec)
    as_many("linear_solve", of)

    def body(b: Any, *data: Any) -> Any:
        plain = Plain(of)
        apply = plain.residual()
        if not plain.type.empty:
            _ = as_linear(untype(apply.func), [k == 0 for k in range(len(apply.types))])  # which says where it is not
        right = plain.result(b)
        captured = [ir.current_builder().reach(v) for v in plain.captured]
        return plain.value(_solver(plain, apply)(right, right, *data, *captured)[0])

    return make(body, [of.result, *of.types[1:]], of.types[0], f"linear_solve({of.name})", ["b", *of.names[1:]])


def _solver(plain: Plain, apply: AnyFn) -> AnyFn:
    """The solver of `apply(x, *data) - b == 0`, whose data are `b` and `data`. It asks for no start."""
    types, names = [plain.type, *apply.types], ["x", fresh_name("b", apply.names[1:]), *apply.names[1:]]
    matrix = jacfwd(apply)

    def residual(x: Any, b: Any, *data: Any) -> Any:
        return apply(x, *data) - b

    def search(_: Any, b: Any, *data: Any) -> Found:
        x = solver_with(matrix(b, *data))(b)
        return x, length(apply(x, *data) - b), 1.0, True

    return solver(make(residual, types, plain.type, apply.name, names), search, "linear_solve")
