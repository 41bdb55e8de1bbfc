"""The law of cost of transforms: `n * log(n)` operations, of any size; a gradient costs what two values cost.

It is counted, not timed, as in `test_cost.py`.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from costs import cost

import rose
from rose import Complex, Real, Vec, fft, fn

# operations for each number, over the logarithm of how many there are: of the worst size, rounded up
NUMBERS = {"powers": 18.0, "products": 80.0, "primes": 130.0}
SIZES = {
    "powers": (16, 64, 128, 512, 1024), "products": (24, 60, 210, 420, 1000, 1155), "primes": (31, 97, 251, 509, 1009),
}  # fmt: skip


def operations(f: Any, n: int, *, complex: bool = True) -> int:
    """What a function of so many numbers costs."""
    x = tuple([(0.5 * k, 1.0) if complex else 0.5 * k for k in range(n)])
    return cost(f.func, x)


@pytest.mark.parametrize("kind", SIZES)
def test_a_transform_takes_n_log_n_operations(kind: str):
    for n in SIZES[kind]:
        f = fn([Vec[n, Complex]], Vec[n, Complex])(fft.fft)
        assert operations(f, n) <= NUMBERS[kind] * n * math.log2(n)


@pytest.mark.parametrize("n", [64, 97, 210, 1000])
@pytest.mark.parametrize("name", ["fft", "rfft", "dct", "idst"])
def test_a_gradient_costs_two_transforms(name: str, n: int):
    transform: Any = getattr(fft, name)
    f = fn([Vec[n]], Real)(lambda x: rose.sum(abs(transform(x)) ** 2))
    value, gradient = [operations(g, n, complex=False) for g in (f, rose.grad(f))]
    assert gradient <= 2.6 * value + 3 * n


def test_the_second_derivative_costs_a_constant():
    f = fn([Vec[64]], Real)(lambda x: rose.sum(abs(fft.rfft(x)) ** 4))
    x = tuple([0.5 * k for k in range(64)])
    assert cost(rose.hvp(f).func, x, x) <= 3.0 * cost(rose.grad(f).func, x)
