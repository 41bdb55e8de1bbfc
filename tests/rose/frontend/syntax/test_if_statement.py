"""A plain `if` under `@fn(syntax=True)`."""

from __future__ import annotations

import pytest

from rose import Real, TypeMismatch, Vec, fn
from rose.ir import CALL, PURE_CALL
from rose.ir.callgraph import instructions


def test_each_variable_is_chosen():
    @fn(syntax=True)
    def f(x: Real) -> Vec[3]:
        a, b, c = 0.0, 1, x
        if x > 0.0:
            a, b = x, 2
        elif x < -1.0:
            c = -x
        return [a, b, c]

    assert f(3.0).tolist() == [3.0, 2.0, 3.0]
    assert f(-3.0).tolist() == [0.0, 1.0, 3.0]
    assert f(-0.5).tolist() == [0.0, 1.0, -0.5]


def test_a_python_condition_leaves_one_branch():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if len("ab") == 2:
            return 2.0 * x
        return undefined  # noqa: F821  # pyright: ignore

    assert not [v for v in instructions(f.func.body) if v.op in (CALL, PURE_CALL)]
    assert f(3.0) == 6.0


def test_a_dead_variable_may_have_two_types():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            y = x
        else:
            y = [x, x]
            x = y[1]
        return x

    assert f(-2.0) == -2.0


def test_a_live_variable_may_not():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        if x > 0.0:
            y = x
        else:
            y = [x, x]
        return y

    with pytest.raises(TypeMismatch, match="y is a Real after one branch of this `if`, and a Vec"):
        _ = f.func
