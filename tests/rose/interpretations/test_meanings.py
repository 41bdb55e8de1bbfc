"""What a meaning is made of: carriers, rules by name and by function, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import rose
from rose import Bool, Fin, Real, RoseError, Vec, fn
from rose.frontend.annotations import as_type
from rose.interpretations import Interval, Meaning, Refusal, Truth, TwoWay
from rose.ir import OPS
from rose.ir.types import Unit, tuple_of

square = fn([Real], Real)(lambda x: x * x)


class Doubled(Meaning):
    name = "doubled"
    rules: Mapping[Any, Any] = {"add": lambda x, y: x + y, square: lambda x: 2.0 * x}


class OfIntervals(TwoWay):
    carrier, truth, back = Interval, Truth, Interval


def test_a_rule_is_found_by_the_name_of_an_operation_and_by_the_function():
    doubled = Doubled()
    assert doubled.rule(OPS["add"]) is Doubled.rules["add"] and doubled.rule(OPS["mul"]) is None
    assert rose.interpret(fn([Real], Real)(lambda x: square(x) + x), doubled)(3.0) == 9.0


def test_a_function_with_a_rule_is_not_looked_into_in_a_loop_either():
    f = fn([Vec[3]], Real)(lambda x: rose.sum(square(e) for e in x))
    assert rose.interpret(f, Doubled())([1.0, 2.0, 3.0]) == 12.0


@pytest.mark.parametrize(
    ("t", "carriers", "backs"),
    [
        (Real, as_type(Interval), as_type(Interval)),
        (Bool, as_type(Truth), Unit),
        (Fin[3], Fin[3], Unit),
        (Vec[2, 3], Vec[2, 3, as_type(Interval)], Vec[2, 3, as_type(Interval)]),
        (tuple_of(Real, Fin[2]), tuple_of(as_type(Interval), Fin[2]), tuple_of(as_type(Interval), Unit)),
    ],
)
def test_carriers_stand_for_numbers_and_truths_and_nothing_comes_back_for_truths(t: Any, carriers: Any, backs: Any):
    assert OfIntervals().carriers(t) is carriers and OfIntervals().backs(t) is backs


def test_what_a_rule_refuses_is_an_error_at_the_users_expression():
    class Strict(Meaning):
        name = "strictness"

        def rule(self, op: Any) -> Any:
            def refused(*_: Any) -> Any:
                raise Refusal("not today", "come back tomorrow")

            return refused

    with pytest.raises(RoseError, match=r"strictness: not today[\s\S]*rose.sin\(x\)[\s\S]*hint: come back tomorrow"):
        rose.interpret(fn([Real], Real)(lambda x: rose.sin(x)), Strict())
