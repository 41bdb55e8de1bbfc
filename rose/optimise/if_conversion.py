"""If-conversion: of a branch between two short functions both are evaluated, and a `select` takes one of the results.

A branch costs calls, whose arguments go through memory, and a processor mispredicts which way it goes. Both sides must
be pure and cheap.

What a side costs is weighed: four square roots in a row for one number in a hundred took 5.2 x as long by a select, 1.8
where the sides are taken at random, and as long where they are always taken; one division as long in each case. In a
derivative instructions are counted, whatever they cost: there a branch, with its tape, mostly took as long as a select
or longer, up to 2.6 x, and less in two cases, where a select took 1.24 and 1.46 x as long.
"""

from __future__ import annotations

from ..ir import FOR, PACK, Block, Branch, Builder, Func, Value, is_call, loop_of
from ..ir.ops import select
from ..ir.sizes import Size
from ..ir.types import Ref, Tuple, Vec
from . import costs
from .parts import parts

_HALVES = ("fwd", "bwd", "lin")  # whose results are tapes, of which nothing is left when the halves are joined
_DERIVATIVES = ("jvp", *_HALVES)


def is_cheap(f: Func) -> bool:
    """True for a branch to two short functions, and of which nothing but the result shows which was taken."""
    if not isinstance(f.kind, Branch) or not f.pure or f.result.stacked:
        return False
    if f.origin is not None and f.origin.by == "library":
        return False  # one side of it is rare
    if any([isinstance(p.type, Ref) or p.type.stacked for p in f.params]):
        return False
    derived = {g.origin.by for g in f.history if g.origin is not None}
    if len(parts(f.result)) > costs.SELECTED_NUMBERS and derived.isdisjoint(_HALVES):
        return False
    counted = not derived.isdisjoint(_DERIVATIVES)
    return all([g.has_body and steps(g.body, counted) <= costs.SELECTED_COST for g in (f.kind.then, f.kind.otherwise)])


def chosen(b: Builder, c: Value, x: Value, y: Value) -> Value:
    """The `select` of `x` or `y`; of tuples, item by item."""
    if x is y or x.type.empty:
        return x
    if isinstance(x.type, Tuple):
        return b.tuple([chosen(b, c, b.get(x, k), b.get(y, k)) for k in range(len(x.type.items))], x.type)
    if isinstance(x.type, Vec) and PACK in (x.op, y.op):
        n = x.type.size
        if not isinstance(n, Size) and n <= costs.SELECTED_ELEMENTS:
            return b.pack([chosen(b, c, b.index(x, k), b.index(y, k)) for k in range(n)], x.type)
    return b.emit(select, (c, x, y))


def steps(block: Block, counted: bool = False) -> int:
    """What a block costs, or how many instructions it executes; more than `SELECTED_COST`, if some are calls."""
    total = 0
    for v in block.code:
        if v.op is FOR:
            n = loop_of(v).indices
            total += costs.SELECTED_COST + 1 if isinstance(n.size, Size) else n.size * steps(v.attr, counted)
        elif is_call(v) or v.op.library:
            return costs.SELECTED_COST + 1
        else:
            total += 1 if counted else max(1, v.op.cost)
        if total > costs.SELECTED_COST:
            break
    return total
