"""Jacobians of short functions, without what is known to be zero.

Forward mode makes no code for a tangent that is known to be zero (see `jvp.py`). So a function that is written out,
with no loop and no call left in it, is differentiated along each unit vector, with zeros that are known: each number of
the result has code for what it depends on, and primals are shared by all columns. Where the Jacobian turns out to be
full, this would only be longer code than one linear map applied to each unit vector: then there is nothing to give.
"""

from __future__ import annotations

from .. import ir
from ..autodiff.erase_tangents import untype
from ..autodiff.jvp import Env, block_of_pairs
from ..ir import ACCUM, CALL, FOR, PURE_CALL, Func
from ..ir.callgraph import callees_first, done, length, operations
from ..ir.sizes import Size
from ..ir.types import Real, Tan, Vec, tangent
from ..optimise import costs
from ..optimise.dead_code import remove_dead_code
from ..optimise.pipeline import write_out

_NOT_STRAIGHT = {FOR, ACCUM, CALL, PURE_CALL}


def sparse_columns(f: Func, k: int) -> Func | None:
    """The columns of the Jacobian of `f` in its parameter `k`, a vector: of the parameters of `f`, and 1.

    None, if it is not in a vector of few numbers, or would not be short.
    """
    t = f.params[k].type
    if (
        not isinstance(t, Vec)
        or t.elem is not Real
        or isinstance(t.size, Size)
        or not 1 < t.size <= costs.WRITTEN_OUT_COLUMNS
    ):
        return None
    if (sparse_columns, k) not in f.memo:
        f.memo[sparse_columns, k] = _columns(f, k, t)
    return f.memo[sparse_columns, k]


def _columns(f: Func, k: int, t: Vec) -> Func | None:
    short = _written_out(f)
    if short is None:
        return None
    with ir.building(f"{f.name}.columns") as b:
        xs = [b.param(p.type, p.attr) for p in short.params]
        one, zero = b.param(Tan, "one"), b.zero(Tan)
        columns: list[ir.Value] = []
        for j in range(t.size):
            env = Env()
            env.update({p: (x, None) for p, x in zip(short.params, xs, strict=True)})
            unit = b.pack([one if i == j else zero for i in range(t.size)], Vec(t.size, Tan))
            env[short.params[k]] = xs[k], unit
            ((_, dy),) = done(block_of_pairs(b, short.body, env))
            columns.append(b.zero(tangent(f.result)) if dy is None else dy)
        made = remove_dead_code(b.func(b.pack(columns, Vec(t.size, tangent(f.result)))))
    full = (t.size + 1) * length(short)
    return untype(made) if length(made) < costs.WRITTEN_OUT_SHARE * full else None


def _written_out(f: Func) -> Func | None:
    """`f` with neither loops nor calls nor accumulators, if that is short."""
    program: set[Func] = set()
    for g in callees_first(f, lambda g: g not in program):
        if g.has_rule or g.remat or not g.has_body:
            return None
        program.add(g)
    if sum([length(g) for g in program]) > 4 * costs.WRITTEN_OUT_INSTRUCTIONS:
        return None
    short = write_out(f)
    if not operations(short).isdisjoint(_NOT_STRAIGHT):
        return None
    return short if length(short) <= costs.WRITTEN_OUT_INSTRUCTIONS else None
