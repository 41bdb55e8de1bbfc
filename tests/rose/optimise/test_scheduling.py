"""Backward halves that follow their forward halves: the same bits, and no tape between them."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, fn, ir
from rose.errors import Loc
from rose.host.interpreter import run
from rose.ir import ADD_TO, Builder, Value
from rose.ir.callgraph import callees
from rose.ir.check import check
from rose.ir.types import Fin, Ref
from rose.optimise.pipeline import optimise, optimised
from rose.optimise.scheduling import schedule

HERE = Loc((lambda: None).__code__, -1)


def chain(n: int) -> rose.Fn[..., Any]:
    """A sum of terms, each of two neighbours, written one by one."""

    @fn([Vec[n]], Real)
    def f(x: Any) -> Any:
        total = 0.0
        for k in range(n - 1):
            a, b = x[k + 1] - x[k] * x[k], 1.0 - x[k]
            total = total + (100.0 * (a * a) + b * b)
        return total

    return f


@fn
def apart(p: Vec[2], q: Vec[2]) -> Real:
    dx, dy = q[0] - p[0], q[1] - p[1]
    return rose.sqrt(dx * dx + dy * dy + 0.5)


@fn
def near(p: Vec[2], q: Vec[2]) -> Real:
    return 1.0 / (apart(p, q) + rose.exp(p[0] * q[1]))


def of_calls(n: int) -> rose.Fn[..., Any]:
    """A sum of many small functions of points, of which each is given to several."""

    @fn([Vec[n, Vec[2]]], Real)
    def f(p: Any) -> Any:
        total = 0.0
        for k in range(4 * n):
            g = near if k % 3 else apart
            total = total + g(p[k % n], p[(7 * k + 3) % n])
        return total

    return f


def steps(n: int) -> rose.Fn[..., Any]:
    """A state that is carried through many calls."""

    @fn
    def step(x: Real, v: Real) -> tuple[Real, Real]:
        w = v - 0.01 * rose.sin(x) - 0.001 * v * rose.sqrt(v * v + 1.0)
        return x + 0.01 * w, w

    @fn([Real, Real], Real)
    def f(x: Any, v: Any) -> Any:
        for _ in range(n):
            x, v = step(x, v)
        return x * x

    return f


def numbers(n: int) -> tuple[float, ...]:
    return tuple([(0.37 * (k + 1)) % 1.7 - 0.8 for k in range(n)])


def points(n: int) -> tuple[Any, ...]:
    xs = numbers(2 * n)
    return tuple([xs[2 * k : 2 * k + 2] for k in range(n)])


PROGRAMS = {
    "a short chain": (chain(20), (numbers(20),)),
    "a chain in pieces": (chain(400), (numbers(400),)),
    "calls": (of_calls(12), (points(12),)),
    "calls in pieces": (of_calls(150), (points(150),)),
    "steps": (steps(30), (0.5, -0.25)),
    "steps in pieces": (steps(400), (0.5, -0.25)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("order", [1, 2])
def test_the_bits_stay(name: str, order: int):
    f, x = PROGRAMS[name]
    g = rose.value_and_grad(f, tuple(range(len(x)))) if order == 1 else rose.hvp(f)
    given = x if order == 1 else (*x, x[0])
    optimise([g.func])
    made = optimised({"g": g.func})
    check(made["g"])
    assert same(Module(made)["g"](*given), run(g.func, *given))


def test_additions_to_one_number_keep_their_order():
    def of(b: Builder, a: Value, c: Value, x: Value) -> None:
        first = b.at(a, b.const(0, Fin(2)))
        for k in range(30):
            y = x
            for _ in range(30 - k):  # what comes first takes longest
                y = y * x
            b.add_to(first, y)
            b.add_to(b.at(c, b.const(0, Fin(2))), y)

    with ir.building("f") as b:
        b.loc = HERE
        a, c, x = b.param(Ref(Vec[2]), "a"), b.param(Ref(Vec[2]), "c"), b.param(Real, "x")
        of(b, a, c, x)
        f = b.func(b.unit())
    before = [v for v in f.body.code if v.op is ADD_TO]
    schedule(f)
    check(f)
    assert [v for v in f.body.code if v.op is ADD_TO] == before or all(
        x is y for x, y in zip([v for v in f.body.code if v.op is ADD_TO], before, strict=True)
    ), "two parameters may be the same accumulator"


def test_what_is_derived_later_is_as_it_was():
    f, _ = PROGRAMS["calls"]
    g = rose.value_and_grad(f)
    optimise([g.func])  # which removes dead code in place
    order = [id(v) for h in [g.func, *callees(g.func)] for v in h.body.code]
    rose.compile(g)
    assert order == [id(v) for h in [g.func, *callees(g.func)] for v in h.body.code]
