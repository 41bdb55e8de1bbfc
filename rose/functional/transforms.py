"""Derivatives of functionals: forward mode over the graph that a functional makes, and its transpose."""

from __future__ import annotations

from collections.abc import Sequence

from ..frontend.function import AnyFn
from .composites import Composite, Variable, order, type_of, variables
from .operators import add, zero


def pushed(out: AnyFn, tangents: dict[AnyFn, AnyFn]) -> AnyFn | None:
    """The tangent of `out`, from those of the functions that it depends on; None for zero."""
    known: dict[AnyFn, AnyFn | None] = {}
    for f in order(out):
        if f in tangents:
            known[f] = tangents[f]
        elif isinstance(f, Composite) and any(mine := [known[g] for g in f.inputs]):
            tangent = known[f] = f.op.jvp(f, mine)
            if isinstance(tangent, Composite):
                tangent.loc = f.loc
        else:
            known[f] = None
    return known[out]


def pulled(out: AnyFn, places: Sequence[Variable], ct: AnyFn) -> list[AnyFn]:
    """The cotangents of `places`, in which `out` is linear, for the cotangent `ct` of `out`."""
    wanted = frozenset(places)
    found: dict[AnyFn, list[AnyFn]] = {out: [ct]}
    for f in reversed([*order(out)]):
        if isinstance(f, Composite) and not isinstance(f, Variable) and f in found:
            total = add(found[f])
            for k, g in enumerate(f.inputs):
                if wanted & variables(g) and (back := f.op.transpose(f, k, total)) is not None:
                    found.setdefault(g, []).append(back)
    return [add(found[p]) if p in found else zero(type_of(p)) for p in places]
