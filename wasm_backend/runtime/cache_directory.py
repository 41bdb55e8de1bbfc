"""The directory of the code cache: one of our own, private to the user, so that its entries can be trusted.

It stands in the directory that `ROSE_CACHE` names, or in the user's cache directory, among files of the user; a marker
says that it is ours. It is reached by a descriptor, and only regular files with names of ours are opened, counted or
deleted: never what the user keeps in or beside it, and never a pipe, which would block.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

NAME = "rose-machine-code"
MARKER = "CACHEDIR.TAG"  # by which backups leave out caches: https://bford.info/cachedir
_MARK = b"Signature: 8a477f597d28d172789f06886806bc55\n# Machine code, stored by Rose for Python. It may be deleted.\n"
_IN_PAGES = "emscripten", "wasi"  # where nothing stays
ENTRY = re.compile(r"[0-9a-f]{64}|new-[0-9a-f]{16}")  # stored, or being written


class Entry(NamedTuple):
    """A file of the cache: its name, its bytes, and when it was last used."""

    name: str
    size: int
    used: float


def is_off() -> bool:
    """True if nothing is to be found that was made before, in this process or another."""
    return os.environ.get("ROSE_CACHE") == ""


def place() -> Path | None:
    """The path of the directory, which may not exist yet; None if the cache is off."""
    if is_off() or os.name != "posix" or sys.platform in _IN_PAGES:  # elsewhere it is not known who can write
        return None
    chosen = os.environ.get("ROSE_CACHE")
    try:
        return Path(chosen or _users_directory()) / NAME
    except RuntimeError:  # there is no home directory
        return None


def _users_directory() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@contextmanager
def cache_directory() -> Generator[int | None]:
    """A descriptor of the directory, created if need be; None if the cache is off, or the directory is not ours."""
    directory = _opened()
    try:
        yield directory
    finally:
        if directory is not None:
            os.close(directory)


def _opened() -> int | None:
    at = place()
    if at is None:
        return None
    try:
        if not os.path.lexists(at):
            _create(at)
        directory = os.open(at, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    if is_private(os.fstat(directory)) and read(directory, MARKER) == _MARK:
        return directory
    os.close(directory)
    return None


def _create(at: Path) -> None:
    """Create the directory with its marker at once, unless another process is first."""
    at.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = at.with_name(f".{NAME}-{os.urandom(8).hex()}")
    made.mkdir(mode=0o700)
    try:
        (made / MARKER).write_bytes(_MARK)
        made.rename(at)
    except OSError:
        (made / MARKER).unlink(missing_ok=True)
        made.rmdir()


def is_private(found: os.stat_result) -> bool:
    """True if only this user can write to a file or directory."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read(directory: int, name: str) -> bytes | None:
    """The content of a regular file that only this user can write to; None if there is none."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    except OSError:
        return None
    found = os.fstat(file)
    if not (stat.S_ISREG(found.st_mode) and is_private(found)):
        os.close(file)
        return None
    try:
        with os.fdopen(file, "rb") as opened:
            return opened.read()
    except OSError:
        return None


def entries(directory: int) -> list[Entry]:
    """The files of the cache, the least recently used first; no other file is looked at."""
    found: list[Entry] = []
    with os.scandir(directory) as there:
        for file in there:
            if ENTRY.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # another process deletes, too
                    about = file.stat(follow_symlinks=False)
                    found.append(Entry(file.name, about.st_size, about.st_mtime))
    return sorted(found, key=lambda entry: entry.used)
