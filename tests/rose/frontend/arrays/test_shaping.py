"""Arrays with the elements of others at other indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate
from numpys import names

import rose
from rose import Bool, OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn

X = np.random.default_rng(0).normal(size=(2, 3, 4))
CALLS = """reshape(x,(24,)) | reshape(x,(6,4)) | reshape(x,(4,6)) | reshape(x,-1) | reshape(x,(2,-1)) | ravel(x) |
    reshape(x,(1,24,1)) | reshape(x,(2,2,2,3)) | reshape(x,(3,8)) | transpose(x) | transpose(x,(1,2,0)) |
    swapaxes(x,0,-1) | moveaxis(x,0,-1) | moveaxis(x,[0,1],[-1,0]) | squeeze(x[:,:1]) | squeeze(x[:,1:2],1) |
    expand_dims(x,0) | expand_dims(x,(0,-1)) | broadcast_to(x,(2,2,3,4)) | broadcast_to(x[:1,:,:1],(5,3,2)) | flip(x) |
    flip(x,1) | flip(x,(0,-1)) | roll(x,1) | roll(x,-2) | roll(x,1,0) | roll(x,(1,-1),(0,2)) | roll(x,7,1) |
    roll(x,0,1) | tile(x,2) | tile(x,(2,1)) | tile(x,(2,2,1,2)) | tile(x[0,0],(2,3)) | repeat(x,2) | repeat(x,3,1) |
    repeat(x,1,0) | tril(x) | triu(x) | tril(x,-1) | triu(x,2) | diag(x[0]) | diag(x[0],-1) | diag(x[0,0],2) |
    diag(x[0,0],-1) | diag(x[0,0]) | diagonal(x) | diagonal(x,1,2,0) | diagonal(x,-1,1,2) | diagonal(x,9) |
    reshape(x[:0],(0,2)) | flip(x[:0]) | roll(x[:,:0],2,1) | diag(x[0,0,:0],1) | tile(x[:0],2) | ravel(x[:,:0])"""


def call(of: Any, text: str) -> Any:
    return lambda x: eval(text, {**names(of), "x": x})


TEXTS = [text.strip() for text in CALLS.split("|")]


@pytest.mark.parametrize("text", TEXTS)
def test_elements_are_where_numpy_has_them(text: str):
    agree(call(rose, text), call(np, text), [X])


@pytest.mark.parametrize("text", TEXTS[::5])
def test_conditions_move_as_numbers_do(text: str):
    agree(call(rose, text), call(np, text), [X > 0.0], Bool)


@pytest.mark.parametrize("text", ["reshape(x,(4,2))", "roll(x,1,0)", "tril(x)", "diag(x)", "repeat(x,2)", "tile(x,2)"])
def test_derivatives_in_both_modes_and_twice(text: str):
    differentiate(call(rose, text), (2, 4))


def test_structs_move_as_numbers_do():
    f = fn([Vec[3, tuple[Real, Vec[2]]]], Vec[6, tuple[Real, Vec[2]]])(
        lambda x: rose.tile(rose.roll(rose.flip(x), 1), 2)
    )
    x = [(1.0, [1.0, 2.0]), (2.0, [3.0, 4.0]), (3.0, [5.0, 6.0])]
    assert [k for k, _ in f(x)] == [1.0, 3.0, 2.0, 1.0, 3.0, 2.0]


def test_sizes_may_be_those_of_a_call():
    n, m = dim("n"), dim("m")
    of: Any = lambda x, _: rose.sum(
        rose.roll(rose.ravel(rose.transpose(x)), -2) * rose.reshape(rose.flip(x, 1), -1) + rose.tile(x[0], n + 1)
    )
    f = fn([Vec[n + 1, m], Vec[n]], Real)(of)
    for x in (X[0], X[0, :1, :2], X[0, :1, :1]):
        want = (np.roll(x.T.ravel(), -2) * x[:, ::-1].ravel() + np.tile(x[0], len(x))).sum()
        assert rose.compile(f, dynamic=True)(x, x[1:, 0]) == pytest.approx(want, rel=1e-14)


def test_a_reshaped_chain_needs_no_memory():
    f = fn([Vec[60, 40]], Real)(lambda x: rose.sum(rose.flip(rose.transpose(rose.roll(x, 1, 0)), 1)[3] * x[:, 2]))
    assert len(rose.compile(f).wasm) < 400


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("reshape(x,(5,5))", TypeMismatch, r"has 24 elements, and cannot be reshaped to \(5, 5\)"),
        ("reshape(x,(-1,5))", TypeMismatch, "cannot be reshaped"),
        ("reshape(x,(-1,-1))", TypeMismatch, "cannot be reshaped"),
        ("transpose(x,(0,1))", TypeMismatch, "2 of its 3 axes"),
        ("transpose(x,(0,1,1))", TypeMismatch, "name one twice"),
        ("moveaxis(x,0,(1,2))", TypeMismatch, "moves 1 axes to 2 places"),
        ("squeeze(x,1)", TypeMismatch, "axis 1 .* has 3 elements"),
        ("flip(x,3)", OutOfRange, "no axis 3"),
        ("flip(x,0.5)", TypeMismatch, "an axis is an integer"),
        ("broadcast_to(x,(3,4))", TypeMismatch, "does not broadcast"),
        ("roll(x,(1,2),(0,1,2))", TypeMismatch, "2 shifts for 3 axes"),
        ("roll(x,0.5,0)", TypeMismatch, "is an integer"),
        ("tril(x[0,0,0])", TypeMismatch, "takes a matrix"),
        ("diag(x)", TypeMismatch, "a vector or a matrix"),
    ],
)
def test_wrong_arguments_are_errors(text: str, error: type[RoseError], match: str):
    with pytest.raises(error, match=match):
        _ = fn([Vec[2, 3, 4]], Vec[1])(call(rose, text)).func
