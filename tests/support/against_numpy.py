"""Functions of arrays beside NumPy's: values, at once and compiled; derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpys

import rose
from rose import Real, fn
from rose.frontend.arrays.shapes import array_type
from rose.ir.types import Type

Of = Callable[..., Any]


def agree(ours: Of, theirs: Of, xs: list[Any], leaf: Type = Real, rtol: float = 0.0) -> None:
    """Check the compiled function, the interpreter and the eager mode against NumPy."""
    numpys.agree(ours, theirs, leaf, xs, rtol)
    with rose.eager():
        numpys.agree(ours, theirs, leaf, xs, rtol)


def weighted(v: Any) -> Any:
    """The sum of all elements times 1, 2, 3, ..., one by one."""
    return rose.sum([k * x for k, x in enumerate(_flat(v), 1)] or [0.0])


def _flat(v: Any) -> list[Any]:
    return [v] if not v.ndim else [x for k in range(len(v)) for x in _flat(v[k])]


def differentiate(ours: Of, *shapes: tuple[int, ...]) -> None:
    """Check derivatives in both modes, and twice, against differences. It squares what is linear."""
    f = fn([array_type(s, Real) for s in shapes], Real)(lambda *v: weighted(ours(*[x * x for x in v])))
    for g in (f, fn(f.types, f.types[0])(rose.grad(f))):
        report = rose.testing.examine(g, points=1)
        assert report.ok, report
