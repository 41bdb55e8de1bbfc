"""The pattern of a Jacobian: where it may have something other than zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from ...autodiff.jvp import interleaved
from ...errors import NotDifferentiable, edge, here
from ...frontend.any_size import AnySize
from ...frontend.function import AnyFn, checked
from ...frontend.tracing import no_collector
from ...ir import Func
from ...ir.types import count_reals, items_of, tangent
from ..arguments import check_reals, positions, real_result
from ..linear_map import LinearMap
from .abstract_interpreter import Dependence
from .abstract_values import leaves, of_leaves, zero
from .index_sets import IndexSet, listed, single
from .matrix import Sparsity, of_rows


def of_known_size(f: AnyFn, what: str) -> AnyFn:
    """`f`, if it is not a function of any size."""
    if isinstance(f, AnySize):
        name = f.dims[0].text
        message = f"rose.{what}: the pattern of {f.name} is that of one size, and {name} is any"
        raise NotDifferentiable(message, here(), f"name the size first, as in f.at({name}=3)")
    return f


def pattern(f: AnyFn, active: Sequence[int]) -> Sparsity:
    """The pattern of the Jacobian of `f` in these parameters, whose columns stand one after another."""
    lin = LinearMap(f, active)
    func, d = lin.func()
    key = (pattern, *active)
    if key not in func.memo:
        n = sum([count_reals(lin.types[k]) for k in active])
        with no_collector():
            func.memo[key] = of_rows(_rows(d, lin) if d else [()] * count_reals(lin.result), n)
    return func.memo[key]


def _rows(d: Func, lin: LinearMap) -> list[Sequence[int]]:
    """The columns of each row, found by running the derivative over sets."""
    column = count()
    unit: Callable[[], IndexSet] = lambda: single(next(column))
    seeds = {k: of_leaves(tangent(lin.types[k]), unit) for k in lin.active}
    params = lin.func()[0].params
    tangents = [seeds.get(k, zero(tangent(params[k].type))) for k in lin.moving]
    run = Dependence(next(column))
    _, dy = run.run(d, interleaved([None for _ in params], tangents, lin.mask))
    made = [*leaves(items_of(d.result)[1], dy)]
    run.sets.settle(made)
    known: dict[Any, Sequence[int]] = {}  # of a matrix that is dense, many rows are alike
    return [known.get(s.numbers) or known.setdefault(s.numbers, listed(s)) for s in made]


@edge
def sparsity(f: AnyFn, argnums: int | Sequence[int] = 0) -> Sparsity:
    """The sparsity pattern of the Jacobian of `f`: the entries that may be other than zero at some point.

    Rows are the numbers of the result, columns those of the parameter, each in the order of fields and elements; with
    several `argnums` the columns of one stand after those of the other. For a Hessian, take `sparsity(grad(f))`. It is
    the pattern of the program, with the sizes, loops and literal data that it has: what is read at an index that only
    a call knows may be any element, and of a condition that only a call knows either branch may be taken.
    """
    f = of_known_size(checked(f, "sparsity"), "sparsity")
    active = positions(f, argnums, "sparsity")
    real_result(f, "sparsity")
    check_reals(f, active, "sparsity")
    return pattern(f, active)
