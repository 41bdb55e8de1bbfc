"""A function of the library as the text of a Python function: structured control flow stays structured.

The memory is the parameter `m`, and locals are `l0`, `l1` and so on. An expression is written where it is used,
unless something that it reads is written before that: then it goes into a variable of its own. A block is
`while True`, left by `break`; a branch to one further out says in `go` which it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .decode import Instruction, decode
from .library import Function, Relocation

Immediate = int | float | Relocation
NAMES = "divide whole root single copysign nan inf".split()  # what the text calls, beside what it loads and stores with


def _of_integers(bits: int) -> dict[str, str]:
    """What an operation on integers of so many bits is in Python; they are not negative, so signed ones are shifted."""
    mask, sign, last = hex(2**bits - 1), hex(2 ** (bits - 1)), bits - 1
    out = {"eqz": "({0} == 0)", "and": "({0} & {1})", "or": "({0} | {1})", "xor": "({0} ^ {1})"}
    out |= {"div_u": "({0} // {1})", "shr_u": f"({{0}} >> ({{1}} & {last}))"}
    out |= {"shl": f"({{0}} << ({{1}} & {last}) & {mask})"}
    out |= {"shr_s": f"(({{0}} ^ {sign}) - {sign} >> ({{1}} & {last}) & {mask})"}
    out |= {"div_s": f"(int(signed({{0}}) / signed({{1}})) & {mask})"}
    for name, operator in {"add": "+", "sub": "-", "mul": "*"}.items():
        out[name] = f"({{0}} {operator} {{1}} & {mask})"
    for name, operator in {"eq": "==", "ne": "!="}.items():
        out[name] = f"({{0}} {operator} {{1}})"
    for name, operator in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        out[f"{name}_u"] = f"({{0}} {operator} {{1}})"
        out[f"{name}_s"] = f"(({{0}} ^ {sign}) {operator} ({{1}} ^ {sign}))"
    return {f"i{bits}.{name}": text for name, text in out.items()}
