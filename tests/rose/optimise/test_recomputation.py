"""Recomputation: which vectors are stored, and which are computed again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from optimising import fast, func, loops

import rose
import rose.ir.ops
from rose import Vec, ir
from rose.ir import Builder, Value
from rose.ir.ops import sin
from rose.ir.types import Fin

pytestmark = pytest.mark.usefixtures("rolled")


def test_cheap_elements_are_computed_again_and_dear_ones_are_kept():
    def of(item: Callable[[Value], Value]) -> int:
        @func(Vec[4])
        def f(b: Builder, x: Value) -> Value:
            v = b.vec(4, lambda i: item(b.index(x, i)))
            backwards = b.vec(4, lambda i: b.index(v, b.emit(rose.ir.ops.ifrom, (i, b.const(3, Fin(4))))))
            return backwards

        made = fast(f, ((0.5, -1.0, 2.0, 0.25),))
        return len([v for v in loops(made) if not all([r.op is ir.ZERO for r in v.attr.results])])

    assert of(lambda x: x * 3.0) == 1
    assert of(sin) == 2
