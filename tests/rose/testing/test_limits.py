"""Limits of evaluations."""

from __future__ import annotations

import pytest

import rose
from rose import Real, fn
from rose.host.interpreter import run
from rose.testing.limits import Limit, TooLong

endless = fn([Real], Real)(lambda x: rose.while_loop(lambda y: y > 0.0, lambda y: y + 1.0, x))


def test_iterations_are_limited_and_so_are_evaluations():
    limit = Limit(50, 1)
    with pytest.raises(TooLong):
        run(endless.func, 1.0, watch=limit.anew())
    assert limit.patience < 0
    limit.another()
    with pytest.raises(TooLong):
        limit.another()


def test_comparisons_are_recorded():
    limit = Limit(50, None)
    assert run(endless.func, -1.0, watch=limit.anew()) == -1.0
    assert limit.record.answers
