"""Several elements of a batch at once have the bits of one after the other: programs drawn at random, their gradients,
and what goes different ways in them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.host.marshal import plain, present
from rose.ir.types import single
from tests.fuzz.batch import fitting
from tests.fuzz.small import small
from wasm_backend.runtime.batch import AtOnceWhereItPays

ELEMENTS = 67


@pytest.fixture(autouse=True)
def without_a_measurement(monkeypatch: pytest.MonkeyPatch):
    """Several elements at once, wherever there is a function of several."""
    monkeypatch.setattr(AtOnceWhereItPays, "_measured", lambda *_: True)


def bits(x: Any) -> Any:
    """A result as bytes; a nan has no sign."""
    if isinstance(x, np.ndarray):
        return np.where(x == x, x, np.nan).astype(x.dtype).tobytes() if x.dtype != object else b""
    return [*map(bits, x if isinstance(x, (tuple, list)) else vars(x).values())]


def both(f: Any, args: Any, axes: Any, dtype: str) -> bool:
    """Compare a batch in both ways; whether there is a way of several at once."""
    several, one = [rose.compile(f, dtype=dtype, simd=simd, timeout=60) for simd in (True, False)]
    got, wanted = [bits(x.map(*args, in_axes=axes)) for x in (several, one)]
    assert got == wanted
    known = several.running.batch.loop((), tuple([a is None for a in axes])).at_once
    return known is not None and known.several is not None


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_a_batch_of_a_random_program_has_the_bits_of_single_calls(first: int, dtype: str):
    fit = 0
    for seed in range(first, first + 20):
        p = small(seed)
        f, r = p.run()["main"], random.Random(seed)
        shared = [r.random() < 0.3 for _ in p.types]
        shared[0] = shared[0] and not all(shared)
        elements = [p.args[k % len(p.args)] for k in range(ELEMENTS)]
        types = [single(t) if dtype == "f32" else t for t in p.types]
        if dtype == "f32":
            elements = [tuple(map(fitting, xs)) for xs in elements]
        columns = [[present(plain(xs[k], t), t) for xs in elements] for k, t in enumerate(types)]
        args = [xs[0] if same else xs for xs, same in zip(columns, shared, strict=True)]
        axes = tuple([None if same else 0 for same in shared])
        real = tuple([k for k, t in enumerate(p.types) if t.real])
        fit += sum([both(g, args, axes, dtype) for g in (f, rose.value_and_grad(f, argnums=real))])
    assert fit >= 20


@fn
def root(a: Real) -> Real:
    return rose.while_loop(lambda x: rose.abs(x * x - a) > 1e-3 * a, lambda x: 0.5 * (x + a / x), 1.0)


@fn
def guarded(a: Real) -> Real:  # the loop does not end below 0
    return rose.cond(a > 0.0, lambda: root(a), lambda: -a)


@fn
def nested(a: Real) -> Real:
    def outer(s: Any) -> Any:
        low = rose.while_loop(lambda t: t < s[0], lambda t: 1.5 * t + 0.1, s[1])
        return s[0] - 1.0, 0.5 * low

    return rose.while_loop(lambda s: s[0] > 0.0, outer, (a, 0.0 * a))[1]


@fn
def summed(v: Vec[4]) -> Real:
    def term(i: Any) -> Any:
        return rose.cond(v[i] > 0.0, lambda: rose.exp(v[i]) * v[(i + 1) % 4], lambda: v[i] ** 3)

    return rose.sum(term(i) for i in rose.range(4)) ** 2


@fn
def partly(a: Real) -> Real:
    def side() -> Any:
        rose.assert_(a < 9.0, "a is small")
        return rose.sqrt(a)

    return rose.cond(a > 0.0, side, lambda: 2.0 * a)


WAYS = {
    "root": (root, np.abs),
    "guarded": (guarded, lambda x: x),
    "nested": (nested, np.abs),
    "partly": (partly, lambda x: x),
    "sum": (summed, lambda x: x[:268].reshape(67, 4)),
    "gradient": (rose.grad(summed), lambda x: x[:268].reshape(67, 4)),
    "second": (
        rose.grad(fn([Vec[4]], Real)(lambda v: rose.dot(rose.grad(summed)(v), v))),
        lambda x: x[:268].reshape(67, 4),
    ),
}


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", WAYS)
def test_elements_that_go_different_ways(name: str, dtype: str):
    f, given = WAYS[name]
    xs = np.random.default_rng(1).normal(size=301)
    assert both(f, [given(xs).astype(np.float32 if dtype == "f32" else float)], (0,), dtype)
    assert both(f, [given(xs)[:64].astype(np.float32 if dtype == "f32" else float)], (0,), dtype)


@pytest.mark.parametrize("at", [0, 5, 66, 80])
def test_the_first_element_that_fails_is_told(at: int):
    xs = np.linspace(-1.0, 8.0, 81)
    xs[at:] = 10.0
    with pytest.raises(rose.RoseError, match="a is small") as told:
        rose.compile(partly, simd=True).map(xs)
    assert told.value.__notes__ == [f"in element {at} of the batch"]


def test_a_loop_that_does_not_end_is_stopped():
    endless = fn([Real], Real)(lambda a: rose.while_loop(lambda x: x > a - 1.0, lambda x: x + 1.0, a))
    with pytest.raises(rose.TimedOut, match="in the loop at"):
        rose.compile(endless, simd=True, timeout=0.2).map(np.arange(70.0))
