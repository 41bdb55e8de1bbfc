"""Inlining: which calls make way for the function, and which stay."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Module, same
from optimising import HERE, code, fast

import rose
import rose.ir.ops
from rose import Real, Vec, fn, ir
from rose.host.interpreter import run
from rose.ir import Func, is_call
from rose.ir.callgraph import callees, reachable, weight
from rose.ir.check import check
from rose.ir.ops import sin
from rose.optimise.costs import INLINED_INSTRUCTIONS, LONG_BLOCK_INSTRUCTIONS
from rose.optimise.pipeline import optimised

pytestmark = pytest.mark.usefixtures("rolled")


@fn
def line(a: Real, b: Real, x: Real) -> Real:
    return a * x + b


@fn
def fit(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> Real:
    return rose.sum((line(a, b, X[i]) - Y[i]) ** 2 for i in rose.range(5))


X, Y = (0.5, -1.0, 2.0, 0.25, 3.0), (1.0, -0.0, 2.5, 0.125, 0.0)


def test_small_functions_are_inlined():
    made = fast(rose.value_and_grad(fit, (0, 1)).func, (0.5, -0.25, X, Y))
    assert not list(callees(made))
    assert line.func.name in [v.loc.code.co_name for v in code(made)], "an instruction is where the user wrote it"


def steps(n: int) -> rose.Fn[..., Any]:
    def body(x):
        for k in range(n):
            x = sin(x) + float(k)
        return x

    return fn([Real], Real)(body)


def test_a_larger_function_stays_a_call_unless_it_is_called_once():
    once = steps(2 * INLINED_INSTRUCTIONS)
    twice = steps(2 * INLINED_INSTRUCTIONS)
    f = fast(fn([Real], Real)(lambda x: once(x) + twice(x) * twice(x + 1.0)).func, (0.5,))
    assert [is_call(v) for v in code(f)].count(True) == 2
    assert weight(f.body) > 2 * INLINED_INSTRUCTIONS


def test_what_a_while_loop_calls_by_another_function_is_in_the_loop_as_well():
    long = steps(INLINED_INSTRUCTIONS)
    less = fn([Real], Real)(lambda x: 0.01 * long(x))
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s > 9.0, less, long(x)))
    made = fast(f.func, (0.5,))
    assert {g for g in reachable(made) for h in callees(g) if g.has_body and h.name == long.func.name} <= {made}


def test_a_function_does_not_grow_beyond_what_engines_like():
    parts = [steps(LONG_BLOCK_INSTRUCTIONS // 5) for _ in range(5)]
    f = fast(fn([Real], Real)(lambda x: sum([g(x) for g in parts], x)).func, (0.5,))
    assert list(callees(f))
    assert weight(f.body) <= LONG_BLOCK_INSTRUCTIONS


@pytest.mark.slow
def test_a_chain_of_calls_is_as_long_as_it_likes():
    def around(g: Func) -> Func:
        with ir.building("f") as b:
            b.loc = HERE
            return b.func(b.call(g, [b.param(Real, "x")]) * 0.5)

    f = steps(2).func
    for _ in range(10_000):
        f = around(f)
    made = check(optimised({"f": f})["f"])
    assert list(callees(made))
    assert weight(made.body) <= LONG_BLOCK_INSTRUCTIONS


def test_checkpoints_take_no_more_memory():
    """What is evaluated again stays a call: the values of the first time would have to be kept."""

    def memory(**schedule: Any) -> tuple[int, int]:
        scan = fn([Real], Real)(lambda x: rose.scan(lambda i, s: (sin(s[0]),), (x,), 1000, **schedule)[0])
        f = rose.grad(scan).func
        plain, made = Module({"f": f}), Module({"f": fast(f, (0.5,))})
        return plain.memory.data_len(plain.store) + plain.lowered.base, made.memory.data_len(
            made.store
        ) + made.lowered.base

    all_kept, _ = memory()
    before, after = memory(checkpoint="sqrt")
    assert after <= before < all_kept


def test_what_is_exported_twice_is_there_twice():
    funcs = {"fit": fit.func, "line": line.func}
    made = optimised(funcs)
    assert list(made) == ["fit", "line"]
    module = Module(made)
    assert same(module["line"](2.0, 1.0, 3.0), 7.0)
    assert same(module["fit"](0.5, 1.0, X, Y), run(fit.func, 0.5, 1.0, X, Y))
