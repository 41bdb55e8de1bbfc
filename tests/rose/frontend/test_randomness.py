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


class Noisy:
    """An object that has a generator."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(4)

    def add(self, x: Any) -> Any:
        return x + self.rng.normal(size=3)


NOISY, SEVERAL = Noisy(), [np.random.default_rng(5)]


def with_a_default(x: Any, rng: Any = np.random.default_rng(6)) -> Any:  # noqa: B008
    return x + rng.normal(size=3)


def second_of_a_pair(x: Any) -> Any:
    """What the first call keeps for the second moves no state."""
    return rose.scan(lambda _, s: s + np.random.normal(), x, 2)


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
    (lambda x: x + NOISY.rng.normal(size=3), "NOISY", "NOISY.rng.normal(size=3)"),
    (lambda x: NOISY.add(x), "NOISY", ""),
    (NOISY.add, "self", ""),
    (lambda x: x + SEVERAL[0].normal(size=3), "SEVERAL", "SEVERAL[0].normal(size=3)"),
    (lambda x: with_a_default(x), "rng", "rng.normal(size=3)"),
    (second_of_a_pair, "np.random", "np.random.normal()"),
    (lambda x: rose.vec(x[i] + random.random() for i in rose.range(3)), "random", "random.random()"),
]


@pytest.mark.parametrize("threads", [1, 2])  # with another thread, it is one that the function names
@pytest.mark.parametrize(("body", "of", "where"), DRAWING)
def test_a_number_that_is_drawn_in_a_trace_is_an_error_where_it_is_drawn(body: Any, of: str, where: str, threads: int):
    stop = threading.Event()
    if threads == 2:
        threading.Thread(target=stop.wait, daemon=True).start()
    inner = fn([Vec[3]], Vec[3])(body)
    with pytest.raises(RoseError, match=f"draws random numbers of {of} while") as e:
        _ = rose.grad(fn([Vec[3]], Real)(lambda x: rose.sum(inner(x)))).func
    assert where in e.value.loc.text(e.value.loc.position()[1])
    stop.set()


def test_the_second_of_a_pair_of_normal_numbers_is_seen_too():
    for _ in range(2):  # one of the two finds the second kept
        np.random.normal()
        with pytest.raises(RoseError, match=r"draws random numbers of np\.random"):
            _ = fn([Vec[3]], Vec[3])(second_of_a_pair).func


def imported_inside(x: Any) -> Any:
    from numpy.random import default_rng

    return x + default_rng(seed=None).normal(size=3)


def made_in_a_step(x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        return s + np.random.default_rng().normal()

    return rose.scan(step, x, 2)


def made_of_a_seed(x: Any, rng: Any = None) -> Any:
    rng = np.random.default_rng(0) if rng is None else np.random.default_rng()
    return x + rng.normal(size=3)


MAKING: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x + np.random.default_rng().normal(size=3), "np.random.default_rng()"),
    (lambda x: x + np.random.RandomState().rand(3), "np.random.RandomState()"),
    (lambda x: x + random.Random().random(), "random.Random()"),
    (lambda x: x + random.SystemRandom(1).random(), "random.SystemRandom(1)"),
    (imported_inside, "default_rng(seed=None)"),
    (made_in_a_step, "np.random.default_rng()"),
    (lambda x: made_in_a_step(x), "np.random.default_rng()"),
]


@pytest.mark.parametrize(("body", "made"), MAKING)
def test_a_generator_of_no_seed_is_an_error_where_it_is_made(body: Any, made: str):
    with pytest.raises(RoseError) as e:
        _ = fn([Vec[3]], Vec[3])(body).func
    assert f"draws random numbers of {made} while it is traced, once" in e.value.message
    assert made in e.value.loc.text(e.value.loc.position()[1])


def test_a_generator_that_is_made_of_a_seed_gives_what_it_gives_in_each_call():
    assert fn([Vec[3]], Vec[3])(lambda x: made_of_a_seed(x))([0.0] * 3).tolist() == made_of_a_seed(np.zeros(3)).tolist()


def test_what_is_drawn_outside_of_a_trace_is_a_constant():
    f = fn([Vec[3]], Vec[3])(lambda x: x + NOISE)
    assert f([0.0, 0.0, 0.0]).tolist() == NOISE.tolist()


def test_what_another_thread_draws_is_no_error_of_the_function():
    def body(x: Any) -> Any:
        other = threading.Thread(target=step.set)
        other.start()
        done.wait(10.0)
        return x + np.cos(0.0) + 0.0 * rose.random.uniform(rose.random.key(0))

    def draw() -> None:
        step.wait(10.0)
        np.random.normal()
        done.set()

    step, done = threading.Event(), threading.Event()
    drawing = threading.Thread(target=draw)
    drawing.start()
    still = threading.Thread(target=(end := threading.Event()).wait, daemon=True)
    still.start()
    assert fn([Real], Real)(body)(1.0) == 2.0
    end.set()


def test_evaluated_at_once_each_call_draws_its_own():
    f = fn([Real], Real)(lambda x: x + random.random())
    with rose.eager():
        assert f(0.0) != f(0.0)
