"""Loop-invariant code motion: what is the same in each iteration of a loop is computed once, before the loop.

No operation on numbers traps, so it may be done for a loop of no iterations; a division of indices by zero does trap.
An element is read early only if it is certain to be there.
"""

from __future__ import annotations

from ..ir import AT, CONST, GET, INDEX, Block, Value
from ..ir.ops import idiv, imod
from ..ir.sizes import Size
from ..ir.types import Ref, Vec


def outermost(block: Block, v: Value, args: tuple[Value, ...]) -> Block:
    """The outermost block around `block` in which `v`, with the operands `args`, can be computed."""
    if block.parent is None or not moves(v, args):
        return block
    while block.parent is not None:
        for a in args:
            if a.block is block:
                return block
        block = block.parent
    return block


def moves(v: Value, args: tuple[Value, ...]) -> bool:
    """True if it does no harm to compute `v` early, and more than once would be needed."""
    if v.op is GET:
        return True
    if v.op is INDEX or v.op is AT:
        t = args[0].type
        t = t.inner if isinstance(t, Ref) else t
        # a vector has no element where its size, given at a call, is 0
        return not (len(args) > 1 and args[1].op is CONST and isinstance(t, Vec) and isinstance(t.size, Size))
    if v.op is idiv or v.op is imod:  # a size that is given at a call may be 0
        return not isinstance(args[1].attr, Size)
    return v.op.eval is not None and v.type.scalar
