"""Small programs on intervals: what they are with 60 digits is in them, and so is the derivative along a direction.

The numbers that a program is given are intervals of no width, or of some: then any number in them is one of its
arguments, and its result has to be held. Where a while loop cannot tell whether it goes on, there is no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
from precise_numbers import Both, lifted
from random_programs import Program
from second_semantics import Meaning, Num, along, map_reals

import rose
from rose.host.interpreter import run
from rose.interpretations import Intervals
from rose.ir.types import Bool, Real, Tuple, Type, Vec

from .batch import Wrong
from .report import Report
from .small import small

DIGITS, ROUNDING = 60, mpmath.mpf(10) ** -45  # of what is compared with: its own rounding, where numbers cancel
MEANING = Intervals()
WIDTHS = (0.0, 0.0, 1e-9, 0.05)  # of the arguments, of their size; a program has one of them, by its seed
DERIVED = 4  # of so many programs one is derived, too


def around(x: Any, t: Type, width: float = 0.0) -> Any:
    """An argument as carriers: each number as an interval, of so many times its size to either side."""
    if t is Real:
        return (x - abs(x) * width, x + abs(x) * width)
    if t is Bool:
        return (not x, x)
    if isinstance(t, Vec):
        return tuple([around(y, t.elem, width) for y in x])
    return tuple([around(y, s, width) for y, s in zip(x, t.items, strict=True)]) if isinstance(t, Tuple) else x


def holds(interval: Any, x: Any) -> bool:
    """True if the number is in the interval; of one that is no number nothing is said."""
    low, high = interval
    if mpmath.isnan(x) or mpmath.isinf(x):
        return bool(mpmath.isnan(x)) or x in (low, high)
    return low - ROUNDING * (1 + abs(x)) <= x <= high + ROUNDING * (1 + abs(x))


def bounds_of(x: Any, t: Type) -> list[Any]:
    """The intervals in a value that was interpreted."""
    if isinstance(t, Vec):
        return [z for y in x for z in bounds_of(y, t.elem)]
    if isinstance(t, Tuple):
        return [z for y, s in zip(x, t.items, strict=True) for z in bounds_of(y, s)]
    return [x] if t is Real else []


def _precise(x: Any) -> Any:
    x = x.re if isinstance(x, Num) else x
    return x.high if isinstance(x, Both) else mpmath.mpf(float(x))


def _mapped(p: Program, number: Any) -> list[Any]:
    """The arguments with `number` of each Real in them."""
    return [map_reals(number, t, x) if t.real else x for x, t in zip(p.args[0], p.types, strict=True)]


def law_of_intervals(p: Program, seed: int) -> list[str]:
    """The laws that were checked, and hold: none of a program that has an operation without a meaning."""
    if any([f"rose.{k}" in p.source for k in ("round", "trunc")]) or any(["closure" in tag for tag in p.tags]):
        return []  # the second semantics rounds there
    try:
        return _held(p, seed)
    except rose.AssertionFailed:
        return ["stopped at a condition that is not certain"]
    except rose.RoseError as e:
        if "has no meaning for" in str(e):
            return []
        raise


def _held(p: Program, seed: int) -> list[str]:
    f, meaning = p.run()["main"], p.run(Meaning)["main"]
    given = [around(x, t, WIDTHS[seed % len(WIDTHS)]) for x, t in zip(p.args[0], p.types, strict=True)]
    got = run(rose.interpret(f, MEANING).func, *given)
    numbers = _mapped(p, lambda x: Num(lifted(x)))
    with mpmath.workdps(DIGITS):
        for exact in (_precise(meaning(*numbers)), run(f.func, *p.args[0])):
            if not holds(got, exact):
                raise Wrong("value in its interval", got, exact)
    real = [k for k, t in enumerate(p.types) if t.real]
    if seed // len(WIDTHS) % DERIVED or "while" in p.source or not real:
        return ["value in its interval"]
    gradient = rose.grad(f, argnums=real)
    bounds = bounds_of(run(rose.interpret(gradient, MEANING).func, *given), gradient.result)
    with mpmath.workdps(DIGITS):
        exact = _precise(along(meaning, numbers, _mapped(p, lambda _: Num(lifted(1.0))))[1])
        total = [sum(map(mpmath.mpf, ends)) for ends in zip(*bounds, strict=True)] or [0.0, 0.0]
        if not holds(total, exact):
            raise Wrong("derivative in its interval", total, exact)
    return ["value in its interval", "derivative in its interval"]


def check_intervals(seeds: Sequence[int]) -> Report:
    """The laws of the small programs of these numbers; a program is counted if one was checked."""
    report = Report()
    for seed in seeds:
        p = small(seed)
        try:
            held = law_of_intervals(p, seed)
        except Exception as e:
            report.failed(seed, e)
            continue
        if held:
            report.programs += 1
            report.laws.update(held)
            report.features.update(p.tags.keys())
    return report
