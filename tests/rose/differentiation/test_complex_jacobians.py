"""Derivatives in complex numbers: the convention of JAX, in every transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Complex, Dual, NotDifferentiable, Real, Vec, fn

Z = np.array([1.0 + 1.0j, 2.0 - 1.0j, 0.5j])


@fn
def holomorphic(z: Vec[3, Complex]) -> Vec[2, Complex]:
    return rose.array([np.exp(z[0]) * z[1], z[2] ** 2 / z[0]])


MATRIX = np.array([
    [np.exp(Z[0]) * Z[1], np.exp(Z[0]), 0.0],
    [-Z[2] ** 2 / Z[0] ** 2, 0.0, 2.0 * Z[2] / Z[0]],
])  # fmt: skip


@fn
def loss(z: Vec[3, Complex], a: Real) -> Real:
    return np.sum(abs(np.exp(1j * z) * a - 1.0) ** 2 * z.real)


def by_differences(f: Any, z: Any) -> Any:
    """`df/dx - 1j * df/dy` by differences, along the last axis."""
    h, unit = 1e-6, np.eye(len(z))
    slope = lambda d: (f(z + h * d) - f(z - h * d)) / (2.0 * h)
    return np.stack([slope(d) - 1j * slope(1j * d) for d in unit], -1)


def test_the_gradient_of_a_number_is_the_conjugate_one():
    @fn
    def f(z: Complex) -> Real:
        return z.real**2 + 3.0 * z.imag

    assert rose.grad(f)(2.0 + 1.0j) == 4.0 - 3.0j
    assert rose.value_and_grad(f)(2.0 + 1.0j) == (7.0, 4.0 - 3.0j)
    assert rose.grad(loss)(Z, 0.3) == pytest.approx(by_differences(lambda z: loss(z, 0.3), Z), rel=1e-7)


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_a_holomorphic_function_has_complex_derivatives(mode: Any):
    jacobian = mode(holomorphic, holomorphic=True)
    assert jacobian.result is Vec[2, Vec[3, Complex]]
    assert jacobian(Z) == pytest.approx(MATRIX, rel=1e-14)
    with pytest.raises(NotDifferentiable, match="from complex numbers to complex numbers") as e:
        mode(holomorphic)
    assert "holomorphic=True" in (e.value.hint or "")


@pytest.mark.parametrize("mode", [rose.jacfwd, rose.jacrev, rose.jacobian])
def test_jacobians_go_from_and_to_reals(mode: Any):
    x, w = np.array([0.3, 0.4]), np.array([1.0 + 0.5j, -2.0j])
    waves = fn([Vec[2]], Vec[2, Complex])(lambda x: np.exp(1j * x) * x[0])
    h = 1e-6
    rows = np.stack([(waves(x + h * d) - waves(x - h * d)) / (2.0 * h) for d in np.eye(2)], 1)
    assert mode(waves)(x) == pytest.approx(rows, abs=1e-9)
    powers = fn([Vec[2, Complex]], Vec[2])(lambda z: abs(z) ** 2 * z[0].imag)
    assert mode(powers)(w) == pytest.approx(by_differences(powers, w), abs=1e-8)


def test_tangents_go_forwards_and_cotangents_back():
    dz, ct = np.array([1.0, 1j, 2.0 - 1.0j]), np.array([1j, 2.0])
    along = rose.jvp(holomorphic)([Dual(z, d) for z, d in zip(Z, dz, strict=True)])
    assert [x.du for x in along] == pytest.approx(MATRIX @ dz, rel=1e-14)
    assert rose.jacobianv(holomorphic)(Z, dz) == pytest.approx(MATRIX @ dz, rel=1e-14)
    assert rose.vjp(holomorphic)(Z).grad(ct) == pytest.approx(ct @ MATRIX, rel=1e-14)
    assert rose.jacobianTv(holomorphic)(Z, ct) == pytest.approx(ct @ MATRIX, rel=1e-14)
    assert rose.linearize(holomorphic)(Z)[1](dz) == pytest.approx(MATRIX @ dz, rel=1e-14)
    turn = fn([Complex], Complex)(lambda z: (2.0 + 1.0j) * z)
    assert rose.linear_transpose(turn)(1j) == -1.0 + 2.0j


def test_second_derivatives_are_derivatives_of_first_ones():
    v, h = np.array([1.0, 1j, 2.0 - 1.0j]), 1e-6
    slope = rose.grad(loss)
    along = (slope(Z + h * v, 0.3) - slope(Z - h * v, 0.3)) / (2.0 * h)
    assert rose.hvp(loss)(Z, 0.3, v) == pytest.approx(along, rel=1e-8)
    f = fn([Vec[3, Complex]], Complex)(lambda z: z[0] ** 3 * z[1] + np.exp(z[2] * z[0]))
    hessian = rose.hessian(f, holomorphic=True)(Z)
    gradient = rose.grad(f, holomorphic=True)
    rows = [(gradient(Z + h * d) - gradient(Z - h * d)) / (2.0 * h) for d in np.eye(3)]
    assert hessian == pytest.approx(np.stack(rows), rel=1e-7, abs=1e-8)
    with pytest.raises(NotDifferentiable, match="from complex numbers to complex numbers"):
        rose.hessian(loss)


def test_several_parameters_have_a_jacobian_each():
    f = fn([Complex, Complex], Complex)(lambda z, w: z * w * w)
    dz, dw = rose.jacobian(f, (0, 1), holomorphic=True)(2.0, 1j)
    assert (dz, dw) == (-1.0, 4j)


def test_a_function_without_a_complex_derivative_says_so():
    size = fn([Complex], Complex)(lambda z: z * z.conj())
    with pytest.raises(NotDifferentiable, match="takes a function to a Real, and <lambda> gives a Complex"):
        rose.grad(size)
    with pytest.raises(NotDifferentiable, match="a of <lambda> is a Real, not of complex"):
        rose.grad(fn([Real], Complex)(lambda a: 1j * a), holomorphic=True)


@pytest.mark.parametrize("f", [holomorphic, loss, rose.grad(loss)], ids=lambda f: f.name)
def test_the_modes_agree_with_each_other_and_with_differences(f: Any):
    assert rose.testing.examine(f, points=4).wrong == []
