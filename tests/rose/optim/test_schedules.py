"""Schedules at their ends and between, and minibatches."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Fin, Real, Vec, fn, optim
from rose.optim.schedules import at, checked


def test_schedules_at_their_ends():
    for made, points in (
        (optim.linear(1.0, 0.2, 4), {0: 1.0, 1: 0.8, 2: 0.6, 4: 0.2, 9: 0.2}),
        (optim.exponential(1.0, 2, 0.25), {0: 1.0, 1: 0.5, 2: 0.25, 4: 0.0625}),
        (optim.cosine(1.0, 4, end=0.5), {0: 1.0, 2: 0.75, 4: 0.5, 7: 0.5}),
        (optim.cosine(1.0, 6, warmup=2), {0: 0.0, 1: 0.5, 2: 1.0, 4: 0.5, 6: 0.0, 8: 0.0}),
    ):
        schedule = fn([Real], Real)(made)
        for k, rate in points.items():
            assert schedule(float(k)) == pytest.approx(rate, abs=1e-15)


def test_a_rate_is_a_number_or_a_function():
    f = fn([Real, Real], Real)(lambda r, k: at(checked(r), k) + at(0.5, k) + at(lambda k: 2.0 * k, k))
    assert f(1.0, 3.0) == 7.5


def test_minibatches_have_each_example_once():
    batches = optim.minibatches(rose.random.key(3), 11, 4)
    assert batches.shape == (2, 4) and len({*batches.ravel().tolist()}) == 8 and batches.max() <= 10
    assert not np.array_equal(batches, optim.minibatches(rose.random.key(4), 11, 4))
    assert sorted(optim.minibatches(rose.random.key(0), 6, 6)[0].tolist()) == [*range(6)]
    inside = fn([Vec[4, Fin[2**16]]], Real)(lambda key: rose.sum(1.0 * optim.minibatches(key, 11, 4)[0]))
    assert inside(rose.random.key(3)) == batches[0].sum()


def test_what_is_no_schedule_is_refused():
    with pytest.raises(rose.TypeMismatch, match="warmup is a number of steps from 0 to below 4, not 4"):
        optim.cosine(1.0, 4, warmup=4)
    with pytest.raises(rose.TypeMismatch, match="there is no batch of 5 among 4 examples"):
        optim.minibatches(rose.random.key(0), 4, 5)
    with pytest.raises(rose.RoseError, match="steps is an integer above 0"):
        optim.linear(1.0, 0.0, 0)
