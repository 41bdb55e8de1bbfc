"""Entries of the cache: bytes by a key, read only if they are what was written, by this user.

The name of an entry is a digest of what it was made of, and its content begins with a digest of that name and of the
rest. Errors of the file system are never raised: an entry that cannot be read is made again, and one that cannot be
written is not stored. An entry is written beside the others, and then takes its name at once, so no process sees half
of one, and of two that write the same one the last wins.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import sha256

from .cache_directory import entries, read

CACHE_BYTES = 2**28  # bytes of all entries: the least recently used ones are deleted,
MOST = 10_000  # and those that are more than so many: to look at all of these takes 30 ms,
_LARGE = 2**14  # so it is done after an entry of so many bytes, and after one in 16 of the others
ABANDONED = 3600  # seconds after which an entry that is still being written is one of a process that was killed
_DIGEST = sha256().digest_size


def _digest(name: str, content: bytes) -> bytes:
    """The digest of an entry: of its name and its content."""
    return sha256(name.encode() + content).digest()


def load(directory: int, name: str) -> bytes | None:
    """The content of an entry; None if there is none that can be trusted."""
    content = read(directory, name)
    if content is None or content[:_DIGEST] != _digest(name, content[_DIGEST:]):
        return None
    try:
        os.utime(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        pass  # it only seems to be used less recently
    return content[_DIGEST:]


def store(directory: int, name: str, content: bytes) -> None:
    """Store an entry atomically, if possible."""
    if len(content) > CACHE_BYTES:
        return
    new = f"new-{os.urandom(8).hex()}"
    try:
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=directory)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(_digest(name, content) + content)
            os.replace(new, name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            os.unlink(new, dir_fd=directory)
            raise
        if len(content) >= _LARGE or name.startswith("0"):
            _evict(directory)
    except OSError:
        pass


def _evict(directory: int) -> None:
    """Delete the least recently used entries until few enough are left, and what was never finished."""
    there = entries(directory)
    total = sum([entry.size for entry in there])
    for left, (name, size, used) in zip(range(len(there), 0, -1), there, strict=True):
        if total > CACHE_BYTES or left > MOST or (name.startswith("new-") and used < time.time() - ABANDONED):
            with suppress(FileNotFoundError):  # another process deletes, too
                os.unlink(name, dir_fd=directory)
            total -= size
