"""The parts of a value: the numbers of its tuples and short vectors."""

from __future__ import annotations

from typing import Any

import pytest
from harness import same
from optimising import HERE

from rose import ir
from rose.host.interpreter import run
from rose.ir.types import Bool, Fin, Real, Tuple, Unit, Vec, tuple_of
from rose.optimise.parts import closed, opened, parts

PAIR = tuple_of(Real, Bool)
PARTS: list[tuple[Any, list[Any]]] = [
    (Real, [Real]),
    (Unit, []),
    (tuple_of(Unit, Fin(3)), [Fin(3)]),
    (Vec(8, Real), [Real] * 8),
    (Vec(9, Real), [Vec(9, Real)]),
    (Vec(0, Real), []),
    (Vec(2, Vec(2, Real)), [Real] * 4),
    (Vec(3, Vec(3, Real)), [Vec(3, Vec(3, Real))]),
    (Vec(2, PAIR), [Real, Bool, Real, Bool]),
    (Vec(2, Vec(9, Real)), [Vec(2, Vec(9, Real))]),
    (tuple_of(Vec(2, Real), Vec(9, Real)), [Real, Real, Vec(9, Real)]),
]


@pytest.mark.parametrize(("t", "expected"), PARTS, ids=str)
def test_a_type_has_parts(t: Any, expected: list[Any]):
    assert parts(t) == expected


@pytest.mark.parametrize("t", [t for t, _ in PARTS], ids=str)
def test_what_is_taken_apart_is_put_together(t: Any):
    with ir.building("f") as b:
        b.loc = HERE
        x = b.param(t, "x")
        found = [*opened(b, x)]
        assert [p.type for p in found] == parts(t)
        f = b.func(closed(b, t, iter(found)))
    given = zero_like(t)
    assert same(run(f, given), given)


def zero_like(t: Any) -> Any:
    """A value of a type, with numbers that differ from zero."""
    if isinstance(t, Vec):
        return tuple([zero_like(t.elem) for _ in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([zero_like(x) for x in t.items])
    return {Real: 1.5, Bool: True, Unit: None}.get(t, 2)
