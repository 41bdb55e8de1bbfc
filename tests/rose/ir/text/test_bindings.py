"""Names of a function in the text form."""

import pytest

from rose import RoseError, UnknownName
from rose.host.interpreter import run
from rose.ir.text.module import parse


def test_a_name_stands_for_what_was_bound_to_it_last():
    f = parse("def f(x: Real): Real = let y = x + 1 in let y = y * 2 in y").funcs["f"]
    assert run(f, 3.0) == 8.0


def test_a_name_of_a_loop_is_not_seen_outside():
    with pytest.raises(UnknownName, match="y"):
        parse("def f(x: Real): Real = let v = [for i: 3, let y = x in y] in y")


def test_a_function_is_not_a_value():
    with pytest.raises(RoseError):
        parse("def g(x: Real): Real = x\ndef f(x: Real): Real = g + x")
