"""Products of Jacobians, the Laplacian and values with derivatives: against Jacobians and Hessians, of any type."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn

POINT = [0.7, -0.3, 1.1]


@rose.struct
class Pair:
    a: Real
    b: Vec[2]


@fn
def g(x: Vec[3], k: Real) -> Real:
    return rose.sin(x[0]) * x[1] ** 2 + k * rose.exp(x[2] * x[0])


@fn
def two(x: Vec[3], k: Real) -> Vec[2]:
    return [x[0] * x[1] * k, rose.sin(x[2]) + x[0]]


@fn
def of_pair(p: Pair) -> Real:
    return p.a**3 * p.b[0] + rose.cos(p.b[1])


H, J = rose.hessian(g)(POINT, 2.0), rose.jacobian(two)(POINT, 2.0)
V, W = np.array([1.0, 2.0, -0.5]), np.array([0.5, -2.0])


def test_products_are_those_with_the_jacobian():
    assert rose.jacobianv(two)(POINT, 2.0, V) == pytest.approx(J @ V, rel=1e-14)
    assert rose.jacobianTv(two)(POINT, 2.0, W) == pytest.approx(J.T @ W, rel=1e-14)
    assert rose.hessianv(g)(POINT, 2.0, V) == pytest.approx(H @ V, rel=1e-14)
    assert rose.jacobianv(two, 1)(POINT, 2.0, 3.0) == pytest.approx([3.0 * 0.7 * -0.3, 0.0])


def test_the_laplacian_is_the_trace_of_the_hessian():
    assert rose.laplacian(g)(POINT, 2.0) == pytest.approx(np.trace(H), rel=1e-14)
    assert rose.laplacian(of_pair)(Pair(0.5, [2.0, 0.3])) == pytest.approx(6.0 * 0.5 * 2.0 - math.cos(0.3))
    assert rose.laplacian(g, 1)(POINT, 2.0) == 0.0
    assert rose.laplacian(fn([Vec[0]], Real)(lambda x: rose.sum(x)))([]) == 0.0


def test_the_laplacian_differentiates_again():
    f = fn([Vec[3]], Real)(lambda x: rose.sum(x**3) + x[0] * x[1] ** 2)
    assert rose.grad(rose.laplacian(f))(POINT) == pytest.approx([8.0, 6.0, 6.0])
    assert rose.laplacian(rose.laplacian(f))(POINT) == 0.0


def test_the_bilaplacian():
    f = fn([Vec[2]], Real)(lambda x: x[0] ** 4 * x[1] ** 2)
    assert rose.bilaplacian(f)([1.0, 2.0]) == 24.0 * 4.0 + 2.0 * 24.0


TWINS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "jacobian": (rose.value_and_jacobian, rose.jacobian, ()),
    "jacobianv": (rose.value_and_jacobianv, rose.jacobianv, (V,)),
    "jacobianTv": (rose.value_and_jacobianTv, rose.jacobianTv, (1.5,)),
    "hessian": (rose.value_and_hessian, rose.hessian, ()),
    "hessianv": (rose.value_and_hessianv, rose.hessianv, (V,)),
    "laplacian": (rose.value_and_laplacian, rose.laplacian, ()),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_gives_the_value_too(name: str):
    twin, alone, more = TWINS[name]
    value, derivative = twin(g)(POINT, 2.0, *more)
    assert value == g(POINT, 2.0) and np.array_equal(derivative, alone(g)(POINT, 2.0, *more))
    assert pickle.loads(pickle.dumps(twin(g)))(POINT, 2.0, *more)[0] == value


def test_gradient_and_hessian_together():
    gradient, hessian = rose.gradhessian(g)(POINT, 2.0)
    assert np.array_equal(gradient, rose.grad(g)(POINT, 2.0)) and np.array_equal(hessian, H)
    value, (again, _) = rose.value_and_gradhessian(g)(POINT, 2.0)
    assert value == g(POINT, 2.0) and np.array_equal(again, gradient)


@pytest.mark.parametrize("k", [0, 1])
def test_gradient_and_hessian_times_a_vector(k: int):
    v = [V, 0.25][k]
    slope, bend = rose.gradhessianv(g, k)(POINT, 2.0, v)
    assert slope == pytest.approx(np.sum(np.asarray(rose.grad(g, k)(POINT, 2.0)) * np.asarray(v)), rel=1e-14)
    assert np.array_equal(bend, rose.hvp(g, k)(POINT, 2.0, v))
    value, pair = rose.value_and_gradhessianv(g, k)(POINT, 2.0, v)
    assert (value, pair[0]) == (g(POINT, 2.0), slope) and np.array_equal(pair[1], bend)


def test_one_module_of_any_size():
    n = rose.dim("n")
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x**3))
    module = rose.compile({"l": rose.laplacian(f), "v": rose.value_and_jacobianv(f)}, dynamic=True)
    assert module.l([1.0, 2.0]) == 18.0 and module.l([]) == 0.0
    assert module.v([1.0, 2.0], [1.0, 1.0]) == (9.0, 15.0)


def test_captured_values_are_constants():
    @fn
    def outer(a: Real) -> Real:
        return rose.laplacian(fn([Vec[2]], Real)(lambda x: a * x[0] ** 2 * x[1]))([a, a])

    assert outer(3.0) == 18.0 and rose.grad(outer)(3.0) == 12.0
