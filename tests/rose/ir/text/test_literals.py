"""Literals of the text form."""

import math

import pytest

from rose import NotLinear, OutOfRange, RoseError
from rose.host.interpreter import run
from rose.ir import CONST
from rose.ir.text.literals import number
from rose.ir.text.module import parse
from rose.ir.text.printer import show


@pytest.mark.parametrize(
    ("text", "x"), [("1", 1.0), ("-0", -0.0), ("0x1.8p+1", 3.0), ("1e-3", 0.001), ("inf", math.inf)]
)
def test_a_number_is_decimal_or_hexadecimal(text: str, x: float):
    assert number(text) == x and math.copysign(1.0, number(text)) == math.copysign(1.0, x)


def test_a_row_of_numbers_is_a_literal_vector():
    f = parse("def f(i: 3): Real = let v: [3]Real = [1, 2, 3] in v[i]").funcs["f"]
    assert [run(f, i) for i in range(3)] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def f(): 3 = 5", RoseError),
        ("def f(): Tan = 1.5", NotLinear),
        ("def f(): [2]Real = [1, 2, 3]", RoseError),
    ],
)
def test_a_literal_of_another_type_is_refused(text: str, kind: type[RoseError]):
    with pytest.raises((kind, OutOfRange)):
        parse(text)


TABLES = [
    "let v: [2](3, Real) = [(1, 2.0), (2, -0.0)] in snd v[i]",
    "let v: [2](Bool, (), [2](Real,)) = [(true, (), [(1.0,), (2.0,)]), (false, (), [(3.0,), (nan,)])] in v[i].2[i].0",
    "let v: [2](,) = [(,), (,)] in 1.0",
    "let v: [2]([0](3, 3), Real) = [([], 1.0), ([], 2.0)] in snd v[i]",
]


@pytest.mark.parametrize("text", TABLES)
def test_a_table_of_tuples_is_one_literal_that_is_written_as_it_is_read(text: str):
    f = parse(f"def f(i: 2): Real = {text}").funcs["f"]
    assert next(v.op for v in f.body.code if not v.type.scalar) is CONST
    assert show(parse(show(f)).funcs["f"]) == show(f)


def test_a_tuple_with_a_value_in_it_is_none():
    f = parse("def f(x: Real): Real = let v: [1](Real, 3) = [(x, 1)] in fst v[0]").funcs["f"]
    assert run(f, 2.0) == 2.0
