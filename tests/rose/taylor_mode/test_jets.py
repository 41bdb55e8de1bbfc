"""Jets of whole programs, compiled and interpreted, against forward mode over forward mode."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from curves import curve, curves, jets, nested

import rose
from rose import Dual, Real, Vec, fn, ir
from rose.ir.callgraph import callees_first, instructions

ORDER = 4
V3, M23 = Vec[3], Vec[2, Vec[3]]
X, M = np.array([0.6, 1.2, 0.9]), np.array([[0.6, 1.2, 0.9], [-0.4, 0.8, 1.5]])


@fn
def wave(x: Real) -> Real:
    return rose.sin(x) * rose.exp(-x * x)


@fn
def calls(x: Real) -> Real:
    return wave(wave(x) + x) * wave(2.0 * x)


@fn
def loop(x: Vec[3]) -> Real:
    return rose.sum(rose.exp(x[i] * x[0]) / (1.0 + x[i] ** 2) for i in rose.range(3))


@fn
def vectors(x: Vec[3]) -> Vec[3]:
    return [rose.tanh(x[0] * x[1]), rose.norm(x), rose.max(x[1], x[2])]


@fn
def matrix(m: M23) -> M23:
    return rose.vec(rose.vec(rose.sqrt(1.0 + m[i][j] ** 2) * m[0][j] for j in rose.range(3)) for i in rose.range(2))


@fn
def states(x: Real) -> Real:
    return rose.scan(lambda i, s: rose.sin(s) + x * s, x, 7)


@fn
def sums(x: Vec[3]) -> Real:
    total = rose.accum(1.0)
    for i in rose.range(3):
        total += rose.log(1.0 + x[i] * x[i])
    return total.value


@fn
def branch(x: Vec[3]) -> Real:
    return rose.cond(x[0] > x[1], lambda: x[0] ** 3, lambda: rose.cos(x[1] * x[2])) * x[0]


@fn
def constant_branch(x: Real) -> Real:
    return rose.cond(x > 0.0, lambda: 2.0, lambda: x * x) + x**3


@fn
def until(x: Real) -> Real:
    return rose.while_loop(lambda a: a < 20.0, lambda a: a * a + x, 1.0 + x)


@fn
def choice(x: Vec[3]) -> Real:
    return rose.select(x[0] > 0.0, rose.log(x[0]), rose.sqrt(x[1])) * rose.select(x[1] < 0.0, x, 2.0 * x)[2]


@fn
def put(x: Vec[3]) -> Vec[3]:
    v = rose.zeros(3).at[0].set(x[2] * x[1])
    v = v.at[1].set(v[0] * x[0])
    return v * v[1] + x.at[2].set(1.0)


@fn
def remainders(x: Real) -> Real:
    return (7.0 * x) % 2.0 + rose.abs(x - 1.0) * rose.floor(3.0 * x) + rose.clip(x**2, 0.0, 2.0)


@fn
def polynomial(x: Real) -> Real:
    return rose.sum((i + 1.0) * x**i for i in rose.range(6))


@fn
def special(x: Real) -> Real:
    return rose.lgamma(x + 1.5) * rose.gamma(x)


PROGRAMS: dict[str, tuple[Any, Any]] = {
    f.name: (f, at)
    for f, at in [
        (calls, 0.6), (loop, X), (vectors, X), (matrix, M), (states, 0.6), (sums, X), (branch, X), (branch, X[::-1]),
        (constant_branch, 0.6), (until, 0.6), (choice, X), (put, X), (remainders, 0.6), (polynomial, 0.6),
        (polynomial, 0.0), (special, 0.6),
    ]
}  # fmt: skip


def agree(f: Any, at: Any) -> bool:
    given = curve(at, ORDER) if isinstance(at, float) else curves(at, ORDER)
    return np.allclose(jets(f, ORDER, given), nested(f, ORDER, given), rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_jet_has_the_derivatives_of_nested_forward_mode(name: str):
    assert agree(*PROGRAMS[name])


def cubed() -> Any:
    """A function whose derivative, by its rule, is not its own: that of `x ** 3`."""
    f = rose.fn([Real], Real)(lambda x: x + 1.0)
    f.jvp(lambda x: Dual(f(x.re), 3.0 * x.du * x.re**2))
    return f


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_rule_of_a_user_is_taken(n: int):
    ruled = cubed()
    f = rose.fn([Real], Real)(lambda x: ruled(rose.sin(x)) * x)
    given = curve(0.6, n)
    assert np.allclose(jets(f, n, given), nested(f, n, given), rtol=1e-11)
    assert jets(ruled, 1, [2.0, 1.0]).tolist() == [3.0, 12.0]


def test_the_rule_of_a_function_of_a_struct_is_taken():
    @rose.struct
    class P:
        a: Real
        v: Vec[2]

    f = rose.fn([P], Vec[2])(lambda p: p.a * p.v)
    f.jvp(lambda p: [Dual(p.a.re * p.v[k].re, 2.0 * p.a.du * p.v[k].re + p.v[k].du * p.a.re**2) for k in (0, 1)])
    g = rose.fn([Real], Vec[2])(lambda x: f(P(x * x, [rose.sin(x), x])))
    assert np.allclose(jets(g, 4, curve(0.6, 4)), nested(g, 4, curve(0.6, 4)), rtol=1e-11)


def test_a_loop_is_not_unrolled():
    def module(n: int) -> int:
        f = rose.fn([Real], Real)(lambda x: rose.scan(lambda i, s: rose.sin(s * x), x, n))
        return len(rose.compile({"f": rose.jet(f, 3)}).wasm)

    assert abs(module(1000) - module(50)) <= 16


def test_an_opaque_function_has_no_jet():
    @rose.opaque
    def f(x: Real) -> Real:
        return math.sin(x)

    with pytest.raises(rose.NotDifferentiable, match="opaque"):
        rose.jet(rose.fn([Real], Real)(lambda x: f(x)), 3)([1.0, 1.0, 0.0, 0.0])


def test_what_is_known_to_be_zero_costs_nothing():
    f = rose.fn([Real], Real)(lambda x: rose.exp(rose.floor(x)) * rose.stop_gradient(rose.sin(x)) + x)
    assert jets(f, 4, [1.5, 1.0, 0.5, 0.0, 0.0]).tolist()[1:] == [1.0, 0.5, 0.0, 0.0]
    once, again = [len(rose.compile({"f": rose.jet(f, n)}).wasm) for n in (4, 12)]
    assert again - once < 12 * 40


def instructions_of(f: Any) -> int:
    """The instructions of a function, and of those that it calls."""
    program: set[ir.Func] = set()
    for g in callees_first(f.func, lambda g: g not in program):
        program.add(g)
    return sum([len(list(instructions(g.body))) for g in program if g.has_body])


@pytest.mark.parametrize("f", [calls, special, rose.fn([Real], Real)(lambda x: rose.tanh(x * rose.sin(x)))])
def test_size_grows_as_the_square_of_the_order(f: Any):
    """The second difference is constant, but for squares, of which every second order has one product more."""
    second = np.diff([instructions_of(rose.jet(f, n)) for n in range(2, 31)], 2)
    pairs = second[:-1] + second[1:]
    assert second[0] > 0 and max(pairs) - min(pairs) <= 0.2 * max(pairs)
