"""What a function costs: the operations that the interpreter does for it, and the numbers that it moves.

An aggregate counts by its size wherever the compiled module clears, copies or adds it. What the module finds by an
address alone costs nothing: a row of a matrix, a tuple, an aggregate that is built where it is wanted
(`wasm_backend/codegen/destinations.py`). A put costs the element, where the vector is changed where it lies, and the
next state of a loop that is made by puts costs nothing then (`wasm_backend/codegen/states_in_place.py`). A number that
is read from memory, or written to it, is one operation.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rose.host.interpreter import Watch, run
from rose.ir import ACCUM, ADD_TO, FOR, FREEZE, GET, INDEX, PACK, TUPLE, Block, Func, Value, is_call
from rose.ir.puts import PUT
from rose.ir.stacks import JOIN, PUSH
from rose.ir.types import Ref, Tuple, Type, Vec
from wasm_backend.abi.layout import is_flat, leaves
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.states_in_place import InPlace, beginnings

# What a gamma function counts: its derivative, `digamma`, is written out, in some 90 operations.
HEAVY = {"gamma": 40, "lgamma": 40}


class Cost(Watch):
    """Counts."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.of: dict[Block, int] = {}
        self.found: dict[Block, InPlace] = {}

    def ran(self, block: Block) -> None:
        if block not in self.of:
            self.of[block] = once(block, self.in_place(block))
        self.count += self.of[block]

    def in_place(self, block: Block) -> InPlace:
        """What is changed where it lies in the function of a block."""
        while block.parent is not None:
            block = block.parent
        if block not in self.found:
            self.found[block] = InPlace(block, Lives(Func("", block, block.results[0].type, pure=True)))
        return self.found[block]


def cost(f: Func, *args: Any) -> int:
    """What a function costs at a point. An accumulator among its parameters begins at zero."""
    watch = Cost()
    run(f, *args, watch=watch)
    return watch.count


def once(block: Block, found: InPlace) -> int:
    """The cost of one run of a block, without the loops and calls in it."""
    begun = sum([begin(part, at, found) for v in block.code for part, at in beginnings(v)]) if found.puts else 0
    return (
        begun + sum([instruction(v, found) for v in block.code]) + sum([moved(r, block) for r in wanted(block, found)])
    )


def begin(part: tuple[Value, int], at: tuple[Value, int], found: InPlace) -> int:
    """The numbers that are copied since something begins at a vector; a state with two buffers lies where it begins."""
    if found.takes(part) or (part[0].op is FOR and not found.stays(part)):
        return 0
    return numbers(leaves(at[0].type)[at[1]])


def wanted(block: Block, found: InPlace) -> list[Value]:
    """The results of a block that are read: of what a loop makes, the states, and the vectors that have a name."""
    if block.parent is None:
        return [r for r in block.results if not r.type.scalar]
    (loop,) = [v for v in block.parent.code if v.attr is block]
    read = {v.attr for v in block.parent.code if v.op is GET and v.args[0] is loop}
    starts = [sum([len(leaves(a.type)) for a in loop.args[:j]]) for j in range(len(loop.args))]
    stay = {j for j, a in enumerate(loop.args) if leaves(a.type) == (a.type,) and found.stays((loop, starts[j]))}
    moves = [r for j, r in enumerate(block.results) if j < len(loop.args) or j in read]
    return [r for j, r in enumerate(moves) if not found.puts or j not in stay]


def instruction(v: Value, found: InPlace) -> int:
    op = v.op
    if op.eval is not None:
        return HEAVY.get(op.name, 1)
    if op is INDEX:
        return int(v.type.scalar)
    if op is PUT:
        return numbers(v.args[-1].type)
    if op is ACCUM and found.puts and beginnings(v):
        return 0  # it is counted where it begins
    if op is ACCUM or op is PUSH or op is JOIN:
        return numbers(v.args[-1].type)
    if op is ADD_TO:
        return numbers(v.args[1].type)
    if op is PACK or (op is TUPLE and not is_flat(v.type)):
        return sum([moved(x, v.block) for x in v.args])
    return 0


def moved(x: Value, block: Block) -> int:
    """The numbers that are copied to put `x` elsewhere: none of what is made there at once."""
    n = numbers(x.type)
    while x.op is FREEZE or (x.op is GET and is_apart(x)):
        x = x.args[0]
    if x.op is TUPLE and is_flat(x.type):
        return sum([moved(a, block) for a in x.args])
    return 0 if x.block is block and (x.op in (FOR, PACK, TUPLE, PUT, ACCUM) or is_call(x)) else n


def is_apart(item: Value) -> bool:
    """True for an item that is made where it is wanted, and not in a tuple: the states of a loop are elsewhere."""
    whole = item.args[0]
    return item.attr >= len(whole.args) if whole.op is FOR else is_flat(whole.type)


@cache
def numbers(t: Type) -> int:
    """The numbers of a `t`, of which a stack is one."""
    if isinstance(t, Ref):
        return 0
    if isinstance(t, Tuple):
        return sum(map(numbers, t.items))
    return t.size * numbers(t.elem) if isinstance(t, Vec) else int(not t.empty)
