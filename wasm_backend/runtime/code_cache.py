"""The code cache: machine code of modules on disk, for the next process that compiles the same module.

An entry is used only if its digest is right, and if nobody else can have written it, since it runs without a check.
(wasmtime has a cache of its own, without digests: of 300 entries in which one bit was changed, it ran 159.)

`ROSE_CACHE` names another directory than the user's; if it is empty, the cache is off. Errors of the file system are
never raised: an entry that cannot be read is compiled again, and one that cannot be written is not stored.
"""

from __future__ import annotations

import os
import platform
import tempfile
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import wasmtime

from .cache_directory import cache_directory, is_private

WORTH = 2**14  # bytes: a module of this size takes 12 ms to compile; smaller ones are not stored
MOST = 2**28  # bytes of all entries: the least recently used ones are deleted
_DIGEST = sha256().digest_size


def compiled(engine: wasmtime.Engine, wasm: bytes) -> wasmtime.Module:
    """A module compiled by the engine, or its machine code from the cache."""
    directory = cache_directory() if len(wasm) >= WORTH else None
    if directory is None:
        return wasmtime.Module(engine, wasm)
    path = directory / sha256(f"{version('wasmtime')} {platform.machine()} ".encode() + wasm).hexdigest()
    code = _read(path)
    if code is not None:
        try:
            return wasmtime.Module.deserialize(engine, code)
        except wasmtime.WasmtimeError:
            pass  # from an engine with other options, or a processor with other instructions
    module = wasmtime.Module(engine, wasm)
    _write(path, bytes(module.serialize()))
    return module


def _digest(path: Path, code: bytes) -> bytes:
    """The digest of an entry: of its machine code, and of the hash of its module."""
    return sha256(path.name.encode() + code).digest()


def _read(path: Path) -> bytes | None:
    """The machine code of an entry; None if there is none that can be trusted."""
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
    """Store an entry atomically, if possible."""
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix="new-")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_digest(path, code) + code)
            os.replace(name, path)
        except OSError:
            os.unlink(name)
        _evict(path.parent)
    except OSError:
        pass


def _evict(directory: Path) -> None:
    """Delete the least recently used entries until at most `MOST` bytes are left."""
    entries = [(path.stat(), path) for path in directory.iterdir() if path.is_file()]
    total = sum([found.st_size for found, _ in entries])
    for found, path in sorted(entries, key=lambda entry: entry[0].st_mtime):
        if total <= MOST:
            break
        path.unlink(missing_ok=True)
        total -= found.st_size
