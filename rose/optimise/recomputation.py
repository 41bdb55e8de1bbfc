"""Recomputation: vectors that are cheap to compute again are not stored, but recomputed where an element is read.

A loop of the forward half leaves a vector of residuals for one of the backward half. Where an element of it is one of a
parameter's, or takes an operation or two, the same operations on the same numbers compute it once more. A vector of
tuples becomes a vector for each item, so that only those are stored which are worth it.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir import GET, INDEX, TUPLE, Block, Builder, Value, element_of, loop_of
from ..ir.columns import is_simple
from ..ir.types import Vec, items_of, tuple_of
from . import costs


class LoopResult(NamedTuple):
    """A vector as result `k` of a loop; `indices` is, for each loop around it, the iteration that it is of."""

    loop: Value
    k: int
    indices: dict[Value, Value]


def element(b: Builder, vec: Value, i: Value) -> Value:
    """Element `i` of `vec`, recomputed if that is cheap."""
    of = _made_by_loop(vec)
    if of is None or loop_of(of.loop).indices is not i.type:
        return b.index(vec, i)
    block = loop_of(of.loop)
    return _again(b, vec, i, of, block.results[of.k])


def _made_by_loop(vec: Value) -> LoopResult | None:
    """The loop that made a vector; also of one that is an element of another loop's."""
    if element_of(vec) is not None:
        return LoopResult(vec.args[0], vec.attr, {})
    if vec.op is INDEX and (around := _made_by_loop(vec.args[0])) is not None:
        block = loop_of(around.loop)
        inner = _made_by_loop(block.results[around.k])
        if inner is not None and not inner.indices and inner.loop.block is block:
            index, i = block.index, vec.args[1]
            if index.type is i.type:
                return LoopResult(inner.loop, inner.k, {**around.indices, index: i})
    return None


def _again(b: Builder, vec: Value, i: Value, of: LoopResult, r: Value) -> Value:
    block = loop_of(of.loop)
    made = _computed(b, r, {**of.indices, block.index: i})
    if made is not None:
        return made
    if r.op is TUPLE and not of.indices and r.block is block:
        items = [_again(b, vec, i, LoopResult(of.loop, vector_of(of.loop, x), {}), x) for x in r.args]
        return b.tuple(items, r.type)  # pyright: ignore[reportArgumentType]
    whole = vec if not isinstance(vec.type, Vec) or of.indices else _row(b, of)
    return b.index(whole, i)


def _row(b: Builder, of: LoopResult) -> Value:
    """A vector that a loop made, read out where the loop stands: its reader may be in another loop."""
    inner, b.block = b.block, of.loop.block
    row = b.get(of.loop, of.k)
    b.block = inner
    return row


def vector_of(loop: Value, x: Value) -> int:
    """The position among the results of a new loop of the vector of `x`: it is added, if it is not there."""
    block = loop_of(loop)
    for k in range(block.carried, len(block.results)):
        if block.results[k] is x:
            return k
    block.results = (*block.results, x)
    loop.type = tuple_of(*items_of(loop.type), Vec(block.size, x.type))
    return len(block.results) - 1


def _computed(b: Builder, r: Value, indices: dict[Value, Value]) -> Value | None:
    """`r` in one iteration of each loop around it, if it is cheap."""
    blocks = {p.block for p in indices}
    found: dict[Value, None] = {}
    if not _collect(r, blocks, set(indices), found):
        return None
    # where an element is read more often than it was made, computing it must not take longer
    outermost = next(iter(indices)).block.parent
    limit = (
        costs.RECOMPUTED_COST if outermost is not None and _depth(b.block) - _depth(outermost) <= len(indices) else 0
    )
    if sum([v.op.cost for v in found]) > limit:
        return None
    env = dict(indices)
    for v in found:
        args = tuple([env.get(a, a) for a in v.args])
        if v.op is INDEX:
            env[v] = element(b, *args)
        else:
            env[v] = b.get(args[0], v.attr) if v.op is GET else b.emit(v.op, args, v.attr, v.type)
    return env.get(r, r)


def _collect(
    v: Value,
    blocks: set[Block],
    indices: set[Value],
    found: dict[Value, None],
    depth: int = costs.RECOMPUTED_INSTRUCTIONS,
) -> bool:
    """Find the instructions that `v` needs in an iteration, in post-order; False if they are not cheap."""
    if v.block not in blocks or v in indices or v in found:
        return True
    simple = v.op is INDEX or v.op is GET or (is_simple(v.op) and v.type.scalar)
    if not simple or len(found) >= costs.RECOMPUTED_INSTRUCTIONS or not depth:
        return False
    for a in v.args:
        if not _collect(a, blocks, indices, found, depth - 1):
            return False
    found[v] = None
    return True


def _depth(block: Block) -> int:
    n = 0
    while block.parent is not None:
        n, block = n + 1, block.parent
    return n
