"""Syntax trees of the text form."""

import pytest

from rose import WrongSyntax
from rose.ir.text import trees
from rose.ir.text.grammar import parse
from rose.ir.text.trees import Source


def definition(text: str) -> trees.Def:
    (d,) = parse(Source(text)).defs
    return d


def test_a_definition_has_a_name_parameters_and_a_result():
    d = definition("def f(x: Real, n: 3): Real = x")
    assert (d.name.name, [p.name for p, _ in d.params], d.remat) == ("f", ["x", "n"], False)
    assert d.result is not None and d.result.head == "Real"


def test_a_function_is_a_branch_a_while_loop_opaque_or_linear():
    branch = definition("def f(c: Bool, x: Real): Real = if c then g(x) else h(x)").body
    assert isinstance(branch, trees.OfTwo) and (branch.first.name, branch.second.name) == ("g", "h")
    loop = definition("def f(x: Real): (Real,) = while t(x) do g(x) max 10").body
    assert isinstance(loop, trees.OfTwo) and (loop.word, loop.most) == ("while", 10)
    assert isinstance(definition("def f(x: Real): Real = opaque").body, trees.Opaque)
    linear = definition("def f(x: Tan): Tan = linear g(x) transposed h(x)").body
    assert isinstance(linear, trees.OfTwo) and linear.word == "linear"


def test_an_unfinished_text_is_an_error():
    with pytest.raises(WrongSyntax, match="expected"):
        parse(Source("def f(x: Real"))
