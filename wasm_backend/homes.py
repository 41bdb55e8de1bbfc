"""Where aggregates are built: in the place where they are wanted, so that they are not copied.

An aggregate that becomes a part of another, an element of a loop's vector, the next state of a loop or the
result of its function is built there at once, if it is made in the same block. This is
destination-passing style: a call is handed the address for its result.
"""

from __future__ import annotations

from typing import NamedTuple

from rose.dims import Size, plus, times
from rose.ir import ACCUM, AT, FOR, FREEZE, GET, PACK, TUPLE, Block, Value, is_call
from rose.types import Ref, Tuple, Vec

from .layout import is_flat, item_leaves, leaf_offsets, leaves, offsets, size
from .locals import is_alias

Part = tuple[Value, int]  # a leaf of a value


class Home(NamedTuple):
    """The place for a part: at `offset` in an aggregate, or in a result of a block."""

    whole: Value | Block
    leaf: int
    offset: int | Size


def homes(body: Block) -> dict[Part, Home]:
    """The home of each part that has one."""
    out: dict[Part, Home] = {}
    _block(body, out, escaping(body))
    return out


def _block(block: Block, out: dict[Part, Home], escapes: dict[Value, None]) -> None:
    for j, r in enumerate(block.results):
        for leaf, (t, at) in enumerate(zip(leaves(r.type), leaf_offsets(r.type), strict=True)):
            if not t.scalar:
                offset = leaf if block.parent is None else at
                _want(r, leaf, block, Home(block, j, offset), out, escapes)
    for v in reversed(block.code):
        if v.op is FOR:
            _block(v.attr, out, escapes)
        elif (v.op is PACK or v.op is TUPLE) and not is_alias(v) and not v.type.empty:
            for x, start in zip(v.args, item_offsets(v), strict=True):
                for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
                    if not t.scalar:
                        _want(x, leaf, block, Home(v, 0, plus(start, at)), out, escapes)


def item_offsets(v: Value) -> list[int | Size]:
    """Where each argument of a `pack` or a `tuple` lies."""
    if isinstance(v.type, Vec):
        return [times(k, size(v.type.elem)) for k in range(len(v.args))]
    assert isinstance(v.type, Tuple)
    return list(offsets(v.type))


def _want(x: Value, leaf: int, block: Block, home: Home, out: dict[Part, Home], escapes: dict[Value, None]) -> None:
    """Let the value that makes a leaf of `x` make it at its home, if it can."""
    while True:
        if x.op is FREEZE:
            x = x.args[0]
        elif x.op is TUPLE and is_flat(x.type):
            for a in x.args:
                if leaf < len(leaves(a.type)):
                    x = a
                    break
                leaf -= len(leaves(a.type))
        elif x.op is GET and (is_flat(x.args[0].type) or x.args[0].op is FOR):
            whole = x.args[0]
            assert isinstance(whole.type, Tuple)
            leaf += item_leaves(whole.type, x.attr).start
            x = whole
        else:
            break
    makes = x.op in (PACK, TUPLE, FOR) or is_call(x) or (x.op is ACCUM and not _is_apart(x, escapes))
    if x.op is FOR and leaf < sum([len(leaves(a.type)) for a in x.args]):
        makes = False  # a state moves between two buffers of its own
    if makes and x.block is block and (x, leaf) not in out and not (is_call(x) and x.attr.impl is not None):
        out[(x, leaf)] = home


def _is_apart(ref: Value, escapes: dict[Value, None]) -> bool:
    """True for an accumulator of a tuple that lies in memory as a whole, since a call adds to it."""
    assert isinstance(ref.type, Ref)
    return ref in escapes and leaves(ref.type.inner) != (ref.type.inner,)


def escaping(block: Block) -> dict[Value, None]:
    """The accumulators that are handed to calls: these lie in memory."""
    out: dict[Value, None] = {}
    for v in block.code:
        if v.op is FOR:
            out.update(escaping(v.attr))
        elif is_call(v):
            for a in v.args:
                while a.op is AT:
                    a = a.args[0]
                if a.op is ACCUM:
                    out[a] = None
    return out
