"""The arguments of `grad` and its kin: a function, and the parameters to differentiate in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ir
from ..errors import NotDifferentiable, here
from ..frontend.function import AnyFn
from ..ir.types import Complex, Type, Vec, has_complex, untyped
from ..ir.value import host_index

Argnums = int | Sequence[int]


def _sequence(argnums: Any) -> Sequence[Any]:
    return argnums if isinstance(argnums, (list, tuple)) else [argnums]  # pyright: ignore[reportUnknownVariableType]


def positions(f: AnyFn, argnums: Argnums, what: str) -> tuple[int, ...]:
    """The parameters to differentiate in, each checked to have a derivative."""
    given: list[Any] = [argnums] if host_index(argnums) is not None else [*_sequence(argnums)]
    out: list[int] = []
    for a in given:
        k = host_index(a)
        if k is None or not -len(f.types) <= k < len(f.types):
            hint = f"its parameters are {', '.join(f.names)}" if f.names else "it has no parameters"
            raise NotDifferentiable(f"{f.name} has no parameter number {ir.shown(a)}", here(), hint)
        k %= len(f.types)
        if not untyped(f.types[k]).real:
            raise NotDifferentiable(
                f"rose.{what}: {f.names[k]} is a {f.types[k]!r}, which has no derivative",
                here(),
                "only Reals have one; choose other parameters with argnums",
            )
        out.append(k)
    return tuple(out)


def real_result(f: AnyFn, what: str) -> Type:
    """The type of the result, checked to have a derivative."""
    result = untyped(f.result)
    if not result.real:
        hint = "only Reals have a derivative"
        raise NotDifferentiable(f"rose.{what}: {f.name} gives a {result!r}, which has no derivative", here(), hint)
    return result


def check_reals(f: AnyFn, active: Sequence[int], what: str) -> None:
    """Check that there are no complex numbers in what is differentiated, nor in what it is differentiated in."""
    given = [(untyped(f.types[k]), f.names[k]) for k in active] + [(untyped(f.result), "the result")]
    for t, name in given:
        if has_complex(t):
            message = f"rose.{what} takes functions of Reals to Reals, and {name} of {f.name} is a {t!r}"
            raise NotDifferentiable(message, here(), "give it the real and the imaginary part as two parameters")


def check_holomorphic(f: AnyFn, active: Sequence[int], what: str) -> None:
    """Check that a function goes from complex numbers to complex numbers, in all that it is differentiated in."""
    given = [(untyped(f.types[k]), f.names[k]) for k in active] + [(untyped(f.result), "the result")]
    for t, name in given:
        if not _is_of_complex(t):
            message = f"rose.{what} with holomorphic=True: {name} of {f.name} is a {t!r}, not of complex numbers"
            raise NotDifferentiable(message, here(), "leave out holomorphic=True, or declare a Complex")


def _is_of_complex(t: Type) -> bool:
    """True for a complex number, and for an array of them."""
    while isinstance(t, Vec):
        t = t.elem
    return t is Complex
