"""Compile functions of the IR and run them on plain values, for the tests; also in the interpreter.

It knows nothing of how a user calls a compiled module: a Real is a float, a Bool a bool, an index an int,
a Unit None, and vectors and tuples are tuples, as in the interpreter. `same` compares two of them to the bit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import wasmtime

from rose.host.marshal import answer, plain, present
from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Single, Tan, Tuple, Type, Vec
from wasm_backend.abi.layout import is_aggregate, offsets, size
from wasm_backend.abi.signature import Lowered
from wasm_backend.lower import lower


def _engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.cranelift_opt_level = "none"  # a module of a test runs a few times only
    return wasmtime.Engine(config)


ENGINE = _engine()


class Module:
    """A module in one instance: `module["name"](*args)`."""

    engine = ENGINE

    def __init__(self, funcs: Mapping[str, Func], **options: Any) -> None:
        """With the options of `lower`."""
        self.lowered: Lowered = lower(funcs, **options)
        self.store = self.new_store()
        module = wasmtime.Module(self.engine, self.lowered.wasm)
        types = [i.type for i in module.imports]
        imports = [
            wasmtime.Func(self.store, t, self._host(f))
            for f, t in zip(self.lowered.imports, types, strict=True)
            if isinstance(t, wasmtime.FuncType)
        ]
        self.exports = wasmtime.Instance(self.store, module, imports).exports(self.store)
        memory = self.exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self.memory = memory

    def new_store(self) -> wasmtime.Store:
        return wasmtime.Store(self.engine)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return lambda *args: self.call(name, args)

    def call(self, name: str, args: tuple[Any, ...]) -> Any:
        signature, given = self.lowered.signatures[name], list[Any]()
        for x, slot in zip(args, signature.params, strict=True):
            x = plain(x, slot.type)
            if slot.at is not None:
                self._write(slot.at, x, slot.type)
            elif not slot.type.empty:
                given.append(x)
        export = self.exports[name]
        assert isinstance(export, wasmtime.Func)
        answer, result = export(self.store, *given), signature.result
        return _number(answer, result.type) if result.at is None else self._read(result.at, result.type)

    def _host(self, f: Func) -> Callable[..., Any]:
        """An opaque function as the module calls it: its aggregates are pointers."""

        def call(*given: Any) -> Any:
            words, args = iter(given), list[Any]()
            for p in f.params:
                if p.type.empty:
                    args.append(zero_bytes(p.type))
                elif is_aggregate(p.type):
                    args.append(self._read(next(words), p.type))
                else:
                    args.append(_number(next(words), p.type))
            assert f.impl is not None
            made = answer(f.impl(*[present(x, p.type) for x, p in zip(args, f.params, strict=True)]), f.result, ())
            if not is_aggregate(f.result):
                return None if f.result.empty else made
            if not f.result.empty:
                self._write(next(words), made, f.result)
            return None

        return call

    def _write(self, at: int, x: Any, t: Type) -> None:
        data = bytearray(size(t))
        _pack(data, 0, x, t)
        self.memory.write(self.store, data, at)

    def _read(self, at: int, t: Type) -> Any:
        return _unpack(bytes(self.memory.read(self.store, at, at + size(t))), 0, t)


def compiled(f: Func) -> Callable[..., Any]:
    """`f` as WebAssembly."""
    return Module({"f": f})["f"]


def zero_bytes(t: Type) -> Any:
    """The value of a type whose bytes are all zero."""
    return _unpack(bytes(size(t)), 0, t)


def _number(x: Any, t: Type) -> Any:
    return None if t.empty else bool(x) if t is Bool else x


def _format(t: Type) -> str:
    return "<d" if t is Real or t is Tan else "<f" if t is Single else "<I" if isinstance(t, Fin) else "<?"


def _pack(data: bytearray, at: int, x: Any, t: Type) -> None:
    if t.empty:
        return
    if isinstance(t, Vec):
        for k, y in enumerate(x):
            _pack(data, at + k * size(t.elem), y, t.elem)
    elif isinstance(t, Tuple):
        for y, s, start in zip(x, t.items, offsets(t), strict=True):
            _pack(data, at + start, y, s)
    else:
        struct.pack_into(_format(t), data, at, x)


def _unpack(data: bytes, at: int, t: Type) -> Any:
    if isinstance(t, Vec):
        return tuple([_unpack(data, at + k * size(t.elem), t.elem) for k in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([_unpack(data, at + start, s) for s, start in zip(t.items, offsets(t), strict=True)])
    if t.empty:
        return None
    (x,) = struct.unpack_from(_format(t), data, at)
    assert not isinstance(t, Fin) or x < t.size, f"{x} is no {t!r}"
    assert t is not Bool or data[at] < 2, f"{data[at]} is no Bool"
    return x


# comparison


def bits(x: Any) -> Any:
    """`x` with each float as its bits, so that `==` sees the sign of a zero; every nan is the same one."""
    if isinstance(x, (tuple, list)):
        return tuple([bits(y) for y in x])
    if isinstance(x, float):
        return "nan" if x != x else struct.pack("<d", x).hex()
    return x


def same(x: Any, y: Any) -> bool:
    """True if two plain values agree to the bit."""
    return bits(x) == bits(y)


def reals(x: Any, t: Type) -> Iterator[float]:
    """The Reals in a plain value, in order."""
    if isinstance(t, Vec):
        for y in x:
            yield from reals(y, t.elem)
    elif isinstance(t, Tuple):
        for y, s in zip(x, t.items, strict=True):
            yield from reals(y, s)
    elif t is Real or t is Tan or t is Single:
        yield x
