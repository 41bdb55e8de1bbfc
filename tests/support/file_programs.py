"""Programs in files, as another process would have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def program(text: str, folder: Path) -> dict[str, Any]:
    """The names of a program that is in a file, in a folder."""
    path = folder / "model.py"
    path.write_text(text)
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, path, "exec"), scope)
    return scope
