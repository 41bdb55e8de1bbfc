"""Dead code across calls."""

from __future__ import annotations

from typing import Any

import pytest
from optimising import code, fast, func

import rose
import rose.ir.ops
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.ir import Builder, Value
from rose.ir.callgraph import callees
from rose.ir.check import check
from rose.ir.ops import exp, sin
from rose.ir.types import Ref
from rose.optimise.dead_arguments import remove_dead_arguments
from rose.optimise.pipeline import optimised

pytestmark = pytest.mark.usefixtures("rolled")


@fn
def line(a: Real, b: Real, x: Real) -> Real:
    return a * x + b


@fn
def fit(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> Real:
    return rose.sum((line(a, b, X[i]) - Y[i]) ** 2 for i in rose.range(5))


X, Y = (0.5, -1.0, 2.0, 0.25, 3.0), (1.0, -0.0, 2.5, 0.125, 0.0)


@fn
def slope(a: Real, b: Real, X: Vec[5], Y: Vec[5]) -> tuple[Real, Real]:
    grads = rose.vjp(fit)(a, b, X, Y).grad(1.0)
    return grads[0], grads[1]


@pytest.mark.parametrize("by", [optimised, remove_dead_arguments])
def test_the_gradient_in_data_leaves_no_code_if_nobody_asks_for_it(by: Any):
    made = fast(slope.func, (0.5, -0.25, X, Y), by=by)
    functions = [made]
    for f in functions:
        functions += callees(f)
    refs = [v for f in functions for v in (*f.params, *code(f)) if isinstance(v.type, Ref)]
    assert [v.type.inner for v in refs if isinstance(v.type, Ref)] == [Real, Real], (
        "a sum for the line, none for the data"
    )


@pytest.mark.parametrize("by", [optimised, remove_dead_arguments])
def test_a_state_that_is_read_by_way_of_others_is_needed(by: Any):
    step = lambda i, s: (s[1], s[2], s[3] + 1.0, s[3] * 2.0, s[4] * s[0])
    f = fn([Real], Real)(lambda x: rose.scan(step, (x, x * 2.0, x * 3.0, x * 5.0, x * 7.0), 6)[0])
    made = fast(f.func, (0.75,), by=by)
    assert run(made, 0.75) == 31.0


@pytest.mark.parametrize("by", [optimised, remove_dead_arguments])
def test_what_one_side_of_a_branch_reads_is_needed(by: Any):
    f = fn([Real] * 3, Real)(lambda c, y, z: rose.cond(c > 0.0, lambda: rose.exp(y), lambda: rose.sin(z)))
    for c in (1.0, -1.0):
        made = fast(f.func, (c, 0.5, 0.25), by=by)
        assert run(made, c, 0.5, 0.25) == f(c, 0.5, 0.25)


def test_a_result_that_no_caller_reads_is_not_made():
    @func(Real)
    def pair(b: Builder, x: Value) -> Value:
        return b.tuple([sin(x), exp(x)])

    @func(Real)
    def f(b: Builder, x: Value) -> Value:
        return b.get(b.call(pair, [x]), 0) + b.get(b.call(pair, [x + 1.0]), 0)

    made = fast(f, (0.5,), by=remove_dead_arguments)
    (half,) = set(callees(made))
    assert [v.op for v in code(half) if v.op is sin or v.op is exp] == [sin]


def test_a_parameter_that_only_dead_code_reads_is_not_handed_on():
    @func(Real, Real)
    def pair(b: Builder, x: Value, y: Value) -> Value:
        return b.tuple([sin(x), exp(y)])

    @func(Real, Real)
    def f(b: Builder, x: Value, y: Value) -> Value:
        return b.get(b.call(pair, [x, exp(y)]), 0) * b.get(b.call(pair, [x + 1.0, y]), 0)

    made = fast(f, (0.5, 0.25), by=remove_dead_arguments)
    assert not [v for v in code(made) if v.op is exp]
    assert [len(g.params) for g in callees(made)] == [1, 1]


def test_effects_stay_though_nobody_reads_what_they_give(capfd: pytest.CaptureFixture[str]):
    @fn
    def tell(x: Real) -> Real:
        rose.print("x is {}", x)
        return x + 1.0

    @fn
    def f(x: Real) -> Real:
        tell(x)
        return x * 2.0

    for by in (optimised, remove_dead_arguments):
        assert run(check(by({"f": f.func})["f"]), 0.5) == 1.0
    assert capfd.readouterr().out == "x is 0.5\n" * 2


def test_a_function_with_a_rule_of_its_own_keeps_it():
    @fn
    def square(x: Real) -> Real:
        return rose.scan(lambda i, s: (s[0] * x, rose.sqrt(s[1])), (1.0, x), 2)[0]

    square.jvp(lambda x: rose.Dual(square(x.re), 100.0 * x.du))
    assert rose.grad(square)(-3.0) == 100.0
    assert rose.grad(fn([Real], Real)(lambda x: square(x) + square(2.0 * x)))(-3.0) == 300.0


def test_a_choice_is_made_for_its_effect_alone(capfd: pytest.CaptureFixture[str]):
    def told(x: Any) -> Any:
        rose.print("x is {}", x)
        return x + 1.0

    @fn
    def f(x: Real, y: Real) -> Real:
        rose.cond(x > 0.0, lambda: told(x), lambda: y)
        return x * 2.0

    for by in (optimised, remove_dead_arguments):
        assert run(check(by({"f": f.func})["f"]), 1.0, 2.0) == 2.0
    assert capfd.readouterr().out == "x is 1.0\n" * 2
