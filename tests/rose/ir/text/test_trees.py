"""Tokens of the text form, and their places."""

import pytest

from rose import WrongSyntax
from rose.ir.text.trees import Source, tokens


def test_a_text_is_cut_into_names_numbers_and_signs():
    found = [t.text for t in tokens(Source("def f(x: Real) = x + 1.5"))]
    assert found[:-1] == ["def", "f", "(", "x", ":", "Real", ")", "=", "x", "+", "1.5"]


def test_each_token_knows_its_place():
    source = Source("let x = 12")
    number = tokens(source)[3]
    assert number.at == (8, 10)
    assert source.at(number.at).excerpt() == "    let x = 12\n            ^^"


def test_a_sign_of_no_meaning_is_an_error_at_its_place():
    with pytest.raises(WrongSyntax) as caught:
        tokens(Source("x ? y ~ $"))
    assert caught.value.loc is not None and "^" in str(caught.value)
