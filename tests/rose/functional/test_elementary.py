"""Functions of values applied to functions: operators, the operations, NumPy's names."""

import math
import operator as op
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn
from rose import functional as F

from .functions import cos, exp, product, sin, square


@pytest.mark.parametrize("f", [op.add, op.sub, op.mul, op.truediv, op.pow])
@pytest.mark.parametrize("of", [(exp, square), (exp, 2), (2.5, exp)], ids=["functions", "a number right", "left"])
def test_an_operator_is_pointwise(f: Callable[..., Any], of: tuple[Any, Any]):
    at = [g(0.7) if callable(g) else g for g in of]
    assert f(*of)(0.7) == pytest.approx(f(*at), rel=1e-15)


def test_a_number_keeps_its_sign_and_its_kind():
    assert (exp / 0.0)(0.7) == math.inf
    assert (exp / -0.0)(0.7) == -math.inf
    assert ["1.0 +" in F.show(1.0 + exp), "1 +" in F.show(1 + exp)] == [True, True]


@fn
def places(x: Real) -> Vec[3]:
    return [x, x * x, 2.0]


ARRAYS: dict[str, tuple[Any, Any]] = {
    "norm": (lambda: np.linalg.norm(places), np.linalg.norm([0.5, 0.25, 2.0])),
    "sum": (lambda: np.sum(places, axis=0), 2.75),
    "dot": (lambda: np.dot(places, places), 4.3125),
    "reshape": (lambda: np.reshape(places, (3, 1)), [[0.5], [0.25], [2.0]]),
    "stack": (lambda: np.stack([sin, sin]), [math.sin(0.5)] * 2),
    "ours, of a list": (lambda: rose.stack([sin, 1.0]), [math.sin(0.5), 1.0]),
    "ours, with an option": (lambda: rose.sum(places, axis=0), 2.75),
    "maximum": (lambda: np.maximum(places, 1.0), [1.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_numpys_functions_of_arrays_apply_to_what_functions_give(name: str):
    of, want = ARRAYS[name]
    np.testing.assert_allclose(of()(0.5), want, rtol=1e-15)
    np.testing.assert_allclose(rose.compile(of())(0.5), want, rtol=1e-15)


NAMES = ["exp", "log", "sin", "tanh", "sqrt", "sigmoid", "erf", "cosh", "expm1", "atan"]


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_pointwise(name: str):
    f = getattr(rose, name)
    assert f(exp)(0.7) == f(exp(0.7))
    assert F.nabla(f(exp))(0.7) == pytest.approx(rose.grad(rose.fn([Real], Real)(f))(exp(0.7)) * exp(0.7), rel=1e-14)


def test_numpys_functions_are_pointwise():
    assert np.arctan2(sin, cos)(0.7) == pytest.approx(0.7)
    assert np.exp(-sin)(0.7) == rose.exp(-sin)(0.7) and abs(-sin)(0.7) == sin(0.7)


@fn
def helix(t: Real) -> Vec[3]:
    return [rose.sin(t), rose.cos(t), t]


def test_a_function_of_vectors_is_pointwise():
    assert F.pointwise(rose.dot, helix, helix)(0.5) == pytest.approx(1.25)
    assert rose.norm(F.nabla(helix))(0.5) == pytest.approx(2.0**0.5)
    assert (2.0 * helix + helix)(0.5) == pytest.approx([3.0 * x for x in helix(0.5)])


def test_a_choice_is_composed():
    larger = rose.where(sin > cos, sin, cos)
    assert [larger(x) for x in (0.1, 1.0)] == [cos(0.1), sin(1.0)]


def test_a_number_in_a_power_stays_a_number():
    """A square is a product, not a power: the module has no logarithm."""
    assert len(rose.compile(square**2).wasm) < 200


def test_functions_of_different_arguments_are_refused():
    with pytest.raises(TypeMismatch, match=r"sin, a Map\[Real, Real\], and product, a Map\[Real, Real, Real\], are"):
        _ = sin + product


def test_a_reduction_of_functions_is_pointwise():
    assert rose.max(sin, cos, 0.5)(1.0) == sin(1.0) and rose.max(sin, 0.9)(1.0) == 0.9
    assert rose.sum(helix)(0.5) == pytest.approx(sum(helix(0.5)))
