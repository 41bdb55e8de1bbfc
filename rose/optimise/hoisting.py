"""Loop-invariant motion: what is the same in each turn of a loop is done once, before it.

Nothing on numbers traps, so it may be done where the loop has no turn; only a division of indices by nothing does.
An element is read early only if it is certain to be there.
"""

from __future__ import annotations

from ..ir import AT, CONST, GET, INDEX, Block, Value
from ..ir.ops import idiv, imod
from ..ir.sizes import Size
from ..ir.types import Ref, Vec


def home(block: Block, v: Value, args: tuple[Value, ...]) -> Block:
    """The outermost block where `v`, asked for in `block`, can be made of `args`."""
    if block.parent is None or not _moves(v, args):
        return block
    while block.parent is not None:
        for a in args:
            if a.block is block:
                return block
        block = block.parent
    return block


def _moves(v: Value, args: tuple[Value, ...]) -> bool:
    if v.op is GET:
        return True
    if v.op is INDEX or v.op is AT:
        t = args[0].type
        t = t.inner if isinstance(t, Ref) else t
        # which has no element, where the size of a call is 0
        return not (len(args) > 1 and args[1].op is CONST and isinstance(t, Vec) and isinstance(t.size, Size))
    if v.op is idiv or v.op is imod:  # by the size of a call, which may be 0
        return not isinstance(args[1].attr, Size)
    return v.op.eval is not None and v.type.scalar
