"""Sums of products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Fin, Real, RoseError, TypeMismatch, Vec, dim, fn

PAIRS = {
    "matmul": """3|3 2,3|3 3|3,2 2,3|3,4 5,2,3|3,2 5,2,3|5,3,2 1,2,3|4,3,2 2,1,2,3|4,3,1 3|2,3,2 2,0|0,3 0,2|2,3
        1,3|3,1""",
    "dot": "3|3 2,3|3 3|3,2 2,3|3,4 5,2,3|4,3,2 3|2,3,2 0|0 |3",
    "inner": "3|3 2,3|3 2,3|4,3",
    "vdot": "2,3|2,3 3|3",
    "outer": "2|3 0|2 2,2|3",
    "kron": "2|3 2,3|3,2 3|2,2 2,2|0,3",
    "cross": "3|3 4,3|3 4,3|1,3 3|2,1,3",
}
CASES = [(name, pair) for name, pairs in PAIRS.items() for pair in pairs.split()]


def shapes(pair: str) -> list[tuple[int, ...]]:
    return [tuple([int(n) for n in s.split(",") if n]) for s in pair.split("|")]


def given(*shapes: tuple[int, ...]) -> list[Any]:
    r = np.random.default_rng(0)
    return [r.normal(size=s) for s in shapes]


@pytest.mark.parametrize(("name", "pair"), CASES)
def test_a_product_is_numpys(name: str, pair: str):
    agree(getattr(rose, name), getattr(np, name), given(*shapes(pair)), rtol=1e-15 * 8)


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("matmul", "2,3|3,2"),
        ("matmul", "2,1,2|2,1"),
        ("dot", "2|2"),
        ("kron", "2|2"),
        ("cross", "3|3"),
        ("outer", "2|2"),
    ],
)
def test_derivatives_in_both_modes_and_twice(name: str, pair: str):
    differentiate(getattr(rose, name), *shapes(pair))


@pytest.mark.parametrize("axes", [0, 1, 2, ([0, 1], [1, 0]), ([-1], [0]), (0, 1)])
def test_axes_are_summed_in_pairs(axes: Any):
    x, y = given((3, 2, 3), (2, 3, 2) if axes == 2 else (3, 3, 2) if axes != ([0, 1], [1, 0]) else (2, 3, 2))
    agree(lambda x, y: rose.tensordot(x, y, axes), lambda x, y: np.tensordot(x, y, axes), [x, y], rtol=1e-14)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (4, 2), (1, 1), (4, 4), (6, 1)])
def test_a_convolution_is_numpys(mode: Any, sizes: tuple[int, int]):
    xs = given(*[(n,) for n in sizes])
    agree(lambda x, y: rose.convolve(x, y, mode), lambda x, y: np.convolve(x, y, mode), xs, rtol=1e-14)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_a_convolution_has_derivatives_in_both_modes_and_twice(mode: str):
    differentiate(lambda x, y: rose.convolve(x, y, mode), (3,), (2,))


def test_an_integral_is_numpys():
    y, x = given((2, 5), (5,))
    agree(lambda y: rose.trapezoid(y, dx=0.1), lambda y: np.trapezoid(y, dx=0.1), [y], rtol=1e-14)
    agree(rose.trapezoid, np.trapezoid, [y, x], rtol=1e-14)
    agree(
        lambda y, x: rose.trapezoid(y, x[:2], axis=0), lambda y, x: np.trapezoid(y, x[:2], axis=0), [y, x], rtol=1e-14
    )
    agree(lambda y: rose.trapezoid(y, 2 * y, axis=0), lambda y: np.trapezoid(y, 2 * y, axis=0), [y], rtol=1e-14)


def test_a_sum_is_in_the_order_of_its_index():
    x, y = given((40,), (40,))
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += a * b
    for f in (rose.dot, rose.vdot, rose.inner, rose.matmul):
        assert fn([Vec[40], Vec[40]], Real)(lambda x, y, f=f: f(x, y))(x, y) == total


def test_indices_are_numbers():
    f = fn([Vec[2, Fin[4]], Vec[2]], Real)(lambda i, x: rose.dot(i, x) + rose.dot(i, i))
    assert f([3, 1], [0.5, 2.0]) == 3.5 + 10.0


def test_tangents_are_multiplied_in_a_derivative_rule():
    f = fn([Vec[2, 2], Vec[2]], Vec[2])(lambda a, x: a @ x)
    f.jvp(lambda a, x: rose.Dual(a.re @ x.re, a.du @ x.re + rose.matmul(a.re, x.du)))
    g = fn([Vec[2, 2], Vec[2]], Real)(lambda a, x: rose.dot(f(a, x), [1.0, 2.0]))
    assert list(rose.grad(g, 1)([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])) == [7.0, 10.0]


def test_sizes_may_be_those_of_a_call():
    n, m = dim("n"), dim("m")
    f = fn([Vec[n, m], Vec[m, n], Vec[n + 3]], Real)(
        lambda x, y, u: rose.sum(x @ y) + rose.sum(rose.convolve(u, [1.0, 2.0, 0.5]))
    )
    x, y = given((4, 3), (3, 4))
    u = np.arange(7.0)
    want = (x @ y).sum() + np.convolve(u, [1.0, 2.0, 0.5]).sum()
    assert rose.compile(f, dynamic=True)(x, y, u) == pytest.approx(want, rel=1e-14)


def test_a_product_of_matrices_is_in_register_blocks():
    n = 32
    by = {"matmul": rose.matmul, "einsum": lambda x, y: rose.einsum("ij,jk->ik", x, y), "dot": rose.dot}
    codes = [rose.compile(fn([Vec[n, n], Vec[n, n]], Vec[n, n])(lambda x, y, f=f: f(x, y))).wasm for f in by.values()]
    assert len({*map(len, codes)}) == 1 and len(codes[0]) > 800  # four rows and four columns are written out


@pytest.mark.parametrize(
    ("of", "match"),
    [
        (lambda x, y: rose.matmul(x, x), "have no matrix product"),
        (lambda x, y: rose.matmul(x, 2.0), "have no matrix product"),
        (lambda x, y: rose.matmul(rose.zeros((2, 2, 3)), rose.zeros((3, 3, 3))), "do not broadcast"),
        (lambda x, y: rose.dot(x, x), "not of one size"),
        (lambda x, y: rose.dot(x > 0.0, y), "multiplies numbers"),
        (lambda x, y: rose.inner(x, [1.0, 2.0])[0], "not of one size"),
        (lambda x, y: rose.inner(y, [1.0]), "not of one size"),
        (lambda x, y: rose.tensordot(y, [1.0], 1), "axis 0 of the first and axis 0 of the second"),
        (lambda x, y: rose.tensordot(x, [[1.0]], ([1], [0]))[0, 0], "axis 1 of the first and axis 0 of the second"),
        (lambda x, y: rose.cross(x, [1.0, 2.0]), "takes two vectors of three Reals"),
        (lambda x, y: rose.tensordot(x, y, 3), "cannot sum over 3 axes"),
        (lambda x, y: rose.tensordot(x, y, ([0], [0, 0])), "an axis twice"),
        (lambda x, y: rose.convolve(x, y), "takes two vectors"),
        (lambda x, y: rose.convolve(y, y, "no"), "no mode"),
    ],
)
def test_wrong_arguments_are_errors(of: Any, match: str):
    with pytest.raises(RoseError, match=match):
        _ = fn([Vec[2, 3], Vec[3]], Real)(of).func


def test_an_operand_that_is_no_array_is_an_error():
    with pytest.raises(TypeMismatch, match="multiplies numbers"):
        _ = fn([Vec[2, tuple[Real, Real]]], Real)(lambda x: rose.dot(x, x)).func
