"""Values made outside of a loop, which only arms in the loop use: what no iteration takes adds nothing.

Each body is given `s`, which is made outside of its loops and is infinite or nan at 0, or has such a derivative,
and a condition on the iteration. At 0 no iteration takes the arm, at 1.5 two do, at 7 all do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, Vec, ir
from rose.ir.check import check
from rose.ir.ops import reached
from tests.laws.test_untaken_branches import derivatives, inner, instructions, naive, values

Spare = Callable[[Any], Any]
Body = Callable[[Any, Any], Any]


def summed(x: Any, s: Any) -> Any:
    return rose.sum(rose.select(x > i, s * i, x * x) for i in rose.range(3))


def multiplied(x: Any, s: Any) -> Any:
    return rose.prod(rose.select(x > i, s * i + 1.0, x * x * i + x + 2.0) for i in rose.range(3))


def greatest(x: Any, s: Any) -> Any:
    return rose.max(rose.select(x > i, s * i, x * x * i + x) for i in rose.range(3))


def carried(x: Any, s: Any) -> Any:
    iteration = lambda i, t: ([t * rose.select(x > i, s * i + s, x * x + 1.0)], [])
    return ir.current_builder().loop(3, iteration, [x])[0][0]


def accumulated(x: Any, s: Any) -> Any:
    total = rose.accum(x)
    for i in rose.range(3):
        total += rose.select(x > i, s * s, x * x * i)
    return total.value


def nested(x: Any, s: Any) -> Any:
    each = lambda i: rose.sum(rose.select(x > i, rose.select(x > j, s * j, x * i), x * x * j) for j in rose.range(2))
    return rose.sum(each(i) for i in rose.range(3))


def at_two_depths(x: Any, s: Any) -> Any:
    def iteration(i: Any) -> Any:
        return rose.select(x > i, s * i, x) + rose.sum(rose.select(x > j + i, s * s, x * j) for j in rose.range(2))

    return rose.sum(iteration(i) for i in rose.range(3))


def two_loops(x: Any, s: Any) -> Any:
    return summed(x, s) * rose.sum(rose.select(x > i, s + x, x * x * i) for i in rose.range(2))


def outside_as_well(x: Any, s: Any) -> Any:
    return summed(x, s) + rose.select(x > 0.0, s, x * 5.0)


def in_an_arm(x: Any, s: Any) -> Any:
    return rose.select(x < 50.0, summed(x, s), s)


def shared(x: Any, s: Any) -> Any:
    """What is shared outside is masked as one; the arms of an iteration are joined."""
    u = rose.exp(s) * s
    iteration = lambda i: rose.select(x > i, (u + s) * u, rose.select(x > i + 0.5, u, x * i))
    return rose.sum(iteration(i) for i in rose.range(3))


def called(x: Any, s: Any) -> Any:
    return rose.sum(rose.select(x > i, naive(s, x + 1.0) + inner(s), x * x * i) for i in rose.range(3))


def chosen_later(x: Any, s: Any) -> Any:
    """The vectors that a loop gives are chosen from by a condition on them."""

    def iteration(i: Any) -> Any:
        w = rose.select(x > i, rose.exp(s) * s, x)
        return [], [w * x, rose.select(x > i, s * s, w)]

    _, (p, q) = ir.current_builder().loop(3, iteration, [])
    first = p[0] < 100.0
    total = lambda p: rose.sum(p[i] for i in rose.range(3))
    return rose.select(first, total(p), x) + rose.select(~first, total(q), x * 3.0)


def of_no_turns(x: Any, s: Any) -> Any:
    return x * x + rose.sum(rose.select(x > i, s * s, x) for i in rose.range(0))


def vectors(x: Any, s: Any) -> Any:
    p = rose.vec(s * (i + 1.0) for i in rose.range(3))
    return rose.sum(rose.select(x > i, p[i] * p[i], x * x * i) for i in rose.range(3))


def made_in_a_turn(x: Any, s: Any) -> Any:
    def iteration(i: Any) -> Any:
        t = s * rose.sqrt(x) / (x * (i + 1.0))
        return rose.sum(rose.select(x > j, t * j, x * x * i) for j in rose.range(2))

    return rose.sum(iteration(i) for i in rose.range(3))


SPARE: list[tuple[str, Spare]] = [
    ("sqrt(x) / x", lambda x: rose.sqrt(x) / x),
    ("log", lambda x: rose.log(x)),
    ("of a vector", lambda x: rose.vec([rose.log(x), x])[0] / x),
]
BODIES: list[Body] = [
    summed, multiplied, greatest, carried, accumulated, nested, at_two_depths, two_loops, outside_as_well, in_an_arm,
    shared, called, chosen_later, of_no_turns, vectors, made_in_a_turn,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "spare"), SPARE, ids=[n for n, _ in SPARE])
@pytest.mark.parametrize("body", BODIES)
def test_what_no_turn_takes_adds_nothing(body: Body, name: str, spare: Spare):
    highest = 3 if spare is SPARE[0][1] else 2
    want = values(lambda x: body(x, x * 0.5), 0.0, highest)
    assert all([math.isfinite(y) for y in want.values()])
    assert values(lambda x: body(x, spare(x)), 0.0, highest) == want


@pytest.mark.parametrize("x", [1.5, 7.0])
@pytest.mark.parametrize("body", BODIES)
def test_what_some_turn_takes_is_all_there(body: Body, x: float):
    """Forward mode needs no masks; all other ways to the same order agree with it."""
    found = values(lambda x: body(x, SPARE[0][1](x)), x, 2)
    for order in (1, 2):
        want = found["j" * order]
        same_order = [y for k, y in found.items() if k != "f" and len(k) == order]
        assert same_order == pytest.approx([want] * 2**order, rel=1e-12, abs=1e-12)
        above, below = (values(lambda x: body(x, SPARE[0][1](x)), x + d, 1) for d in (1e-6, -1e-6))
        lower = "f" if order == 1 else "j"
        assert want == pytest.approx((above[lower] - below[lower]) / 2e-6, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("body", BODIES)
def test_halves_are_well_formed(body: Body):
    for f in derivatives(lambda x: body(x, SPARE[0][1](x)), 2).values():
        check(f)


def test_a_vector_of_which_no_turn_takes_an_element():
    f = rose.fn([Vec[2]], Real)(log_of_each)
    assert rose.grad(f)([0.0, -2.0]).tolist() == [1.0, 1.0]
    assert rose.grad(f)([4.0, 2.0]).tolist() == [0.25, 0.5]
    assert rose.hessian(f)([0.0, -2.0]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert rose.hessian(f)([4.0, 2.0]).tolist() == [[-0.0625, 0.0], [0.0, -0.25]]


def log_of_each(x: Any) -> Any:
    p = rose.vec(rose.log(x[i]) for i in rose.range(2))
    return rose.sum(rose.select(x[i] > 0.0, p[i], x[i]) for i in rose.range(2))


# what it costs


def marks(body: Callable[[Any], Any]) -> int:
    """The tests of marked cotangents."""
    return sum([v.op is reached for v in instructions(rose.grad(rose.fn([Real], Real)(body)).func)])


def chosen(x: Any, s: Any) -> Any:
    """As `summed`, with nothing else that is the same in each iteration."""
    return rose.sum(rose.select(x > i, s * i, x * i) for i in rose.range(3))


def test_one_test_is_made_for_a_wild_value():
    assert marks(lambda x: chosen(x, rose.sqrt(x) / x)) == 1
    assert marks(lambda x: chosen(x, rose.sqrt(x) / x) * chosen(x, x)) == 1


def test_what_moves_before_the_loop_is_a_wild_value():
    assert marks(lambda x: summed(x, x)) == 1


def test_a_tame_value_costs_nothing():
    assert marks(lambda x: chosen(x, x)) == 0
    assert marks(lambda x: chosen(x, x * 2.0 + 1.0)) == 0
    assert marks(lambda x: rose.sum(rose.sqrt(x) * i for i in rose.range(3))) == 0


def test_a_value_that_is_used_outside_of_arms_costs_nothing():
    def body(x: Any) -> Any:
        s = rose.sqrt(x) / x
        return s + chosen(x, s)

    assert marks(body) == 0
