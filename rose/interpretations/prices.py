"""Prices of goods, and payments for them: what a maker asks goes forward, and what the buyer pays comes back.

A maker is a function of goods. It asks for the prices of its inputs and its cost; of what is paid it keeps its cost and
a margin, and the rest pays for its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..frontend.language.select import select
from .meanings import Optic, Refusal, TwoWay

Take = Callable[[Any, list[Any]], list[Any]]  # what is left of a payment, and the prices -> the payment for each input
Clones = tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]  # the price of a copy; what is paid for two


def as_asked(rest: Any, prices: list[Any]) -> list[Any]:
    """Each input is paid what it asked, whatever is left."""
    return prices


def in_proportion(rest: Any, prices: list[Any]) -> list[Any]:
    """All that is left is paid, in proportion to what was asked; in equal parts where that is nothing."""
    total = sum(prices)
    return [select(total == 0.0, rest / len(prices), rest * x / total) for x in prices]


def each_copy() -> Clones:
    """Each copy costs what the thing does, and its maker is paid for each."""
    return (lambda price: price), (lambda x, y: x + y)


def fixed_fee(fee: float) -> Clones:
    """Each copy costs a fee, and the maker is paid what copies bring."""
    return (lambda price: fee), (lambda x, y: x + y)


def pirated() -> Clones:
    """Copies cost nothing, and their maker is paid nothing."""
    return (lambda price: 0.0), (lambda x, y: 0.0)


class Prices(TwoWay):
    """Prices of what the functions in `costs` make, each with its cost; `margin` is a part of it."""

    name = "prices"

    def __init__(
        self, costs: Mapping[Any, float], margin: float = 0.3, take: Take = in_proportion, clones: Clones | None = None
    ) -> None:
        self.rules = {maker: _maker(cost, (1.0 + margin) * cost, take) for maker, cost in costs.items()}
        self.clones = clones or each_copy()

    def copy(self, x: Any) -> Any:
        return self.clones[0](x)

    def merge(self, x: Any, y: Any) -> Any:
        return self.clones[1](x, y)

    def delete(self) -> Any:
        raise Refusal("who is going to pay for that?", "sell what is made: let it reach the result")


def _maker(cost: float, keeps: float, take: Take) -> Optic:
    def backward(prices: Any, payment: Any) -> Any:
        rest = payment - keeps
        return rest if len(prices) == 1 else tuple(take(rest, list(prices)))

    return Optic(lambda *prices: (sum(prices) + cost, prices), backward)
