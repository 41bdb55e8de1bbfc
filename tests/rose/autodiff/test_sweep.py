"""Reverse mode in one sweep: the bits of the two halves, without a tape outside of loops, and without growing code."""

from __future__ import annotations

import random
from typing import Any

import pytest
from harness import Module, same
from random_programs import Program, program

import rose
from rose import Real, Vec
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.sweep import Sweep
from rose.differentiation.linear_map import LinearMap
from rose.frontend.function import AnyFn, make
from rose.host.interpreter import run
from rose.ir import FOR, Func, is_call
from rose.ir.callgraph import calls, instructions, reachable, weight
from rose.ir.check import check
from rose.ir.types import tuple_of
from rose.optimise import costs
from rose.optimise.pipeline import optimised


def both_ways(f: AnyFn) -> tuple[AnyFn, AnyFn]:
    """The value and the gradients, by one sweep and by two halves: functions of the arguments and a cotangent."""
    lin = LinearMap(f)

    def swept(*args: Any) -> Any:
        *given, ct = args
        y, grads = lin.reverse(lin.arguments(given), rose.frontend.values.to_value(ct, lin.result))
        return rose.ir.current_builder().tuple([y, *grads])

    def halved(*args: Any) -> Any:
        *given, ct = args
        xs = lin.arguments(given)
        y, tape = lin.primal(xs)
        grads = lin.pullback(xs, tape, rose.frontend.values.to_value(ct, lin.result))
        return rose.ir.current_builder().tuple([y, *grads])

    types = [*lin.types, lin.result]
    names = [f"x{k}" for k in range(len(types))]
    result = tuple_of(lin.result, *[lin.types[k] for k in lin.active])
    return make(swept, types, result, "swept", names), make(halved, types, result, "halved", names)


def drawn(seed: int) -> Program | None:
    """A program that has a derivative."""
    p = program(random.Random(seed).randrange)
    return p if p.result.real and any([t.real for t in p.types]) else None


@pytest.mark.parametrize("seed", range(40))
def test_the_bits_are_those_of_the_halves(seed: int):
    p = drawn(seed)
    if p is None:
        return
    f: AnyFn = p.run()["main"]
    swept, halved = both_ways(f)
    check(swept.func)
    module = Module(optimised({"g": swept.func}))
    for xs in p.args[:2]:
        given = [*xs, run(f.func, *xs)]
        want = run(halved.func, *given)
        assert same(run(swept.func, *given), want), p.source
        assert same(module["g"](*given), want), p.source


def test_what_is_outside_of_loops_is_in_scope():
    g = rose.fn([Real, Real], Real)(lambda x, y: rose.sin(x) * y)
    f = rose.fn([Real, Real], Real)(lambda x, y: g(x, g(y, x)) + rose.sum(g(x, y * i) for i in rose.range(3)))
    made = rose.value_and_grad(f, (0, 1)).func
    assert [v.block is made.body for v in calls(made)] == [False, False], "the two halves of the call in the loop"


def agree(f: AnyFn, *args: Any) -> None:
    """One sweep, interpreted and compiled, has the bits of the two halves."""
    swept, halved = both_ways(f)
    want = run(halved.func, *args)
    assert same(run(check(swept.func), *args), want)
    assert same(Module(optimised({"g": swept.func}))["g"](*args), want)


THREE = tuple_of(Real, Real, Real)


def test_a_call_in_a_loop_is_handed_the_items_of_a_tuple_that_its_reverse_reads():
    g = rose.fn([THREE, Real], Real)(lambda p, y: rose.exp(p[0] * p[1] * y) + p[2])
    f = rose.fn([THREE], Real)(lambda p: rose.sum(g(p, i * 0.5) for i in rose.range(3)) * p[1])
    agree(f, (0.5, -0.75, 2.0), 1.5)


def test_what_no_branch_took_in_a_call_is_0_outside_of_it():
    """In the call it is -0.0: see `select_masks.py`."""
    g = rose.fn([Real, Real, Real], Real)(lambda x, y, z: rose.select(x > 0.0, rose.sqrt(y) * z, z))
    f = rose.fn([Real, Real, Real], Real)(lambda x, y, u: g(x, y, 1.0 / u))
    agree(f, -1.0, 4.0, 2.0, 1.0)
    assert [str(dx) for dx in rose.compile(rose.grad(f, (0, 1, 2)))(-1.0, 4.0, 2.0)] == ["0.0", "0.0", "-0.25"]


def test_a_choice_in_a_function_that_is_written_out_keeps_its_masks():
    root = rose.fn([Real], Real)(lambda x: rose.select(x > 0.0, rose.sqrt(x), 0.0))
    f = rose.fn([Real, Real], Real)(lambda x, y: root(x) * y + root(y))
    for order in (rose.grad(f, (0, 1)), rose.hessian(f, (0, 1))):
        assert not any([x != x for x in numbers(rose.compile(order)(0.0, 4.0))])
    assert rose.compile(rose.grad(f, (0, 1)))(0.0, 4.0) == (0.0, 0.25)


def numbers(x: Any) -> list[float]:
    return [x] if isinstance(x, float) else [z for y in x for z in numbers(y)]


def shared(levels: int) -> rose.Fn:
    """A function on each level that calls the one below twice: on 2 ** levels paths."""
    f = rose.fn([Real], Real)(lambda x: rose.sin(x) * x)
    for _ in range(levels):
        f = (lambda g: rose.fn([Real], Real)(lambda x: g(x) * 0.5 + g(x * 0.75)))(f)
    return f


def test_shared_calls_do_not_double_the_code():
    size = lambda n: sum([weight(g.body) for g in reachable(rose.grad(shared(n)).func)])
    first, second, third = size(8), size(16), size(24)
    assert third - second <= 1.2 * (second - first) + 10


def test_a_short_function_is_written_where_it_is_called_and_a_long_one_is_not():
    short = rose.fn([Real], Real)(lambda x: rose.sin(x) * x)

    def body(x: Any) -> Any:
        for k in range(costs.SWEPT_INSTRUCTIONS):
            x = rose.sin(x) * (k + 2.0)
        return x

    long = rose.fn([Real], Real)(body)
    f = rose.fn([Real], Real)(lambda x: short(x) + short(2.0 * x) + long(x) + long(2.0 * x))
    names = [v.attr.name for v in calls(rose.grad(f).func)]
    assert len(names) == 4 and all([".jvp." in name for name in names])
    once = rose.fn([Real], Real)(lambda x: short(x) + short(2.0 * x) + long(x))
    assert not calls(rose.grad(once).func)


def test_a_chain_of_calls_is_as_deep_as_python_allows_any():
    f = rose.fn([Real], Real)(lambda x: rose.sin(x))
    for _ in range(1000):
        f = (lambda g: rose.fn([Real], Real)(lambda x: g(x) * x))(f)
        _ = f.func
    x = 0.75
    want = 1000 * x**999 * rose.sin(x) + x**1000 * rose.cos(x)
    assert rose.compile(rose.grad(f))(x) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_pullback_goes_where_its_function_was_called_or_elsewhere(n: int):
    """In the same block, in a loop behind it, and in another function."""
    g = rose.fn([Vec[n]], Real)(lambda v: rose.sum(rose.sin(v[i]) * v[i] for i in rose.range(n)))

    @rose.fn
    def here(v: Vec[n]) -> Vec[n]:
        return rose.vjp(g)(v).grad(2.0)

    @rose.fn
    def in_a_loop(v: Vec[n]) -> Vec[n]:
        y, back = rose.vjp(g)(v)
        return rose.vec(rose.sum(back(y * 0.0 + k)[i] for k in rose.range(2)) * 2.0 for i in rose.range(n))

    @rose.fn
    def elsewhere(v: Vec[n]) -> Vec[n]:
        at = rose.vjp(g)(v)
        return rose.fn([Real], Vec[n])(lambda ct: at.grad(ct))(2.0)

    @rose.fn
    def of_what_is_outside(v: Vec[n]) -> Vec[n]:
        ended = lambda k: (k < 2.0) & (rose.sum(rose.vjp(g)(v).grad(0.0)) == 0.0)
        return rose.while_loop(ended, lambda k: k + 1.0, 0.0) * rose.grad(g)(v)

    x = [0.5, -0.25, 2.0][:n]
    want = rose.compile(rose.grad(g))(x)
    for f in (here, in_a_loop, elsewhere, of_what_is_outside):
        check(f.func)
        assert list(rose.compile(f)(x)) == [2.0 * y for y in want]
        with rose.eager():
            assert list(f(x)) == [2.0 * y for y in want]


def test_a_function_that_is_recomputed_has_no_sweep():
    f = rose.fn([Vec[4]], Real)(lambda v: rose.scan(lambda i, s: s * v[i], v[0], 4, checkpoint="sqrt"))
    g = jvp(f.func, full_mask(f.func)).func
    inner: list[Func] = [v.attr for v in instructions(g.body) if is_call(v)] or [g]
    assert all([Sweep.of_func(h) is None for h in inner if h.remat])
    assert any([v.op is FOR for v in instructions(rose.grad(f).func.body)]) or calls(rose.grad(f).func)
