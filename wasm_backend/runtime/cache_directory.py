"""The cache directory of machine code: private to the user, so that its entries can be trusted."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def cache_directory() -> Path | None:
    """The cache directory, created if need be; None if the cache is off, or no private directory can be had."""
    chosen = os.environ.get("ROSE_CACHE")
    if chosen == "" or os.name != "posix":  # elsewhere it is not known who can write
        return None
    try:
        directory = Path(chosen) if chosen else _users_directory()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return directory if is_private(directory.stat()) else None
    except (OSError, RuntimeError):  # there may be no home directory
        return None


def _users_directory() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rose"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rose"


def is_private(found: os.stat_result) -> bool:
    """True if only this user can write to a file or directory."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
