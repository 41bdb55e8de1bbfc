"""The law of cost of transforms: `n * log(n)` operations, of any size; a gradient costs what two values cost.

Instructions are counted, as often as they run. What is copied is not: `costs.py` counts a vector for each loop that
puts numbers into it, where the module has none to copy, as the last test says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Complex, Real, Vec, fft, fn
from rose.host.interpreter import Watch, run
from rose.ir import Block

# instructions for each number, over the logarithm of how many there are: of the worst size, rounded up
NUMBERS = {"powers": 20.0, "products": 30.0, "primes": 145.0}
SIZES = {
    "powers": (16, 64, 128, 512, 1024), "products": (24, 60, 210, 420, 1000, 1155), "primes": (31, 97, 251, 509, 1009),
}  # fmt: skip


class Counted(Watch):
    """Counts the instructions that run."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def ran(self, block: Block) -> None:
        self.count += len(block.code)


def cost(f: Any, *args: Any) -> int:
    watch = Counted()
    run(f, *args, watch=watch)
    return watch.count


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
    assert gradient <= 2.7 * value + 3 * n


def test_the_second_derivative_costs_a_constant():
    f = fn([Vec[64]], Real)(lambda x: rose.sum(abs(fft.rfft(x)) ** 4))
    x = tuple([0.5 * k for k in range(64)])
    assert cost(rose.hvp(f).func, x, x) <= 3.0 * cost(rose.grad(f).func, x)


def test_a_stage_copies_no_vector_in_its_loops():
    """There is one copy where a stage begins, and those of an argument and a result."""
    of: Callable[[int], int] = lambda n: rose.compile(fn([Vec[n, Complex]], Vec[n, Complex])(fft.fft)).wasm.count(
        b"\xfc\x0a\x00\x00"
    )
    assert of(1024) == of(4096) <= 4
