"""Loops of Python's that trace the same array operations again and again: the user is told, as each is compiled.

`located`, through which array operations go, counts those of each place in the user's code that give one type. What is
at a place more than once is repeated, by a loop or by calls. The counts within a loop are added up, and where they come
to more than `MOST` there is a warning. A loop over `rose.range` is traced once, so it adds nothing.
"""

from __future__ import annotations

import dis
import functools
import math
import warnings
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

from ..errors import Loc, UnrolledLoop, by_library, is_users, users_frame
from ..ir import Builder, Loop, Value
from ..ir.types import Vec
from .eager import Now
from .tracing import recorded

MOST = 1_000  # of a loop: with their gradient, they take seconds to compile
HINT = "write rose.scan(lambda i, x: ..., x, n), or `for i in rose.range(n)` for a sum: its body is traced once"


def counted(b: Builder, loc: Loc, args: Sequence[Any], made: Any) -> None:
    """Count what an operation at `loc` made of its arguments, if it is one on arrays; tell the user if it is too much.

    It takes 1 us, where the smallest operation takes 25.
    """
    if made.__class__ is not Value or not any(
        [x.__class__ is Value and x.type.__class__ is Vec for x in (made, *args)]
    ):
        return
    counts, key = b.repeated, (loc, made.type)
    n = counts[key] = counts.get(key, 0) + 1
    if n == 1:
        if by_library() or isinstance(b, Now):  # their loops are none of the user's; and that one compiles nothing
            counts[key] = -math.inf
    elif n > 1:
        loop = _outermost(loc.code, loc.lasti)
        before = counts.get(loop, 0)
        counts[loop] = before + 1 + (n == 2)  # with the first
        if before <= MOST < counts[loop]:
            _tell(b)


@functools.lru_cache(maxsize=1024)
def _outermost(code: CodeType, at: int) -> tuple[CodeType, int]:
    """The outermost loop that an instruction is in, by where it begins; -1 for what is repeated by calls."""
    return code, min([first for first, _ in _loops(code, at)], default=-1)


def _loops(code: CodeType, at: int) -> list[tuple[int, int]]:
    """The loops that an instruction is in: the first instruction of each, and that of its iterable, or of its test."""
    return [(first, where) for first, last, where in _all_loops(code) if first <= at <= last]


@functools.lru_cache(maxsize=1024)
def _all_loops(code: CodeType) -> list[tuple[int, int, int]]:
    """The loops of code: the first and the last instruction of each, which jumps back, and where it is written."""
    found, text = list[tuple[int, int, int]](), code.co_code
    for x in dis.get_instructions(code):
        if "JUMP_BACKWARD" in x.opname:
            first: int = x.argval
            while text[first] == dis.EXTENDED_ARG:
                first += 2
            found.append((first, x.offset, first if text[first] == dis.opmap["FOR_ITER"] else x.offset))
    return found


def _tell(b: Builder) -> None:
    """Warn of the loop of Python's that the user's code is in, once for a line."""
    loc, frame = _found(b)
    file, line, *_ = loc.position()
    if b.repeated.setdefault((file, line), 0) < 0:
        return
    b.repeated[file, line] = -1
    what = f"a loop of Python's has traced more than {MOST:,} equal array operations, each of which is compiled"
    text = "\n".join([what, f"  at {loc}", *filter(None, [loc.excerpt()]), f"  hint: {HINT}"])
    module, registry = frame.f_globals.get("__name__"), frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, UnrolledLoop, file, line, module, registry)


def _found(b: Builder) -> tuple[Loc, FrameType]:
    """Where the innermost frame that is in a loop of Python's has it; without any, the operation."""
    operation = users_frame()
    ours, block = list[Loc](), b.block
    while block is not None:
        ours += [block.index.loc] if isinstance(block, Loop) else []
        block = block.parent
    at: FrameType | None = operation
    while at is not None and at.f_code is not recorded.__code__:
        code = at.f_code
        around = _loops(code, at.f_lasti) if is_users(code) else []
        if pythons := [k for k in around if not any([x.code is code and x.lasti == k[0] for x in ours])]:
            return Loc(code, min(pythons)[1]), at
        at = at.f_back
    return Loc(operation.f_code, operation.f_lasti), operation
