"""Prices: the figures of the widget functor, with all ways to pay for copies."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, RoseError, Vec, fn
from rose.interpretations import Optic, Prices, as_asked, fixed_fee, in_proportion, pirated


def maker(n: int) -> Any:
    return fn([Real] * n, Real)(lambda *goods: sum(goods))


first, second, joined = maker(1), maker(1), maker(2)
COSTS = {first: 10.0, second: 20.0, joined: 30.0}
widget = fn([Real, Real], Real)(lambda a, b: joined(first(a), second(b)))
cloned = fn([Real], Real)(lambda d: joined(first(d), second(d)))


@pytest.mark.parametrize(
    ("take", "raw", "sale", "price", "paid"),
    [
        (as_asked, (0.0, 0.0), 100.0, 60.0, (-3.0, -6.0)),
        (as_asked, (5.0, 7.0), 120.0, 72.0, (2.0, 1.0)),
        (in_proportion, (0.0, 0.0), 100.0, 60.0, (7.333333333333332, 14.666666666666664)),
        (in_proportion, (5.0, 7.0), 120.0, 72.0, (15.928571428571427, 26.07142857142857)),
    ],
)
def test_a_sale_pays_its_makers(take: Any, raw: Any, sale: float, price: float, paid: Any):
    sold = rose.interpret(widget, Prices(COSTS, take=take))
    asked, residual = sold.forward(*raw)
    assert (asked, sold.backward(residual, sale)) == (price, paid)


def test_in_proportion_all_that_is_left_is_paid():
    sold = rose.interpret(widget, Prices(COSTS))
    assert sum(sold.backward(sold.forward(5.0, 7.0)[1], 120.0)) == pytest.approx(120.0 - 39.0 - 13.0 - 26.0, rel=1e-15)


@pytest.mark.parametrize(
    ("clones", "price", "paid"), [(None, 76.0, 42.0), (fixed_fee(1.0), 62.0, 42.0), (pirated(), 60.0, 0.0)]
)
def test_a_copy_is_paid_by_its_policy(clones: Any, price: float, paid: float):
    sold = rose.interpret(cloned, Prices(COSTS, clones=clones))
    asked, residual = sold.forward(8.0)
    assert asked == price and sold.backward(residual, 120.0) == pytest.approx(paid, rel=1e-15)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_each_of_a_vector_is_made_and_paid(n: int):
    line = fn([Vec[n]], Vec[n])(lambda x: rose.vec(first(e) for e in x))
    sold = rose.interpret(line, Prices(COSTS))
    asked, residual = sold.forward([5.0] * n)
    assert list(asked) == [15.0] * n and list(sold.backward(residual, [20.0] * n)) == [7.0] * n


def test_what_is_made_and_not_sold_is_an_error_at_its_maker():
    def wasteful(a: Any, b: Any) -> Any:
        second(b)
        return first(a)

    with pytest.raises(RoseError, match=r"who is going to pay for that[\s\S]*second\(b\)[\s\S]*hint: sell"):
        rose.interpret(fn([Real, Real], Real)(wasteful), Prices(COSTS))


def test_an_operation_has_no_price_until_a_row_says_it():
    with pytest.raises(RoseError, match=r'prices has no meaning for mul[\s\S]*rules = \{"mul": lambda x, y'):
        rose.interpret(fn([Real], Real)(lambda x: first(x) * 2.0), Prices(COSTS))


class Smeared(Prices):
    """A choice costs its condition and the mean of its sides, and each is paid: the condition first."""

    def __init__(self) -> None:
        super().__init__({first: 10.0, second: 20.0}, margin=0.0)
        self.rules = {**self.rules, "lt": Optic(lambda a, b: (a + b, (a, b)), lambda asked, _: asked)}

    choose = Optic(
        lambda c, x, y: (c + (x + y) / 2.0, (c, x, y)),
        lambda asked, due: (asked[0], *in_proportion(due - asked[0], list(asked[1:]))),
    )


@pytest.mark.parametrize(
    "body",
    [
        lambda a, b: rose.select(a < b, first(a), second(b)),
        lambda a, b: rose.cond(a < b, lambda: first(a), lambda: second(b)),
        lambda a, b: rose.where([a < b], [first(a)], [second(b)])[0],
    ],
)
def test_the_price_of_a_condition_is_smeared_over_its_branches(body: Any):
    sold = rose.interpret(fn([Real, Real], Real)(body), Smeared())
    asked, residual = sold.forward(5.0, 7.0)
    assert asked == 12.0 + (15.0 + 27.0) / 2.0
    paid = 5.0 + 42.0 * 15.0 / 42.0 - 10.0, 7.0 + 42.0 * 27.0 / 42.0 - 20.0  # 12 for the condition, 42 for the sides
    assert sold.backward(residual, 54.0) == pytest.approx(paid, rel=1e-15)
