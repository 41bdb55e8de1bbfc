"""The content of `libm.bin`, and of `special.bin`: functions cut where a number is missing, and their data.

A program without special functions reads the first file alone. The functions of the second call those of the first.

The file is the size of its header (a u32), the header (JSON), and bytes that the header refers to. A
relocation is a hole: at that place in the code, the number that it stands for is to be written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

FILE = os.path.join(os.path.dirname(__file__), "libm.bin")
SPECIAL_FILE = os.path.join(os.path.dirname(__file__), "special.bin")
STACK = 1024  # bytes of scratch memory; the most that any function needs is 624, which `build` sees
SPECIAL_STACK = 8192  # those of special functions; the most is 4,576, which `build_special` sees
SPECIAL = "special_"  # what the names of special functions begin with
DOUBLE = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "pow", "cbrt", "hypot", "erf", "erfc", "tgamma", "lgamma",
    "fmod",
)  # fmt: skip
SINGLE = tuple([name + "f" for name in DOUBLE])

# what a relocation stands for
CALL = "call"  # the index of a function
OFFSET = "offset"  # the address of data, in a load or store
ADDRESS = "address"  # the address of data, as an i32.const
STACK_POINTER = "stack"  # the index of the global that says how far the stack has grown down


class Relocation(NamedTuple):
    """A hole in the code of a function, and what it stands for: a target, and a number to be added."""

    at: int
    kind: str
    target: str
    addend: int


class Function(NamedTuple):
    """The types of a function, as bytes of WebAssembly, and its code: its locals, and instructions with holes."""

    name: str
    params: tuple[int, ...]
    results: tuple[int, ...]
    code: bytes
    relocations: tuple[Relocation, ...]


class Data(NamedTuple):
    """Bytes that lie in memory."""

    name: str
    align: int
    content: bytes


class Closure(NamedTuple):
    """Some functions with all that they call, the data that these read, and the bytes of stack, 0 if none uses it."""

    functions: tuple[Function, ...]
    data: tuple[Data, ...]
    stack: int


class Library(NamedTuple):
    """The functions by name, data by name, and what each opcode is: its mnemonic, how many integers follow it."""

    made_from: dict[str, str]
    opcodes: dict[int, tuple[str, int]]
    functions: dict[str, Function]
    data: dict[str, Data]


@cache
def library() -> Library:
    """The content of the file of musl's functions."""
    with open(FILE, "rb") as file:
        return unpack(file.read())


@cache
def both() -> Library:
    """The special functions, after those of musl."""
    with open(SPECIAL_FILE, "rb") as file:
        first, second = library(), unpack(file.read())
    return Library(
        second.made_from,
        first.opcodes | second.opcodes,
        first.functions | second.functions,
        first.data | second.data,
    )


def holding(*names: str) -> Library:
    """The library that has these functions: the smaller one, if it has all."""
    return both() if any([name.startswith(SPECIAL) for name in names]) else library()


def closure(names: Iterable[str], known: Library | None = None) -> Closure:
    """These functions, and all that they need, in an order that depends on nothing else."""
    names = list(names)
    known = known or holding(*names)
    functions, data, stack = dict[str, Function](), dict[str, Data](), False
    todo = list(reversed(names))
    while todo:
        name = todo.pop()
        if name in functions:
            continue
        f = functions[name] = known.functions[name]
        todo.extend([r.target for r in reversed(f.relocations) if r.kind == CALL])
        stack = stack or any([r.kind == STACK_POINTER for r in f.relocations])
        data.update([(r.target, known.data[r.target]) for r in f.relocations if r.kind in (OFFSET, ADDRESS)])
    size = SPECIAL_STACK if any([name.startswith(SPECIAL) for name in names]) else STACK
    return Closure(tuple(functions.values()), tuple(data.values()), size if stack else 0)


def pack(library: Library) -> bytes:
    """The file that holds a library."""
    import json

    content = bytearray()

    def place(raw: bytes) -> list[int]:
        content.extend(raw)
        return [len(content) - len(raw), len(raw)]

    header: dict[str, Any] = {
        "made_from": library.made_from,
        "opcodes": [[code, *row] for code, row in library.opcodes.items()],
        "functions": [[f.name, f.params, f.results, *place(f.code), f.relocations] for f in library.functions.values()],
        "data": [[d.name, d.align, *place(d.content)] for d in library.data.values()],
    }
    raw = json.dumps(header, separators=(",", ":")).encode()
    return len(raw).to_bytes(4, "little") + raw + content


def unpack(raw: bytes) -> Library:
    """The library that a file holds."""
    import json

    start = 4 + int.from_bytes(raw[:4], "little")
    header, content = json.loads(raw[4:start]), raw[start:]
    functions = [
        Function(name, tuple(params), tuple(results), content[at : at + n], tuple([Relocation(*r) for r in holes]))
        for name, params, results, at, n, holes in header["functions"]
    ]
    data = [Data(name, align, content[at : at + n]) for name, align, at, n in header["data"]]
    return Library(
        header["made_from"],
        {code: (mnemonic, integers) for code, mnemonic, integers in header["opcodes"]},
        {f.name: f for f in functions},
        {d.name: d for d in data},
    )
