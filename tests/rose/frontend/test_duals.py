"""Values and tangents, side by side, as a derivative rule sees them."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Bool, Dual, Real, RoseError, Vec
from rose.frontend.duals import DualVec, join_dual, mentions_tangent, split_dual, view_dual
from rose.ir import building
from rose.ir.types import tangent, tuple_of


@pytest.mark.parametrize("t", [Real, Vec[3], Vec[2, Vec[3]], tuple_of(Real, Bool, Vec[2])])
def test_splitting_a_view_gives_the_primal_and_the_tangent(t: Any):
    with building("f") as b:
        re, du = b.param(t, "re"), b.param(tangent(t), "du")
        x, dx = split_dual(view_dual(re, du), t, tangent)
        assert (x.type, dx.type) == (t, tangent(t))
        assert join_dual(re, du).type is Dual[t]


def test_a_vector_of_duals_has_duals():
    with building("f") as b:
        v = view_dual(b.param(Vec[3], "v"), b.param(tangent(Vec[3]), "dv"))
        assert isinstance(v, DualVec)
        assert len(v) == 3
        assert isinstance(v[0], Dual)
        assert len(v[1:]) == 2
        with pytest.raises(RoseError, match="a vector of Duals is not a number"):
            _ = v + v


def test_tangents_are_found_anywhere():
    with building("f") as b:
        re, du = b.param(Real, "x"), b.param(tangent(Real), "dx")
        assert mentions_tangent([1.0, (re, Dual(re, du))])
        assert not mentions_tangent([1.0, (re, re)])


def test_a_rule_sees_the_fields_of_a_struct():
    @rose.struct
    class Point:
        x: Real
        y: Real

    @rose.fn
    def f(p: Point) -> Real:
        return p.x * p.y

    @f.jvp
    def _(p: Any) -> Any:
        return Dual(p.x.re * p.y.re, 10.0 * p.x.du + p.y.du)

    g = rose.grad(f)(Point(2.0, 3.0))
    assert (g.x, g.y) == (10.0, 1.0)
