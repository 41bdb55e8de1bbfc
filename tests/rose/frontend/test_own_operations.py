"""Operations of users: of numbers and arrays, traced or opaque, by a rule or without, in both modes and compiled."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import rose
from rose import Dual, Real, Vec, fn


@rose.op
def softabs(x: Real) -> Real:
    return rose.sqrt(x * x + 1.0)


@softabs.jvp
def _(x: Any) -> Any:
    y = softabs(x.re)
    return Dual(y, x.re / y * x.du)


@rose.op
@rose.opaque(pure=True)
def squashed(x: Real) -> Real:
    return math.tanh(x)


@squashed.jvp
def _(x: Any) -> Any:
    y = squashed(x.re)
    return Dual(y, (1.0 - y * y) * x.du)


@rose.op
def grown(a: Real, b: Real) -> Real:
    return a * rose.exp(b)


V, W = np.array([0.1, 0.2, 0.3]), np.arange(6.0).reshape(2, 3)
SHAPES: dict[str, tuple[Any, Any]] = {
    "a vector": (lambda v, w: softabs(v), np.sqrt(V * V + 1.0)),
    "a matrix": (lambda v, w: softabs(w[1]), np.sqrt(W[1] ** 2 + 1.0)),
    "a list": (lambda v, w: softabs([v[0], 2.0, v[2]]), np.sqrt(np.array([0.1, 2.0, 0.3]) ** 2 + 1.0)),
    "an array of NumPy's": (lambda v, w: softabs(V) + v, np.sqrt(V * V + 1.0) + V),
    "what the host computes": (lambda v, w: squashed(2.0 * v), np.tanh(2.0 * V)),
    "a number and a vector": (lambda v, w: grown(2, v), 2.0 * np.exp(V)),
    "a vector and a traced number": (lambda v, w: grown(v, v[1]), V * np.exp(0.2)),
    "a row that is broadcast": (lambda v, w: grown(v, w).sum(axis=0), (V * np.exp(W)).sum(axis=0)),
    "an item of a loop": (lambda v, w: rose.vec(softabs(v[i]) for i in rose.range(3)), np.sqrt(V * V + 1.0)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_operation_of_arrays_is_one_of_their_elements(name: str):
    body, wanted = SHAPES[name]
    f = fn([Vec[3], Vec[2, 3]], Vec[3])(body)
    assert f(V, W) == pytest.approx(wanted, rel=1e-14)
    assert rose.jacrev(f)(V, W) == pytest.approx(rose.jacfwd(f)(V, W), rel=1e-13)


def test_the_rule_is_the_derivative_in_both_modes_to_any_order():
    f = fn([Vec[3]], Real)(lambda v: rose.sum(squashed(v) * softabs(v)))
    exact = fn([Vec[3]], Real)(lambda v: rose.sum(rose.tanh(v) * rose.sqrt(v * v + 1.0)))
    assert rose.hessian(f)(V) == pytest.approx(rose.hessian(exact)(V), rel=1e-13)
    thrice = lambda f: rose.grad(rose.grad(rose.grad(f)))
    assert thrice(softabs)(0.7) == pytest.approx(thrice(fn([Real], Real)(softabs.body))(0.7), rel=1e-12)


def test_the_rule_is_used_and_without_one_the_value_is_differentiated():
    @rose.op
    def steep(x: Real) -> Real:
        return x

    assert rose.grad(steep)(1.0) == 1.0
    other = rose.op(fn([Real], Real)(lambda x: x))
    other.jvp(lambda x: Dual(x.re, 5.0 * x.du))
    assert rose.grad(fn([Vec[2]], Real)(lambda v: rose.sum(other(v))))([1.0, 2.0]).tolist() == [5.0, 5.0]


def test_a_function_brings_its_rule():
    ruled = fn([Real], Real)(lambda x: x)
    ruled.jvp(lambda x: Dual(x.re, 3.0 * x.du))
    assert rose.grad(rose.op(ruled))(1.0) == 3.0


def test_any_size_single_precision_and_lanes():
    n = rose.dim("n")
    f = fn([Vec[n]], Real)(lambda v: rose.sum(softabs(v)))
    assert rose.grad(f)(np.arange(5.0))[2] == pytest.approx(2.0 / math.sqrt(5.0), rel=1e-15)
    five = f.at(n=5)
    assert rose.compile(five, simd=True)(np.arange(5.0)) == five(np.arange(5.0))
    single = rose.compile(five, dtype="f32")(np.arange(5.0, dtype=np.float32))
    assert single == pytest.approx(five(np.arange(5.0)), rel=1e-6)


def test_an_operation_of_functions_and_of_none():
    f = softabs(fn([Real], Real)(lambda x: 2.0 * x))
    assert f(1.5) == math.sqrt(10.0)
    assert fn([Vec[0]], Vec[0])(lambda v: softabs(v))([]).shape == (0,)


def test_an_operation_outside_of_a_program_and_in_a_pickle():
    assert softabs(3) == math.sqrt(10.0)
    assert squashed(0.5) == math.tanh(0.5)
    assert pickle.loads(pickle.dumps(softabs)) is softabs
