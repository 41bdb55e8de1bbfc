"""GradBench's `saddle` and `particle`: derivatives inside derivatives, through searches of unknown length.

The answers are GradBench's own. In a name such as `fr` the first letter is the mode of the outer derivative, forward or
reverse, and the second that of the inner one.
"""

from __future__ import annotations

from typing import Any

import particle
import pytest
import saddle
from harness import Module, same

import rose
from rose.host.interpreter import run
from rose.ir.check import check
from rose.optimise.pipeline import optimised

pytestmark = pytest.mark.slow

SADDLE, CHARGE = 8.246324826140356e-06, 0.2071918746486116

each = pytest.mark.parametrize("modes", saddle.modes)


@each
def test_the_saddle_is_found(modes: str):
    x, y = saddle.module[modes]([1.0, 1.0])
    assert [*x, *y] == pytest.approx([SADDLE] * 4, rel=1e-12, abs=0.0)


@each
def test_the_charge_is_found(modes: str):
    assert particle.module[modes](0.0) == pytest.approx(CHARGE, rel=1e-12)


def agree(f: Any, *args: Any) -> Any:
    """What a function gives in the interpreter, and to the bit in a module, optimised or not."""
    wanted = run(check(f.func), *args)
    assert same(Module({"f": f.func})["f"](*args), wanted)
    fast = {"f": check(optimised({"f": f.func})["f"])}
    assert same(Module(fast)["f"](*args), wanted)
    return wanted


@each
@pytest.mark.parametrize("x", [(1.0, 1.0), (-0.3, 2.0)])
def test_a_derivative_through_a_search_is_that_of_what_is_found(modes: str, x: tuple[float, float]):
    """The inner search ends near the top, which is 0 for any x: what is left there does not depend on x."""
    outer, inner = saddle.modes[modes]
    start = (1.0, 1.0)
    assert agree(outer(saddle.greatest(inner)), x, start) == (2 * x[0], 2 * x[1])


@each
@pytest.mark.parametrize("w", [0.0, 0.2, -1.5])
def test_the_derivative_of_where_the_particle_lands(modes: str, w: float):
    outer, inner = particle.modes[modes]
    missed = particle.lands(inner)
    (slope,) = agree(outer(missed), (w,))
    up, down = [missed((w + h,)) for h in (1e-5, -1e-5)]
    assert slope == pytest.approx((up - down) / 2e-5, rel=1e-6)


@each
def test_the_second_derivative_of_where_the_particle_lands(modes: str):
    outer, inner = particle.modes[modes]
    slope = outer(particle.lands(inner))
    ((bend,),) = agree(rose.jacfwd(slope), (0.2,))
    assert agree(rose.jacrev(slope), (0.2,))[0][0] == pytest.approx(bend, rel=1e-11)
    up, down = [slope((0.2 + h,))[0] for h in (1e-5, -1e-5)]
    assert bend == pytest.approx((up - down) / 2e-5, rel=1e-6)
