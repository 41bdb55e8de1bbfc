"""Which branches of a function ordinary arguments take: what the others lead to is rare.

The functions run in Python as `evaluate.py` runs them, and write down each branch that they take.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from .decode import Instruction
from .evaluate import NAMES, memory
from .library import Function, Library, closure, library
from .translate import Writer, name_of

# Functions whose ordinary arguments go one way, and numbers among which these are, for each argument.
ORDINARY: dict[str, tuple[tuple[float, float], ...]] = {
    "exp": ((-300.0, 300.0),),
    "exp2": ((-300.0, 300.0),),
    "log": ((1.1, 100.0),),
    "log2": ((1.1, 100.0),),
    "log10": ((1.5, 100.0),),
    "pow": ((0.01, 30.0), (-7.0, 7.0)),
}
# Comparisons that are enough in the place of one before a branch. Below 2**-54 in size the ordinary way gives 1, too; a
# number for which the exponential needs no special case is one that passed the branch before it, and "" is no test.
ENOUGH = {
    ("exp", 16): "i32.ge_s",
    ("exp", 135): "",
    ("exp2", 15): "i32.lt_s",
    ("exp2", 134): "",
    ("pow", 368): "i32.lt_s",
    ("pow", 495): "",
}
_POINTS = 200

Seen = Mapping[tuple[str, int], set[int]]  # (a function, the number of a branch in it) -> what has decided it


@cache
def branches(name: str) -> Seen:
    """What ordinary arguments of a function, and of those that it calls, decide at each branch."""
    seen: dict[tuple[str, int], set[int]] = {}

    def saw(function: str, at: int, x: int) -> int:
        seen.setdefault((function, at), set()).add(int(x))
        return x

    address, image = memory()
    names: dict[str, Any] = {**NAMES, "saw": saw}
    for f in closure([name]).functions:
        writer = _Watcher(f, library(), address)
        exec(compile(writer.text(), f"<libm {f.name}>", "exec"), names)
    for k in range(_POINTS):
        at = [7 * k % _POINTS / (_POINTS - 1), k / (_POINTS - 1)][-len(ORDINARY[name]) :]
        names[name_of(name)](bytearray(image), *[a + (b - a) * t for (a, b), t in zip(ORDINARY[name], at, strict=True)])
    return seen


class _Watcher(Writer):
    """Writes a function that says what decides each of its branches."""

    def __init__(self, f: Function, library: Library, address: Mapping[str, int]) -> None:
        super().__init__(f, library, address)
        self.name, self.instructions = f.name, 0

    def write(self, i: Instruction) -> None:
        if i.mnemonic in ("br_if", "br_table") and not self.unreachable:
            (x,) = self.pop(1)
            self.stack.append(self.variable(f"saw({self.name!r}, {self.instructions}, {x.text})"))
        self.instructions += 1
        super().write(i)
