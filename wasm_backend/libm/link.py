"""The linker: adds the mathematical functions that a module calls, their callees and their data, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rose.ir.libm.library import (
    ADDRESS,
    CALL,
    OFFSET,
    STACK_POINTER,
    Function,
    Relocation,
    closure,
    holding,
    library,
)

from ..binary.encoder import I32, V128, Module, signed, unsigned

_HERE = Path(__file__).parent


class Linked:
    """The functions of the library in a module: the index of each, and of its form for two numbers."""

    def __init__(self, module: Module, names: Iterable[str], reserve: Callable[[int, int], int]) -> None:
        self._module, self._twice = module, dict[str, int]()
        self.names = tuple(dict.fromkeys(names))
        needed = closure(self.names)
        self.address = {d.name: reserve(len(d.content), d.align) for d in needed.data}
        for d in needed.data:
            if any(d.content):
                module.data(self.address[d.name], d.content)
        self.index = {f.name: module.reserve(module.type(f.params, f.results), f.name) for f in needed.functions}
        # the stack grows down, from the end of its memory
        stack = module.global_(I32, True, reserve(needed.stack, 16) + needed.stack) if needed.stack else None
        for f in needed.functions:
            module.define(self.index[f.name], body(f, self.index, self.address, stack))

    def twice(self, name: str) -> int:
        """The index of the function for two numbers at once, which is written when it is asked for."""
        if name not in self._twice:
            from .lanes import lanes

            f = holding(name).functions[name]
            k = self._twice[name] = self._module.reserve(
                self._module.type([V128] * len(f.params), [V128]), f"{name} twice"
            )
            self._module.define(k, lanes(f, self))
        return self._twice[name]


def link(module: Module, names: Iterable[str], reserve: Callable[[int, int], int]) -> Linked:
    """Add these functions to a module, each once, with all that they call.

    `reserve(size, align)` returns the address of memory that nothing else writes to, and that is zero outside
    of data segments. Callers may be written before or after.
    """
    return Linked(module, names, reserve)


def body(f: Function, index: Mapping[str, int], address: Mapping[str, int], stack: int | None) -> bytes:
    """The entry of the code section, with every relocation resolved in as few bytes as possible."""

    def fill(r: Relocation) -> bytes:
        if r.kind == CALL:
            return unsigned(index[r.target])
        if r.kind == STACK_POINTER:
            assert stack is not None, f.name
            return unsigned(stack)
        assert r.kind in (OFFSET, ADDRESS), r
        at = address[r.target] + r.addend
        return unsigned(at) if r.kind == OFFSET else signed(at)

    parts, start = list[bytes](), 0
    for r in f.relocations:
        parts += [f.code[start : r.at], fill(r)]
        start = r.at
    code = b"".join([*parts, f.code[start:]])
    return unsigned(len(code)) + code


def notice(names: Iterable[str]) -> bytes:
    """The copyright notices of these functions, which must accompany a module that contains one."""
    installed = _HERE / "NOTICE"
    text = (installed if installed.exists() else _HERE.parents[1] / "NOTICE").read_bytes()
    of_musl = text.partition(b"\n\n\n4. Special functions\n")[0] + b"\n"
    return text if holding(*names) is not library() else of_musl
