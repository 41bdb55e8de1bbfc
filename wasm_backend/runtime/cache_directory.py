"""Where engine code is kept between processes: a directory that nobody else can write to."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def kept_in() -> Path | None:
    """The directory of the entries, which is made if need be; None if nothing is to be kept, or cannot be."""
    given = os.environ.get("ROSE_CACHE")
    if given == "" or os.name != "posix":  # elsewhere, who can write is not known
        return None
    try:
        folder = Path(given) if given else _of_the_user()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if is_private(folder.stat()) else None
    except (OSError, RuntimeError):  # there may be no home
        return None


def _of_the_user() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rose"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rose"


def is_private(found: os.stat_result) -> bool:
    """True if nobody else can have written it."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
