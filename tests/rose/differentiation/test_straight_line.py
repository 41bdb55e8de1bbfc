"""Jacobians and Hessians that are mostly zeros, of functions that are written out: the numbers of the general way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn
from rose.differentiation import straight_line
from rose.host.interpreter import run
from rose.ir import FOR, Func
from rose.ir.callgraph import instructions
from rose.optimise import costs
from rose.optimise.pipeline import optimised


def chain(x: Any, n: int) -> Any:
    return rose.sum(100.0 * (x[i + 1] - x[i] * x[i]) ** 2 + (1.0 - x[i]) ** 2 for i in rose.range(n - 1))


def written_out(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n - 1):
        total = total + rose.sin(x[k]) * x[k + 1]
    return total


def of_arms(x: Any, n: int) -> Any:
    """Where `x[i]` is not above 0, its logarithm is never seen."""
    return rose.sum(rose.select(x[i] > 0.0, rose.log(x[i]) * x[i], x[i] * x[i] * x[i]) for i in rose.range(n))


def of_kinks(x: Any, n: int) -> Any:
    return rose.sum(rose.max(x[i], x[i + 1]) ** 2 + abs(x[i]) * x[i + 1] for i in rose.range(n - 1))


def one_of_them(x: Any, n: int) -> Any:
    return rose.exp(x[n - 1]) * x[n - 1]


PROGRAMS = [chain, written_out, of_arms, of_kinks, one_of_them]


def numbers(n: int) -> tuple[float, ...]:
    return tuple([(0.37 * (k + 1)) % 1.7 - 0.8 for k in range(n)])


def of(f: Any, n: int) -> rose.Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: f(x, n))


@pytest.mark.parametrize("n", [2, 5, 10])
@pytest.mark.parametrize("f", PROGRAMS)
def test_a_hessian_has_the_numbers_of_the_general_way(f: Any, n: int, monkeypatch: pytest.MonkeyPatch):
    x = numbers(n)
    short = rose.hessian(of(f, n))
    got, compiled = run(short.func, x), Module(optimised({"h": short.func}))["h"](x)
    assert same(got, compiled)
    monkeypatch.setattr(costs, "WRITTEN_OUT_COLUMNS", 0)
    assert np.array_equal(got, run(rose.hessian(of(f, n)).func, x)), "but for the signs of zeros"


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives_of_a_hessian(f: Any, monkeypatch: pytest.MonkeyPatch):
    def third() -> Func:
        h = rose.hessian(of(f, 6))
        g = fn([Vec[6]], Real)(lambda x: rose.sum(rose.sum(h(x)[i]) * (1.0 + x[i]) for i in rose.range(6)))
        return rose.grad(g).func

    x = numbers(6)
    short = third()
    got = run(short, x)
    assert same(got, Module(optimised({"g": short}))["g"](x))
    monkeypatch.setattr(costs, "WRITTEN_OUT_COLUMNS", 0)
    assert got == pytest.approx(run(third(), x), rel=1e-13, abs=1e-13)


def test_it_has_code_for_what_is_not_zero_and_for_nothing_else():
    h = rose.compile(rose.hessian(of(chain, 10)))
    assert "f64.mul" in h.disassemble()
    assert h.disassemble().count("f64.mul") < 100, "three diagonals: a full one has ten times as many"
    assert "loop" not in h.disassemble()


def test_what_does_not_depend_is_zero_where_others_are_infinite():
    h = rose.hessian(of(written_out, 4))
    x = (1.0, float("inf"), 0.5, 0.25)
    assert run(h.func, x)[3] == (0.0, 0.0, pytest.approx(np.cos(0.5)), 0.0)


def test_jacobians():
    @fn
    def f(x: Vec[8]) -> Vec[8]:
        return rose.vec(x[i] * x[(i + 1) % 8] if i % 2 else rose.sin(x[i]) for i in range(8))

    x = numbers(8)
    want = run(rose.jacrev(f).func, x)
    for way in (rose.jacobian, rose.jacfwd):
        assert run(way(f).func, x) == pytest.approx(np.array(want))
        assert not [v for v in instructions(optimised({"j": way(f).func})["j"].body) if v.op is FOR]


def full(x: Any, n: int) -> Any:
    def part(i: int) -> Any:
        return rose.exp(-((rose.sum(x[j] * (0.1 * i + j) for j in range(n)) + 0.1 * i) ** 2))

    return rose.sum(part(i) for i in range(4))


def of_steps(x: Any, n: int) -> Any:
    """Too many for it to be written out."""
    return rose.scan(lambda i, s: s * x[n - 1] + chain(x, n), 0.5, 100)


@pytest.mark.parametrize(("n", "f"), [(10, full), (1, full), (17, chain), (5, of_steps)])
def test_others_go_the_general_way(n: int, f: Any):
    g = rose.grad(of(f, n)).func
    assert straight_line.sparse_columns(g, 0) is None
    x = numbers(n)
    h = rose.hessian(of(f, n))
    assert same(run(h.func, x), Module(optimised({"h": h.func}))["h"](x))


def test_a_rule_of_the_user_is_not_passed_by():
    @fn
    def twice(x: Real) -> Real:
        return x * x

    @twice.jvp
    def _(x: rose.Dual[Real]) -> rose.Dual[Real]:
        return rose.Dual(twice(x.re), 10.0 * x.re * x.du)

    f = fn([Vec[3]], Real)(lambda x: twice(x[0]) + twice(x[2]))
    assert rose.hessian(f)((1.0, 2.0, 3.0))[0][0] == 10.0
    assert rose.jacobian(rose.grad(f))((1.0, 2.0, 3.0))[2][2] == 10.0
