"""Arrays with more elements around them, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate
from numpys import names

import rose
from rose import Bool, OutOfRange, Real, RoseError, TypeMismatch, Vec, fn

X = np.random.default_rng(0).normal(size=(2, 3, 4))
CALLS = """pad(x,1) | pad(x,(2,1)) | pad(x,((1,0),(0,2),(3,3))) | pad(x,1,constant_values=3.0) | pad(x,1,"edge") |
    pad(x,((0,5),(4,0),(9,9)),"wrap") | pad(x,((1,5),(4,0),(9,9)),"reflect") | pad(x,((1,5),(4,0),(9,9)),"symmetric") |
    pad(x[:,:1],2,"reflect") | pad(x[:0],1) | pad(x[...,:0],1,constant_values=2.0) |
    pad(x,1,constant_values=(1.0,2.0)) | pad(x,(0,2),constant_values=((1.0,2.0),(3.0,4.0),(5.0,6.0))) |
    pad(x,2,"maximum") | pad(x,((1,0),(0,2),(3,1)),"minimum") |
    pad(x,(1,2),"mean") | pad(x,1,"median") | pad(x,2,"linear_ramp") | pad(x,{1:2,-1:(0,1)}) | pad(x,0,"mean") |
    pad(x,((1,0),(3,2),(0,1)),"linear_ramp",end_values=((1.0,2.0),(3.0,4.0),(-5.0,6.0)))"""
TEXTS = [text.strip() for text in CALLS.replace("\n", " ").split("|")]


def call(of: Any, text: str) -> Any:
    return lambda x: eval(text, {**names(of), "x": x})


@pytest.mark.parametrize("text", TEXTS)
def test_elements_are_where_numpy_has_them(text: str):
    agree(call(rose, text), call(np, text), [X], rtol=1e-15)


@pytest.mark.parametrize("text", ["pad(x,(2,1))", 'pad(x,1,"edge")', 'pad(x,1,"reflect")', 'pad(x,1,"wrap")'])
def test_conditions_are_padded_as_numbers_are(text: str):
    agree(call(rose, text), call(np, text), [X > 0.0], Bool)


@pytest.mark.parametrize(
    "text",
    ["pad(x,1)", 'pad(x,1,"reflect")', 'pad(x,1,"mean")', 'pad(x,(0,2),"linear_ramp")', 'pad(x,(1,0),"maximum")'],
)
def test_derivatives_in_both_modes_and_twice(text: str):
    differentiate(call(rose, text), (2, 2))


def test_what_is_put_around_may_be_traced():
    f = fn([Vec[2], Real], Vec[4])(lambda x, y: np.pad(x, 1, constant_values=(y, 2.0 * y)))
    assert f([1.0, 2.0], 3.0).tolist() == [3.0, 1.0, 2.0, 6.0]


def test_what_is_empty_is_zero():
    assert fn([Vec[1]], Vec[3])(lambda x: np.pad(x, 1, "empty"))([5.0]).tolist() == [0.0, 5.0, 0.0]


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("pad(x,(1,2,3))", TypeMismatch, "not told how much"),
        ("pad(x,-1)", OutOfRange, "an axis of -1"),
        ('pad(x,1,"odd")', TypeMismatch, "no mode 'odd'"),
        ('pad(x[:0],1,"edge")', OutOfRange, "an axis that has none"),
        ('pad(x,1,"linear_ramp",end_values=(1.0,2.0,3.0))', TypeMismatch, "not told its end_values"),
    ],
)
def test_wrong_arguments_are_errors(text: str, error: type[RoseError], match: str):
    with pytest.raises(error, match=match):
        _ = fn([Vec[2, 3, 4]], Vec[1])(call(rose, text)).func
