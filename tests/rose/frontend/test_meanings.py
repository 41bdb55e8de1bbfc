"""The meaning of what a user writes of a traced value."""

from __future__ import annotations

from rose.frontend.annotations import Dual
from rose.frontend.meanings import MEANINGS
from rose.ir import building
from rose.ir.forms import DUAL, form_of
from rose.ir.value import OPERATORS


def test_all_operators_of_a_value_have_a_meaning():
    symbols = "+ - * / // % @ ** & | ^ < <= > >= == != neg abs ~ []"
    symbols += " divmod round ceil floor trunc each array objects part column ufunc function iter"
    assert set(MEANINGS.operators) == set(symbols.split())


def test_the_first_builder_takes_them():
    with building("f"):
        assert OPERATORS == MEANINGS.operators
        assert (DUAL.cls, form_of(Dual)) == (Dual, DUAL)
