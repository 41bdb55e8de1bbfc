"""What compilers make of C and C++, kept for the next process that wants the same."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

KEPT = Path(__file__).parents[1] / ".peers" / "compiled"  # not in a directory that others can write to


def kept(command: Sequence[str], libraries: Sequence[str], sources: Sequence[Path], name: str) -> Path:
    """The file that a compiler makes of what is in the sources."""
    said = f"{command} {libraries} {[path.read_text() for path in sources]} {platform.node()}"
    folder = KEPT / hashlib.sha256(said.encode()).hexdigest()[:20]
    out = folder / name
    if not out.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as own:
            made = Path(own) / name
            done = subprocess.run([*command, "-o", str(made), *libraries], capture_output=True, text=True)
            if done.returncode:
                raise OSError(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
            made.replace(out)
    return out
