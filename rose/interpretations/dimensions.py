"""Dimensions: products of powers of base units, as text, and of what an operation gives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce

from ..errors import TypeMismatch, here
from ..ir import Op
from .meanings import Library, Refusal

Dimension = tuple[tuple[str, Fraction], ...]  # base units with their powers, in order; () is a pure number
ANY = (("any unit", Fraction(1)),)  # of the literal 0, which has every unit


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


def times(x: Dimension, y: Dimension) -> Dimension:
    """A product."""
    powers = dict(x)
    for name, n in y:
        powers[name] = powers.get(name, Fraction(0)) + n
    return _sorted(powers)


def powered(x: Dimension, k: int | str | Fraction) -> Dimension:
    """A power."""
    return _sorted({name: n * Fraction(k) for name, n in x})


def of_result(op: Op | Library, units: Sequence[Dimension]) -> Dimension:
    """The unit of what an operation gives; a `Refusal` where its arguments have no fitting ones."""
    name, how = op.name, op.unit
    if isinstance(how, tuple):
        if units[0] == ANY and how[0]:
            return ANY
        return reduce(times, [powered(u, k) for u, k in zip(units, how, strict=True) if u != ANY], ())
    if how == "pure":
        if wrong := [u for u in units if u not in (ANY, ())]:
            raise Refusal(f"{name} of {spelled(wrong[0])}, which is no pure number", "divide by a unit of it first")
        return ()
    known = [u for u in units if u != ANY]
    if any([u != known[0] for u in known]):
        raise Refusal(f"{name} of {spelled(known[0])} and {spelled(known[1])}", "let both have one unit")
    return () if how == "compared" else known[0] if known else ANY
