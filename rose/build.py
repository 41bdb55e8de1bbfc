"""`rose.compile`: the only door to the back end.

The back end is imported when it is needed: tracing and differentiating need none, compiling to bytes needs
nothing but the standard library, and only running needs wasmtime and NumPy.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import ir, trace
from .errors import TypeMismatch, here
from .optimise import optimise
from .text import show
from .trace import Fn

if TYPE_CHECKING:
    from wasm_backend.abi import Lowered

AnyFn = Fn[..., Any]


def compile(f: AnyFn | Mapping[str, AnyFn], *more: AnyFn) -> Compiled:
    """A WebAssembly module of one or several functions, which can be called, saved and looked at.

    The first function is what a call of the result calls; the others are reached by name. Names are those
    of the functions, or the keys of a mapping: `compile({"value": f, "grad": grad(f)})`.
    """
    named = dict(f) if isinstance(f, Mapping) else dict(_name([f, *more]))
    for name, g in named.items():
        if not isinstance(g, Fn):  # pyright: ignore[reportUnnecessaryIsInstance]
            what = f"rose.compile takes @fn functions, not {ir.shown(g)} (for {name})"
            raise TypeMismatch(what, here(), "mark it with @rose.fn")
    if not named:
        raise TypeMismatch("rose.compile was given no function", here(), "give it at least one")
    return Compiled(named)


def _name(fs: list[AnyFn]) -> Iterator[tuple[str, AnyFn]]:
    taken: dict[str, None] = {}
    for f in fs:
        base = name = getattr(f, "name", repr(f))
        k = 2
        while name in taken:
            name, k = f"{base}_{k}", k + 1
        taken[name] = None
        yield name, f


@contextmanager
def no_collector() -> Iterator[None]:
    """The cyclic collector is off inside: nothing that the compiler makes is garbage before it ends."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def lowered(named: Mapping[str, AnyFn]) -> Lowered:
    """The module of these functions: bytes and signatures. Needs the standard library only."""
    from wasm_backend.lower import lower

    with no_collector():
        for f in named.values():
            if f.captured:
                what = f"{f.name} uses values of the function around it, so it has a meaning only there"
                raise TypeMismatch(what, f.loc, "compile the outer function, or pass the values in as parameters")
        funcs = {name: f.func for name, f in named.items()}
        optimise(funcs.values())
        return lower(funcs)


class Compiled:
    """A compiled module: call it, `save` it, read its `wasm`."""

    def __init__(self, named: Mapping[str, AnyFn]) -> None:
        self._named = dict(named)
        self._main = next(iter(named))
        self._lowered = lowered(named)
        self._running: Any = None
        self.__name__ = self._main
        self.__doc__ = named[self._main].__doc__

    @property
    def wasm(self) -> bytes:
        """The module: the same bytes for the same input, on every machine."""
        return self._lowered.wasm

    def pretty(self) -> str:
        """The IR of all functions, as text."""
        return "\n".join([show(f.func) for f in self._named.values()])


def run(f: AnyFn) -> Any:
    """What a call outside of any trace calls: the function, compiled once."""
    return Compiled({f.name: f})


trace.run.append(run)

__all__ = ["Compiled", "Path", "compile", "lowered"]
