"""Printing, assertions and failures of a run."""

from __future__ import annotations

import pickle

import pytest

from rose import AssertionFailed, TooLarge
from rose.errors import here
from rose.host.effects import BELOW_ZERO, TAPE_LIMIT, Assertion, Printer, endless, exhausted, place, spelled
from rose.ir.forms import dict_form
from rose.ir.types import Bool, Real, Tuple, Vec, tuple_of


def test_a_printer_writes_values_between_pieces_of_text(capsys: pytest.CaptureFixture[str]):
    Printer(["x = ", ", v = ", "!"], [Real, Vec(2, Real)], [".2f", ""])(1.0, [2.0, 3.0])
    assert capsys.readouterr().out == "x = 1.00, v = [2.0, 3.0]!\n"


def test_a_value_is_spelled_as_python_writes_it():
    assert spelled((1.0,), tuple_of(Real)) == "(1.0,)"
    assert spelled((1.0, True), Tuple((Real, Bool), dict_form(["a", "b"]))) == "{'a': 1.0, 'b': True}"


def test_an_assertion_raises_where_its_argument_is_false():
    check = Assertion("x is small", here())
    check(True)
    with pytest.raises(AssertionFailed, match="x is small"):
        check(False)


def test_a_failure_says_in_which_file_and_line_it_is():
    failure = endless(10, here())
    assert failure.where().startswith("test_effects.py:") and "10" in failure.told()
    assert BELOW_ZERO.where() == "" and BELOW_ZERO.told() == BELOW_ZERO.message


def test_a_place_is_the_same_on_every_machine():
    assert place(here()).startswith("test_effects.py:") and place(None) == ""


def test_a_tape_that_is_exhausted_tells_its_limit():
    assert "its tape_limit is 1,073,741,824 bytes (test_effects.py:" in exhausted(TAPE_LIMIT, here()).told()


def test_a_failure_that_was_pickled_keeps_the_text_of_its_error():
    failure = endless(10, here())
    again = pickle.loads(pickle.dumps(failure))
    assert str(again.error()) == str(failure.error()) and isinstance(again.error(), TooLarge)
