"""The columns of the table: each row answers each, and the answers are true."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import pytest

from rose.ir import OPS, Op, building
from rose.ir.columns import ALL, LIBRARY, Kind, Monotone, UnitRule
from rose.ir.types import Bool, Fin, Real, Tan, Type

ROWS = list(OPS.values())
SCALAR = [op for op in ROWS if op.eval is not None]
ON_NUMBERS = [op for op in SCALAR if op.name != "select"]
STRUCTURAL = [op for op in ROWS if op.eval is None and op.expand is None]
NUMBERS = [-1e300, -710.0, -3.5, -2.5, -1.0, -0.3, -5e-324, 0.0, 1e-9, 0.5, 0.999, 1.0, 1.5, 2.0, 3.0, 26.0, 1e300]


def arity(op: Op) -> int:
    return op.type.__code__.co_argcount


def accepts(op: Op, types: Sequence[Type]) -> bool:
    with building("f") as b:
        args = [b.param(t) for t in types]
        return len(args) == arity(op) and op.type(*args) is not None


def gives(op: Op) -> Type | None:
    """The type that a row gives of numbers."""
    with building("f") as b:
        return op.type(*[b.param(Real) for _ in range(arity(op))])


UNARY = [op for op in SCALAR if accepts(op, [Real])]


@pytest.mark.parametrize("op", ROWS, ids=str)
def test_each_row_answers_the_columns_of_all(op: Op):
    assert (op.linear_in is None) is (op.name in ("for", "call", "pure_call"))
    assert op.moves in (True, False) and isinstance(op.reads, tuple) and isinstance(op.cost, int)
    assert op.effect in (None, "opens", "adds", "closes", "calls", "loops")
    assert not op.moves or (op.effect is None and op.kind is None)
    assert op.moves or not op.reads


@pytest.mark.parametrize("op", SCALAR, ids=str)
def test_each_row_on_scalars_answers_the_columns_of_scalars(op: Op):
    assert op.kind is None or op.kind in get_args(Kind)
    assert op.monotone is None or isinstance(op.monotone, Monotone)
    assert op.exact in (True, False) and op.whole in (True, False)
    assert op.unit in get_args(UnitRule) or (isinstance(op.unit, tuple) and len(op.unit) == arity(op))
    assert op.cost == LIBRARY if op.library else op.cost < LIBRARY
    assert op.jvp is None or len(op.jvp) == arity(op)


@pytest.mark.parametrize("op", STRUCTURAL, ids=str)
def test_what_is_no_operation_on_scalars_says_so(op: Op):
    assert (op.kind, op.monotone, op.exact, op.whole, op.unit, op.jvp) == (None,) * 6


@pytest.mark.parametrize("op", ON_NUMBERS, ids=str)
def test_a_tangent_is_accepted_where_a_row_is_linear_and_nowhere_else(op: Op):
    n = arity(op)
    linear = [Tan if m else Real for m in op.is_linear_in(n)]
    tangents = [t for t in itertools.product([Real, Tan], repeat=n) if Tan in t and accepts(op, t)]
    assert tangents == ([tuple(linear)] if op.linear_in else [])
    assert (op.transpose is not None) is bool(op.linear_in)


def test_the_arguments_in_which_a_row_is_linear():
    put, select, stack, tuple_ = OPS["put"], OPS["select"], OPS["push"], OPS["tuple"]
    assert put.is_linear_in(4) == [True, False, False, True] and select.is_linear_in(3) == [False, True, True]
    assert stack.linear_in == ALL and tuple_.is_linear_in(0) == []
    assert OPS["const"].is_linear_in(0) == [] and OPS["sin"].is_linear_in(1) == [False]
    assert tuple_.place(2, (1,)) == (2, 1) and OPS["pack"].place(2, (1,)) == (1,)


@pytest.mark.parametrize("op", [op for op in UNARY if op.monotone], ids=str)
def test_a_monotone_row_grows_or_falls_between_its_bounds(op: Op):
    assert op.eval is not None and op.monotone is not None
    found = [y for x in NUMBERS if not math.isnan(y := op.eval(x))]
    assert len(found) > 5 and all(op.monotone.low <= y <= op.monotone.high for y in found)
    assert found == sorted(found, reverse=op.monotone.falls)


@pytest.mark.parametrize("op", [op for op in UNARY if op.monotone is None and gives(op) is Real], ids=str)
def test_a_row_that_is_not_monotone_turns(op: Op):
    assert op.eval is not None
    found = [y for x in sorted([*NUMBERS, -1.7, -1.3, 4.0, 6.0]) if not math.isnan(y := op.eval(x))]
    assert found not in (sorted(found), sorted(found, reverse=True))


@pytest.mark.parametrize("op", [op for op in SCALAR if op.whole], ids=str)
def test_a_whole_row_gives_whole_numbers(op: Op):
    assert op.eval is not None
    numbers = [1.0, 5.0] if not accepts(op, [Real]) else NUMBERS
    given = itertools.product(
        [int(x) for x in numbers] if accepts(op, [Fin(6)] * arity(op)) else numbers, repeat=arity(op)
    )
    assert all(float(op.eval(*xs)).is_integer() for xs in given)


@pytest.mark.parametrize("op", [op for op in ON_NUMBERS if op.unit == "same" or isinstance(op.unit, tuple)], ids=str)
def test_a_result_has_the_unit_that_its_row_says(op: Op):
    """In another unit, of which the old one has four, the numbers are those of the old one times a power of 4."""
    assert op.eval is not None
    powers = [Fraction(1)] if op.unit == "same" else [*map(Fraction, op.unit)] if isinstance(op.unit, tuple) else []
    power = sum(powers, Fraction(0))
    for xs in itertools.product([0.75, 2.5, 20.0], repeat=arity(op)):
        assert op.eval(*[64.0 * x for x in xs]) == pytest.approx(64.0 ** float(power) * op.eval(*xs), rel=1e-14)


@pytest.mark.parametrize("op", [op for op in ON_NUMBERS if op.unit == "compared"], ids=str)
def test_what_compares_numbers_of_one_unit_gives_the_same_in_each(op: Op):
    assert op.eval is not None
    if accepts(op, [Bool] * arity(op)):
        return
    for xs in itertools.product([1, 3, 20], repeat=arity(op)):
        assert op.eval(*[4 * x for x in xs]) == op.eval(*xs)


def test_an_exact_row_rounds_nothing():
    third, big = 1.0 / 3.0, 2.0**53 + 2.0
    exact = {
        "neg": Fraction(-third), "abs": Fraction(third), "min": Fraction(third), "max": Fraction(big),
        "copysign": Fraction(third), "fmod": Fraction(third) % Fraction(big), "stop_gradient": Fraction(third),
        "floor": 0, "ceil": 1, "trunc": 0, "round": 0, "sign": 1,
    }  # fmt: skip
    rows = {op.name: op for op in SCALAR if op.exact and accepts(op, [Real] * arity(op)) and gives(op) is not Bool}
    assert set(rows) == {*exact, "itrunc"}
    assert all(Fraction(rows[k].eval(*(third, big)[: arity(rows[k])])) == x for k, x in exact.items())  # type: ignore[misc]
