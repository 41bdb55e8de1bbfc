"""Calls within calls, ten thousand deep: no pass recurs, none is quadratic, and what they make is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from control_programs import Case
from harness import same

import rose
from rose import Fn, Real, Vec
from rose.host.interpreter import run
from rose.ir.check import check
from rose.ir.progress import watched
from rose.ir.text.printer import show
from tests.rose.frontend.language.test_control import agree
from tests.rose.optimise.test_outlining import functions

pytestmark = pytest.mark.slow

AnyFn = Fn[..., Any]


def chain(n: int) -> AnyFn:
    """A function that calls one that calls one ...: `n` of them."""
    f = rose.fn([Real], Real)(lambda x: x * 1.0001)
    for _ in range(n - 1):
        f = link(f)
    return f


def link(f: AnyFn) -> AnyFn:
    return rose.fn([Real], Real)(lambda x: f(x) * 1.0001 + rose.sin(x) * 1e-6)


def expected(n: int, x: float) -> tuple[float, float, float]:
    """The value of a chain, and its first two derivatives: each link sees the same `x`."""
    y, dy, ddy = x * 1.0001, 1.0001, 0.0
    for _ in range(n - 1):
        y, dy = y * 1.0001 + math.sin(x) * 1e-6, dy * 1.0001 + math.cos(x) * 1e-6
        ddy = ddy * 1.0001 - math.sin(x) * 1e-6
    return y, dy, ddy


def everywhere(f: AnyFn, *xs: Any) -> Any:
    """What a function gives, compiled and in the interpreter: the same bits."""
    check(f.func)
    want = run(f.func, *xs)
    assert same(rose.compile(f)(*xs), want)
    return want


def test_ten_thousand_calls():
    """Their value and gradient, in one module: what is derived is made of all that a derivative in forward mode is."""
    f, (y, dy, _) = chain(10_000), expected(10_000, 0.5)
    check(f.func)
    value, slope = rose.compile(rose.value_and_grad(f))(0.5)
    assert (value, slope) == (run(f.func, 0.5), pytest.approx(dy, rel=1e-9))
    assert value == pytest.approx(y, rel=1e-12)


def test_a_thousand_and_more_calls_forwards():
    """More than Python's recursion limit."""
    f, (y, dy, _) = chain(1_200), expected(1_200, 0.5)
    assert everywhere(f, 0.5) == pytest.approx(y, rel=1e-12)
    along = rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)
    assert rose.compile(along)(0.5) == pytest.approx(dy, rel=1e-9)


def test_second_derivatives_of_a_chain():
    f, (_, dy, ddy) = chain(300), expected(300, 0.5)
    assert everywhere(rose.grad(f), 0.5) == pytest.approx(dy, rel=1e-9)
    assert everywhere(rose.grad(rose.grad(f)), 0.5) == pytest.approx(ddy, rel=1e-9)


def test_a_chain_at_a_point():
    f, (y, dy, _) = chain(150), expected(150, 0.5)
    for at in (rose.vjp(f), rose.linearize(f)):
        value, derivative = at(0.5)
        assert value == pytest.approx(y, rel=1e-12)
        assert derivative(2.0) == pytest.approx(2.0 * dy, rel=1e-9)


@pytest.mark.parametrize("n", [40, 200])
def test_a_chain_and_its_gradient_as_text(n: int):
    for f in (chain(n), rose.grad(chain(n))):
        text = show(f.func)
        again = list(rose.parse(text).values())[-1]
        assert show(again.func) == text
        assert same(run(again.func, 0.5), run(f.func, 0.5))


def test_all_that_is_made_of_a_chain_grows_as_it_does():
    def sizes(n: int) -> list[int]:
        f = rose.grad(rose.grad(chain(n)))
        return [sum(functions(f.func).values()), len(rose.compile(f).wasm), len(show(f.func))]

    for small, large in zip(sizes(150), sizes(300), strict=True):
        assert large < 2.25 * small


# A tape that lies in so many others is handed on in a stack: whatever a link is made of, that changes no number.


@rose.fn
def last(v: Vec[2]) -> Vec[2]:
    return [v[0] * v[1], rose.exp(v[1] * -0.5)]


def call(f: AnyFn, v: Any) -> Any:
    w = f(v)
    return [w[1] * 0.9, rose.sin(w[0]) + v[0]]


def calls_in_a_loop(f: AnyFn, v: Any) -> Any:
    if f.name != last.name:
        return call(f, v)
    ws = rose.vec(deep_one([v[0] * (k + 1), v[1]]) for k in rose.range(3))
    return [ws[0][0] * ws[2][1], ws[1][0]]


def calls_by_turns(f: AnyFn, v: Any) -> Any:
    if f.name != last.name:
        return call(f, v)
    return rose.while_loop(lambda s: s[0] < 2.0, lambda s: [deep_one(s)[0] + 1.0, s[1] * 0.9], v)


def arms(f: AnyFn, v: Any) -> Any:
    return rose.cond(v[0] < v[1], lambda: f([v[1], v[0] * 0.9]), lambda: [rose.sqrt(v[0]), f(v)[1]])


def selects(f: AnyFn, v: Any) -> Any:
    w = f(v)
    return rose.select(v[0] > 0.1, rose.vec(rose.sqrt(w[k] * w[k] + 0.1) for k in rose.range(2)), v)


def turns(f: AnyFn, v: Any) -> Any:
    w = rose.while_loop(lambda s: s[0] < 0.5, lambda s: [s[0] * 1.5 + 0.1, s[1] * s[0]], v)
    return f([w[0] * 0.5, w[1]])


def linked_once(link: Callable[[AnyFn, Any], Any], f: AnyFn) -> AnyFn:
    return rose.fn([Vec[2]], Vec[2])(lambda v: link(f, v))


def linked(link: Callable[[AnyFn, Any], Any], depth: int) -> AnyFn:
    f: AnyFn = last
    for _ in range(depth):
        f = linked_once(link, f)
    return f


deep_one = linked(call, 20)


@pytest.mark.parametrize("link", [call, calls_in_a_loop, calls_by_turns, arms, selects, turns])
def test_deep_chains_of_all_kinds(link: Callable[[AnyFn, Any], Any]):
    f = linked(link, 18)
    body: Callable[[Any], Any] = lambda v: rose.dot(f(v), f(v))
    agree(Case(link.__name__, body, (0.7, 0.4)), ("j", "v", "l", "jv", "vj", "vv"))


def test_whoever_waits_is_told_of_each_function():
    seen: list[tuple[str, int | None]] = []
    with watched(lambda stage, of: seen.append((stage, of))):
        rose.compile(rose.grad(chain(50)))
    assert {stage for stage, _ in seen} == {"trace", "derive", "optimise", "lower"}
    totals = [of for stage, of in seen if stage == "lower"]
    assert totals == [len(totals)] * len(totals)
    assert len(totals) > 5  # small functions have been put into others
    assert len([of for stage, of in seen if stage == "optimise"]) > 100
