"""The law of nests: what depends on one index of a nest of loops is computed once for each index, not for each pair.

The functions of libm, the divisions and the roots that are executed are counted at two sizes: they grow as the sizes
do, and not as their product, in the value and in its derivatives, as they are traced and as they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from nests import NESTS, executed, point

import rose
from rose.ir import Func
from rose.optimise.code_motion import hoisted
from rose.optimise.pipeline import optimised
from tests.fuzz.derivatives import twin

AnyFn = Any
SMALL, LARGE = (9, 10), (18, 20)


def value(f: AnyFn, xs: Any) -> tuple[AnyFn, Any]:
    return f, xs


def gradient(f: AnyFn, xs: Any) -> tuple[AnyFn, Any]:
    return rose.grad(f, (0, 1)), xs


def product(f: AnyFn, xs: Any) -> tuple[AnyFn, Any]:
    """A product of the Hessian."""
    return rose.hvp(f), (*xs, xs[0])


def forward(f: AnyFn, xs: Any) -> tuple[AnyFn, Any]:
    return rose.jvp(f), [twin(x, x, t) for x, t in zip(xs, f.types, strict=True)]


PAIRS = {"three deep"}  # its sines are of pairs of j and k: four times as many at twice the size


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("of", [value, gradient, product, forward])
def test_what_depends_on_one_index_is_computed_once_for_each(name: str, of: Callable[..., Any]):
    hold(name, of, hoisted)


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("of", [value, gradient])
def test_and_in_what_is_compiled(name: str, of: Callable[..., Any]):
    hold(name, of, lambda f: optimised({"f": f})["f"])


def hold(name: str, of: Callable[..., Any], passes: Callable[[Func], Func]) -> None:
    counts = list[int]()
    for size in (SMALL, LARGE):
        f, xs = of(NESTS[name](*size), point(*size))
        counts.append(executed(passes(f.func), *xs))
    assert counts[1] <= (4 if name in PAIRS else 2) * counts[0] + sum(LARGE)


def test_a_nest_of_three_executes_no_sine_for_each_triple():
    (n, m), f = LARGE, NESTS["three deep"]
    assert executed(hoisted(f(n, m).func), *point(n, m)) == m * m + m
