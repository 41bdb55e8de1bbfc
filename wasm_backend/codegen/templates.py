"""The `wasm` column of the table of operations, encoded: what a row puts around its arguments."""

from __future__ import annotations

from functools import cache

from rose.ir import OPS, Op
from rose.ir.single_ops import TWINS

from ..binary.encoder import OPCODES, instruction


@cache
def template(op: Op) -> tuple[int | bytes | str, ...]:
    """The `wasm` column, encoded: a number is an argument, put on the stack; a name is a function, called."""
    return _encoded(op.wasm)


class Several(str):
    """The name of a function, which is called for several numbers at once."""

    __slots__ = ()


def _encoded(column: str) -> tuple[int | bytes | str, ...]:
    steps: list[int | bytes | str] = []
    for step in column.split(", "):
        word, *rest = step.split()
        shape, _, what = word.partition(".")
        if word == "call":
            steps += rest
        elif word == "twice":
            steps.append(Several(rest[1]))
        elif shape in _COUNTS and what == "const":
            steps.append(instruction("v128.const", *[float(rest[0])] * _COUNTS[shape]))
        elif shape in _COUNTS and what == "copysign":
            steps.append(_all_but_signs(_COUNTS[shape]) + instruction("v128.bitselect"))
        elif shape in _COUNTS and what == "shuffle":
            steps.append(instruction("i8x16.shuffle", *map(int, rest)))
        else:
            steps.append(int(word[1:]) if word[0] == "$" else instruction(word, *[_number(word, x) for x in rest]))
    return tuple(steps)


def _all_but_signs(count: int) -> bytes:
    """The instruction that puts all bits but the signs of so many numbers on the stack."""
    return OPCODES["v128.const"][0] + (b"\xff" * (16 // count - 1) + b"\x7f") * count


def _number(word: str, x: str) -> float:
    return float(x) if word[0] == "f" else int(x)


_COUNTS = {"f64x2": 2, "f32x4": 4}  # the numbers of a vector
# a number that is selected as an integer, for which engines need no branch
BY_DATA = _encoded("$1, i64.reinterpret_f64, $2, i64.reinterpret_f64, $0, select, f64.reinterpret_i64")
ROWS = [*OPS.values(), *TWINS.values()]  # those in single precision, too


def _plain(op: Op) -> bytes:
    return b"".join([x for x in template(op) if isinstance(x, bytes)])


# the rows whose code is that of their arguments, and then these bytes
PLAIN = {op: _plain(op) for op in ROWS if op.wasm and "$" not in op.wasm and not op.library}
