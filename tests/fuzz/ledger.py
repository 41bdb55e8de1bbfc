"""The ledger of the campaign: what was checked, in a file that is whole at any time.

It is written beside the file and then put in its place, so a process that is killed leaves the last state; and it
counts only what was checked, in the order of seeds, so the next process goes on without a gap. A commit that changes
the compiler or the campaign starts new counts: those before stay, in a line each.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paths import ROOT

from rose.version import VERSION

from .report import Report

FILE = ROOT / "benchmarks" / "results" / "fuzz.json"
KEPT = 4  # failures of one law that are kept
SOURCES = ("rose", "wasm_backend", "tests/fuzz", "tests/support")


def commit() -> str:
    """The last commit that changed what is checked, or how; `+` if there are changes beside it."""
    git = lambda *args: subprocess.run(["git", *args, "--", *SOURCES], cwd=ROOT, capture_output=True, text=True).stdout
    return (git("log", "-1", "--format=%h").strip() or "?") + ("+" if git("status", "--porcelain") else "")


class Ledger:
    """The counts of one file."""

    def __init__(self, file: Path = FILE) -> None:
        self.file = file
        try:
            self.data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.data = {"kinds": {}, "failures": [], "before": []}
        now = commit()
        if self.data.get("commit", now) != now:
            counts = {k: s["programs"] for k, s in self.data["kinds"].items()}
            open_ = len(
                [f for f in self.data["failures"] if f["state"] == "open" and f["commit"] == self.data["commit"]]
            )
            self.data["before"].append({
                "version": self.data["version"], "commit": self.data["commit"], "updated": self.data["updated"],
                "programs": counts, "failures": open_,
            })  # fmt: skip
            self.data["kinds"] = {k: empty(s["next"]) for k, s in self.data["kinds"].items()}
        self.data |= {
            "version": VERSION, "commit": now, "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "python": platform.python_version(),
        }  # fmt: skip

    def next(self, kind: str) -> int:
        """The first seed of this kind that was not checked."""
        return self.section(kind)["next"]

    def section(self, kind: str) -> dict[str, Any]:
        return self.data["kinds"].setdefault(kind, empty(0))

    def add(self, kind: str, last: int, seconds: float, report: Report) -> None:
        """The seeds of this kind before `last` were checked."""
        at = self.section(kind)
        at["next"], at["programs"], at["seconds"] = last, at["programs"] + report.programs, at["seconds"] + seconds
        for name, counted in (("laws", report.laws), ("features", report.features)):
            for k, n in counted.items():
                at[name][k] = at[name].get(k, 0) + n
        at["most operations of a gradient for each of its value"] = list(
            max(tuple(at["most operations of a gradient for each of its value"]), report.worst)
        )

    def failed(self, kind: str, failure: dict[str, Any]) -> dict[str, Any] | None:
        """The entry of a program that broke a law; None if there are enough of its kind, where it is only counted."""
        alike = [f for f in self.data["failures"] if f["law"] == failure["law"] and f["kind"] == kind]
        if len(alike) >= KEPT:
            alike[-1]["more"] = alike[-1].get("more", 0) + 1
            return None
        entry = {"kind": kind, **failure, "state": "open", "commit": self.data["commit"]}
        self.data["failures"].append(entry)
        return entry

    def write(self) -> None:
        """Let the file have all of it, or what it had."""
        self.data["updated"] = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
        for at in self.data["kinds"].values():
            at["seconds"] = round(at["seconds"], 1)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        beside.write_text(json.dumps(self.data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(beside, self.file)


def empty(first: int) -> dict[str, Any]:
    return {
        "next": first, "programs": 0, "seconds": 0.0, "laws": {}, "features": {},
        "most operations of a gradient for each of its value": [0.0, 0],
    }  # fmt: skip
