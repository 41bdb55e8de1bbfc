"""`NAME.json`, by which a package is known again: what Rose wrote into a directory, and nobody changed since.

It has the hash of each file of the package; its own is its last entry, the seal: that of the file without the seal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from rose.errors import is_ours


def as_json(data: Any) -> bytes:
    """Data as JSON: short data on one line, and deeply nested data, such as types, too."""
    return encoded(_written(data) + "\n")


def encoded(text: str) -> bytes:
    """A text as UTF-8; half of a surrogate pair, which has none, as an escape that JavaScript and JSON know."""
    return text.encode(errors="backslashreplace")


def _written(x: Any, indent: str = "") -> str:
    line = json.dumps(x, ensure_ascii=False)
    if not x or not isinstance(x, (dict, list)) or len(indent) > 6 or len(line) + len(indent) <= 110:
        return line
    inner = indent + "  "
    if isinstance(x, dict):
        each = [f"{json.dumps(k, ensure_ascii=False)}: {_written(y, inner)}" for k, y in x.items()]  # pyright: ignore
    else:
        each = [_written(y, inner) for y in x]  # pyright: ignore[reportUnknownVariableType]
    first, last = "{}" if isinstance(x, dict) else "[]"
    return f"{first}\n{inner}" + f",\n{inner}".join(each) + f"\n{indent}{last}"


def sealed(data: Mapping[str, Any]) -> bytes:
    """The metadata of a package as a file, with its seal."""
    return as_json({**data, "seal": sha256(as_json(dict(data))).hexdigest()})


def unchanged(folder: Path) -> set[tuple[str, str]]:
    """The files of packages in a directory as they were written: the name and the SHA-256 of each."""
    return _known(folder.glob("*.json"))


def stale(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """The files of a package in a directory that the new one of its name lacks, but for those that were edited."""
    known = _known([folder / file for file in files if file.endswith(".json")])
    names = sorted({file for file, _ in known if file not in files and Path(file).name == file})
    found = [(file, regular(folder / file)) for file in names]
    return [file for file, content in found if content is not None and (file, sha256(content).hexdigest()) in known]


def _known(paths: Iterable[Path]) -> set[tuple[str, str]]:
    """`unchanged`, of the packages of which these are the metadata."""
    found: set[tuple[str, str]] = set()
    for path in paths:
        content = regular(path) or b""
        data = _metadata(content)
        if data is not None:
            found |= {(file, about["sha256"]) for file, about in data["files"].items()}
            found.add((path.name, sha256(content).hexdigest()))
    return found


def regular(path: Path) -> bytes | None:
    """The content of a regular file; None for a link, or a pipe, which would block."""
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _metadata(content: bytes) -> Mapping[str, Any] | None:
    """The metadata in a file, if its seal is right."""
    try:
        data = json.loads(content)
        seal = data.pop("seal", None) if isinstance(data, dict) else None  # pyright: ignore
        return data if seal is not None and sealed(data) == content else None  # pyright: ignore
    except (ValueError, RecursionError):
        return None


# sources


def hashed(files: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of each of the user's files that can still be read, by its name."""
    found = sorted([Path(file) for file in files if not is_ours(file)], key=lambda file: file.name)
    return {file.name: sha256(file.read_bytes()).hexdigest() for file in found if file.is_file()}


def licence(files: Sequence[str]) -> str | None:
    """The licence that all of the user's files state, in the form of SPDX; None if one states none, or another."""
    texts = [Path(file).read_bytes() for file in files if not is_ours(file) and Path(file).is_file()]
    found = {(re.findall(rb"SPDX-License-Identifier: *([\w.+() -]*[\w+)])", text) or [b""])[0] for text in texts}
    return found.pop().decode() or None if len(found) == 1 else None
