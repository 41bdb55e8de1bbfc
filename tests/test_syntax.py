"""Plain branches and loops under `@fn(syntax=True)`: what they are equal to, and what is refused."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real
from rose.interp import run
from rose.structs import plain, present
from tests.plain import PAIRS

each = pytest.mark.parametrize("name", PAIRS)


def bits(x: Any) -> list[bytes]:
    return [struct.pack("<d", y) for y in np.ravel(np.asarray(x, float))]


def answers(f: rose.Fn[..., Any], x: Any) -> list[bytes]:
    """What `f` gives compiled, which is what it gives interpreted."""
    (t,) = f.types
    compiled = bits(f(x))
    assert compiled == bits(present(run(f.func, plain(x, t)), f.result))
    return compiled


@each
def test_a_program_gives_the_bits_of_the_one_written_by_hand(name: str):
    it = PAIRS[name]
    ours = rose.fn([it.type], Real, syntax=True)(it.plain)
    theirs = rose.fn([it.type], Real)(it.by_hand)
    for derive in (lambda f: f, rose.grad, rose.hessian):
        f, g = derive(ours), derive(theirs)
        for x in it.points:
            assert answers(f, x) == answers(g, x), x


def test_there_are_many_programs():
    assert len(PAIRS) >= 40
