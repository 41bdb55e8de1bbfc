"""Random numbers: their distributions, their places, their derivatives, the same bits everywhere."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from same_bits import entry, in_node
from scipy import stats

import rose
from rose import Bool, Fin, Real, Vec, fn, random
from rose.host.interpreter import run

KEY, COUNT = random.key(2026), 20_000
SINGLE: dict[str, Any] = {
    "uniform": lambda k, s: random.uniform(k, s),
    "between": lambda k, s: random.uniform(k, s, -2.0, 3.0),
    "normal": lambda k, s: random.normal(k, s),
    "gamma": lambda k, s: random.gamma(k, 2.5, s),
    "small gamma": lambda k, s: random.gamma(k, 0.3, s),
}
DISTRIBUTIONS = {
    "uniform": stats.uniform(),
    "between": stats.uniform(-2.0, 5.0),
    "normal": stats.norm(),
    "gamma": stats.gamma(2.5),
    "small gamma": stats.gamma(0.3),
}
of_each = pytest.mark.parametrize("name", SINGLE)


@of_each
def test_numbers_have_their_distribution(name: str):
    numbers = SINGLE[name](KEY, COUNT)
    assert stats.kstest(numbers, DISTRIBUTIONS[name].cdf).pvalue > 1e-3
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 4.0 / math.sqrt(COUNT)


@of_each
def test_a_number_depends_on_its_place_alone(name: str):
    numbers = SINGLE[name](KEY, 6)
    assert SINGLE[name](KEY, ()) == numbers[0]
    assert np.array_equal(SINGLE[name](KEY, (2, 3)).ravel(), numbers)
    assert SINGLE[name](KEY, (2, 0)).shape == (2, 0)


@of_each
def test_the_interpreter_and_modules_agree_to_the_bit(name: str):
    f = fn([random.Key], Vec[5])(lambda k: SINGLE[name](k, 5))
    wanted = run(f.func, KEY)
    for options in ({}, {"simd": True}):
        assert rose.compile(f, **options)(KEY).tolist() == list(wanted)
    assert rose.compile(f, dtype="f32")(KEY) == pytest.approx(wanted, rel=1e-4, abs=1e-5)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_has_the_same_bits(tmp_path: Path):
    n = 50

    @fn
    def sweep(points: Vec[n, Vec[1]]) -> Vec[n, Vec[len(SINGLE) + 2]]:
        def row(i: Any) -> list[Any]:
            key = random.fold_in(KEY, rose.index(points[i, 0], n))
            slope = rose.grad(fn([Real], Real)(lambda a: random.gamma(key, a)))
            return [*[draw(key, ()) for draw in SINGLE.values()], slope(0.3), slope(2.5)]

        return rose.vec(row(i) for i in rose.range(n))

    points = [[float(i)] for i in range(n)]
    compared, wrong = in_node([entry("random", sweep, points, sweep(points))], tmp_path)
    assert compared == [["random", n]] and wrong == []


def test_indices_are_all_alike():
    found = random.integers(KEY, 6, COUNT)
    assert stats.chisquare(np.bincount(found, minlength=6)).pvalue > 1e-3
    assert random.integers(KEY, 1, 5).tolist() == [0] * 5
    assert 0 <= random.integers(KEY, 2**31 - 1) < 2**31 - 1


def test_truth_values_have_their_probability():
    assert np.mean(random.bernoulli(KEY, 0.3, COUNT)) == pytest.approx(0.3, abs=0.015)
    assert not random.bernoulli(KEY, 0.0, 100).any() and random.bernoulli(KEY, 1.0, 100).all()


def test_categories_have_their_probabilities():
    n, p = 5000, np.array([0.5, 0.2, 0.0, 0.3])

    @fn
    def draws(key: random.Key, logits: Vec[4]) -> Vec[n, Fin[4]]:
        return rose.vec(random.categorical(random.fold_in(key, i), logits) for i in rose.range(n))

    with np.errstate(divide="ignore"):
        found = np.bincount(draws(KEY, np.log(p)), minlength=4)
    assert found[2] == 0 and found / n == pytest.approx(p, abs=0.03)


def test_permutations_are_all_alike():
    n = 6000
    f = fn([random.Key], Vec[n, Vec[3, Fin[3]]])(
        lambda k: rose.vec(random.permutation(random.fold_in(k, i), 3) for i in rose.range(n))
    )
    found = np.unique(f(KEY), axis=0, return_counts=True)
    assert len(found[0]) == 6 and stats.chisquare(found[1]).pvalue > 1e-3
    assert sorted(random.permutation(KEY, 100)) == list(range(100)) and random.permutation(KEY, 0).shape == (0,)


@pytest.mark.parametrize("a", [0.0, -1.0, math.nan, math.inf])
def test_a_gamma_distribution_that_is_none_is_nan(a: float):
    assert math.isnan(random.gamma(KEY, a))


@pytest.mark.parametrize("a", [0.05, 1.0, 1e6])
def test_extreme_gamma_distributions(a: float):
    assert stats.kstest(random.gamma(KEY, a, 2000), stats.gamma(a).cdf).pvalue > 1e-3


def test_numbers_are_constants_to_derivatives():
    f = fn([random.Key, Real, Real], Real)(lambda k, m, s: rose.sum(m + s * random.normal(k, 10)))
    total = f(KEY, 0.0, 1.0)
    assert rose.grad(f, (1, 2))(KEY, 3.0, 2.0) == pytest.approx((10.0, total), rel=1e-14)
    assert rose.jacfwd(rose.grad(f, 2), 2)(KEY, 3.0, 2.0) == 0.0


def test_the_bounds_have_derivatives():
    f = fn([random.Key, Real, Real], Real)(lambda k, a, b: random.uniform(k, (), a, b))
    u = random.uniform(KEY)
    assert rose.grad(f, (1, 2))(KEY, 3.0, 7.0) == pytest.approx((1.0 - u, u), rel=1e-14)


def test_one_module_of_any_size_also_none():
    n = rose.dim("n")
    f = fn([random.Key, Vec[n]], Vec[n])(lambda k, x: rose.where(random.bernoulli(k, 0.5, n), x, 0.0))
    module = rose.compile(f, dynamic=True)
    for size in (0, 1, 9):
        assert module(KEY, np.ones(size)).tolist() == np.where(random.bernoulli(KEY, 0.5, size), 1.0, 0.0).tolist()


def test_in_branches_and_in_structs():
    @fn
    def chosen(k: random.Key, p: Bool) -> tuple[Real, random.Key]:
        return rose.cond(p, lambda: (random.normal(k), k), lambda: (0.0, random.fold_in(k, 1)))

    number, key = chosen(KEY, True)
    assert number == random.normal(KEY) and tuple(key) == KEY and chosen(KEY, False)[0] == 0.0


def test_eager_evaluation():
    with rose.eager():
        numbers = [float(x) for x in random.uniform(KEY, 2)]
    assert numbers == random.uniform(KEY, 2).tolist()


def test_one_function_of_a_module_makes_all_blocks():
    f = fn([random.Key], Real)(lambda k: rose.sum(random.uniform(k, 5)) + rose.sum(random.uniform(k, 7)))
    assert len(rose.compile(f).wasm) < 1500
