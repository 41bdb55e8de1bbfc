"""Operations of the text form: infix, by name, and by the types of their operands."""

import pytest

import rose
from rose import Real, RoseError
from rose.host.interpreter import run
from rose.ir.text.module import parse
from rose.ir.text.operations import MEANT, a
from rose.ir.text.printer import show
from rose.ir.types import Vec


@pytest.mark.parametrize(
    ("text", "expected"), [("x + 2 * y", 8.0), ("x / y", 2.0 / 3.0), ("sqrt(x * x)", 2.0), ("x < y ? x : y", 2.0)]
)
def test_an_expression_has_the_meaning_of_its_operations(text: str, expected: float):
    f = parse(f"def f(x: Real, y: Real): Real = {text}").funcs["f"]
    assert run(f, 2.0, 3.0) == expected


def test_an_index_is_added_to_an_index():
    f = parse("def f(i: 3, v: [6]Real): Real = v[i + i]").funcs["f"]
    assert run(f, 2, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) == 4.0


def test_operands_of_other_types_are_an_error():
    with pytest.raises(RoseError, match="add"):
        parse("def f(x: Real, c: Bool): Real = x + c")


def test_messages_name_a_type_with_its_article():
    assert a(Real).startswith("a ") and a(Vec(2, Real)) != a(Real)


def test_an_operator_may_mean_several_rows_and_a_row_has_several_names():
    assert [op.name for op in MEANT["+"]] == ["add", "iadd"] and MEANT["sgn"] is MEANT["sign"]


def test_a_printed_product_of_lengths_is_not_made_smooth_once_more():
    text = show(rose.fn([Real], Real)(lambda x: rose.hypot(1.0, x) ** 3).func)
    assert "rose.smooth" in text and show(rose.parse(text)["lambda"].func) == text
