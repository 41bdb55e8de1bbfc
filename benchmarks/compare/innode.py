"""Modules in node, which measures by itself: what it needs goes into a folder, and its figures come back."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from . import timing
from .modules import Module

SCRIPT = Path(__file__).with_name("node.mjs")
# compiles all at once, as well as it can: otherwise the figures depend on when it finds that worth it
OPTIONS = ["--no-liftoff", "--no-wasm-tier-up"]


def times(programs: dict[str, dict[str, Module]], folder: Path) -> list[dict[str, Any]] | None:
    """For each program its `answers` and its `ns` by way; None where node is not installed."""
    node = shutil.which("node")
    if node is None:
        return None
    given: list[dict[str, Any]] = []
    for program, modules in programs.items():
        rows: list[dict[str, Any]] = []
        for way, m in modules.items():
            name = f"{len(given)}-{len(rows)}"
            (folder / f"{name}.wasm").write_bytes(m.wasm)
            (folder / f"{name}.driver.wasm").write_bytes(m.driver)
            rows.append({
                "way": way, "name": name, "exported": m.export, "places": m.arguments, "result": m.result,
                "outputs": m.outputs, "end": m.end,
            })  # fmt: skip
        given.append({"program": program, "modules": rows})
    settings = {"rounds": timing.ROUNDS, "repeats": timing.REPEATS, "sample": timing.SAMPLE}
    (folder / "all.json").write_text(json.dumps({**settings, "programs": given}))
    return json.loads(
        subprocess.run([node, *OPTIONS, SCRIPT, folder], check=True, capture_output=True, text=True).stdout
    )
