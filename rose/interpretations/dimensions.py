"""Dimensions: products of powers of base units, as text, and of what an operation gives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..errors import TypeMismatch, here
from .meanings import Refusal

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


def times(x: Dimension, y: Dimension, k: int = 1) -> Dimension:
    """A product, or with the power -1 of the second a quotient."""
    powers = dict(x)
    for name, n in y:
        powers[name] = powers.get(name, Fraction(0)) + k * n
    return _sorted(powers)


SAME = ("add", "sub", "min", "max", "fmod", "copysign", "hypot")  # of one unit, which the result has
COMPARED = ("eq", "ne", "lt", "le", "atan2")  # of one unit, which the result has not
KEPT, ROOTS = ("neg", "abs", "stop_gradient", "norm"), {"sqrt": 2, "cbrt": 3}


def of_result(op: str, units: Sequence[Dimension]) -> Dimension:
    """The unit of what an operation gives; a `Refusal` where its arguments have no fitting ones."""
    if op in ("mul", "div"):
        sign = -1 if op == "div" else 1
        return ANY if units[0] == ANY else times(units[0], () if units[1] == ANY else units[1], sign)
    if op == "scaling":  # of a norm, in its derivatives: it is brought near 1
        return times((), units[0], -1)
    if op in KEPT:
        return units[0]
    if op in ROOTS:
        return tuple([(k, n / ROOTS[op]) for k, n in units[0]]) if units[0] != ANY else ANY
    if op in (*SAME, *COMPARED):
        known = [u for u in units if u != ANY]
        if any([u != known[0] for u in known]):
            raise Refusal(f"{op} of {spelled(known[0])} and {spelled(known[1])}", "let both have one unit")
        return () if op in COMPARED else known[0] if known else ANY
    if op != "sign" and (wrong := [u for u in units if u not in (ANY, ())]):
        raise Refusal(f"{op} of {spelled(wrong[0])}, which is no pure number", "divide by a unit of it first")
    return ()
