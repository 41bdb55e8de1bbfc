"""Loop distribution: what of an inner loop depends on its index alone is computed by a loop of its own, before it.

That loop is the same in each iteration of the one around both, so code motion takes it out of there: `x[i] * cos(y[j])`
in a double sum has as many cosines as columns. It is done before derivation, as code motion is: a tape has a vector in
the place of a matrix, and the adjoint of the cosine, too, is computed once for each column. The new loop has the
iterations of the old one, so nothing is computed that was not. Measured: without it, by the costs of what is executed,
the gradient of a kernel that is called in a double sum over 12 and 15 numbers takes 1.5 x as long, and that of a sum
over three indices, in which a sine depends on two and an exponential on one, 9.4 x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir import FOR, INDEX, Builder, Loop, Value, loop_of, span_of
from ..ir.sizes import Size, at_most
from ..ir.types import count_leaves
from . import costs
from .instruments import leaves_out
from .invariants import Invariants
from .rewriter import Rewriter


def distribute(b: Builder, found: Invariants, room: int = costs.DISTRIBUTED_NUMBERS) -> bool:
    """Split loops of a block in place where it pays, and those in them; True if one was split.

    `found` has what is the same in the block, which is to be found again then. It leaves dead code behind.
    """
    split = False
    if leaves_out("distribute"):
        return split
    for loop, inner, left in inner_loops(found, room):
        if distribute(b, inner, left):
            inner, split = inner.again(), True
        items = [v for v in inner.handed_on(costs.DISTRIBUTED_COST) if at_most(count_leaves(v.type), left)]
        if items:
            _split(b, loop, inner, items)
            split = True
        if split:
            found.reads.pop(loop, None)
    return split


def inner_loops(found: Invariants, room: int = costs.DISTRIBUTED_NUMBERS) -> Iterator[tuple[Value, Invariants, int]]:
    """The loops of a block that vary, each with what is the same of it but for its index, and the numbers that there is
    room for in an iteration."""
    varying = {*found.varying, *[v for v in found.block.code if v not in found.cost]}
    for v in [*found.block.code]:
        if v.op is FOR and v not in found.cost and span_of(v) is None and (left := _room(loop_of(v), room)):
            yield v, Invariants(v.attr, varying.union(loop_of(v).states), found.reads, found), left


def _room(block: Loop, room: int) -> int:
    """The numbers that there is room for in an iteration. A size of the call is that of an argument: one has room."""
    n = block.size
    return int(room == costs.DISTRIBUTED_NUMBERS) if isinstance(n, Size) else room // max(n, 1)


def _split(b: Builder, loop: Value, inner: Invariants, items: Sequence[Value]) -> None:
    """Make some of what a loop computes by a loop before it."""
    around, index = loop.block, loop_of(loop).index
    code, at = around.code, [v is loop for v in around.code].index(True)
    outer, b.block, around.code = b.block, around, code[:at]
    with b.nested() as body:
        b.loc = loop.loc
        env = _Outside({index: b.param(index.type)})
        _COPY.write(b, inner.needed(items), env)
        body.results = tuple([env[v] for v in items])
    b.loc = loop.loc
    made = b.close(body, ())[1]
    around.code += code[at:]
    b.block = outer
    for v, vec in zip(items, made, strict=True):
        v.op, v.args, v.attr = INDEX, (vec, index), None
        del inner.reads[v]


class _Copy(Rewriter):
    """A copy as it is: what is simpler by now, or known, may stand after it."""

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.again(v, args)


class _Outside(dict[Value, Value]):
    """Values by those that they are copies of; a value from outside of what is copied stays as it is."""

    def __missing__(self, v: Value) -> Value:
        return v


_COPY = _Copy()
