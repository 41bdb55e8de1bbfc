"""L-BFGS: evaluations, and history."""

from __future__ import annotations

from typing import Any

import pytest
from rosenbrock_functions import chained, paired

import rose
from rose import Dual, Real, Vec, fn, lib


@pytest.mark.parametrize(("f", "most"), [(chained(2), 50), (paired(10), 60), (paired(100), 60), (chained(10), 100)])
def test_lbfgs_takes_about_as_many_evaluations_as_elsewhere(f: Any, most: int):
    # L-BFGS-B 3.0 in SciPy takes 46, 46, 49 and 96, from the same starts to the same gradient
    calls: list[None] = []

    @rose.opaque
    def counted(x: Real) -> Real:
        calls.append(None)
        return x

    @counted.jvp
    def _(x: Any) -> Any:
        return Dual(counted(x.re), x.du)

    n = f.types[0].size
    found = lib.lbfgs(fn([Vec[n]], Real)(lambda x: counted(f(x))))([-1.2, 1] * (n // 2))
    assert found.converged
    assert found.value < 1e-15
    assert found.steps < len(calls) <= most


def test_a_longer_history_takes_fewer_steps():
    start = [-1.2, 1.0] * 10
    short, long = [lib.lbfgs(chained(20), history=k)(start) for k in (1, 20)]
    assert short.converged
    assert long.converged
    assert long.steps < short.steps


def test_a_history_is_an_integer_above_0():
    with pytest.raises(rose.OutOfRange, match="history is an integer above 0, not 0"):
        lib.lbfgs(chained(2), history=0)
