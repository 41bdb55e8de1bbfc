"""Operation counts: known ones, those that the interpreter counts, and what gradients cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from curves import products
from meaning_programs import PROGRAMS

import rose
from rose import Real, Vec, fn
from rose.interpretations import Counts, Interval, Intervals, Operations, Tally
from tests.programs.test_inventory import both

X = [0.6, 1.2, 0.9]


def counted(f: Any, *args: Any) -> Operations:
    return rose.interpret(f, Counts())(*args)[1]


KNOWN: dict[str, tuple[Any, tuple[float, ...]]] = {  # of three numbers: sums, products, quotients, functions, choices
    "a sum": (lambda x: x[0] + x[1] - x[2], (2, 0, 0, 0, 0)),
    "products": (lambda x: x[0] * x[1] * x[2] / x[0], (0, 2, 1, 0, 0)),
    "functions": (lambda x: rose.sin(x[0]) ** 2 + rose.hypot(x[1], x[2]), (1, 1, 0, 2, 0)),
    "choices": (lambda x: rose.select(x[0] < x[1], rose.abs(x[0]), rose.floor(x[2])), (0, 0, 0, 0, 3)),
    "a loop": (lambda x: rose.sum(x[i] * x[i] for i in rose.range(3)), (3, 3, 0, 0, 0)),
    "a nest of loops": (lambda x: rose.sum(x[i] * x[j] for i in rose.range(3) for j in rose.range(3)), (9, 9, 0, 0, 0)),
    "a loop of dependent length": (
        lambda x: rose.sum(x[i] * x[j] for i in rose.range(3) for j in rose.range(i)),
        (3, 3, 0, 0, 0),
    ),
    "states": (lambda x: rose.scan(lambda i, s: s * x[i] + 1.0, 1.0, 3), (3, 3, 0, 0, 0)),
    "the branch that is taken": (
        lambda x: rose.cond(x[0] > 0.0, lambda: x[1] * x[2], lambda: rose.exp(x[1])),
        (0, 1, 0, 0, 1),
    ),
    "a while loop, whose test runs once more": (
        lambda x: rose.while_loop(lambda s: s * s < 10.0, lambda s: s + x[1], 0.5),
        (3, 4, 0, 0, 4),
    ),
    "what is the same in all iterations": (
        lambda x: rose.sum(x[i] * rose.exp(x[0]) for i in rose.range(3)),
        (3, 3, 0, 1, 0),
    ),
    "an index as a number, and literals": (lambda x: rose.sum(2.0 * i for i in rose.range(3)), (3, 3, 0, 0, 0)),
    "nothing": (lambda x: x[1], (0, 0, 0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_each_operation_that_runs_is_counted_once(name: str):
    body, want = KNOWN[name]
    f = fn([Vec[3]], Real)(body)
    value, made = both(rose.interpret(f, Counts()), X)
    assert value == f(X)
    assert (made.sums, made.products, made.quotients, made.functions, made.choices) == want
    assert rose.fn([Vec[3]], Real)(lambda x: rose.interpret(f, Counts())(x)[1].flops())(X) == sum(want[:4])


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_value_keeps_its_bits(name: str):
    f, args = PROGRAMS[name]
    value, made = rose.interpret(f, Counts())(*args)
    assert str(value) == str(f(*args)) and made.flops() >= 0.0


def network(n: int) -> Any:
    return fn([Vec[n, Vec[3]]], Real)(lambda w: rose.sum(rose.tanh(rose.dot(w[i], X)) for i in rose.range(n)))


def ball(n: int) -> Any:
    return fn([Vec[n]], Real)(lambda x: rose.sum(x[i] * rose.log(x[i] / (9.0 - rose.dot(x, x))) for i in rose.range(n)))


BOUNDED: dict[str, tuple[Any, Any]] = {
    "squares": (lambda n: fn([Vec[n]], Real)(lambda x: rose.dot(x, x)), lambda n: n),
    "a product": (lambda n: fn([Vec[n]], Real)(lambda x: rose.prod(x)), lambda n: n),
    "Rosenbrock's valley": (
        lambda n: fn([Vec[n]], Real)(
            lambda x: rose.sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in rose.range(n - 1))
        ),
        lambda n: n,
    ),
    "Helmholtz's energy": (ball, lambda n: n),
    "a network": (network, lambda n: (n, 3)),
    "a determinant": (lambda n: fn([Vec[n, Vec[n]]], Real)(lambda a: rose.linalg.det(a)), lambda n: (n, n)),
    "states": (
        lambda n: fn([Vec[n]], Real)(lambda x: rose.scan(lambda i, s: rose.sin(s * x[i]) + x[i], 1.0, n)),
        lambda n: n,
    ),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_a_gradient_is_cheap(name: str):
    """At most 5.2 operations for each of the function, however many variables there are (Baur and Strassen)."""
    make, shape = BOUNDED[name]
    ratios = list[float]()
    for n in (5, 10, 20):
        x = np.random.default_rng(n).uniform(0.2, 0.9, shape(n)).tolist()
        value, slope = counted(make(n), x), counted(rose.grad(make(n)), x)
        ratios.append(slope.flops() / value.flops())
    assert max(ratios) <= 5.2 and ratios[2] <= 1.1 * ratios[1]


@pytest.mark.parametrize("name", BOUNDED)
def test_the_interpreter_counts_the_same(name: str):
    """But for what is the same in all iterations of a loop, which is evaluated once."""
    make, shape = BOUNDED[name]
    x = np.random.default_rng(1).uniform(0.2, 0.9, shape(6)).tolist()
    made = counted(make(6), x)
    same = 5 * 6 if name == "Helmholtz's energy" else 0  # a sum of squares
    assert made.products + made.quotients == products(make(6), x) - same


def test_of_a_composition_the_counts_add_up():
    f = fn([Real], Real)(lambda x: rose.sin(x) * x)
    g = fn([Real], Real)(lambda y: y / (1.0 + y * y))
    whole = counted(fn([Real], Real)(lambda x: g(f(x))), 0.7)
    parts = counted(f, 0.7), counted(g, f(0.7))
    assert whole == Operations(*[getattr(parts[0], k) + getattr(parts[1], k) for k in Operations.__annotations__])


def test_what_is_interpreted_is_a_function_like_others():
    f = fn([Real], Real)(
        lambda x: rose.cond(x > 1.0, lambda: x**3, lambda: rose.while_loop(lambda s: s < 9.0, lambda s: s * s, x + 1.0))
    )
    value = fn([Real], Real)(lambda x: rose.interpret(f, Counts())(x)[0])
    for x in (0.5, 2.0):
        assert both(rose.grad(value), x) == rose.grad(f)(x)
        assert both(rose.grad(rose.grad(value)), x) == rose.grad(rose.grad(f))(x)
    empty = fn([Vec[0]], Real)(lambda x: rose.sum(e * e for e in x))
    assert counted(empty, []).flops() == 0.0


class Steps(Tally):
    """Intervals, and how many operations ran: where a condition may be either, those of both sides."""

    name, carrier, truth = "steps", Intervals.carrier, Intervals.truth
    of = Intervals()
    literal, choose, decide = of.literal, of.choose, of.decide

    def rule(self, op: Any) -> Any:
        rule: Any = self.of.rule(op)
        return None if rule is None else lambda *xs: (rule(*xs), 1.0)


def test_a_total_goes_with_carriers_of_any_type():
    f = fn([Real], Real)(lambda x: rose.cond(x > 1.0, lambda: x * x * x, lambda: -x) + 1.0)
    steps = rose.interpret(f, Steps())
    totals = [steps(Interval(*ends))[1] for ends in ((2.0, 3.0), (0.0, 0.5), (0.5, 2.0))]
    assert totals == [5.0, 5.0, 5.0]
    loop = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 10.0, lambda s: s * 2.0, x))
    bounds, total = both(rose.interpret(loop, Steps()), Interval(1.0, 1.1))
    assert (bounds.lo, bounds.hi, total) == (16.0, 17.6, 9.0)
