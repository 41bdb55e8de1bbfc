"""Plain `while` and `for` under `@fn(syntax=True)`."""

from __future__ import annotations

import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn
from rose.ir import FOR
from rose.ir.callgraph import instructions


def test_a_traced_while_is_a_loop_of_the_compiled_function():
    @fn(syntax=True)
    def f(x: Real) -> Vec[2]:
        k = 0.0
        while x < 100.0:
            x, k = 2.0 * x, k + 1.0
        return [x, k]

    assert f(3.0).tolist() == [192.0, 6.0]
    assert f(100.0).tolist() == [100.0, 0.0]


def test_a_python_while_is_unrolled():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        k = 0
        while k < 3:
            x, k = x * x, k + 1
        return x

    assert f(2.0) == 256.0
    assert [v.op.name for v in f.func.body.code].count("mul") == 3


def test_a_for_carries_the_variables_that_it_assigns():
    @fn(syntax=True)
    def f(v: Vec[4]) -> Real:
        best, total = v[0], rose.accum(0.0)
        for i in rose.range(4):
            best = rose.max(best, v[i])
            total += v[i]
        return best + total.value

    assert f([1.0, 7.0, -2.0, 0.5]) == 13.5
    assert [v.op for v in instructions(f.func.body)].count(FOR) == 1


def test_a_for_may_have_the_length_that_an_index_says():
    @fn(syntax=True)
    def f(v: Vec[4]) -> Real:
        best, total = 0.0, rose.accum(0.0)
        for i in rose.range(4):
            for j in rose.range(i):
                best = rose.max(best, v[i] - v[j])
                total += v[j]
        return best + 100 * total.value

    v = [1.0, 7.0, -2.0, 0.5]
    assert f(v) == 6.0 + 100 * (3 * 1.0 + 2 * 7.0 - 2.0)
    assert rose.grad(f)(v).tolist() == [299.0, 201.0, 100.0, 0.0]


def test_a_for_over_a_list_is_python():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        for k in [1, 2, 3]:
            x = x + k
        return x

    assert f(1.0) == 7.0
    assert not [v for v in instructions(f.func.body) if v.op is FOR]


def test_a_variable_keeps_its_type():
    @fn(syntax=True)
    def f(x: Real) -> Real:
        while x < 10.0:
            x = [x, x]
        return x

    with pytest.raises(TypeMismatch, match="x is a Real before this loop, and a Vec"):
        _ = f.func
