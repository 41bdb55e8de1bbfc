"""The tables of other libraries' names: what a row says to write is there, parses, and is the same function."""

from __future__ import annotations

import ast
import math
import re

import numpy as np
import pytest
import scipy.special

import rose
from rose.errors.foreign_names import hint, libraries
from tests.support.public_names import assert_there

ROWS = [(library, name, text) for library, rows in libraries().items() for name, text in rows.items()]
CODE = {name: match[1] for _, name, text in ROWS if (match := re.match("write (.*) in its place", text))}


def test_each_row_begins_with_a_verb_and_names_what_is_there():
    verbs = "annotate call keep leave loop make print wrap write"
    assert {text.split()[0] for _, _, text in ROWS} == set(verbs.split())
    assert_there("\n".join(text for _, _, text in ROWS))


def test_what_a_row_says_to_write_is_an_expression():
    assert all(isinstance(ast.parse(code, mode="eval"), ast.Expression) for code in CODE.values())


def test_a_hint_fits_into_a_line():
    assert max(len(text) for _, _, text in ROWS) <= 150


def test_a_name_of_no_library_has_no_row():
    assert hint("zzz") is None


SPECIAL = {k: f for k, f in vars(scipy.special).items() if isinstance(f, np.ufunc)}
FORMULAS = sorted([k for k in SPECIAL if set(re.findall(r"\b[a-z]\b", CODE.get(k, "f"))) <= set("abkmnxy")])


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_the_function_of_scipy(name: str):
    theirs = SPECIAL[name]
    scope = {"rose": rose, "math": math, "log_gamma": rose.fn([rose.Real], rose.Real)(rose.lgamma)}
    order = {"binom": "nk", "comb": "nk", "perm": "nk", "poch": "xm"}
    names = order.get(name) or sorted(set(re.findall(r"\b[a-z]\b", CODE[name])))
    f = rose.fn([rose.Real] * theirs.nin, rose.Real)(
        lambda *xs: eval(CODE[name], scope | dict(zip(names, xs, strict=True)))
    )
    for point in ([0.3, 0.2], [0.9, 0.7], [0.5, 2.5]):
        assert f(*point[: theirs.nin]) == pytest.approx(theirs(*point[: theirs.nin]), rel=1e-9)
