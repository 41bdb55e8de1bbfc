"""States of loops that are added to where they lie: the next state is an accumulator that begins at the state.

A state of memory has two buffers, since an iteration may read it while it builds the next. Where it reads it no more
once the accumulator is open, the sums can be added to the state itself: one row of a matrix that is added to in each
iteration costs a row, and not the matrix. The Cholesky factorisation of `rose.lib` with its gradient takes 2.0 times
as long without, at n = 64.
"""

from __future__ import annotations

from rose.ir import ACCUM, CALL, FOR, FREEZE, GET, PURE_CALL, TUPLE, Block, Value
from rose.ir.accumulators import base
from rose.ir.callgraph import instructions
from rose.ir.types import Ref, Tuple

from ..abi.layout import is_flat, item_leaves, leaves
from .liveness import Lives


def stays(loop: Value, item: int, leaf: int, lives: Lives) -> bool:
    """True if a leaf of a state of a loop can be added to where it lies."""
    block: Block = loop.attr
    made, k = _made(block.results[item], leaf)
    if made.op is not ACCUM or made.block is not block or k != 0 or not isinstance(made.type, Ref):
        return False
    t = made.type.inner
    if leaves(t) != (t,) or t.stacked:
        return False
    state, (begin, k) = block.params[1 + item], _made(made.args[0], 0)
    return begin is state and k == leaf and not _read_after(block, state, leaf, made, lives)


def _made(x: Value, leaf: int) -> tuple[Value, int]:
    """What makes a leaf of a value, and which leaf of that it is."""
    while True:
        if x.op is FREEZE:
            x = base(x.args[0])
        elif x.op is GET and is_flat(x.args[0].type):
            x, leaf = x.args[0], leaf + _part(x).start
        elif x.op is TUPLE and is_flat(x.type):
            for a in x.args:
                if leaf < len(leaves(a.type)):
                    x = a
                    break
                leaf -= len(leaves(a.type))
        else:
            return x, leaf


def _part(v: Value) -> slice:
    """The leaves of its tuple that an item has."""
    t = v.args[0].type
    assert isinstance(t, Tuple)
    return item_leaves(t, v.attr)


def _read_after(block: Block, state: Value, leaf: int, ref: Value, lives: Lives) -> bool:
    """True if a leaf of a state may be read once an accumulator is open: itself, or what may lie in it."""
    inside, opened = {state}, lives.start[ref]
    for v in block.code:
        if v is ref:
            continue
        nested = v.op is FOR and any([a in inside for w in instructions(v.attr) for a in w.args])
        if not nested and not any([a in inside for a in v.args]):
            continue
        if v.op is GET and v.args[0] is state and is_flat(state.type):
            if _part(v).start <= leaf < _part(v).stop:
                inside.add(v)
        elif lives.written(v) > opened or (v.op is FOR and any([a in inside for a in v.args])):
            return True
        elif not v.type.scalar and v.op not in (FOR, CALL, PURE_CALL, ACCUM):
            inside.add(v)
    return any([r in inside for r in block.results])
