"""Writing files into a directory atomically: all of them, or none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from rose.errors import RoseError

from .metadata import regular, stale, unchanged


def write_files(files: Mapping[str, bytes], folder: str | Path, *, force: bool = False) -> list[Path]:
    """Write files into a directory, all or none, and return their paths.

    `force` replaces those of another package that are as they were written; it is an error if one was edited. Those
    of an earlier package of the same name that this one does not have are removed.
    """
    if not _is_name(str(folder)):
        raise RoseError(f"{str(folder)!r} is no name of a directory", None, "write . for the current directory")
    out = Path(folder)
    try:
        _install(files, out, force)
    except OSError as e:
        raise RoseError(
            f"cannot write {e.filename or out}: {e.strerror or e}", None, "choose a directory that you can write to"
        ) from e
    return [out / file for file in files]


def _is_name(folder: str) -> bool:
    try:
        return bool(folder) and b"\0" not in os.fsencode(folder)
    except UnicodeEncodeError:
        return False


def _install(files: Mapping[str, bytes], out: Path, force: bool) -> None:
    """Write the files into a temporary directory, then move all of it at once; a failure leaves `out` as it was."""
    top = out
    while not os.path.lexists(top) and top != top.parent:
        top = top.parent
    if not top.is_dir():
        raise RoseError(f"{top} is not a directory", None, "choose a directory for the package")
    present = [file for file in files if os.path.lexists(out / file)]
    _check_present(files, out, present, force)
    gone = stale(files, out)
    with TemporaryDirectory(prefix=".rose-", dir=top) as scratch:
        made = Path(scratch, "new", out.relative_to(top))
        made.mkdir(parents=True)
        for file, data in files.items():
            (made / file).write_bytes(data)
        if out == top:
            _replace(files, made, out, [*present, *gone], Path(scratch))
        else:
            first = out.relative_to(top).parts[0]
            os.rename(Path(scratch, "new", first), top / first)


def _check_present(files: Mapping[str, bytes], out: Path, present: Sequence[str], force: bool) -> None:
    """Refuse to replace files that are there (`present`) and must stay."""
    if folders := [file for file in present if (out / file).is_dir()]:
        raise RoseError(f"{out / folders[0]} is a directory", None, "choose another directory for the package")
    if present and not force:
        hint = "choose another directory, or replace them: --force, in Python force=True"
        raise RoseError(f"{out} already has {', '.join(present)}", None, hint)
    if edited := _edited(files, out, present):
        raise RoseError(
            f"Rose did not write {', '.join(edited)} in {out}, or they were edited since",
            None,
            "choose another directory, or remove what you do not need",
        )


def _edited(files: Mapping[str, bytes], out: Path, present: Sequence[str]) -> list[str]:
    """The files that are there, and are neither those of a package as it was written nor those to be written."""
    written = unchanged(out)
    found = {file: regular(out / file) for file in present}
    return [
        file
        for file, content in found.items()
        if content is None or (content != files[file] and (file, sha256(content).hexdigest()) not in written)
    ]


def _replace(files: Mapping[str, bytes], made: Path, out: Path, present: Sequence[str], scratch: Path) -> None:
    """Move files into a directory, in the place of those that are `present`; after a failure, restore it."""
    for file in present:
        shutil.copy2(out / file, scratch)
    try:
        for file in files:
            os.replace(made / file, out / file)
        for file in present:
            if file not in files:
                (out / file).unlink()
    except BaseException:
        for file in files:
            if file not in present and not (made / file).exists():
                (out / file).unlink()
        for file in present:
            os.replace(scratch / file, out / file)
        raise
