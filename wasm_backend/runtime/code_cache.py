"""Engine code on disk: what a module was compiled to, for the next process that compiles the same module.

An entry is believed only if its digest holds, and if nobody else can have written it: it runs as it is. (wasmtime has
a cache of its own, which has no digest: of 300 entries in which one bit was changed, it took 159 for other code.)

`ROSE_CACHE` names another directory than the user's; where it is empty, nothing is kept. The functions here never
fail: what cannot be read is compiled, and what cannot be written is not kept.
"""

from __future__ import annotations

import os
import platform
import tempfile
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import wasmtime

from .cache_directory import is_private, kept_in

WORTH = 2**14  # bytes of a module that take 12 ms to compile; those below are compiled each time
MOST = 2**28  # bytes of all entries: the ones that were not used for the longest time go
_DIGEST = sha256().digest_size


def compiled(engine: wasmtime.Engine, wasm: bytes) -> wasmtime.Module:
    """The module, from the cache if it is there."""
    folder = kept_in() if len(wasm) >= WORTH else None
    if folder is None:
        return wasmtime.Module(engine, wasm)
    path = folder / sha256(f"{version('wasmtime')} {platform.machine()} ".encode() + wasm).hexdigest()
    code = _read(path)
    if code is not None:
        try:
            return wasmtime.Module.deserialize(engine, code)
        except wasmtime.WasmtimeError:
            pass  # of an engine with other options, or for a processor that has other instructions
    module = wasmtime.Module(engine, wasm)
    _write(path, bytes(module.serialize()))
    return module


def _digest(path: Path, code: bytes) -> bytes:
    """Of the code, and of the module that it is of."""
    return sha256(path.name.encode() + code).digest()


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            if not is_private(os.fstat(file.fileno())):
                return None
            digest, code = file.read(_DIGEST), file.read()
        if digest != _digest(path, code):
            return None
        os.utime(path)
        return code
    except OSError:
        return None


def _write(path: Path, code: bytes) -> None:
    """All of an entry at once, or nothing."""
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix="new-")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_digest(path, code) + code)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
        _tidy(path.parent)
    except OSError:
        pass


def _tidy(folder: Path) -> None:
    """Leave no more than there may be."""
    found = [(at.stat(), at) for at in folder.iterdir() if at.is_file()]
    total = sum([x.st_size for x, _ in found])
    for x, at in sorted(found, key=lambda entry: entry[0].st_mtime):
        if total <= MOST:
            break
        at.unlink(missing_ok=True)
        total -= x.st_size
