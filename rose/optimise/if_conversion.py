"""If-conversion: of a branch between two short functions both are evaluated, and a `select` takes one of the results.

A branch costs calls, whose arguments go through memory, and a processor mispredicts which way it goes. Both sides must
be pure and cheap. Measured: a sum with a condition in it executes 2.36 x as many instructions without it.
"""

from __future__ import annotations

from ..ir import FOR, PACK, Block, Branch, Builder, Func, Value, is_call
from ..ir.ops import select
from ..ir.sizes import Size
from ..ir.types import Fin, Ref, Tuple, Vec
from .parts import parts

CHEAP = 30  # instructions of one side, with those of all iterations of its loops


MOST = 6  # numbers of the result: an engine branches once for each that it selects
_HALVES = ("fwd", "bwd", "lin")  # whose results are tapes, of which nothing is left when the halves are joined
FEW = 8  # elements of a vector that are selected one by one, if they are numbers that are not in memory


def is_cheap(f: Func) -> bool:
    """True for a branch to two short functions, and of which nothing but the result shows which was taken."""
    if not isinstance(f.kind, Branch) or not f.pure or f.result.stacked:
        return False
    if f.origin is not None and f.origin.by == "library":
        return False  # one side of it is rare
    if any([isinstance(p.type, Ref) or p.type.stacked for p in f.params]):
        return False
    if len(parts(f.result)) > MOST and not any([g.origin and g.origin.by in _HALVES for g in f.history]):
        return False
    return all([g.has_body and steps(g.body) <= CHEAP for g in (f.kind.then, f.kind.otherwise)])


def chosen(b: Builder, c: Value, x: Value, y: Value) -> Value:
    """The `select` of `x` or `y`; of tuples, item by item."""
    if x is y or x.type.empty:
        return x
    if isinstance(x.type, Tuple):
        return b.tuple([chosen(b, c, b.get(x, k), b.get(y, k)) for k in range(len(x.type.items))], x.type)
    if isinstance(x.type, Vec) and not isinstance(x.type.size, Size) and x.type.size <= FEW and PACK in (x.op, y.op):
        return b.pack([chosen(b, c, b.index(x, k), b.index(y, k)) for k in range(x.type.size)], x.type)
    return b.emit(select, (c, x, y))


def steps(block: Block) -> int:
    """The number of instructions that a block executes; more than `CHEAP`, if some are calls."""
    total = 0
    for v in block.code:
        if v.op is FOR:
            n = v.attr.params[0].type
            assert isinstance(n, Fin)
            total += CHEAP + 1 if isinstance(n.size, Size) else n.size * steps(v.attr)
        elif is_call(v) or v.op.library:
            return CHEAP + 1
        else:
            total += 1
        if total > CHEAP:
            break
    return total
