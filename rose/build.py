"""`rose.compile`: the only door to the back end.

The back end is imported when it is needed: tracing and differentiating need none, compiling to bytes needs
nothing but the standard library, and only running needs wasmtime and NumPy.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import ir, trace
from .errors import TypeMismatch, here
from .ir import Func
from .optimise import optimise
from .structs import present
from .text import show
from .trace import Fn
from .types import Tuple, Type, Vec

if TYPE_CHECKING:
    from wasm_backend import run as running
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
    made = lowered(named)
    docs = {name: doc for name, g in named.items() if (doc := inspect.getdoc(g.body))}
    return Compiled(made, next(iter(named)), docs, [g.func for g in named.values()])


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
def no_collector() -> Generator[None]:
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
    """A compiled module: call it, `save` it, read its `wasm`.

    A call takes numbers, lists, NumPy arrays and structs, and gives numbers, NumPy arrays (copies) and the
    user's own struct classes. The other functions of the module are `compiled["name"]` or `compiled.name`.
    It can be called from several threads at once, and pickled: the bytes travel.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")

    def __init__(self, lowered: Lowered, main: str, docs: Mapping[str, str], ir: str | Sequence[Func]) -> None:
        self._lowered, self._docs, self._ir = lowered, docs, ir
        self.__name__ = self.__qualname__ = main
        self.__doc__ = docs.get(main)
        self.__call__: Any = self._first_call  # then the function that runs it, with nothing in between

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        self.__call__ = self.running.__call__
        return self.__call__(*args, **kwargs)

    @property
    def running(self) -> running.Compiled:
        """The module under wasmtime."""
        made = self.__dict__.get("_running")
        if made is None:
            from wasm_backend import run as running

            made = self.__dict__["_running"] = running.Compiled(self._lowered, self.__name__, self.__doc__)
        return made

    @property
    def wasm(self) -> bytes:
        """The module: the same bytes for the same input, on every machine."""
        return self._lowered.wasm

    @property
    def signature(self) -> Any:
        """The parameters and the result, with their types: an `inspect.Signature`."""
        return self.running.signature

    __signature__ = signature

    def call(self, args: Sequence[Any], *, out: Any = None, view: bool = False) -> Any:
        """A call with these arguments, in order; `out` takes the result, `view` gives it without a copy."""
        return self.running.call(args, out=out, view=view)

    def __getitem__(self, name: str) -> Any:
        return self if name == self.__name__ else self.running[name]

    def __getattr__(self, name: str) -> Any:
        if "_lowered" not in self.__dict__ or name not in self._lowered.signatures:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._lowered.signatures]

    def __repr__(self) -> str:
        return f"<compiled {', '.join(self._lowered.signatures)}: {len(self.wasm):,} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.running, self._docs, self.pretty())

    def save(self, out: str | Path, name: str | None = None, *, force: bool = False) -> list[Path]:
        """Write the package for the web into the directory `out`: NAME.wasm, NAME.js, NAME.d.ts, package.json.

        Nothing is written if something goes wrong. `force` replaces what is there.
        """
        from wasm_backend.package import write_package

        return write_package(self._lowered, Path(out), name or self.__name__, self._docs, force=force)

    def pretty(self) -> str:
        """The IR of the functions, as text."""
        return self._ir if isinstance(self._ir, str) else "\n\n".join([show(f) for f in self._ir])

    def disassemble(self) -> str:
        """The instructions of the module, as text."""
        from wasm_backend.disassemble import disassemble

        return disassemble(self.wasm)


def _unpickled(made: running.Compiled, docs: Mapping[str, str], text: str) -> Compiled:
    return Compiled(made.lowered, made.__name__, docs, text)


def run(f: AnyFn) -> Any:
    """What a call outside of any trace calls: the function, compiled once."""
    return compile({f.name: f}).running.__call__


trace.run.append(run)


def presented(x: Any, t: Type) -> Any:
    """Plain numbers as a compiled function gives them: vectors are arrays of NumPy's, where that is, else lists."""
    if not isinstance(t, (Vec, Tuple)):
        return present(x, t)
    try:
        from wasm_backend.memory import copied
    except ImportError:
        return present(x, t)
    return copied(x, t)


trace.presented.append(presented)
