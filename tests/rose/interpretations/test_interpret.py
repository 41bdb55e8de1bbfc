"""`rose.interpret`: the laws of optics, residuals as types, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from meaning_programs import PROGRAMS, ones

import rose
from rose import Real, RoseError, Vec, dim, fn
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.interpretations import Gradients, Interval, Intervals, TwoWay
from rose.ir.types import count_leaves
from rose.testing import examine

MEANING = Gradients()
rotated = fn([Vec[2]], Vec[2])(lambda x: [rose.sin(x[0]) * x[1], x[0] + x[1] ** 2])
scaled = fn([Vec[2]], Vec[2])(lambda x: [x[0] / x[1], rose.exp(x[0])])
both = fn([Vec[2]], Vec[2])(lambda x: scaled(rotated(x)))
X, DUE = [0.7, 1.5], [1.0, -2.0]


def test_the_identity_gives_what_it_is_given_both_ways():
    same = rose.interpret(fn([Vec[2]], Vec[2])(lambda x: x), MEANING)
    y, residual = same.forward(X)
    assert list(y) == X and list(same.backward(residual, DUE)) == DUE


def test_the_interpretation_of_a_composition_is_the_composition_of_interpretations():
    one, two = rose.interpret(both, MEANING), rose.interpret(rotated, MEANING) >> rose.interpret(scaled, MEANING)
    (y, kept), (z, pair) = one.forward(X), two.forward(X)
    assert list(y) == list(z) and list(one.backward(kept, DUE)) == list(two.backward(pair, DUE))
    assert one.backward.types[0] is not two.backward.types[0]


def test_composition_is_associative():
    a, b, c = [rose.interpret(f, MEANING) for f in (rotated, scaled, rotated)]
    left, right = (a >> b) >> c, a >> (b >> c)
    assert list(left.backward(left.forward(X)[1], DUE)) == list(right.backward(right.forward(X)[1], DUE))


def test_the_residual_of_another_function_is_refused_by_its_type():
    again = fn([Vec[2]], Vec[2])(lambda x: [rose.sin(x[0]) * x[1], x[0] + x[1] ** 2])
    one, other = rose.interpret(rotated, MEANING), rose.interpret(again, MEANING)
    with pytest.raises(RoseError, match="residual must be a Residual of"):
        other.backward(one.forward(X)[1], DUE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_to_keep_all_or_the_inputs_gives_the_same_numbers(name: str):
    f, args = PROGRAMS[name]
    given = [plain(x, t) for x, t in zip(args, f.types, strict=True)]
    for_all, for_inputs = [rose.interpret(f, MEANING, residual=keep) for keep in ("all", "inputs")]
    ways = [run(g.backward.func, run(g.forward.func, *given)[1], ones(f.result)) for g in (for_all, for_inputs)]
    assert repr(ways[0]) == repr(ways[1])


def test_residuals_of_inputs_are_smaller():
    f = fn([Vec[50]], Real)(lambda x: rose.sum(rose.sin(rose.exp(x[i]) * x[i]) for i in rose.range(50)))
    sizes = [count_leaves(rose.interpret(f, MEANING, residual=k).backward.types[0]) for k in ("all", "inputs")]
    assert sizes[0] > 3 * sizes[1] and sizes[1] == 50


def test_what_it_gives_compiles_and_is_differentiated_inside_of_a_function():
    g = rose.interpret(rotated, MEANING)

    @fn
    def energy(x: Vec[2]) -> Real:
        y, residual = g.forward(x)
        return rose.sum(e**2 for e in g.backward(residual, y))

    assert examine(energy, points=2).ok
    assert np.isfinite(rose.compile(rose.grad(energy))(X)).all()


def test_a_meaning_of_an_interpretation_is_one():
    """The interval of a gradient, of the optic of a value and its pullback."""
    g = rose.interpret(fn([Real], Real)(lambda x: rose.sin(x) * x), MEANING)
    slope = fn([Real], Real)(lambda x: g.backward(g.forward(x)[1], 1.0))
    bounds = rose.interpret(slope, Intervals())(Interval(0.7, 0.7))
    assert bounds.lo < rose.grad(fn([Real], Real)(lambda x: rose.sin(x) * x))(0.7) < bounds.hi


class Undecided(TwoWay):
    name, truth = "undecided", Interval


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: rose.interpret(rose.sin, MEANING), "takes an @fn function"),
        (lambda: rose.interpret(rotated, Gradients), "takes a meaning, not"),
        (lambda: rose.interpret(rotated, MEANING, residual="some"), 'the residual holds "all" or the "inputs"'),
        (lambda: rose.interpret(rotated, MEANING) >> scaled, "followed by another"),
        (lambda: rose.interpret(fn([Real], Real)(lambda x: x), Undecided()), "its truth is a Interval"),
        (lambda: rose.interpret(fn([Vec[dim("n")]], Real)(lambda x: rose.sum(x)), MEANING), "of any size"),
    ],
)
def test_what_has_no_meaning_is_an_error_that_says_so(wrong: Any, said: str):
    with pytest.raises(RoseError, match=said):
        wrong()


def test_in_a_block_and_in_a_continuation_it_goes_both_ways():
    g = rose.interpret(rotated, MEANING)
    y, residual = g.forward(X)
    z, back = g(X)
    assert list(z) == list(y) and list(back(DUE)) == list(back(DUE)) == list(g.backward(residual, DUE))
    assert list(g(lambda y: 2.0 * y, X)) == list(g.backward(residual, 2.0 * y))
    norm = fn([Vec[2]], Vec[2])(lambda x: g(lambda y: y, x))  # the gradient of half the square of the norm
    wanted = rose.grad(fn([Vec[2]], Real)(lambda x: rose.sum(rotated(x) ** 2) / 2.0))
    assert norm(X) == pytest.approx(wanted(X)) and rose.jacobian(norm)(X) == pytest.approx(rose.jacobian(wanted)(X))
