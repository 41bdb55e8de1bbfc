"""Branches, while loops and recomputed functions in halves: what is on the tape, and that both halves are right."""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness import Module

import rose
from rose import Real, Vec
from rose.autodiff.erase_tangents import untype
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.linearize import linearize
from rose.autodiff.transpose import transpose
from rose.autodiff.unzip import unzip
from rose.autodiff.unzip_control import Recomputed, UnzippedBranch, UnzippedLinear, UnzippedWhile
from rose.host.evaluator import accumulator
from rose.host.interpreter import run
from rose.ir import Branch, Func, While
from rose.ir.callgraph import callees, make_linear
from rose.ir.check import check
from rose.ir.types import Bool, Stack, as_tuple, tuple_of


def callee(f: Any, kind: type = Branch) -> Func:
    """The derivative of the branch or while loop in `f`: the first one that it reaches."""
    g = jvp(f.func, full_mask(f.func)).func
    while not isinstance(g.kind, kind):
        g = callees(g)[0]
    return g


@rose.fn
def branch(x: Real, y: Real) -> Real:
    return rose.cond(x > 0.0, lambda: rose.exp(x) * y, lambda: x * y)


@rose.fn
def loop(x: Real, y: Real) -> Real:
    return rose.while_loop(lambda s: s < y, lambda s: rose.exp(s) * x, x)


@rose.fn
def counted(x: Real) -> Real:
    return rose.while_loop(lambda s: s[1] < 3.0, lambda s: (s[0] * 2.0, s[1] + 1.0), (x, 0.0))[0]


def test_a_branch_has_a_tape_for_each_branch():
    of = unzip(callee(branch))
    assert isinstance(of, UnzippedBranch)
    assert len(as_tuple(of.signature.tape).items) == 2 and 0 in of.signature.residuals


def test_the_tape_of_the_branch_that_is_not_taken_is_zero():
    f = rose.fn([Real], Real)(lambda x: rose.cond(x > 0.0, lambda: rose.exp(x), lambda: rose.sin(rose.exp(x))))
    of = unzip(callee(f))
    assert run(of.fwd, False, 0.3)[1][0] == (0.0,)


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (lambda s: (s[0] * s[1], s[1] + 1.0), 2),
        (lambda s: (s[0] * 0.5 + s[1], s[1] * s[1]), 1),
        (lambda s: (s[0] * rose.select(s[0] > s[1], 2.0, 0.5), s[1] + 1.0), 0),
    ],
)
def test_a_while_loop_keeps_the_items_of_a_state_that_its_linear_half_reads(after: Any, kept: int):
    f = rose.fn([Real], Real)(lambda x: rose.while_loop(lambda s: s[1] < 3.0, after, (x, 0.5 * x + 1.0))[0])
    of = unzip(callee(f, While))
    assert isinstance(of, UnzippedWhile) and len(of.pushed) == kept
    report = rose.testing.examine(f, points=2)
    assert report.ok, report


def test_a_while_loop_has_a_stack_of_the_tapes_of_its_iterations():
    of = unzip(callee(loop, While))
    assert isinstance(of, UnzippedWhile)
    (stack,) = as_tuple(of.signature.tape).items
    assert isinstance(stack, Stack) and not of.counted


def test_a_while_loop_without_residuals_counts_its_iterations():
    of = unzip(callee(counted, While))
    assert isinstance(of, UnzippedWhile) and of.counted and Bool in as_tuple(of.stack.elem).items


def test_a_recomputed_function_has_no_tape():
    f = rose.fn([Vec[2]], Real)(lambda v: rose.scan(lambda i, s: rose.sin(s) * v[1], v[0], 9, checkpoint="sqrt"))
    segments = [g for g in callees(jvp(f.func, full_mask(f.func)).func) if g.remat]
    assert segments or any([g.remat for h in callees(jvp(f.func, full_mask(f.func)).func) for g in callees(h)])
    for g in segments:
        of = unzip(g)
        assert isinstance(of, Recomputed) and of.signature.tape is tuple_of()


@pytest.mark.parametrize(("f", "x", "y"), [(branch, 0.4, 1.3), (branch, -0.4, 1.3), (loop, 0.7, 9.0)])
def test_gradients_and_their_gradients_are_those_of_forward_mode_compiled(f: Any, x: float, y: float):
    gradient = rose.fn([Real], Real)(lambda t: rose.grad(f)(t, y))
    linear = lambda g: rose.fn([Real], Real)(lambda t: rose.linearize(g)(t)[1](1.0))
    forward = lambda g: rose.fn([Real], Real)(lambda t: rose.jvp(g)(rose.Dual(t, 1.0)).du)
    one = rose.fn([Real], Real)(lambda t: f(t, y))
    funcs = {"gg": rose.grad(gradient), "lg": linear(gradient), "ff": forward(forward(one)), "g": gradient,
             "l": linear(one), "f": forward(one)}  # fmt: skip
    module = Module({name: g.func for name, g in funcs.items()})
    at = {name: module[name](x) for name in funcs}
    assert at["g"] == pytest.approx(at["f"]) and at["l"] == pytest.approx(at["f"])
    assert at["gg"] == pytest.approx(at["ff"]) and at["lg"] == pytest.approx(at["ff"])


def linear() -> Func:
    """A function of which the halves are not those of one another: so it is seen which is called."""
    by = rose.fn([Vec[2], Real], Vec[2])(lambda x, k: k * x)
    back = rose.fn([Vec[2], Real], Vec[2])(lambda ct, k: 10.0 * k * ct)
    return check(make_linear("given", by.func, back.func))


def test_the_halves_of_a_linear_function_are_those_that_it_was_given():
    g = linear()
    of = unzip(g)
    assert isinstance(of, UnzippedLinear) and of.signature.tape is tuple_of() and of.signature.residuals == (1,)
    assert run(check(linearize(g).lin), (1.0, 2.0), 3.0, ()) == (3.0, 6.0)
    total = accumulator((0.0, 0.0))
    run(check(transpose(g).bwd), total, 3.0, (1.0, 2.0), ())
    assert total.read() == (30.0, 60.0)
    assert run(g, (1.0, 2.0), 3.0) == (3.0, 6.0) and untype(g) is callees(g)[0]


@pytest.mark.parametrize(
    ("ct", "k", "sums"),
    [((-0.0, -0.0), math.nan, "(-0.0, -0.0)"), ((-0.0, 0.0), 3.0, "(0.0, 0.0)"), ((-0.0, 2.0), 3.0, "(0.0, 60.0)")],
)
def test_of_a_marked_cotangent_that_nothing_reached_the_transpose_is_nothing(ct: Any, k: float, sums: str):
    of = unzip(linear())
    assert isinstance(of, UnzippedLinear)
    total = accumulator((-0.0, -0.0))
    run(check(of.backward(True)), total, k, ct, ())
    assert str(total.read()) == sums


def test_a_linear_function_of_tuples_is_marked_part_by_part():
    pair = tuple_of(Real, Vec[2])
    same = rose.fn([pair], pair)(lambda x: x)
    of = unzip(check(make_linear("given", same.func, same.func)))
    assert isinstance(of, UnzippedLinear)
    back = check(of.backward(True))
    for ct, sums in (((-0.0, (-0.0, -0.0)), "(-0.0, -0.0)"), ((-0.0, (-0.0, 2.0)), "(0.0, 2.0)")):
        total = accumulator((-0.0, -0.0))
        number = run(back, total, ct, ())
        assert str(total.read()) == sums and str(number[0]) == sums[1 : sums.index(",")]
