"""The code cache: machine code of modules on disk, for the next process that compiles the same module.

An entry is used only if its digest is right, and if nobody else can have written it, since it runs without a check.
(wasmtime has a cache of its own, without digests: of 300 entries in which one bit was changed, it ran 159.)

If `ROSE_CACHE` is empty, the cache is off. Errors of the file system are never raised: an entry that
cannot be read is compiled again, and one that cannot be written is not stored.
"""

from __future__ import annotations

import os
import platform
import time
from contextlib import suppress
from typing import cast

import wasmtime

from .cache_directory import cache_directory, entries, read
from .handles import Engine, MachineCode

WORTH = 2**14  # bytes: a module of this size takes 12 ms to compile; smaller ones are not stored
CACHE_BYTES = 2**28  # bytes of all entries: the least recently used ones are deleted
ABANDONED = 3600  # seconds after which an entry that is still being written is one of a process that was killed
_DIGEST = 32  # bytes of a digest


def compiled(engine: Engine, wasm: bytes) -> MachineCode:
    """A module compiled by the engine, or its machine code from the cache."""
    if len(wasm) < WORTH:
        return MachineCode(engine, wasm)
    with cache_directory() as directory:
        if directory is None:
            return MachineCode(engine, wasm)
        return _stored(engine, wasm, directory)


def _stored(engine: Engine, wasm: bytes, directory: int) -> MachineCode:
    from hashlib import sha256
    from importlib.metadata import version  # takes 15 ms

    name = sha256(f"{version('wasmtime')} {platform.machine()} ".encode() + wasm).hexdigest()
    code = _read(directory, name)
    if code is not None:
        try:
            return cast(MachineCode, MachineCode.deserialize(engine, code))
        except wasmtime.WasmtimeError:
            pass  # from an engine with other options, or a processor with other instructions
    module = MachineCode(engine, wasm)
    _write(directory, name, bytes(module.serialize()))
    return module


def _digest(name: str, code: bytes) -> bytes:
    """The digest of an entry: of its machine code, and of the hash of its module."""
    from hashlib import sha256

    return sha256(name.encode() + code).digest()


def _read(directory: int, name: str) -> bytes | None:
    """The machine code of an entry; None if there is none that can be trusted."""
    content = read(directory, name)
    if content is None or content[:_DIGEST] != _digest(name, content[_DIGEST:]):
        return None
    try:
        os.utime(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        pass  # it only seems to be used less recently
    return content[_DIGEST:]


def _write(directory: int, name: str, code: bytes) -> None:
    """Store an entry atomically, if possible."""
    if len(code) > CACHE_BYTES:
        return
    new = f"new-{os.urandom(8).hex()}"
    try:
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=directory)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(_digest(name, code) + code)
            os.replace(new, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            os.unlink(new, dir_fd=directory)
            raise
        _evict(directory)
    except OSError:
        pass


def _evict(directory: int) -> None:
    """Delete the least recently used entries until at most `CACHE_BYTES` are left, and what was never finished."""
    there = entries(directory)
    total = sum([entry.size for entry in there])
    for name, size, used in there:
        if total > CACHE_BYTES or (name.startswith("new-") and used < time.time() - ABANDONED):
            with suppress(FileNotFoundError):  # another process deletes, too
                os.unlink(name, dir_fd=directory)
            total -= size
