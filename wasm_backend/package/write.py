"""Files into a directory: all of them, or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rose.errors import RoseError


def write_files(files: Mapping[str, bytes], out: Path, *, force: bool = False) -> list[Path]:
    """Write files into the directory `out`: all of them, or none. Those there are only replaced with `force`."""
    try:
        _place(files, out, force)
    except OSError as e:
        raise RoseError(
            f"cannot write {e.filename or out}: {e.strerror or e}", None, "give a directory that can be written to"
        ) from e
    return [out / file for file in files]


def _place(files: Mapping[str, bytes], out: Path, force: bool) -> None:
    """Put the files into a directory, at the end and all at once; where that fails, it is left as it was."""
    top = out
    while not os.path.lexists(top) and top != top.parent:
        top = top.parent
    if not top.is_dir():
        raise RoseError(f"{top} is not a directory", None, "give the directory for the package")
    present = [file for file in files if os.path.lexists(out / file)]
    if folders := [file for file in present if (out / file).is_dir()]:
        raise RoseError(f"{out / folders[0]} is a directory", None, "give another directory for the package")
    if present and not force:
        raise RoseError(
            f"{out} already has {', '.join(present)}", None, "give another directory, or replace them with force"
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
    """Move files from one directory into another that has some of them; where that fails, move them back."""
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
