"""Reverse mode as a meaning, against `rose.vjp`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from meaning_programs import PROGRAMS, ones

import rose
from rose import Dual, Real, Vec, fn
from rose.differentiation.gradients import pullback
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.interpretations import Gradients, Interpreted, Optic
from tests.fuzz.small import small

MEANING = Gradients()


class Sided(Gradients):
    """Both sides of a branch are evaluated, and the condition gets what is said."""

    def __init__(self, condition: float) -> None:
        self.choose = Optic(
            lambda c, x, y: (rose.select(c, x, y), c),
            lambda c, ct: (condition, rose.select(c, ct, -0.0), rose.select(c, -0.0, ct)),
        )

    def rule(self, op: Any) -> Any:
        if getattr(op, "name", None) not in ("lt", "and"):
            return super().rule(op)
        return Optic(lambda x, y: (op(x, y), None), lambda _, ct: (ct, ct))


def numbers(x: Any) -> list[float]:
    """The numbers in a value, without the signs of zeros."""
    if isinstance(x, tuple):
        return [z for y in x for z in numbers(y)]  # pyright: ignore[reportUnknownVariableType]
    return [x + 0.0] if isinstance(x, float) else []


def both(f: Any, args: Any, meaning: Gradients = MEANING) -> tuple[list[float], list[float]]:
    """The value and the gradients by the meaning, and by `rose.vjp`."""
    g: Interpreted = rose.interpret(f, meaning)
    ct = ones(f.result)
    y, residual = run(g.forward.func, *args)
    return numbers((y, run(g.backward.func, residual, ct))), numbers(run(pullback(f).func, *args, ct))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_optic_has_the_bits_of_vjp(name: str):
    f, args = PROGRAMS[name]
    got, wanted = both(f, [plain(x, t) for x, t in zip(args, f.types, strict=True)])
    assert got == wanted


@pytest.mark.parametrize("name", PROGRAMS)
def test_by_a_choice_that_gives_nothing_to_conditions_both_sides_have_the_derivatives_of_one(name: str):
    f, args = PROGRAMS[name]
    got, wanted = both(f, [plain(x, t) for x, t in zip(args, f.types, strict=True)], Sided(-0.0))
    assert [x for x in got if x] == [x for x in wanted if x]  # what comes back for truths is 0


@pytest.mark.parametrize(
    ("body", "poisoned"),
    [
        (lambda x: rose.select(x[0] < 1.0, x[1] * x[1], x[2]), [0]),
        (lambda x: rose.cond(x[0] < 1.0, lambda: x[1] * x[1], lambda: x[2]), [0]),
        (lambda x: rose.cond((x[0] < 1.0) & (x[1] < 5.0), lambda: x[2], lambda: x[2] * x[2]), [0, 1]),
        (lambda x: rose.sum(rose.where(x < 2.5, x, x[2])), [0, 1, 2]),
        (lambda x: rose.sum(rose.select(x[2] < 1.0, x, 2.0 * x)), [2]),
        (lambda x: rose.scan(lambda i, s: rose.select(s < x[1], s, x[0] * x[2]), 9.0, 2), [0, 1, 2]),
        (lambda x: rose.select(x[0] < 1.0, rose.zeros((2, 0)), rose.ones((2, 0))).shape[0] * x[1], []),
    ],
)
def test_a_condition_sends_poison_back_to_what_it_reads_and_to_nothing_else(body: Any, poisoned: list[int]):
    g = rose.interpret(fn([Vec[3]], Real)(body), Sided(math.nan))
    back = g.backward(g.forward([0.5, 2.0, 3.0])[1], 1.0)
    assert [k for k in range(3) if math.isnan(back[k])] == poisoned


def test_random_programs_have_the_bits_of_vjp_but_where_sums_over_loops_are_regrouped():
    close = 0
    for seed in range(60):
        p = small(seed)
        if "while" in p.source:
            continue
        got, wanted = both(p.run()["main"], p.args[0])
        assert got == pytest.approx(wanted, rel=1e-12, abs=1e-12, nan_ok=True), p
        close += repr(got) != repr(wanted)
    assert close <= 3


def test_a_rule_of_the_users_is_the_derivative():
    @fn
    def f(x: Real, y: Real) -> Real:
        return x * y

    @f.jvp
    def _(x: Any, y: Any) -> Any:
        return Dual(f(x.re, y.re), 10.0 * x.du + x.re * y.du)

    g = rose.interpret(fn([Real, Real], Real)(lambda x, y: f(x * x, y)), MEANING)
    y, residual = g.forward(3.0, 2.0)
    assert y == 18.0 and g.backward(residual, 1.0) == (60.0, 9.0)


def test_what_is_not_taken_sends_nothing_back_whatever_infinities_it_holds():
    g = rose.interpret(fn([Real], Real)(lambda x: rose.select(x > 0.0, rose.sqrt(x), 0.0)), MEANING)
    assert g.backward(g.forward(0.0)[1], 1.0) == 0.0


def test_the_way_back_is_differentiated_again():
    g = rose.interpret(fn([Vec[2]], Real)(lambda x: rose.sin(x[0]) * x[1] ** 3), MEANING)
    slope = fn([Vec[2]], Vec[2])(lambda x: g.backward(g.forward(x)[1], 1.0))
    hessian = [
        [-(1.5**3) * math.sin(0.7), 3.0 * 1.5**2 * math.cos(0.7)],
        [3.0 * 1.5**2 * math.cos(0.7), 9.0 * math.sin(0.7)],
    ]
    assert rose.jacobian(slope)([0.7, 1.5]) == pytest.approx(np.array(hessian), rel=1e-14)
