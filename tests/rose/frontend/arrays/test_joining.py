"""Arrays of several, and parts of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate
from costs import cost
from numpys import names

import rose
from rose import Bool, Fin, OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn

X = np.random.default_rng(0).normal(size=(2, 3, 4))
CALLS = """stack([x,2*x,x]) | stack([x,x],1) | stack([x,x],-1) | stack(x,1) | concatenate([x,2*x,-x]) |
    concatenate([x,x],1) | concatenate([x,x[...,:1]],2) | concatenate([x,x],None) |
    concatenate([x[:0],x,x[1:1],x[:1]]) |
    concatenate([x[:0],x[:0]]) | concatenate([x[0],[[1,2,3,4]]]) | concatenate(x) | hstack([x,x]) |
    hstack([x[0,0],x[0,1]]) | vstack([x[0,0],x[0,1]]) | vstack([x,x]) | split(x,3,1)[1] | split(x,[1,3],2)[1] |
    array_split(x,3,2)[0] | array_split(x,3,2)[2] | stack(split(x,2,-1)) |
    stack([x,x],dtype=float) | concatenate([x,x],1,dtype=float) | hstack([x,x],dtype=float)"""
TEXTS = [text.strip() for text in CALLS.split("|")]


def call(of: Any, text: str) -> Any:
    return lambda x: eval(text, {**names(of), "x": x})


@pytest.mark.parametrize("text", TEXTS)
def test_elements_are_where_numpy_has_them(text: str):
    agree(call(rose, text), call(np, text), [X])


@pytest.mark.parametrize("text", [t for t in TEXTS if "*" not in t and "-x" not in t and "values" not in t][::3])
def test_conditions_are_joined_as_numbers_are(text: str):
    if "[[1" not in text:
        agree(call(rose, text), call(np, text), [X > 0.0], Bool)


@pytest.mark.parametrize("text", ["stack([x,x],1)", "concatenate([x,2*x],1)"])
def test_derivatives_in_both_modes_and_twice(text: str):
    differentiate(call(rose, text), (2, 2))


def test_zeros_keep_their_signs():
    agree(lambda x: 1.0 / rose.concatenate([x, -x]), lambda x: 1.0 / np.concatenate([x, -x]), [np.array([0.5, np.inf])])
    f = fn([Vec[2]], Vec[4])(lambda x: rose.concatenate([x, -x]))
    assert [str(x) for x in f([0.0, -0.0])] == ["0.0", "-0.0", "-0.0", "0.0"]


def test_indices_are_joined_with_larger_ones_and_with_numbers():
    f = fn([Vec[2, Fin[3]], Vec[1, Fin[7]]], Vec[3, Fin[7]])(lambda i, j: rose.concatenate([i, j]))
    assert list(f([2, 0], [6])) == [2, 0, 6]
    g = fn([Vec[2, Fin[3]], Vec[1]], Vec[3])(lambda i, x: rose.concatenate([i, x]))
    assert list(g([2, 0], [0.5])) == [2.0, 0.0, 0.5]


def test_structs_are_joined():
    pair = tuple[Real, Bool]
    f = fn([Vec[2, pair], pair], Vec[4, pair])(lambda v, x: rose.concatenate([v, rose.stack([x, x])]))
    assert [(x, bool(c)) for x, c in f([(1.0, True), (2.0, False)], (3.0, True))] == [
        (1.0, True), (2.0, False), (3.0, True), (3.0, True),
    ]  # fmt: skip


def test_sizes_may_be_those_of_a_call():
    n, m = dim("n"), dim("m")
    f = fn([Vec[n], Vec[m]], Vec[n + m + 2])(lambda x, y: rose.pad(rose.concatenate([x, y * y]), 1))
    g = rose.compile(f, dynamic=True)
    assert list(g([1.0, 2.0], [3.0])) == [0.0, 1.0, 2.0, 9.0, 0.0]
    assert list(g([], [3.0])) == [0.0, 9.0, 0.0]


JOINS = {
    "concatenate": lambda x: rose.concatenate([rose.sin(x), x * x]),
    "stack": lambda x: rose.stack([rose.sin(x), x * x]),
    "columns": lambda x: rose.stack([rose.sin(x), x * x], 1),
    "pad": lambda x: rose.pad(rose.sin(x), 2),
    "rows": lambda x: rose.concatenate([x[:, None], rose.sin(x)[:, None]], 1),
}


@pytest.mark.parametrize("name", JOINS)
def test_a_gradient_costs_a_constant_times_the_value(name: str):
    ratios = list[float]()
    for n in (8, 64):
        f = fn([Vec[n]], Real)(lambda x: rose.norm(JOINS[name](x)))
        x = [0.1 * k for k in range(n)]
        ratios.append(cost(rose.grad(f).func, x) / cost(f.func, x))
    assert ratios[1] <= min(8.0, 1.15 * ratios[0])


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("stack([])", OutOfRange, "rose.stack of nothing"),
        ("concatenate([])", OutOfRange, "rose.concatenate of nothing"),
        ("concatenate(3.0)", TypeMismatch, "takes several arrays"),
        ("stack([x,x[0]])", TypeMismatch, r"of one shape, not \(2, 3, 4\) and \(3, 4\)"),
        ("concatenate([x,x[:,:2]])", TypeMismatch, "axis 1 has 3 and 2 elements"),
        ("concatenate([x,x[0]])", TypeMismatch, "not as many axes"),
        ("concatenate([x[0,0,0],x[0,0,0]])", TypeMismatch, "joins arrays"),
        ("concatenate([x,x>0])", TypeMismatch, "one kind of elements"),
        ("split(x,2,1)", OutOfRange, "cannot cut 3 elements into 2 parts of one size"),
        ("split(x,[0.5])", TypeMismatch, "cut at integers"),
    ],
)
def test_wrong_arguments_are_errors(text: str, error: type[RoseError], match: str):
    with pytest.raises(error, match=match):
        _ = fn([Vec[2, 3, 4]], Vec[1])(call(rose, text)).func
