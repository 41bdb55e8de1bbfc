"""What nobody reads of a state, a sum or a result contributes nothing to a derivative, however infinite it is there.

Each program is the sum of the squares of its three numbers, beside something that has no derivative where they are
negative: a square root or a logarithm. Only the sum is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn, struct


@struct
class Pair:
    a: Real
    b: Real


@struct
class Deep:
    p: Pair
    c: Real


@struct
class Wide:
    v: Vec[3]
    b: Real


def item_of_a_sum(x: Any) -> Any:
    s = rose.accum(Pair(0.0, 0.0))
    for i in rose.range(3):
        s.a -= rose.sqrt(x[i])
        s.b += x[i] * x[i]
    return s.value.b


def item_of_an_item_of_a_sum(x: Any) -> Any:
    s = rose.accum(Deep(Pair(0.0, 0.0), 1.0))
    for i in rose.range(3):
        s.p.a += rose.sqrt(x[i])
        s.p.b += x[i] * x[i]
        s.c += rose.log(x[i])
    return s.value.p.b


def whole_items_added_to_a_sum(x: Any) -> Any:
    s = rose.accum(Pair(0.0, 0.0))
    for i in rose.range(3):
        s += Pair(rose.log(x[i]), x[i] * x[i])
    return s.value.b


def item_of_a_state(x: Any) -> Any:
    return rose.scan(lambda i, s: Pair(rose.sqrt(x[i] - s.a), s.b + x[i] * x[i]), Pair(0.0, 0.0), 3).b


def element_of_a_state(x: Any) -> Any:
    return rose.scan(lambda i, s: [rose.sqrt(x[i] - s[0]), s[1] + x[i] * x[i]], [0.0, 0.0], 3)[1]


def item_of_a_state_that_has_a_vector(x: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        return Wide(rose.vec(rose.sqrt(s.v[k] + x[k]) for k in rose.range(3)), s.b + x[i] * x[i])

    return rose.scan(step, Wide([0.0, 0.0, 0.0], 0.0), 3).b


def state_that_a_function_makes(x: Any) -> Any:
    @fn
    def step(s: Pair, y: Real) -> Pair:
        return Pair(rose.log(s.a + y), s.b + y * y)

    return rose.scan(lambda i, s: step(s, x[i]), Pair(0.0, 0.0), 3).b


def state_in_a_state(x: Any) -> Any:
    def outer(i: Any, s: Any) -> Any:
        return rose.scan(lambda j, t: Pair(rose.sqrt(t.a - x[j]), t.b + x[i] * x[i] / 3.0), s, 3)

    return rose.scan(outer, Pair(0.0, 0.0), 3).b


def item_of_a_while_loop(x: Any) -> Any:
    def step(s: Any) -> Any:
        return s[0] + 1.0, Pair(rose.sqrt(x[0] - s[1].a), s[1].b + rose.dot(x, x) / 4.0)

    return rose.while_loop(lambda s: s[0] < 4.0, step, (0.0, Pair(0.0, 0.0)))[1].b


def item_of_a_result(x: Any) -> Any:
    @fn
    def both(u: Real) -> Pair:
        return Pair(rose.sqrt(u), u * u)

    return rose.sum(both(x[i]).b for i in rose.range(3))


def item_of_an_argument(x: Any) -> Any:
    @fn
    def second(p: Pair) -> Real:
        return p.b

    return rose.sum(second(Pair(rose.sqrt(x[i]), x[i] * x[i])) for i in rose.range(3))


def item_of_a_choice(x: Any) -> Any:
    s = rose.dot(x, x)
    return rose.cond(s > 0.0, lambda: Pair(rose.sqrt(x[0]), s), lambda: Pair(rose.log(x[1]), s + x[1])).b


def item_of_an_element(x: Any) -> Any:
    v = rose.vec(Pair(rose.sqrt(x[i]), x[i] * x[i]) for i in rose.range(3))
    return rose.sum(v[i].b for i in rose.range(3))


def element_of_what_a_function_gives(x: Any) -> Any:
    @fn
    def both(x: Vec[3]) -> Vec[2]:
        return [rose.log(x[0]), rose.dot(x, x)]

    return both(x)[1]


PROGRAMS = [
    item_of_a_sum, item_of_an_item_of_a_sum, whole_items_added_to_a_sum, item_of_a_state, element_of_a_state,
    item_of_a_state_that_has_a_vector, state_that_a_function_makes, state_in_a_state, item_of_a_while_loop,
    item_of_a_result, item_of_an_argument, item_of_a_choice, item_of_an_element, element_of_what_a_function_gives,
]  # fmt: skip
POINT = [-1.0, 2.0, -3.0]
GRADIENT, CURVATURE = [-2.0, 4.0, -6.0], [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]
alone: Callable[[Any], Any] = lambda program: fn([Vec[3]], Real)(program)
# beside a choice, other rules hold: see `autodiff/select_masks.py`
choosing: Callable[[Any], Any] = lambda program: fn([Vec[3]], Real)(
    lambda x: program(x) + rose.select(x[2] > 100.0, rose.log(x[1] - 5.0), 0.0)
)


@pytest.mark.parametrize("made", [alone, choosing], ids=["alone", "beside a choice"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_nobody_reads_contributes_nothing(program: Any, made: Any):
    f = made(program)
    module = rose.compile(rose.value_and_grad(f))
    value, gradient = module(POINT)
    assert (value, gradient.tolist()) == (pytest.approx(14.0), pytest.approx(GRADIENT))
    assert rose.jvp(f)([rose.Dual(x, d) for x, d in zip(POINT, [1.0, 0.5, 0.0], strict=True)]).du == pytest.approx(0.0)
    for row, wanted in zip(rose.hessian(f)(POINT).tolist(), CURVATURE, strict=True):
        assert row == pytest.approx(wanted)
