"""Linear functions with their own transposes: derivatives of all modes and orders, and functions of a module."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transforms import numbers, type_of

import rose
from rose import Complex, Dual, Real, Vec, fn
from rose.fft.linear import Linear
from rose.ir.callgraph import reachable

sums = Linear(  # the last numbers, summed
    "sums", lambda t: t, lambda x: rose.cumsum(x), lambda y, _: rose.flip(rose.cumsum(rose.flip(y)))
)


def of(f: Any, *types: Any) -> Any:
    return fn([*types], Real)(f)


def test_a_linear_function_is_called_in_its_derivatives():
    f = of(lambda x: rose.sum(sums(x) ** 3), Vec[3])
    x, matrix = np.array([1.0, 2.0, 3.0]), np.tril(np.ones((3, 3)))
    y = matrix @ x
    assert rose.grad(f)(x) == pytest.approx(3.0 * matrix.T @ y**2)
    assert np.asarray(rose.hessian(f)(x)) == pytest.approx(6.0 * matrix.T @ np.diag(y) @ matrix)
    names = {g.name for g in reachable(rose.grad(f).func)}
    assert "transpose(sums)" in names


def test_there_is_one_function_for_a_type():
    assert sums.of(Vec[3]) is sums.of(Vec[3]) and sums.of(Vec[3]) is not sums.of(Vec[4])


def test_it_takes_tangents_in_a_rule():
    f = fn([Vec[3]], Vec[3])(lambda x: sums(x))

    @fn
    def g(x: Vec[3]) -> Vec[3]:
        return rose.sin(f(x))

    @g.jvp
    def _(x: Dual[Vec[3]]) -> Dual[Vec[3]]:
        y = sums(x.re)
        return Dual(rose.sin(y), rose.vec(rose.cos(y[i]) * sums(x.du)[i] for i in rose.range(3)))

    h = fn([Vec[3]], Real)(lambda x: rose.sum(g(x)))
    x = np.array([0.1, 0.2, 0.3])
    assert rose.grad(h)(x) == pytest.approx(np.tril(np.ones((3, 3))).T @ np.cos(np.cumsum(x)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8, 12, 17, 20])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"])
def test_a_transform_and_its_transpose_are_adjoint(name: str, n: int):
    """The law `dot(y, F(x)) == dot(transpose(F)(y), x)`, with the dot product of all parts."""
    f: Any = getattr(rose.fft, name)
    x = numbers(n, real=name in ("rfft", "ihfft", "dct", "idct", "dst", "idst"))
    more = {"n": n} if name in ("irfft", "hfft") else {}
    shape: Any = getattr(np.fft, name, np.asarray)(x, **more)
    y = numbers(*shape.shape, seed=2, real=not np.iscomplexobj(shape))
    dot = fn([type_of(x), type_of(y)], Real)(lambda x, y: parts(f(x, **more), y))
    back = np.conj(rose.grad(dot)(x, y))  # the direction of growth is the conjugate of a gradient
    assert float(np.sum((back.conj() * x).real)) == pytest.approx(dot(x, y), rel=1e-12, abs=1e-12)


def parts(u: Any, v: Any) -> Any:
    """The sum of products of all real and of all imaginary parts."""
    return rose.sum(u.real * v.real) + rose.sum(u.imag * v.imag)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "dct", "dst"])
@pytest.mark.parametrize("n", [4, 5, 31])
def test_derivatives_are_those_of_differences(name: str, n: int):
    """Of the first order and the second, in both modes."""
    transform: Any = getattr(rose.fft, name)
    f = of(lambda x: rose.sum((transform(rose.sin(x) * x).real + 0.5) ** 3), Vec[n])
    for g in (f, fn([Vec[n]], Vec[n])(rose.grad(f))):
        assert rose.testing.examine(g, points=1).ok


def test_of_complex_numbers_derivatives_are_those_of_differences():
    f = fn([Vec[6, Complex]], Vec[6, Complex])(lambda z: rose.fft.ifft(rose.fft.fft(z) ** 2 * z[::-1]))
    assert rose.testing.examine(f, points=1).ok


def test_transforms_of_one_size_are_one_function():
    f = fn([Vec[8, Complex], Vec[8, Complex]], Vec[8, Complex])(
        lambda x, y: rose.fft.ifft(rose.fft.fft(x) * rose.fft.fft(y))
    )
    slope = rose.grad(fn([Vec[8, Complex]], Real)(lambda x: rose.sum(abs(f(x, x)))))
    for g in (f.func, slope.func):
        assert [h.name for h in reachable(g)].count("dft") == 1
