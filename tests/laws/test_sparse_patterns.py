"""Patterns, and sparse Jacobians and Hessians, of random programs: nothing is missing, and every entry is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from harness import Module, reals
from random_programs import Program

import rose
from rose.host.interpreter import run
from rose.ir.check import check
from rose.ir.types import Real, Tuple, Type, Vec
from rose.optimise.pipeline import optimised
from tests.fuzz.derivatives import flat
from tests.laws.test_fuzz import for_programs


def law_of_jacobians(p: Program) -> None:
    """Each entry is that along a unit vector, and outside of the pattern all are zero."""
    active = [k for k, t in enumerate(p.types) if any(True for _ in reals(p.args[0][k], t))]
    if not active or not p.result.real:
        return
    f = p.run()["main"]
    pattern = rose.sparsity(f, active)
    made = check(rose.jacobian(f, active, sparse=True).func)
    forward = rose.jvp(f).func
    module = Module(optimised({"made": made}))
    for xs in p.args[:2]:
        dense = [row_of(run(forward, *duals), p.result) for duals in units(xs, p.types, active)]
        assert pattern.shape == (len(dense[0]), len(dense))
        compare(pattern, run(made, *xs), lambda i, j, dense=dense: dense[j][i])
        compare(pattern, module["made"](*xs), lambda i, j, dense=dense: dense[j][i])


def compare(pattern: rose.Sparsity, sparse: Any, entry: Callable[[int, int], float]) -> None:
    rows, cols, values, shape = sparse
    assert (shape, rows, cols) == (pattern.shape, pattern.rows, pattern.cols)
    found = dict(zip(zip(rows, cols, strict=True), values, strict=True))
    assert list(found) == sorted(found), "by row, then by column, none twice"
    for i in range(shape[0]):
        for j in range(shape[1]):
            want, got = entry(i, j), found.get((i, j), 0.0)
            assert abs(want - got) <= 1e-9 * (1.0 + max(map(abs, values), default=0.0)), (i, j, want, got)


def units(xs: Sequence[Any], types: Sequence[Type], active: Sequence[int]) -> Iterator[list[Any]]:
    """The arguments as Duals, with a tangent of 1 for each number in turn."""
    n = sum([1 for k in active for _ in reals(xs[k], types[k])])
    for j in range(n):
        each = iter(range(n))
        yield [dual(x, t, lambda each=each, j=j: float(next(each) == j)) for x, t in zip(xs, types, strict=True)]


def dual(x: Any, t: Type, tangent: Callable[[], float]) -> Any:
    if isinstance(t, Vec):
        return tuple([dual(y, t.elem, tangent) for y in x])
    if isinstance(t, Tuple):
        return tuple([dual(y, s, tangent) for y, s in zip(x, t.items, strict=True)])
    return (x, tangent()) if t is Real else x


def row_of(y: Any, t: Type) -> list[float]:
    """The tangents in the plain value of a `Dual[t]`."""
    if isinstance(t, Vec):
        return [d for z in y for d in row_of(z, t.elem)]
    if isinstance(t, Tuple):
        return [d for z, s in zip(y, t.items, strict=True) for d in row_of(z, s)]
    return [y[1]] if t is Real else []


def law_of_hessians(p: Program) -> None:
    """The sparse Hessian of a number that a program gives is the dense one."""
    n = sum([1 for x, t in zip(p.args[0], p.types, strict=True) for _ in reals(x, t)])
    if not n or not p.result.real:
        return
    f = flat(p.run()["main"], rose, p, n)
    sparse = check(rose.hessian(f, sparse=True).func)
    dense = rose.hessian(f).func
    for xs in p.args[:2]:
        x = tuple([y for a, t in zip(xs, p.types, strict=True) for y in reals(a, t)])
        want = run(dense, x)
        compare(rose.sparsity(rose.grad(f)), run(sparse, x), lambda i, j, want=want: want[i][j])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_sparse_jacobians_of_random_programs(part: int):
    for_programs(law_of_jacobians, 12, part, 40)


@pytest.mark.parametrize("part", range(2))
def test_sparse_hessians_of_random_programs(part: int):
    for_programs(law_of_hessians, 8, 20 + part, 40)
