"""An arm of `select` that is not taken contributes exactly nothing, whatever it holds, to any order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec

Body = Callable[[Any], Any]


def through_a_call(x: Any) -> Any:
    return rose.fn([Real], Real)(lambda y: 1.0 / y + rose.sqrt(y - 1.0))(x)


# what is nasty at 0: a value, a derivative or a second derivative is infinite or nan there
NASTY: list[tuple[str, Body]] = [
    ("sqrt", lambda x: rose.sqrt(x)),
    ("sqrt below zero", lambda x: rose.sqrt(x - 1.0)),
    ("reciprocal", lambda x: 1.0 / x),
    ("x / x", lambda x: x / x),
    ("infinity times zero", lambda x: (1.0 / x) * x * x),
    ("a chain", lambda x: rose.sqrt(rose.sqrt(x) * x) / x),
    ("a power", lambda x: x**-3),
    ("a call", through_a_call),
    ("a sum", lambda x: rose.sum(rose.sqrt(x * i) / x for i in rose.range(3))),
    ("a product", lambda x: rose.prod(rose.sqrt(x) + 1.0 / (x + i * 0.0) for i in rose.range(2))),
    ("a vector", lambda x: rose.vec(rose.sqrt(x) / (x * i) for i in rose.range(2))[1]),
    ("max and abs", lambda x: rose.max(abs(1.0 / x), rose.sqrt(x))),
    ("a select inside", lambda x: rose.select(x < 5.0, rose.sqrt(x), 1.0 / x)),
]
TAME: list[tuple[str, Body]] = [("a cubic", lambda x: x * x * x + 2.0 * x), ("a number", lambda x: 7.0 + 0.0 * x)]


def v(f: Any) -> Any:
    return rose.grad(f)


def j(f: Any) -> Any:
    return rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)


ORDERS = [(v,), (j,), (v, v), (v, j), (j, v), (j, j), (v, v, v), (j, v, v), (v, j, v), (v, v, j), (j, j, j)]


def derivative(body: Body, order: tuple[Any, ...], x: float) -> float:
    f = rose.fn([Real], Real)(body)
    for d in order:
        f = d(f)
    return f(x)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join([d.__name__ for d in order]))
@pytest.mark.parametrize(("name", "tame"), TAME, ids=[n for n, _ in TAME])
@pytest.mark.parametrize(("what", "nasty"), NASTY, ids=[n for n, _ in NASTY])
def test_only_the_taken_arm_counts(what: str, nasty: Body, name: str, tame: Body, order: tuple[Any, ...]):
    want = derivative(tame, order, 0.0)
    assert derivative(lambda x: rose.select(x > 0.0, nasty(x), tame(x)), order, 0.0) == want
    assert derivative(lambda x: rose.select(x <= 0.0, tame(x), nasty(x)), order, 0.0) == want


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join([d.__name__ for d in order]))
def test_what_the_arms_share_keeps_its_derivative(order: tuple[Any, ...]):
    def body(x: Any) -> Any:
        shared = x * x + x
        return rose.select(x > 0.0, rose.sqrt(shared) / shared, shared * 3.0) + shared

    assert derivative(body, order, 0.0) == derivative(lambda x: (x * x + x) * 3.0 + (x * x + x), order, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join([d.__name__ for d in order]))
def test_a_condition_inside_a_loop_guards_each_turn(order: tuple[Any, ...]):
    def body(x: Any) -> Any:
        return rose.sum(rose.select(x > i, rose.sqrt(x - i), x * i) for i in rose.range(3))

    assert derivative(body, order, 0.0) == derivative(lambda x: x * 3.0, order, 0.0)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "".join([d.__name__ for d in order]))
def test_a_state_that_the_next_iteration_does_not_take_adds_nothing(order: tuple[Any, ...]):
    """It is nasty, and its cotangent comes from a branch of another iteration."""

    def body(x: Any) -> Any:
        step = lambda i, s: (rose.select(x > 0.0, s[1], s[0] * 2.0 + x * x), rose.sqrt(x) + s[0])
        return rose.scan(step, (x, x), 3)[0]

    want = derivative(lambda x: rose.scan(lambda i, s: s * 2.0 + x * x, x, 3), order, 0.0)
    assert derivative(body, order, 0.0) == want


def test_vectors_and_structs_are_chosen_whole():
    f = rose.fn([Vec[2]], Real)(
        lambda v: rose.dot(rose.select(v[0] > 0.0, rose.vec(rose.sqrt(v[i]) for i in rose.range(2)), v), v)
    )
    assert list(rose.grad(f)([0.0, -2.0])) == [0.0, -4.0]
    hessian = rose.hessian(f)([0.0, -2.0])
    assert hessian.tolist() == [[2.0, 0.0], [0.0, 2.0]]


def test_a_taken_arm_hides_nothing():
    f = rose.fn([Real], Real)(lambda x: rose.select(x >= 0.0, rose.sqrt(x) ** 2, x))
    assert math.isnan(rose.grad(f)(0.0))
