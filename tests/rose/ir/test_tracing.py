"""Whether the trace of a value goes on, and what a value that was kept after it says of itself."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.ir.tracing import has_ended, tracing


def test_a_trace_goes_on_in_loops_and_in_functions_that_are_traced_inside():
    seen: list[bool] = []

    @fn
    def f(x: Real, v: Vec[3]) -> Real:
        def look(*values: Any) -> None:
            seen.extend(map(has_ended, values))

        @fn
        def inner(y: Real) -> Real:
            look(x, y)
            return x + y

        for i in rose.range(3):
            look(x, v[i])
        rose.cond(x > 0.0, lambda: look(x) or x, lambda: x)
        return inner(x)

    _ = f.func
    assert seen == [False] * 5
    assert tracing.builder is None


def test_a_trace_has_ended_outside_and_in_another_one():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        assert "ended" not in repr(x)
        return x

    @fn
    def g(x: Real) -> Real:
        assert has_ended(kept[0])
        assert not has_ended(x)
        return x

    _ = f.func, g.func
    assert has_ended(kept[0])
    assert repr(kept[0]).endswith("; the trace of f has ended>")


KEPT: list[Any] = []


@fn
def keeps(x: Real, v: Vec[3], c: rose.Bool) -> Real:
    KEPT[:] = [x, v, c]
    return x


USES = {
    "arithmetic": lambda x, v, c: 1.0 - x,
    "a product of vectors": lambda x, v, c: v @ v,
    "a comparison": lambda x, v, c: x > 0.0,
    "equality": lambda x, v, c: x == 1.0,
    "a condition": lambda x, v, c: 1.0 if c else 2.0,
    "sorting": lambda x, v, c: sorted([x, 1.0]),
    "a search": lambda x, v, c: 1.0 in v,
    "float": lambda x, v, c: float(x),
    "int": lambda x, v, c: int(x),
    "round": lambda x, v, c: round(x),
    "an f-string": lambda x, v, c: f"{x}",
    "digits": lambda x, v, c: "%.3f" % x,  # noqa: UP031
    "a loop": lambda x, v, c: list(v),
    "an item": lambda x, v, c: v[0],
    "a slice": lambda x, v, c: v[1:],
    "a method": lambda x, v, c: v.sum(),
    "a property": lambda x, v, c: v.T,
    "an update": lambda x, v, c: v.at[0].set(1.0),
    "a function of numpy's": lambda x, v, c: np.sin(x),
    "a sum of numpy's": lambda x, v, c: np.sum(v),
    "an array": lambda x, v, c: np.asarray([x, 1.0]),
    "an array of numpy's times it": lambda x, v, c: np.ones(3) * v,
    "a function of ours": lambda x, v, c: rose.where(c, x, 1.0),
    "a call": lambda x, v, c: keeps(x, v, c),
    "a call of a compiled function": lambda x, v, c: rose.compile(keeps)(1.0, v, True),
    "a map": lambda x, v, c: keeps.map([x], [[1.0] * 3], [True]),
}


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("use", USES)
def test_a_value_that_was_kept_says_which_function_made_it_and_where(use: str, eager: bool):
    _ = keeps.func
    kept = [*KEPT]  # a call below traces no more
    said = r"a traced .* of keeps, made at line \d+, is used outside of the trace"
    with rose.eager() if eager else nullcontext(), pytest.raises(rose.EscapedValue, match=said):
        USES[use](*kept)
