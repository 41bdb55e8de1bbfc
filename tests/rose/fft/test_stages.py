"""Stages: transforms of any radices, in one loop for each, by one function of a module."""

from typing import Any

import numpy as np
import pytest
from transforms import agree, numbers

import rose
from rose import Complex, Vec, fn
from rose.fft.roots import roots
from rose.fft.stages import BUTTERFLIES, steps
from rose.ir.callgraph import reachable, weight


def staged(x: Any) -> Any:
    return steps(len(x))(x, roots(len(x))())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 25, 49, 60, 64, 77, 120, 210, 256, 1001])
def test_values_are_numpys(n: int):
    agree(staged, np.fft.fft(numbers(n)), numbers(n), interpreted=n < 100)


@pytest.mark.parametrize("n", [2**18, 3 * 2**16, 5**8, 97 * 2**12, 61 * 59 * 53])
def test_products_of_indices_do_not_grow_with_the_size(n: int):
    agree(staged, np.fft.fft(numbers(n)), numbers(n), interpreted=False)


@pytest.mark.parametrize("r", BUTTERFLIES)
def test_a_butterfly_is_a_transform(r: int):
    agree(lambda x: BUTTERFLIES[r](*[x[k] for k in range(r)]), np.fft.fft(numbers(r)), numbers(r))


def written(n: int) -> int:
    """The instructions of a transform."""
    f = fn([Vec[n, Complex]], Vec[n, Complex])(staged).func
    return sum([weight(g.body) for g in reachable(f)])


def test_the_code_does_not_grow_with_the_size():
    assert written(4**5) == written(4**8) and written(3 * 4**4) == written(27 * 4**5)
    small, large = [len(rose.compile(fn([Vec[n, Complex]], Vec[n, Complex])(staged)).wasm) for n in (64, 4096)]
    assert large - small < 2 * 16 * 64 + 100  # of tables, whose sizes are about 64 each
