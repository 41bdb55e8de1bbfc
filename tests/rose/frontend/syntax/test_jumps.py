"""Jumps out of loops under `@fn(syntax=True)`: the same functions give what Python gives, and have derivatives."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, Real, RoseError, Vec, fn
from rose.frontend.syntax.jumps import Jumps, falls

N = 6


def first_break(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 0.0
    for i in span(N):
        total = total + x[i] * x[i]
        if total > t:
            break
    return total


def skips(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 0.0
    for i in span(N):
        if x[i] > t:
            continue
        total = total + x[i] ** 2
        if x[i] < -t:
            continue
        total = total * 1.5
    return total


def returns(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 1.0
    for i in span(N):
        if x[i] > t:
            return total * x[i]
        total = total + x[i]
    return total - 1.0


def both_ways(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 0.0
    for i in span(N):
        if x[i] > t:
            if x[i] > 2 * t:
                break
            total = total + 1.0 * x[i]
        elif x[i] < -t:
            total = total - x[i]
            continue
        else:
            total = total * 2.0
        total = total + 0.25
    return total


def nested(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 0.0
    for i in span(N):
        for j in span(N):
            if x[i] * x[j] > t:
                break
            if x[i] + x[j] < -2 * t:
                continue
            if x[i] - x[j] > 4 * t:
                return total - 10.0 * x[j]
            total = total + x[i] * x[j]
        if total > 3.0:
            return total * 2.0
    return total


def otherwise(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    found = 0.0
    for i in span(N):
        if x[i] > t:
            found = x[i] * 3.0
            break
    else:
        found = -1.0 * t
    return found


def endless(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    y, count = x[0] * x[0] + 5.0, 0
    while True:
        y = y * 0.5 + 0.01 * x[1]
        count += 1
        if y < t * t:
            break
        if count > 20:
            return -y
    return y + count


def searched(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    i = 0
    while i < N and x[i] < t:
        i += 1
    if i == N:
        return -2.0
    return x[i] * i


def two_fingers(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    i, j, total = 0, N - 1, 0.0
    while i < j:
        if x[i] < x[j]:
            total += x[i]
            i += 1
            continue
        total += x[j] * x[j]
        j -= 1
    return total


def while_else(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    k, s = 0, 0.0
    while k < N:
        s = s + x[k]
        if s > 2 * t:
            break
        k += 1
    else:
        s = s * 100.0
    return s


def of_a_list(x: Vec[N], t: Real, span: Any = rose.range) -> Real:
    total = 0.0
    for k, weight in enumerate([1.0, None, 3.0, 4.0]):
        if weight is None:
            continue
        if weight == 4.0:
            break
        if x[k] > t:
            return total
        total = total + weight * x[k]
    return total


PROGRAMS = [
    first_break, skips, returns, both_ways, nested, otherwise, endless, searched, two_fingers, while_else, of_a_list,
]  # fmt: skip


def over(span: Any, program: Any) -> Any:
    """The program as a function of the language, whose loops are over this `range`."""
    made: Any = types.FunctionType(program.__code__, program.__globals__, program.__name__, (span,))
    made.__annotations__ = {k: v for k, v in program.__annotations__.items() if k != "span"}
    return fn(syntax=True)(made)


@pytest.mark.parametrize("own", [False, True], ids=["rose.range", "range"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_with_jumps_does_what_python_does(program: Any, own: bool):
    kept = {k: v for k, v in program.__annotations__.items() if k != "span"}
    made: Any = types.FunctionType(
        program.__code__, program.__globals__, program.__name__, (range if own else rose.range,)
    )
    made.__annotations__ = kept
    f = fn(syntax=True)(made)
    derivative = rose.compile(rose.value_and_grad(f, (0, 1)))
    rng = np.random.default_rng(3)
    ways = set[str]()
    for _ in range(40):
        x, t = rng.normal(size=N), float(abs(rng.normal()) + 0.05)
        expected = program(x, t, range)
        ways.add(f"{expected:.1f}")
        value, (dx, dt) = derivative(x, t)
        assert value == f(x, t) == pytest.approx(expected, rel=1e-13)
        with rose.eager():
            assert f(x, t) == value
        duals = [rose.Dual(a, da) for a, da in zip(x, dx, strict=True)]
        assert rose.jvp(f)(duals, rose.Dual(t, dt)).du == pytest.approx(dx @ dx + dt * dt, rel=1e-9)
        numeric = [(program(x + h, t, range) - program(x - h, t, range)) / 2e-7 for h in 1e-7 * np.eye(N)]
        if np.allclose([program(x + h, t, range) for h in 1e-6 * np.eye(N)], expected, atol=1e-4):  # far from a jump
            np.testing.assert_allclose(dx, numeric, atol=1e-5)
    assert len(ways) > 3


@pytest.mark.parametrize("program", [first_break, skips, nested, endless, two_fingers], ids=lambda f: f.__name__)
def test_second_derivatives_have_the_bits_of_the_interpreter(program: Any):
    second = rose.hessian(over(rose.range, program))
    x = np.random.default_rng(5).normal(size=N)
    compiled = second(x, 0.4)
    with rose.eager():
        assert np.array_equal(second(x, 0.4), compiled)


def test_a_loop_with_a_break_is_one_loop():
    def size(n: int) -> int:
        @fn(syntax=True)
        def f(x: Vec[n], t: Real) -> Real:
            total = 0.0
            for i in rose.range(n):
                total = total + x[i] * x[i]
                if total > t:
                    break
            return total

        return len(rose.compile(rose.grad(f)).wasm)

    assert size(5000) <= size(50) + 20


def test_a_return_in_a_loop_may_give_any_type():
    @fn(syntax=True)
    def f(x: Vec[N], t: Real) -> tuple[Vec[2], Bool]:
        for i in rose.range(N):
            if x[i] > t:
                return [x[i], t], True
        return [0.0, 0.0], False

    found, is_found = f(np.arange(6.0), 2.5)
    assert found.tolist() == [3.0, 2.5] and is_found
    assert f(np.arange(6.0), 9.0)[0].tolist() == [0.0, 0.0]


def test_a_function_of_any_size_may_return_from_a_loop():
    n = rose.dim("n")

    @fn(syntax=True)
    def f(x: Vec[n], t: Real) -> Vec[n]:
        for i in rose.range(n):
            if x[i] > t:
                return x * x[i]
        return x

    assert f([1.0, 2.0], 1.5).tolist() == [2.0, 4.0] and f([1.0, 2.0, 3.0], 5.0).tolist() == [1.0, 2.0, 3.0]
    assert rose.compile(f, dynamic=True)([1.0, 2.0], 1.5).tolist() == [2.0, 4.0]


def test_a_counter_is_checked_where_it_is_an_index():
    @fn(syntax=True)
    def f(x: Vec[3], t: Real) -> Real:
        i = 0
        while x[i] < t:
            i += 1
        return x[i]

    assert f([1.0, 2.0, 3.0], 1.5) == 2.0
    with pytest.raises(rose.AssertionFailed, match="a whole number from 0 to 3 - 1") as e:
        f([1.0, 2.0, 3.0], 5.0)
    assert "while x[i] < t" in str(e.value)

    @fn(syntax=True)
    def g(x: Vec[3], k: Real) -> Real:
        return x[k]

    with pytest.raises(RoseError, match="cannot index a vector") as e:
        g([1.0, 2.0, 3.0], 1.0)
    assert "declare k as a Fin[3]" in str(e.value)


def test_an_index_of_a_counter_reads_rows_lists_and_arrays_of_numpy():
    table = np.arange(12.0).reshape(3, 4)

    @fn(syntax=True)
    def f(x: Vec[3, 4], k: Fin[4]) -> Real:
        i, total = 0, 0.0
        while i < 3:
            total = total + x[i, k] + x[i][k] * table[i, 0] + np.sum(x[i])
            i += 1
        return total

    x = np.arange(12.0).reshape(3, 4) + 1
    assert f(x, 2) == sum(x[i, 2] + x[i][2] * table[i, 0] + x[i].sum() for i in range(3))


def test_a_jump_inside_of_try_stays_pythons():
    @fn(syntax=True)
    def f(x: Vec[N], t: Real) -> Real:
        total = 0.0
        for k in range(N):
            try:
                if k == 2:
                    break
            finally:
                total = total + x[k]
        return total

    assert f(np.arange(6.0), 0.0) == 3.0

    @fn(syntax=True)
    def g(x: Vec[N], t: Real) -> Real:
        for k in range(N):
            with np.errstate():
                if x[k] > t:
                    break
        return t

    with pytest.raises(RoseError, match=r"inside of `with`|break inside of a loop"):
        g(np.arange(6.0), 0.0)


def test_what_comes_after_jumps_is_found():
    body = ast.parse("for i in x:\n  if i:\n    break\n  y = i\nelse:\n  z = 1").body
    made = Jumps(lambda rest, _: rest).block(body)
    assert [type(s).__name__ for s in made] == ["Assign", "For", "If"]
    assert falls(ast.parse("if a:\n  b = 1").body) and not falls(ast.parse("for i in x:\n  break").body[0].body)  # pyright: ignore
