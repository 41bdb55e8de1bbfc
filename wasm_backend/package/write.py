"""Writing files into a directory atomically: all of them, or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rose.errors import RoseError


def write_files(files: Mapping[str, bytes], out: Path, *, force: bool = False) -> list[Path]:
    """Write files into the directory `out`, all or none, and return their paths. `force` replaces existing files."""
    try:
        _install(files, out, force)
    except OSError as e:
        raise RoseError(
            f"cannot write {e.filename or out}: {e.strerror or e}", None, "choose a directory that you can write to"
        ) from e
    return [out / file for file in files]


def _install(files: Mapping[str, bytes], out: Path, force: bool) -> None:
    """Write the files into a temporary directory, then move all of it at once; a failure leaves `out` as it was."""
    top = out
    while not os.path.lexists(top) and top != top.parent:
        top = top.parent
    if not top.is_dir():
        raise RoseError(f"{top} is not a directory", None, "choose a directory for the package")
    present = [file for file in files if os.path.lexists(out / file)]
    if folders := [file for file in present if (out / file).is_dir()]:
        raise RoseError(f"{out / folders[0]} is a directory", None, "choose another directory for the package")
    if present and not force:
        raise RoseError(
            f"{out} already has {', '.join(present)}", None, "choose another directory, or replace them with force"
        )
    with TemporaryDirectory(prefix=".rose-", dir=top) as scratch:
        made = Path(scratch, "new", out.relative_to(top))
        made.mkdir(parents=True)
        for file, data in files.items():
            (made / file).write_bytes(data)
        if out == top:
            _replace(files, made, out, present, Path(scratch))
        else:
            first = out.relative_to(top).parts[0]
            os.rename(Path(scratch, "new", first), top / first)


def _replace(files: Iterable[str], made: Path, out: Path, present: Sequence[str], scratch: Path) -> None:
    """Move files into a directory that has some of them (`present`) already; after a failure, restore it."""
    for file in present:
        shutil.copy2(out / file, scratch)
    try:
        for file in files:
            os.replace(made / file, out / file)
    except BaseException:
        for file in files:
            if file in present:
                os.replace(scratch / file, out / file)
            elif not (made / file).exists():
                (out / file).unlink()
        raise
