"""Numbers of the gamma distribution by their shape: the derivatives of mpmath, and those of expectations."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special, stats

import rose
from rose import Real, Vec, fn, random
from rose.host.interpreter import run
from rose.random.reparameterisation import of_shape

KEY, COUNT = random.key(2026), 5_000
SHAPES = (1e-3, 0.03, 0.4, 1.0, 2.5, 30.0, 300.0, 999.0, 1000.0, 1e4, 1e6)
SHARES = (1e-10, 1e-3, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-10)

moved = fn([Real, Real], Real)(lambda a, x: of_shape()(a, rose.stop_gradient(x)))
number = fn([random.Key, Real], Real)(lambda key, a: random.gamma(key, a))
MODES = {"forward": rose.jacfwd, "reverse": rose.grad}
by_mode = pytest.mark.parametrize("mode", MODES)


def exact(a: Any, x: Any) -> Any:
    """The derivative of a number `x` by the shape, by mpmath: of the incomplete gamma function, over the density."""
    density = mpmath.power(x, a - 1) * mpmath.exp(-x) / mpmath.gamma(a)
    return -mpmath.diff(lambda b: mpmath.gammainc(b, 0, x, regularized=True), a) / density


def points(a: float) -> list[float]:
    """Numbers of the distribution, all that are not too small to be normal."""
    return [x for x in stats.gamma(a).ppf(SHARES) if x > 1e-300]


@by_mode
@pytest.mark.parametrize("a", SHAPES)
def test_slopes_are_those_of_mpmath(a: float, mode: str):
    slope = MODES[mode](moved)
    with mpmath.workdps(50):
        for x in points(a):
            assert slope(a, x) == pytest.approx(float(exact(mpmath.mpf(a), mpmath.mpf(x))), rel=1e-13)


@by_mode
@pytest.mark.parametrize("a", SHAPES[:-1])
def test_second_derivatives_are_those_of_mpmath(a: float, mode: str):
    """They are near 0 at the median, where they are right to parts of what they are elsewhere."""
    second = MODES[mode](rose.grad(moved))
    with mpmath.workdps(60):
        b = mpmath.mpf(a)
        for x in map(mpmath.mpf, points(a)):
            e, slope = b * mpmath.mpf(10) ** -15, exact(b, x)
            by_shape = (exact(b + e, x) - exact(b - e, x)) / (2 * e)
            wanted = by_shape - slope * (mpmath.log(x) - mpmath.digamma(b) + slope * ((b - 1) / x - 1))
            assert second(a, float(x)) == pytest.approx(float(wanted), rel=1e-10, abs=1e-11 * a**-1.5)


@pytest.mark.parametrize("a", [0.4, 2.5, 60.0, 2000.0])
def test_a_number_keeps_its_share_of_the_distribution(a: float):
    x, h = number(KEY, a), 1e-4 * a
    share = special.gammainc(a, x)
    there = [special.gammaincinv(b, share) for b in (a - h, a + h)]
    assert rose.grad(number, 1)(KEY, a) == pytest.approx((there[1] - there[0]) / (2.0 * h), rel=1e-6)


@by_mode
@pytest.mark.parametrize("a", [0.3, 2.5, 40.0, 5000.0])
def test_their_means_are_the_derivatives_of_expectations(a: float, mode: str):
    """Of the number, `a`, and of its square, `a * (a + 1)`: within five deviations of means."""
    first, square = [
        fn([random.Key, Real], Vec[COUNT])(
            lambda key, a, p=p: rose.vec(number(random.fold_in(key, i), a) ** p for i in rose.range(COUNT))
        )
        for p in (1, 2)
    ]
    for f, wanted in ((first, 1.0), (square, 2.0 * a + 1.0)):
        slopes = rose.jacfwd(f, 1)(KEY, a)
        mean = fn([random.Key, Real], Real)(lambda key, a, f=f: rose.mean(f(key, a)))
        found = MODES[mode](mean, 1)(KEY, a)
        assert found == pytest.approx(np.mean(slopes), rel=1e-12)
        assert abs(found - wanted) < 5.0 * np.std(slopes) / math.sqrt(COUNT)


@pytest.mark.parametrize("a", [0.3, 2.5, 6.0, 3000.0, 0.0])
def test_the_interpreter_and_modules_agree_to_the_bit(a: float):
    for f in (
        rose.grad(number, 1),
        rose.jacfwd(number, 1),
        rose.hessian(number, 1),
        rose.jacfwd(rose.jet(number, 1), 1),
    ):
        args = (KEY, a) if f.types[1] is Real else (KEY, [a, 1.0])
        wanted = run(f.func, *args)
        for options in ({}, {"simd": True}):
            np.testing.assert_array_equal(rose.compile(f, **options)(*args), wanted)
    single = rose.compile(rose.grad(number, 1), dtype="f32")
    assert single(KEY, a) == pytest.approx(rose.grad(number, 1)(KEY, a), rel=1e-4, nan_ok=True)


@pytest.mark.parametrize("a", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
def test_what_is_no_shape_has_no_derivative(a: float):
    for f in (number, rose.grad(number, 1), rose.jacfwd(number, 1), rose.hessian(number, 1)):
        assert math.isnan(f(KEY, a))


def test_a_number_that_is_not_taken_contributes_nothing():
    f = fn([random.Key, Real], Real)(lambda key, a: rose.where(a <= 0.0, 3.0 * a, random.gamma(key, a)))
    for mode in MODES.values():
        assert [mode(f, 1)(KEY, a) for a in (-1.0, 0.0)] == [3.0, 3.0]
        assert mode(rose.grad(f, 1), 1)(KEY, -1.0) == 0.0
        assert mode(f, 1)(KEY, 2.0) == mode(number, 1)(KEY, 2.0)


def test_a_number_that_is_too_small_stays_0():
    a = 1e-4
    assert number(KEY, a) == 0.0 and [mode(number, 1)(KEY, a) for mode in MODES.values()] == [0.0, 0.0]
    assert rose.hessian(number, 1)(KEY, a) == 0.0


def test_arrays_of_numbers_and_of_shapes():
    n = rose.dim("n")
    f = fn([random.Key, Vec[n]], Real)(
        lambda key, a: rose.sum(random.gamma(random.fold_in(key, i), a[i]) for i in rose.range(n))
    )
    for size in (0, 1, 3):
        a = np.arange(1.0, size + 1.0)
        wanted = [rose.grad(number, 1)(random.fold_in(KEY, i), x) for i, x in enumerate(a)]
        assert rose.grad(f, 1)(KEY, a).tolist() == wanted
    table = fn([random.Key, Real], Vec[2, 3])(lambda key, a: random.gamma(key, a, (2, 3)))
    assert rose.jacfwd(table, 1)(KEY, 2.5)[0][0] == rose.grad(number, 1)(KEY, 2.5)
    assert (
        rose.jacfwd(fn([random.Key, Real], Vec[2, 0])(lambda key, a: random.gamma(key, a, (2, 0))), 1)(KEY, 2.5).size
        == 0
    )


def test_a_scale_is_a_factor():
    scaled = fn([random.Key, Real], Real)(lambda key, c: c * random.gamma(key, 2.0))
    assert rose.grad(scaled, 1)(KEY, 3.0) == random.gamma(KEY, 2.0)
