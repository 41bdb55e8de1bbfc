"""A maximum that is taken out of exponentials and put back has no derivative, and none is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rose
from rose import Real, Vec, fn
from rose.autodiff.extremes import extreme_of
from rose.autodiff.shifts import without_derivative
from rose.ir import FOR
from rose.ir.callgraph import instructions
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments
from rose.testing import examine

Body = Callable[[Any], Any]


def evidence(x: Any) -> Any:
    """Statistics: the logarithm of a sum of exponentials."""
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def rows(x: Any) -> Any:
    """Classification: cross entropy, by rows, with keepdims."""
    shifted = x - np.max(x, axis=1, keepdims=True)
    return np.sum((shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))) ** 2)


def columns(x: Any) -> Any:
    """Transport: a step of Sinkhorn's, along the first axis."""
    m = np.max(x, axis=0)
    return np.sum((m + np.log(np.sum(np.exp(x - m[None, :]), axis=0))) ** 2)


def attention(x: Any) -> Any:
    """Networks: weights that add up to one, of scores that are products."""
    s = x @ x.T
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return np.sum(((e / np.sum(e, axis=-1, keepdims=True)) @ x) ** 2)


def partition(x: Any) -> Any:
    """Physics: the mean energy of states, with the smallest energy taken out."""
    low = np.min(x)
    weights = np.exp(low - x)
    return np.sum(weights * x) / np.sum(weights)


def heads(x: Any) -> Any:
    """A batch of batches: three axes, the maximum in a loop of its own."""
    y = np.stack([x, 2.0 * x])
    m = np.max(y, axis=2)
    e = np.exp(y - m[:, :, None])
    return np.sum((e / np.sum(e, axis=2)[:, :, None]) ** 2)


def by_hand(x: Any) -> Any:
    """Loops, as one writes them without arrays."""

    def row(i: Any) -> Any:
        m = rose.max(x[i, j] for j in rose.range(5))
        return m + rose.log(rose.sum(rose.exp(x[i, j] - m) for j in rose.range(5)))

    return rose.sum(row(i) ** 2 for i in rose.range(4))


CANCEL = [evidence, rows, columns, attention, partition, heads, by_hand]
KEEP: dict[str, Body] = {
    "not put back": lambda x: np.log(np.sum(np.exp(x - np.max(x)))),
    "put back twice": lambda x: 2.0 * np.max(x) + np.log(np.sum(np.exp(x - np.max(x)))),
    "of another row": lambda x: np.sum(
        np.max(x, axis=1)[::-1] + np.log(np.sum(np.exp(x - np.max(x, axis=1)[:, None]), 1))
    ),
    "over another sum": lambda x: np.exp(x - np.max(x))[0, 0] / np.sum(np.exp(x)),
    "a sum with one": lambda x: np.max(x) + np.log(1.0 + np.sum(np.exp(x - np.max(x)))),
    "a product": lambda x: np.max(x) * np.sum(np.exp(x - np.max(x))),
    "the square of a shift": lambda x: np.sum((x - np.max(x)) ** 2),
    "a state": lambda x: rose.scan(lambda i, s: s + np.max(x[i]), 0.0, 4),
    "of two maxima": lambda x: np.log(np.sum(np.exp(x - np.max(x)))) + np.max(2.0 * x) / 2.0,
}


def made(body: Body) -> Any:
    return fn([Vec[4, 5]], Real)(body)


def of(f: Any) -> tuple[set[Any], set[Any]]:
    """The loops of a function that carry an extreme, and those whose derivative cancels."""
    loops = {v for v in instructions(f.func.body) if v.op is FOR and extreme_of(v) is not None}
    return loops, without_derivative(f.func.body)


def gradient(body: Body, x: Any) -> Any:
    return np.asarray(rose.compile(rose.grad(made(body)))(x))


POINT = np.random.default_rng(5).normal(size=(4, 5))


@pytest.mark.parametrize("body", CANCEL, ids=lambda f: f.__name__)
def test_what_is_taken_out_and_put_back_has_no_derivative(body: Body):
    loops, found = of(made(body))
    assert loops and found == loops


@pytest.mark.parametrize("body", CANCEL, ids=lambda f: f.__name__)
def test_derivatives_of_both_orders_are_right_and_equal_in_the_interpreter(body: Body):
    assert examine(made(body), points=4).ok


@pytest.mark.parametrize("body", [*CANCEL, *KEEP.values()], ids=[*[f.__name__ for f in CANCEL], *KEEP])
def test_the_gradient_is_that_with_the_derivative_of_the_maximum(body: Body):
    found = gradient(body, POINT)
    with instrumented(Instruments(("cancel-shifts",))):
        assert np.allclose(found, gradient(body, POINT), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("body", KEEP.values(), ids=KEEP)
def test_what_does_not_cancel_keeps_its_derivative(body: Body):
    loops, found = of(made(body))
    assert loops and not found


STEPS: list[Callable[..., Any]] = [
    lambda a, b: a - b,
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, _: -a,
    lambda a, b: np.maximum(a, b),
    lambda a, b: np.where(a < b, a, b),
    lambda a, _: np.exp(a),
    lambda a, _: np.log(a),
    lambda a, _: np.sum(a, axis=1, keepdims=True),
    lambda a, _: np.sum(np.exp(a), axis=1, keepdims=True),
    lambda a, _: np.max(a, axis=1, keepdims=True),
    lambda a, _: a[::-1],
    lambda a, _: np.tanh(a),
]


OFTEN = [0, 1, 2, 3, 7, 8, 9, 10] * 3 + [*range(len(STEPS))]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(OFTEN), st.sampled_from([0, 0, 1, 2, 5]), st.integers(0, 4)), min_size=3, max_size=9
    )
)
def test_any_program_has_the_gradient_that_it_has_with_the_derivative_of_its_maxima(steps: list[tuple[int, int, int]]):
    def body(x: Any) -> Any:
        m = np.max(x, axis=1, keepdims=True)
        made = [x, m, x - m]
        for k, i, j in steps:
            made.append(STEPS[k](made[-1 - i % len(made)], made[-1 - j % len(made)]))
        return np.sum(made[-1]) + np.sum(made[-2])

    found = gradient(body, POINT)
    with instrumented(Instruments(("cancel-shifts",))):
        wanted = gradient(body, POINT)
    size = np.max(np.abs(wanted), initial=1.0)
    if np.isfinite(size) and size < 1e6:
        assert np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * size)
