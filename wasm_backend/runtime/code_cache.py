"""The code cache: machine code of modules on disk, for the next process that compiles the same module.

An entry is used only if its digest is right, and if nobody else can have written it, since it runs without a check.
(wasmtime has a cache of its own, without digests: of 300 entries in which one bit was changed, it ran 159.)

If `ROSE_CACHE` is empty, the cache is off, and each callable has code of its own.
"""

from __future__ import annotations

import platform
from typing import cast
from weakref import WeakValueDictionary

import wasmtime

from .cache_directory import cache_directory, is_off
from .handles import Engine, MachineCode

WORTH = 2**14  # bytes: a module of this size takes 12 ms to compile; smaller ones are not stored
_here: WeakValueDictionary[tuple[Engine, bytes], MachineCode] = WeakValueDictionary()  # what this process runs


def compiled(engine: Engine, wasm: bytes) -> MachineCode:
    """A module compiled by the engine, or its machine code: that of this process, or from the cache."""
    if is_off():
        return MachineCode(engine, wasm)
    made = _here.get((engine, wasm))
    if made is None:
        made = _here[engine, wasm] = _compiled(engine, wasm)
    return made


def _compiled(engine: Engine, wasm: bytes) -> MachineCode:
    if len(wasm) < WORTH:
        return MachineCode(engine, wasm)
    with cache_directory() as directory:
        if directory is None:
            return MachineCode(engine, wasm)
        return _stored(engine, wasm, directory)


def _stored(engine: Engine, wasm: bytes, directory: int) -> MachineCode:
    from hashlib import sha256
    from importlib.metadata import version  # takes 15 ms

    from .entries import load, store

    name = sha256(f"{version('wasmtime')} {platform.machine()} ".encode() + wasm).hexdigest()
    code = load(directory, name)
    if code is not None:
        try:
            return cast(MachineCode, MachineCode.deserialize(engine, code))
        except wasmtime.WasmtimeError:
            pass  # from an engine with other options, or a processor with other instructions
    module = MachineCode(engine, wasm)
    store(directory, name, bytes(module.serialize()))
    return module
