"""Units of measure: what fits has the unit that it should, and what does not is an error at the expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, RoseError, Vec, fn
from rose.interpretations import Units


@rose.struct
class Body:
    mass: Real
    at: Vec[2]
    near: Fin[2]


squares_of_norm = fn([Vec[3]], Real)(lambda x: rose.norm(x) * rose.norm(x))
FITS: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "a product": ([Real, Real], lambda x, y: x * y, {"x": "kg", "y": "m/s^2"}, "kg m / s^2"),
    "a quotient": ([Real, Real], lambda x, y: x / y, {"x": "m", "y": "s"}, "m / s"),
    "a sum in a loop": ([Vec[3]], lambda x: rose.sum(e * e for e in x), {"x": "m"}, "m^2"),
    "a sum of nothing": ([Vec[0], Real], lambda x, y: rose.sum(e for e in x) + y, {"x": "m", "y": "m"}, "m"),
    "a power": ([Real], lambda x: x**3 / 2.0, {"x": "m"}, "m^3"),
    "a root": ([Real, Real], lambda x, y: rose.sqrt(x * x + y * y), {"x": "m", "y": "m"}, "m"),
    "a hypotenuse": ([Real, Real], lambda x, y: rose.hypot(x, y), {"x": "m", "y": "m"}, "m"),
    "a norm": ([Vec[3], Vec[3]], lambda x, y: x @ y / rose.norm(y), {"x": "kg", "y": "m"}, "kg"),
    "a long norm": ([Vec[20]], lambda x: rose.norm(x), {"x": "m"}, "m"),
    "the slope of a norm": ([Vec[3]], lambda x: rose.grad(squares_of_norm)(x)[1], {"x": "m"}, "m"),
    "a half power": ([Real], lambda x: rose.sqrt(x), {"x": "m"}, "m^1/2"),
    "an angle": ([Real, Real], lambda x, y: rose.sin(rose.atan2(x, y)), {"x": "m", "y": "m"}, "1"),
    "zero": ([Real], lambda x: rose.max(x, 0.0), {"x": "m"}, "m"),
    "a largest one": ([Vec[3]], lambda x: np.max(x) - rose.min(x) + np.linalg.norm(x, np.inf), {"x": "m"}, "m"),
    "a choice": ([Real], lambda x: rose.select(x > 0.0, x, 0.0), {"x": "m"}, "m"),
    "a branch": ([Real], lambda x: rose.cond(x > 0.0, lambda: x * x, lambda: 0.0), {"x": "m"}, "m^2"),
    "a scan": ([Real, Real], lambda x, t: rose.scan(lambda i, s: s + x * t, 0.0, 4), {"x": "m/s", "t": "s"}, "m"),
    "a while loop": ([Real], lambda x: rose.while_loop(lambda s: s < x, lambda s: s + x, 0.0), {"x": "m"}, "m"),
    "a change": ([Vec[3], Real], lambda x, y: x.at[1].set(2.0 * y)[0], {"x": "m", "y": "m"}, "m"),
    "a zero vector": ([Real], lambda x: rose.zeros(9).at[4].add(x)[4], {"x": "m"}, "m"),
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_has_its_unit_and_its_numbers(name: str):
    types, body, units, unit = FITS[name]
    f = fn(types, Real)(body)
    g = rose.interpret(f, Units(**{k: units[n] for k, n in zip(f.names, units, strict=True)}))
    args = [[1.5] * t.size if hasattr(t, "size") else 2.0 for t in f.types]
    made = g(*args)
    assert type(made).__name__ == unit and made.value == f(*args)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda x, t: x + t, "add of m and s"),
        (lambda x, t: x + 1.0, "add of m and 1"),
        (lambda x, t: rose.select(x < t, x, 2.0 * x), "lt of m and s"),
        (lambda x, t: rose.exp(x), "exp of m, which is no pure number"),
        (lambda x, t: rose.sin(x * x / t), "sin of m\\^2 / s, which is no pure number"),
        (lambda x, t: rose.select(x > 0.0, x, t), "m and s meet here"),
        (lambda x, t: rose.cond(x > 0.0, lambda: x, lambda: t), "m and s meet here"),
        (lambda x, t: rose.scan(lambda i, s: s * x, x, 3), "m and m\\^2 meet here"),
        (lambda x, t: rose.sum([x, t]), "add of m and s"),
        (lambda x, t: x**t, "pow of m, which is no pure number"),
    ],
)
def test_what_does_not_fit_is_an_error_at_the_expression(body: Any, said: str):
    with pytest.raises(RoseError, match=rf"units: {said}[\s\S]*test_units.py[\s\S]*\^\^\^"):
        rose.interpret(fn([Real, Real], Real)(body), Units(**dict(zip("xt", ["m", "s"], strict=True))))


def test_fields_have_units_of_their_own():

    @fn
    def moment(bodies: Vec[2, Body]) -> Real:
        return rose.sum(b.mass * b.at[0] * bodies[b.near].at[1] for b in bodies)

    g = rose.interpret(moment, Units(bodies={"mass": "kg", "at": "m"}))
    made = g([Body(2.0, [1.0, 3.0], 1), Body(1.0, [0.5, 4.0], 0)])
    assert (type(made).__name__, made.value) == ("kg m^2", 9.5)


def test_a_parameter_without_a_unit_and_a_text_that_is_none_are_errors():
    f = fn([Real], Real)(lambda x: x)
    for units, said in ((Units(), "has no unit"), (Units(x="m^^2"), "is no unit")):
        with pytest.raises(RoseError, match=said):
            rose.interpret(f, units)
