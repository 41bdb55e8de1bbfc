"""Views of instructions: their parts by name, where a walk would count arguments and results."""

from __future__ import annotations

from collections.abc import Iterator

from .builder import FOR, GET, PARAM
from .func import Block, Func, Loop
from .types import Span
from .value import Value


def loop_of(v: Value) -> Loop:
    """The block of a `for`."""
    return v.attr


def span_of(loop: Value) -> Value | None:
    """The span of a loop of dependent length: its first state. A loop without has an iteration for every index."""
    return loop.args[0] if loop.args and isinstance(loop.args[0].type, Span) else None


def callee(call: Value) -> Func:
    """The function that a call calls."""
    return call.attr


def is_index(v: Value) -> bool:
    """True for the index of a loop, in an iteration of it."""
    return v.op is PARAM and isinstance(v.block, Loop) and v is v.block.index


def loops_around(block: Block, outside: Block) -> Iterator[Loop]:
    """The loops around what is in a block, the innermost first, as far as they are in `outside`."""
    while block is not outside:
        assert isinstance(block, Loop) and block.parent is not None
        yield block
        block = block.parent


def element_of(vector: Value) -> Value | None:
    """The element that each iteration of a loop adds to a vector; None of one that no loop makes."""
    if vector.op is not GET or vector.args[0].op is not FOR:
        return None
    k: int = vector.attr
    loop = vector.args[0]
    return None if k < len(loop.args) else loop_of(loop).results[k]
