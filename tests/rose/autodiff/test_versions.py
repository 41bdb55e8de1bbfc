"""Of a vector that has versions the tape has the elements that are read, and of any other the vector."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.unzip import unzip
from rose.ir.types import Stack, Tuple, Type, as_tuple
from rose.ir.types import Vec as Vector

N = 12


def squared(x: Any, i: Any) -> Any:
    return x.at[i].set(x[i] * x[(i + 1) % N])


def in_a_scan(x: Any) -> Any:
    return rose.scan(lambda i, x: squared(x, i), x, N)[0]


def in_an_inner_loop(x: Any) -> Any:
    return rose.scan(lambda i, x: rose.scan(lambda j, x: squared(x, j), x, 3), x, N)[0]


def in_a_struct(x: Any) -> Any:
    return rose.scan(lambda i, s: (squared(s[0], i), s[1] + s[0][i]), (x, 0.0), N)[0][0]


def under_a_guard(x: Any) -> Any:
    return rose.scan(lambda i, x: rose.select(x[i] > 0.0, squared(x, i), x), x, N)[0]


def without(x: Any) -> Any:
    return rose.sum(x[i] * x[(i + 1) % N] for i in rose.range(N))


def tape(program: Any) -> int:
    f = fn([Vec[N]], Real)(program).func
    return numbers(as_tuple(unzip(jvp(f, full_mask(f)).func).fwd.result).items[1])


def numbers(t: Type) -> int:
    if isinstance(t, Tuple):
        return sum(map(numbers, t.items))
    assert not isinstance(t, Stack)
    return t.size * numbers(t.elem) if isinstance(t, Vector) else 1


@pytest.mark.parametrize(("program", "most"), [
    (in_a_scan, 4 * N), (in_an_inner_loop, 12 * N), (in_a_struct, 5 * N), (under_a_guard, 6 * N), (without, 0),
])  # fmt: skip
def test_the_tape_has_a_few_numbers_for_each_put(program: Any, most: int):
    assert tape(program) <= most
