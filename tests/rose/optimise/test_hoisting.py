"""Loop-invariant code motion."""

from __future__ import annotations

import pytest
from optimising import code, fast

import rose
import rose.ir.ops
from rose import Real, Vec, fn
from rose.ir.ops import exp

pytestmark = pytest.mark.usefixtures("rolled")


X, Y = (0.5, -1.0, 2.0, 0.25, 3.0), (1.0, -0.0, 2.5, 0.125, 0.0)


def test_what_is_the_same_in_each_iteration_is_done_once():
    @fn
    def f(a: Real, X: Vec[5]) -> Real:
        return rose.sum(X[i] * exp(a / 3.0) for i in rose.range(5))

    made = fast(f.func, (0.5, X))
    assert [v.block is made.body for v in code(made) if v.op is exp] == [True]
    nothing = fn([Real], Vec[0])(lambda a: rose.vec(1.0 / a for _ in rose.range(0)))
    fast(nothing.func, (0.0,))
