"""Destination-passing style: aggregates are built where they are wanted, so that they are not copied.

An aggregate that becomes a part of another, an element of a loop's vector, the next state of a loop or the
result of its function is built there at once, if it is made in the same block. A call is handed the address for its
result.
"""

from __future__ import annotations

from typing import NamedTuple

from rose.ir import ACCUM, CALL, FOR, FREEZE, GET, PACK, PURE_CALL, TUPLE, Block, Value, is_call
from rose.ir.accumulators import base
from rose.ir.puts import PUT
from rose.ir.reshapes import RESHAPE
from rose.ir.sizes import Size, plus
from rose.ir.types import Ref, Tuple, Type

from ..abi.layout import is_flat, item_leaves, item_offsets, leaf_offsets, leaves
from .liveness import is_alias
from .states_in_place import InPlace, beginnings

Part = tuple[Value, int]  # a leaf of a value
_MADE = {PURE_CALL, CALL, FOR, PACK, TUPLE, PUT, ACCUM}


class Destination(NamedTuple):
    """The location for a part: at `offset` in a leaf of an aggregate, or in a result of a block."""

    whole: Value | Block
    leaf: int
    offset: int | Size
    type: Type  # of the leaf, or of the result


class Destinations:
    """The destination of each part that has one; and the accumulators that are handed to calls: these lie in memory."""

    def __init__(self, body: Block, in_place: InPlace) -> None:
        self.in_place = in_place
        self.of: dict[Part, Destination] = {}
        self.escaping: dict[Value, None] = {}
        self._made: dict[Block, list[Value]] = {}  # the loops and aggregates of each block
        self._find(body)
        self._block(body)

    def _find(self, block: Block) -> None:
        made = self._made[block] = []
        for v in [v for v in block.code if v.op in _MADE]:
            op = v.op
            if op is PURE_CALL or op is CALL:
                self.escaping.update({ref: None for a in v.args if (ref := base(a)).op is ACCUM})
            elif op is FOR:
                made.append(v)
                self._find(v.attr)
            elif op is PACK or op is TUPLE or self.in_place.puts:
                made.append(v)

    def _block(self, block: Block) -> None:
        for j, r in enumerate(block.results):
            for leaf, (t, at) in enumerate(zip(leaves(r.type), leaf_offsets(r.type), strict=True)):
                if not t.scalar:
                    offset = leaf if block.parent is None else at
                    self._want(r, leaf, block, Destination(block, j, offset, r.type))
        for v in reversed(self._made[block]):
            if self.in_place.puts:
                self._take(v)
            if v.op is FOR:
                self._block(v.attr)
            elif v.op in (PACK, TUPLE) and not is_alias(v) and not v.type.empty:
                for x, start in zip(v.args, item_offsets(v), strict=True):
                    for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
                        if not t.scalar:
                            self._want(x, leaf, block, Destination(v, 0, plus(start, at), v.type))

    def _take(self, v: Value) -> None:
        """Let what begins at a vector that is not read any more have it built in its own place."""
        for part, (x, leaf) in beginnings(v):
            if self.in_place.takes(part):
                self._want(x, leaf, v.block, Destination(*part, 0, leaves(x.type)[leaf]))

    def _want(self, x: Value, leaf: int, block: Block, to: Destination) -> None:
        """Let the value that makes a leaf of `x` make it at its destination, if it can."""
        while True:
            if x.op is FREEZE or x.op is RESHAPE:
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
        makes = x.op in (PACK, TUPLE, PUT, FOR) or is_call(x) or (x.op is ACCUM and not self._is_apart(x))
        if x.op is FOR and leaf < sum([len(leaves(a.type)) for a in x.args]):
            # else it moves between two buffers of its own
            makes = self.in_place.puts and self.in_place.stays((x, leaf))
        if makes and x.block is block and (x, leaf) not in self.of and not (is_call(x) and x.attr.is_opaque):
            self.of[(x, leaf)] = to

    def _is_apart(self, ref: Value) -> bool:
        """True for an accumulator of a tuple that lies in memory as a whole, since a call adds to it."""
        assert isinstance(ref.type, Ref)
        return ref in self.escaping and leaves(ref.type.inner) != (ref.type.inner,)
