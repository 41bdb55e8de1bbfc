"""NumPy's ufuncs on traced values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, Real, TypeMismatch, Vec, fn, grad
from rose.frontend.arrays.ufuncs import MEANINGS

UFUNCS = {name: getattr(np, name) for name in MEANINGS if isinstance(getattr(np, name, None), np.ufunc)}
OF_TRUTH = {"logical_and", "logical_or", "logical_xor", "logical_not", "invert", "bitwise_not", "bitwise_invert"} | {
    "bitwise_and", "bitwise_or", "bitwise_xor",
}  # fmt: skip
OTHERS = {"divmod", "modf", "ldexp", "left_shift", "right_shift", "matmul", "matvec", "vecmat", "vecdot"} | {
    "gcd", "lcm",
}  # of others  # fmt: skip


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() - OTHERS - OF_TRUTH))
def test_a_ufunc_gives_what_numpy_gives(name: str):
    of: Any = UFUNCS[name]
    xs = [
        np.array([0.25, 0.5, 0.875]) + (name.endswith("cosh") and name.startswith("a")),
        np.array([0.5, 0.75, 0.125]),
    ][: of.nin]
    xs = [*xs, *[np.array([1.0, 1.0, 1.0])] * (of.nin - len(xs))]
    want = of(*xs)
    one = fn([Vec[3]] * of.nin, Vec[3, Bool] if want.dtype == bool else Vec[3])(lambda *x: of(*x))
    np.testing.assert_allclose(np.asarray(one(*xs), dtype=float), np.asarray(want, dtype=float), rtol=1e-15, atol=0)


@pytest.mark.parametrize("name", sorted(OF_TRUTH))
def test_a_ufunc_of_truth_values(name: str):
    of: Any = UFUNCS[name]
    f = fn([Vec[4, Bool]] * of.nin, Vec[4, Bool])(lambda *c: of(*c))
    c, d = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert np.array_equal(f(*[c, d][: of.nin]), of(*[c, d][: of.nin]))


def test_an_index_is_shifted_by_digits_that_python_knows():
    f = fn([Vec[3, Fin[5]]], Vec[2, 3])(lambda i: rose.array([np.left_shift(i, 2) + 0.0, np.right_shift(i, 1) + 0.0]))
    assert f([4, 1, 3]).tolist() == [[16.0, 4.0, 12.0], [2.0, 0.0, 1.0]]


@pytest.mark.parametrize("of", [np.gcd, np.lcm])
def test_divisors_and_multiples_of_whole_numbers(of: Any):
    a = np.array([12.0, 0.0, 7.0, -18.0, 2.0**40, 0.0, 1.0, 50.0])
    b = np.array([18.0, 5.0, 0.0, 12.0, 3.0 * 2.0**20, 0.0, 1.0, -75.0])
    both = fn([Vec[8], Vec[8]], Vec[8])(lambda a, b: of(a, b))
    assert np.array_equal(both(a, b), of(a.astype(int), b.astype(int)))
    one = fn([Real, Real], Real)(lambda a, b: of(a, b) * a)
    assert math.isnan(one(1.5, 2.0)) and math.isnan(one(math.inf, 2.0)) and math.isnan(one(2.0, math.nan))
    assert rose.grad(one)(12.0, 18.0) == rose.jacfwd(one)(12.0, 18.0) == of(12, 18)
    assert fn([], Real)(lambda: rose.sum(of(i, 6) for i in rose.range(1, 5)))() == sum(of(i, 6) for i in range(1, 5))


METHODS: list[Callable[[Any], Any]] = [
    np.add.reduce,
    lambda x: np.add.reduce(x, axis=1, keepdims=True),
    lambda x: np.multiply.reduce(x, axis=None),
    lambda x: np.maximum.reduce(x, initial=0.5),
    lambda x: np.minimum.reduce(x, 1),
    lambda x: np.maximum.accumulate(x, axis=1),
    np.minimum.accumulate,
    np.add.accumulate,
    lambda x: np.multiply.accumulate(x, 1),
    lambda x: np.subtract.outer(x[0], x),
    lambda x: np.multiply.outer(x, 2.0),
    lambda x: np.power.outer(np.abs(x), [1.0, 2.0]),
    lambda x: np.sinc(x),
    lambda x: np.heaviside(x - 0.25, 0.5),
    lambda x: np.select([x > 0.5, x > 0.0], [x, 2.0 * x], 3.0),
    lambda x: np.select([x > 0.5], [x[0]]),
    lambda x: np.real(x),
    lambda x: np.where(np.isclose(x, 0.25), 1.0, x),
    lambda x: np.where(np.isclose(x / 0.0, [np.inf, -np.inf]), 1.0, x),
    lambda x: np.where(np.isclose(np.sqrt(x), np.sqrt(x), equal_nan=True), 1.0, x),
    lambda x: np.where(np.logical_and(x, x > 0.0), 1.0, x),
    lambda x: np.fmax(np.sqrt(x), 0.6) - np.fmin(0.6, np.sqrt(x)),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("of", METHODS)
def test_what_a_user_of_numpy_writes_beside_calls_of_ufuncs(of: Any):
    x = np.array([[0.25, 0.75], [-1.5, 0.0], [2.0, -0.125]])
    want = of(x)
    f = fn([Vec[3, 2]], Vec[want.shape] if want.ndim else Real)(of)
    np.testing.assert_allclose(f(x), want, rtol=4e-16, atol=0.0)
    np.testing.assert_allclose(rose.compile(f)(x), want, rtol=4e-16, atol=0.0)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.1, 0.159, 0.16, 0.7, -1.5])
def test_the_derivatives_of_sinc_are_those_of_its_series(x: float, order: int):
    of: Any = np.sinc
    f = fn([Real], Real)(lambda x: of(x))
    terms = [
        (-1.0) ** k * math.pi ** (2 * k) * math.perm(2 * k, order) * x ** (2 * k - order) / math.factorial(2 * k + 1)
        for k in range((order + 1) // 2, 25)
    ]
    for _ in range(order):
        f = grad(f)
    assert f(x) == pytest.approx(math.fsum(terms), rel=1e-11, abs=1e-11)


UNKNOWN = [
    lambda x: np.add.reduceat(x, [0]),
    lambda x: np.exp(x, where=[True]),
]


@pytest.mark.parametrize("call", UNKNOWN)
def test_what_has_no_meaning_names_what_has(call: Any):
    with pytest.raises(TypeMismatch, match=r"hint: (write|rose has no)"):
        _ = fn([Vec[1]], Real)(lambda x: call(x)[0]).func


CLIP: Any = np.clip
CLIPS: list[Callable[[Any], Any]] = [
    lambda x: CLIP(x, None, 1.0),
    lambda x: CLIP(x, 0.5, None),
    lambda x: CLIP(x, min=0.5, max=1.0),
    lambda x: x.clip([0.0, 1.0, 2.0], 2.5),
]


@pytest.mark.parametrize("of", CLIPS)
def test_clip_takes_the_bounds_that_numpys_takes(of: Any):
    x = np.array([-1.0, 0.75, 3.0])
    assert fn([Vec[3]], Vec[3])(of)(x).tolist() == of(x).tolist()


def test_a_logarithm_of_a_sum_of_exponentials_has_derivatives_of_all_orders_where_both_are_the_same():
    of: Any = np.logaddexp
    f = fn([Real], Real)(lambda x: of(x, 1.0))
    assert [grad(f)(1.0), grad(grad(f))(1.0), grad(grad(grad(f)))(1.0)] == [0.5, 0.25, 0.0]


@pytest.mark.parametrize(("x", "slope"), [(800.0, 1.0), (-800.0, 0.0), (-math.inf, 0.0)])
def test_a_logarithm_of_a_sum_of_exponentials_does_not_overflow(x: float, slope: float):
    of: Any = np.logaddexp
    f = fn([Real, Real], Real)(lambda x, y: of(x, y))
    assert [f(x, 0.0), grad(f)(x, 0.0)] == [np.logaddexp(x, 0.0), slope]
    assert f(-math.inf, x) == x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_logarithm_of_a_sum_of_exponentials_is_nan_if_one_is():
    of, hard = np.logaddexp, [math.nan, math.inf, -math.inf, 1.0]
    f = fn([Real, Real], Real)(lambda x, y: of(x, y))
    g = fn([Vec[2]], Real)(rose.logsumexp)
    for x, y in itertools.product(hard, hard):
        assert np.array_equal([f(x, y), g([x, y])], [of(x, y)] * 2, equal_nan=True), (x, y)
        if x != x or y != y:
            assert np.isnan(grad(f, (0, 1))(x, y)).all()
