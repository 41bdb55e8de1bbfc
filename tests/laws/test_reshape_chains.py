"""Random chains of reshapes, and of what reads, changes and carries arrays: one memory under several shapes.

A reshape is the memory of its array in a module, and a copy in the interpreter: both give the same bits, and slopes are
those of differences.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn

Chain = Callable[[Any, Any], Any]
SIZES = (4, 6, 8, 12)


def shapes_of(n: int) -> Iterator[tuple[int, ...]]:
    """All products of sizes above 1 that are `n`, in each order."""
    yield (n,)
    for k in range(2, n):
        if n % k == 0:
            yield from [(k, *rest) for rest in shapes_of(n // k)]


class Steps:
    """The steps of a chain, which draw shapes and earlier arrays; `n` is how many elements each has."""

    def __init__(self, n: int, drawn: random.Random) -> None:
        self.n, self.drawn = n, drawn
        self.shapes = [s for shape in shapes_of(n) for s in (shape, (1, *shape))]
        self.made: list[Any] = []

    def some(self) -> Any:
        return self.drawn.choice(self.made)

    def flat(self) -> Any:
        return self.some().reshape(-1)

    def shape(self) -> tuple[int, ...]:
        return self.drawn.choice(self.shapes)

    # steps

    def reshape(self, x: Any) -> Any:
        return x.reshape(self.shape())

    def there_and_back(self, x: Any) -> Any:
        """To another shape and back, but for an axis of one element."""
        shape = self.shape()
        turned = np.transpose(x.reshape(shape)) if self.drawn.random() < 0.5 else x.reshape(shape)
        back = turned.shape[1:] if turned.shape[0] == 1 else (1, *turned.shape)
        return turned.reshape(self.shape()).reshape(back)

    def transpose(self, x: Any) -> Any:
        return np.transpose(x)

    def function(self, x: Any) -> Any:
        return np.sin(x) + self.some().reshape(x.shape)

    def product(self, x: Any) -> Any:
        return x * self.some().reshape(x.shape)

    def pairs(self, x: Any) -> Any:
        halves = x.reshape(2, -1)
        return np.stack([halves[0] - halves[1], halves[0] * halves[1]], axis=1).reshape(-1)

    def put(self, x: Any) -> Any:
        return rose.array(x.reshape(-1)).at[self.drawn.randrange(self.n)].set(0.25 * self.flat()[0])

    def added(self, x: Any) -> Any:
        total, other = rose.accum(x.reshape(-1)), self.flat()
        for i in rose.range(self.n):
            total[i] += 0.5 * other[i]
        return total.value.reshape(self.shape())

    def puts(self, x: Any) -> Any:
        shape, other = self.shape(), self.flat()
        step = lambda i, s: rose.array(s.reshape(-1)).at[i].set(s.reshape(-1)[0] * other[i]).reshape(shape)
        return rose.scan(step, x.reshape(shape), self.n)

    def scan(self, x: Any) -> Any:
        shape, other = self.shape(), self.flat()
        step = lambda i, s: np.transpose(s.reshape(shape)).reshape(-1) * 0.5 + other * other[i]
        return rose.scan(step, x.reshape(-1), 3)

    def branch(self, x: Any) -> Any:
        shape, other = self.shape(), self.some()
        return rose.cond(x.reshape(-1)[0] > 0.0, lambda: np.sin(x).reshape(shape), lambda: other.reshape(shape))

    def repeat(self, x: Any) -> Any:
        shape, other = self.shape(), self.flat()
        turn = lambda s: (s[0] + 1.0, (np.transpose(s[1]).reshape(-1) * 0.7 + other).reshape(shape))
        return rose.while_loop(lambda s: s[0] < 2.5, turn, (0.0, x.reshape(shape)))[1]

    def call(self, x: Any) -> Any:
        shape = self.shape()
        given = fn([Vec[self.n], Vec[self.n]], tuple[Vec[shape], Vec[self.n]])
        first, second = given(lambda a, b: (a.reshape(shape), (a * b).reshape(shape).reshape(-1)))(
            x.reshape(-1), self.flat()
        )
        self.made.append(second)
        return first


STEPS = [name for name in vars(Steps) if not name.startswith("_") and name not in ("some", "flat", "shape")]


def chain(seed: int) -> tuple[int, Chain]:
    """How many elements the arrays of a chain have, and the chain."""
    names = random.Random(seed).choices(STEPS, k=3 + seed % 5)

    def body(x: Any, w: Any) -> Any:
        steps = Steps(SIZES[seed % len(SIZES)], random.Random(seed))
        steps.made = [x.reshape(steps.shape()), w]
        for name in names:
            steps.made.append(getattr(steps, name)(steps.some()))
        terms = [np.sum(y * y) * (0.1 + 0.05 * k) + np.sum(y.reshape(-1)[::2]) for k, y in enumerate(steps.made)]
        return sum(terms[1:], terms[0])

    return SIZES[seed % len(SIZES)], body


@pytest.mark.parametrize("seed", range(80))
def test_one_memory_has_the_numbers_of_copies(seed: int):
    n, body = chain(seed)
    f = fn([Vec[n], Vec[n]], Real)(body)
    gradient = rose.grad(f, (0, 1))
    r = np.random.default_rng(seed)
    (x, w), (dx, dw) = r.uniform(-1, 1, (2, n)), r.normal(size=(2, n))
    with rose.eager():
        value, slopes = f(x, w), gradient(x, w)
    for simd in (False, True):
        made = rose.compile({"f": f, "gradient": gradient}, simd=simd)
        assert made.f(x, w) == value
        assert all([np.array_equal(a, b) for a, b in zip(made.gradient(x, w), slopes, strict=True)])
    h = 1e-6
    along = (made.f(x + h * dx, w + h * dw) - made.f(x - h * dx, w - h * dw)) / (2 * h)
    assert slopes[0] @ dx + slopes[1] @ dw == pytest.approx(along, rel=1e-5, abs=1e-5)
