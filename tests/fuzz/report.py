"""What one batch of programs has shown: plain data, which goes from a process to the one that keeps the ledger."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """Counts of what was checked, and the programs that broke a law."""

    programs: int = 0
    laws: Counter[str] = field(default_factory=Counter[str])  # programs for which each law was checked, and held
    features: Counter[str] = field(default_factory=Counter[str])  # programs that have each feature
    failures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    worst: tuple[float, int] = (
        0.0,
        0,
    )  # the most operations of a gradient for each of the value, and the program's seed

    def failed(self, seed: int, e: BaseException, law: str = "") -> None:
        law = law or getattr(e, "law", type(e).__name__)
        self.failures.append({"seed": seed, "law": law, "error": f"{type(e).__name__}: {e}"[:600]})

    def ratio(self, seed: int, value: int, gradient: int) -> None:
        if value:
            self.worst = max(self.worst, (gradient / value, seed))

    def add(self, other: Report) -> None:
        self.programs += other.programs
        self.laws.update(other.laws)
        self.features.update(other.features)
        self.failures += other.failures
        self.worst = max(self.worst, other.worst)
