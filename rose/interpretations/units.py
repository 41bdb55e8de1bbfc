"""Units of measure: each number has one, and what does not fit is an error at the user's expression.

Units are carriers of types of their own, so all is decided when the function is interpreted: a compiled module has
numbers, as before.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, cast

from ..errors import TypeMismatch, here
from ..frontend.annotations import as_type, struct
from ..frontend.arrays.shapes import leaf_of
from ..frontend.values import is_number
from ..ir import CONST, Func, Op, Value, current_builder
from ..ir.forms import form_of
from ..ir.lengths import NORM, norm_of, scaling
from ..ir.types import Real, Tuple, Type, Vec, as_tuple, map_leaves
from .meanings import Meaning, Operation, Refusal, Rule

Dimension = tuple[tuple[str, Fraction], ...]  # base units with their powers, in order; () is a pure number
ANY = (("any unit", Fraction(1)),)  # of the literal 0, which has every unit


@cache
def quantity(unit: Dimension) -> Any:
    """The class of numbers with a unit: a struct with one field, `value`."""
    made: Any = struct(dataclasses.make_dataclass(spelled(unit), [("value", Real)]))
    made.unit = unit
    form = form_of(made)
    assert form is not None
    form.other = lambda x: [x] if is_number(x) else None  # a plain number is one in this unit
    return made


def spelled(unit: Dimension) -> str:
    """A unit as text: `kg m^2 / s^2`, and `1` of a pure number."""
    if unit == ANY:
        return "0"
    above, below = [[_power(k, abs(n)) for k, n in unit if (n > 0) is up] for up in (True, False)]
    return (" ".join(above) or "1") + (f" / {' '.join(below)}" if below else "")


def _power(k: str, n: Fraction) -> str:
    return k if n == 1 else f"{k}^{n}"


def parsed(text: str) -> Dimension:
    """The unit that a text says, as in "kg m^2 / s^2"; "1" is that of a pure number."""
    powers: dict[str, Fraction] = {}
    for k, side in enumerate(text.split("/")):
        for one in side.replace("*", " ").split():
            found = re.fullmatch(r"([A-Za-zµ°%]+)(?:\^(-?\d+))?|1", one)
            if found is None:
                raise TypeMismatch(f"{text!r} is no unit: {one!r}", here(), 'write one as "kg m^2 / s^2"')
            if found[1]:
                powers[found[1]] = powers.get(found[1], Fraction(0)) + (-1 if k else 1) * Fraction(found[2] or 1)
    return _sorted(powers)


def _sorted(powers: Mapping[str, Fraction]) -> Dimension:
    return tuple(sorted([(k, n) for k, n in powers.items() if n]))


def _times(x: Dimension, y: Dimension, k: int = 1) -> Dimension:
    powers = dict(x)
    for name, n in y:
        powers[name] = powers.get(name, Fraction(0)) + k * n
    return _sorted(powers)


SAME = ("add", "sub", "min", "max", "fmod", "copysign", "hypot")  # of one unit, which the result has
COMPARED = ("eq", "ne", "lt", "le", "atan2")  # of one unit, which the result has not
KEPT = ("neg", "abs", "stop_gradient")
ROOTS = {"sqrt": 2, "cbrt": 3}


class Units(Meaning):
    """Units by the names of parameters: `Units(x="m", t="s")`; of a struct a dict of those of its fields.

    A number of the program is a pure number, but 0 has every unit. What is added or compared has one unit; a root has
    the root of it; and any other function takes a pure number, and gives one.
    """

    name = "units"
    carrier = quantity(ANY)

    def __init__(self, **units: Any) -> None:
        self.units = units

    def parameter(self, name: str, t: Type) -> Type:
        if t.real and name not in self.units:
            raise TypeMismatch(
                f"the parameter {name} has no unit", here(), f'write rose.interpretations.Units({name}="m")'
            )
        return _with_unit(t, self.units.get(name, "1"))

    def literal(self, x: Any) -> Any:
        """0 and infinity are of any unit: a sum begins at the one, a maximum at the other."""
        any_unit = x.op is CONST and x.attr in (0.0, math.inf, -math.inf)
        return quantity(ANY if any_unit else ())(x) if x.type is Real else x

    def wider(self, s: Type, t: Type) -> Type | None:
        zero = as_type(self.carrier)
        return t if s is zero else s if t is zero else None

    def widened(self, x: Any, t: Type) -> Any:
        form = as_tuple(t).form
        assert form is not None
        return form.make([x.value])

    def rule(self, op: Operation) -> Rule | None:
        if isinstance(op, Func) and op.origin is NORM:  # it compares sizes with pure numbers, lest a square overflows
            return _norm
        if op is scaling():  # in derivatives of a norm
            return _scaling
        if not isinstance(op, Op) or op.eval is None:
            return None
        return lambda *xs: _applied(op, [x.unit for x in xs if hasattr(x, "unit")], xs)


def _norm(x: Any) -> Any:
    """The norm of an array of one unit, which it has too."""
    b, form = current_builder(), as_tuple(leaf_of(x.type)).form
    assert form is not None

    def values(v: Value) -> Value:
        t = v.type
        return b.vec(t.size, lambda i: values(b.index(v, i))) if isinstance(t, Vec) else b.get(v, 0)

    return form.make([norm_of(values(x))])


def _scaling(n: Any) -> Any:
    """The factor that brings a norm near 1: a reciprocal."""
    return quantity(_times((), n.unit, -1))(current_builder().call(scaling(), (n.value,)))


def _applied(op: Op, units: list[Dimension], xs: tuple[Any, ...]) -> Any:
    unit, y = _unit(op, units), op(*[getattr(x, "value", x) for x in xs])
    return quantity(unit)(y) if y.type is Real else y


def _unit(op: Op, units: list[Dimension]) -> Dimension:
    """The unit of what an operation gives; a `Refusal` where its arguments have no fitting ones."""
    if op.name in ("mul", "div"):
        return (
            ANY
            if units[0] == ANY
            else _times(units[0], () if units[1] == ANY else units[1], -1 if op.name == "div" else 1)
        )
    if op.name in KEPT:
        return units[0]
    if op.name in ROOTS:
        return tuple([(k, n / ROOTS[op.name]) for k, n in units[0]]) if units[0] != ANY else ANY
    if op.name in (*SAME, *COMPARED):
        known = [u for u in units if u != ANY]
        if any([u != known[0] for u in known]):
            what = f"{op.name} of {spelled(known[0])} and {spelled(known[1])}"
            raise Refusal(what, "let both have one unit")
        return () if op.name in COMPARED else known[0] if known else ANY
    if op.name != "sign" and (wrong := [u for u in units if u not in (ANY, ())]):
        raise Refusal(f"{op.name} of {spelled(wrong[0])}, which is no pure number", "divide by a unit of it first")
    return ()


def _with_unit(t: Type, unit: Any) -> Type:
    if isinstance(t, Vec):
        return Vec(t.size, _with_unit(t.elem, unit))
    if isinstance(t, Tuple) and isinstance(unit, dict):
        units = cast("dict[Any, Any]", unit)
        names = t.form.fields if t.form is not None else range(len(t.items))
        return t.of(tuple([_with_unit(s, units.get(k, "1")) for k, s in zip(names, t.items, strict=True)]))
    return map_leaves(t, lambda s: as_type(quantity(parsed(unit))) if s is Real else s)
