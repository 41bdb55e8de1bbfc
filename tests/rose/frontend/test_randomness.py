"""Random numbers of Python's and NumPy's in a trace."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from random import gauss
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, RoseError, Vec, fn

RNG, OLD, MINE = np.random.default_rng(0), np.random.RandomState(1), random.Random(2)
NOISE = RNG.normal(size=3)


def helped(x: Any) -> Any:
    return x + np.random.normal(size=3)


def of_a_closure() -> Callable[[Any], Any]:
    own = np.random.default_rng(3)
    return lambda x: x + own.normal(size=3)


DRAWING: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda x: x + np.random.normal(size=3), "np.random", "np.random.normal(size=3)"),
    (lambda x: x + random.random(), "random", "random.random()"),
    (lambda x: x + RNG.normal(size=3), "RNG", "RNG.normal(size=3)"),
    (lambda x: x + OLD.rand(3), "OLD", "OLD.rand(3)"),
    (lambda x: x + MINE.random(), "MINE", "MINE.random()"),
    (of_a_closure(), "own", "own.normal(size=3)"),
    (lambda x: x + gauss(0.0, 1.0), "random", ""),
    (helped, "np.random", "np.random.normal(size=3)"),
    (lambda x: helped(x), "np.random", "np.random.normal(size=3)"),
    (lambda x: rose.vec(x[i] + random.random() for i in rose.range(3)), "random", "random.random()"),
]


@pytest.mark.parametrize("threads", [1, 2])  # with another thread, it is one that the function names
@pytest.mark.parametrize(("body", "of", "where"), DRAWING)
def test_a_number_that_is_drawn_in_a_trace_is_an_error_where_it_is_drawn(body: Any, of: str, where: str, threads: int):
    stop = threading.Event()
    if threads == 2:
        threading.Thread(target=stop.wait).start()
    inner = fn([Vec[3]], Vec[3])(body)
    with pytest.raises(RoseError, match=f"draws random numbers of {of} while") as e:
        _ = rose.grad(fn([Vec[3]], Real)(lambda x: rose.sum(inner(x)))).func
    assert where in e.value.loc.text(e.value.loc.position()[1])
    stop.set()


def test_what_is_drawn_outside_of_a_trace_is_a_constant():
    f = fn([Vec[3]], Vec[3])(lambda x: x + NOISE)
    assert f([0.0, 0.0, 0.0]).tolist() == NOISE.tolist()


def test_what_another_thread_draws_is_no_error_of_the_function():
    def body(x: Any) -> Any:
        other = threading.Thread(target=step.set)
        other.start()
        done.wait(10.0)
        return x + 1.0

    def draw() -> None:
        step.wait(10.0)
        np.random.normal()
        done.set()

    step, done = threading.Event(), threading.Event()
    drawing = threading.Thread(target=draw)
    drawing.start()
    still = threading.Thread(target=(end := threading.Event()).wait)
    still.start()
    assert fn([Real], Real)(body)(1.0) == 2.0
    end.set()


def test_evaluated_at_once_each_call_draws_its_own():
    f = fn([Real], Real)(lambda x: x + random.random())
    with rose.eager():
        assert f(0.0) != f(0.0)
