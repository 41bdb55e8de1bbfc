"""Functions of vectors and matrices: values against NumPy, derivatives against formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn
from rose.frontend.annotations import as_type

RNG = np.random.default_rng(7)


def given(*shape: int) -> Any:
    return RNG.normal(size=shape)


def of(*shape: int) -> Any:
    """The type of an array of this shape."""
    t: Any = Real
    for n in reversed(shape):
        t = Vec[n, t]
    return t


@pytest.mark.parametrize(
    ("x", "y", "z"),
    [
        ((2, 3), (3, 4), (2, 4)), ((2, 3), (3,), (2,)), ((3,), (3, 2), (2,)), ((3,), (3,), ()),
        ((1, 1), (1, 1), (1, 1)),
        ((1, 4), (4, 1), (1, 1)), ((4, 1), (1, 4), (4, 4)), ((1, 3), (3,), (1,)), ((3,), (3, 1), (1,)),
    ],
)  # fmt: skip
def test_products_are_those_of_numpy(x: Any, y: Any, z: Any):
    a, b = given(*x), given(*y)
    for f in (lambda v, w: rose.matmul(v, w), lambda v, w: v @ w):
        out = fn([of(*x), of(*y)], of(*z))(f)(a, b)
        assert np.shape(out) == z
        assert out == pytest.approx(a @ b, rel=1e-13, abs=1e-13)


def test_a_list_may_stand_on_either_side():
    f = fn([Vec[2]], Vec[3])(lambda v: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] @ v)
    assert f([1.0, 10.0]).tolist() == [21.0, 43.0, 65.0]
    g = fn([Vec[2]], Vec[3])(lambda v: v @ [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert g([1.0, 10.0]).tolist() == [41.0, 52.0, 63.0]
    h = fn([Vec[2]], Real)(lambda v: rose.dot([2.0, 3.0], v) + rose.dot(v, [1.0, 1.0]))
    assert h([1.0, 10.0]) == 43.0


def test_transposition_and_cross_are_those_of_numpy():
    a, x, y = given(2, 3), given(3), given(3)
    assert fn([of(2, 3)], of(3, 2))(lambda v: rose.transpose(v))(a).tolist() == a.T.tolist()
    assert fn([of(1, 3)], of(3, 1))(lambda v: rose.transpose(v))(a[:1]).tolist() == a[:1].T.tolist()
    assert fn([Vec[3], Vec[3]], Vec[3])(lambda v, w: rose.cross(v, w))(x, y) == pytest.approx(np.cross(x, y), rel=1e-13)
    assert fn([Vec[3]], Vec[3])(lambda v: rose.cross([1.0, 0.0, 0.0], v))([0.0, 1.0, 0.0]).tolist() == [0.0, 0.0, 1.0]


def test_norms_are_those_of_numpy():
    x, a = given(4), given(2, 3)
    assert fn([Vec[4]], Real)(lambda v: rose.norm(v))(x) == pytest.approx(np.linalg.norm(x), rel=1e-15)
    assert fn([of(2, 3)], Real)(lambda v: rose.norm(v))(a) == pytest.approx(np.linalg.norm(a), rel=1e-15)
    assert fn([Real], Real)(lambda x: rose.norm([x, 4.0]))(3.0) == 5.0


def test_vectors_without_elements():
    assert fn([Vec[0]], Real)(lambda v: rose.norm(v) + rose.dot(v, v))([]) == 0.0
    assert rose.grad(fn([Vec[0]], Real)(lambda v: rose.norm(v)))([]).tolist() == []
    assert fn([Vec[0]], Real)(lambda v: rose.logsumexp(v))([]) == -math.inf


def test_gradients_of_products():
    a, x, ct = given(2, 3), given(3), given(2)
    f = fn([of(2, 3), Vec[3]], Real)(lambda m, v: rose.dot(m @ v, rose.constant(Vec[2], ct.tolist())))
    da, dx = rose.grad(f, argnums=(0, 1))(a, x)
    assert da == pytest.approx(np.outer(ct, x))
    assert dx == pytest.approx(a.T @ ct)


def test_the_hessian_of_a_quadratic_form():
    a = given(3, 3)
    f = fn([Vec[3]], Real)(lambda v: v @ (rose.constant(of(3, 3), a.tolist()) @ v))
    assert rose.hessian(f)(given(3)) == pytest.approx(a + a.T)
    assert rose.jacfwd(rose.grad(f))(given(3)) == pytest.approx(a + a.T)


def test_the_jacobian_of_a_cross_product():
    x, y = given(3), given(3)
    f = fn([Vec[3]], Vec[3])(lambda v: rose.cross(v, rose.constant(Vec[3], y.tolist())))
    want = np.array([np.cross(e, y) for e in np.eye(3)]).T
    assert rose.jacrev(f)(x) == pytest.approx(want)
    assert rose.jacfwd(f)(x) == pytest.approx(want)


def test_derivatives_of_a_norm():
    x = given(3)
    n = np.linalg.norm(x)
    f = fn([Vec[3]], Real)(lambda v: rose.norm(v))
    assert rose.grad(f)(x) == pytest.approx(x / n)
    assert rose.hessian(f)(x) == pytest.approx((np.eye(3) - np.outer(x, x) / n**2) / n)
    assert rose.hessian(f)([0.0, 0.0, 0.0]).tolist() == [[0.0] * 3] * 3


def test_derivatives_of_the_norm_of_a_matrix():
    a = given(2, 2)
    f = fn([of(2, 2)], Real)(lambda v: rose.norm(v))
    assert rose.grad(f)(a) == pytest.approx(a / np.linalg.norm(a))
    assert rose.grad(f)(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("x", [[0.3, -1.2, 2.0], [1e3, 1e3 - 1.0, -1e3], [-1e3, -1e3, -1e3], [1e308, -1e308, 1e308]])
def test_derivatives_of_logsumexp(x: list[float]):
    f = fn([Vec[3]], Real)(lambda v: rose.logsumexp(v))
    top = max(x)
    with np.errstate(over="ignore"):
        e = np.exp(np.array(x) - top)
    p = e / e.sum()
    assert f(x) == pytest.approx(top + math.log(e.sum()), rel=1e-15)
    assert rose.grad(f)(x) == pytest.approx(p, rel=1e-13)
    assert rose.hessian(f)(x) == pytest.approx(np.diag(p) - np.outer(p, p), abs=1e-15)
    assert rose.jacfwd(rose.grad(f))(x) == pytest.approx(np.diag(p) - np.outer(p, p), abs=1e-15)


def test_logsumexp_with_infinities():
    f = fn([Vec[2]], Real)(lambda v: rose.logsumexp(v))
    assert f([-math.inf, 1.0]) == 1.0
    assert rose.grad(f)([-math.inf, 1.0]).tolist() == [0.0, 1.0]
    assert f([-math.inf, -math.inf]) == -math.inf
    assert rose.grad(f)([-math.inf, -math.inf]).tolist() == [0.0, 0.0]
    assert rose.hessian(f)([-math.inf, -math.inf]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert f([math.inf, 1.0]) == math.inf
    assert math.isnan(f([math.nan, 1.0]))


def test_logsumexp_of_a_size_that_a_call_decides():
    f = rose.compile(fn([Vec[rose.dim("n")]], Real)(rose.logsumexp), dynamic=True)
    assert f([0.0, 1.0]) == pytest.approx(np.logaddexp(0.0, 1.0))
    assert f([]) == -math.inf


def test_logsumexp_of_a_generator_and_of_a_list():
    f = fn([Vec[3]], Real)(lambda v: rose.logsumexp(2.0 * v[i] for i in rose.range(3)))
    assert f([0.0, 0.0, 0.0]) == pytest.approx(math.log(3.0))
    g = fn([Real], Real)(lambda x: rose.logsumexp([x, 2.0 * x]))
    assert g(0.0) == pytest.approx(math.log(2.0))
    assert rose.grad(g)(0.0) == 1.5


def test_in_a_loop_and_in_each_other():
    a = given(3, 2, 2)
    f = fn([of(3, 2, 2), Vec[2]], Real)(
        lambda m, v: rose.sum(rose.norm(rose.transpose(m[i]) @ (m[i] @ v)) * i for i in rose.range(3))
    )
    x = given(2)
    assert f(a, x) == pytest.approx(sum([np.linalg.norm(a[i].T @ (a[i] @ x)) * i for i in range(3)]))
    g = rose.grad(f, argnums=1)(a, x)
    want = sum([i * b.T @ (b @ x) / np.linalg.norm(b @ x) for i in range(3) for b in [a[i].T @ a[i]]])
    assert g == pytest.approx(want)


@pytest.mark.parametrize(
    ("types", "f", "words"),
    [
        ((of(2, 3), Vec[2]), lambda a, b: a @ b, "a {0} and a {1} have no matrix product"),
        ((of(2, 3), of(2, 3)), lambda a, b: rose.matmul(a, b), "a {0} and a {1} have no matrix product"),
        ((of(2, 3), Real), lambda a, b: a @ b, "a {0} and a {1} have no matrix product"),
        ((of(2, 2, 2), Vec[3]), lambda a, b: a @ b, "a {0} and a {1} have no matrix product"),
        ((Vec[2], Vec[3]), lambda a, b: rose.dot(a, b), "rose.dot of the shapes (2,) and (3,)"),
        ((of(2, 3), of(2, 3)), lambda a, b: rose.dot(a, b), "axis -1 of the first and axis -2 of the second"),
        ((Vec[2], Vec[2]), lambda a, b: rose.cross(a, b),
         "rose.cross takes two vectors of three Reals, not {0} and {1}"),
        ((Real, Real), lambda a, b: rose.norm(a), "rose.norm takes a vector of Reals, not a {0}"),
        ((Vec[2, rose.Bool], Real), lambda a, b: rose.norm(a), "rose.norm takes a vector of Reals, not a {0}"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_an_error_that_names_it(types: tuple[Any, ...], f: Any, words: str):
    g = fn([*types], Real)(f)
    with pytest.raises(TypeMismatch) as e:
        rose.compile(g)
    assert words.format(*[repr(as_type(t)) for t in types]) in str(e.value)
    assert "hint: " in str(e.value)
    assert "test_vectors.py" in str(e.value)
