"""Puts: an element is written into a vector where it lies, or into a copy."""

from __future__ import annotations

from rose.ir import CONST, Value
from rose.ir.sizes import times
from rose.ir.types import as_vec

from ..abi.layout import leaf_offsets, leaves, size
from .expressions import Expressions


def put(expr: Expressions, v: Value) -> None:
    """Write a put: nothing is copied if the vector was built where this one is."""
    frame, c = expr.frame, expr.c
    vec, *path, x = v.args
    to = at = frame.build_at(v, 0, v.type)
    frame.location[v] = (to,)
    expr.store(vec, 0, v.type, to)
    t = v.type
    for k, i in enumerate(path):
        t = as_vec(t).elem
        if i.op is CONST:
            at = at.at(times(i.attr, size(t)))
        elif t.scalar and k == len(path) - 1:
            at = expr.scaled(i, size(t), at)
            expr.push(x)
            c.write(t, at)
            return
        else:
            at = expr.element_at(i, v, size(t), at)
    for leaf, (s, start) in enumerate(zip(leaves(t), leaf_offsets(t), strict=True)):
        expr.store(x, leaf, s, at.at(start))
