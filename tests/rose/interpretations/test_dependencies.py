"""Dependencies: the inputs of each number, which are where its derivatives are not zero."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.interpretations import Dependencies

BODIES: dict[str, Any] = {
    "sums": lambda x: rose.vec(x[i] + x[(i + 1) % 3] for i in rose.range(3)),
    "products": lambda x: [x[0] * x[1], x[2] / x[0], 3.0],
    "mathematics": lambda x: [rose.sin(x[2]), rose.hypot(x[0], x[1]), rose.floor(x[1])],
    "a branch": lambda x: [
        rose.cond(x[0] > 0.0, lambda: x[1], lambda: x[2]),
        x[0],
        rose.select(x[1] > 9.0, x[0], x[2]),
    ],
    "running sums": lambda x: rose.cumsum(x),
    "a scan": lambda x: rose.scan(lambda i, s: s.at[i].set(s[0] * x[i]), x, 3),
    "a sorted vector": lambda x: rose.sort(x),
    "nothing": lambda x: [0.0 * 1.0, rose.stop_gradient(1.0), 2.0],
}


@pytest.mark.parametrize("name", BODIES)
def test_a_number_depends_on_what_its_derivative_is_not_zero_in(name: str):
    f, meaning, x = fn([Vec[3]], Vec[3])(BODIES[name]), Dependencies(3), [1.5, 0.25, 0.75]
    made = rose.interpret(f, meaning)(meaning.inputs(x))
    assert [list(map(bool, y.on)) for y in made] == (rose.jacobian(f)(x) != 0.0).tolist()
    assert [y.value for y in made] == list(f(x))


def test_of_no_inputs_nothing_depends_on_any():
    f, meaning = fn([Vec[0]], Real)(lambda x: rose.sum(x) + 1.0), Dependencies(0)
    assert len(rose.interpret(f, meaning)(meaning.inputs([])).on) == 0
