"""The rewriter: copies, and copies that are simpler."""

from __future__ import annotations

import pytest
from optimising import code, func

import rose
from rose import Real, Vec, fn
from rose.ir import FOR, Builder, Func, Value
from rose.ir.check import check
from rose.ir.ops import abs_, add, mul, neg, sin, sub
from rose.ir.text.printer import show
from rose.ir.types import Type
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.rewriter import NEGATIONS, RULES, Rewriter, Simplifier


def gradient() -> Func:
    f = fn([Vec[5], Real], Real)(lambda x, a: rose.sum((x[i] - a) ** 2 for i in rose.range(5)))
    return rose.value_and_grad(f, (0, 1)).func


def test_a_copy_reads_the_same_and_shares_no_instruction():
    f = gradient()
    made = check(Rewriter().function(f))
    assert show(made) == show(f)
    assert {*code(made)}.isdisjoint(code(f))
    assert [v.loc for v in code(made)] == [v.loc for v in code(f)]


def test_a_subclass_says_what_becomes_another():
    class Absolute(Rewriter):
        def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
            return b.emit(abs_, args) if v.op is neg else super().plain(b, v, args)

    f = fn([Real], Real)(lambda x: sin(-x)).func
    assert [v.op for v in code(check(Absolute().function(f)))] == [abs_, sin]


def test_a_subclass_says_what_types_become():
    class Pairs(Rewriter):
        def type(self, t: Type) -> Type:
            return Vec[2] if t is Real else t

    made = Pairs().function(func(Real)(lambda b, x: x))
    assert [p.type for p in made.params] == [made.result] == [Vec[2]]


def test_a_simpler_copy_has_equal_expressions_once():
    f = func(Real)(lambda b, x: b.again(x * x, (x, x)) + x * x)
    assert [v.op for v in code(f)] == [mul, mul, add]
    assert [v.op for v in code(check(Simplifier({}, {}).function(f)))] == [mul, add]


def test_a_call_is_inlined():
    g = fn([Real], Real)(lambda x: x * x)
    f = fn([Real], Real)(lambda x: g(sin(x))).func
    (call,) = f.body.code[1:]
    assert [v.op for v in code(check(Simplifier({}, {call: g.func}).function(f)))] == [sin, mul]


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_is_asked_unless_it_is_left_out(rule: rose.optimise.rewriter.Rule):
    assert rule.chosen(()) is rule.ask
    assert rule.chosen((rule.name,)) is rule.otherwise


def test_without_negations_a_sum_with_one_stays_a_sum():
    f = func(Real, Real)(lambda b, x, y: x + -y)
    assert [v.op for v in code(Simplifier({}, {}, (NEGATIONS.name,)).function(f))] == [neg, add]
    assert [v.op for v in code(Simplifier({}, {}).function(f))] == [neg, sub]


@pytest.mark.parametrize("n", [2, 3])
def test_a_loop_that_copies_a_vector_is_that_vector(n: int):
    """So is one of rows that are copied; not one that stops before the last element, or takes another order."""
    matrix, last = Vec[n, Vec[4]], n - 1
    f = fn([matrix], matrix)(lambda a: rose.vec(rose.vec(a[i][j] for j in rose.range(4)) for i in rose.range(n)))
    made = remove_dead_code(check(Simplifier({}, {}).function(f.func)))
    assert not any([v.op is FOR for v in code(made)])
    assert made.body.results[0] is made.params[0]

    for other in (
        fn([matrix], Vec[last, Vec[4]])(lambda a: rose.vec(a[i] for i in rose.range(last))),
        fn([matrix], Vec[4, Vec[n]])(
            lambda a: rose.vec(rose.vec(a[i][j] for i in rose.range(n)) for j in rose.range(4))
        ),
        fn([matrix, Vec[4]], matrix)(lambda a, x: rose.vec(x for _ in rose.range(n))),
    ):
        assert any([v.op is FOR for v in code(check(Simplifier({}, {}).function(other.func)))])


@pytest.mark.parametrize("simd", [False, True])
def test_a_result_that_is_a_copy_has_a_place_of_its_own(simd: bool):
    f = fn([Vec[3], Vec[3]], tuple[Vec[3], Vec[3], Vec[3]])(
        lambda x, y: (rose.vec(x[i] for i in rose.range(3)), x, rose.vec((x + y)[i] for i in rose.range(3)))
    )
    a, b, c = rose.compile(f, simd=simd)([1.0, 2.0, 3.0], [3.0, 3.0, 3.0])
    a[0] = 7.0
    assert (a.tolist(), b.tolist(), c.tolist()) == ([7.0, 2.0, 3.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
