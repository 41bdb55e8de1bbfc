"""The report of an examination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Report:
    """The findings on one function. It is `ok` unless something is `wrong`."""

    name: str
    points: int = 0  # at which derivatives were compared
    adjoint: float = 0.0  # the largest error between forward and reverse mode, relative to the products summed
    differences: float = 0.0  # the largest error between forward mode and differences, relative to the derivative
    twice: int = 0  # points at which the bits of second derivatives were compared
    kinks: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])

    @property
    def ok(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        lines = [f"{self.name}: {'ok' if self.ok else 'WRONG'}"]
        if self.points and self.ok:
            at = f"{self.points} point{'s' * (self.points != 1)}"
            lines.append(f"at {at}, forward and reverse mode differ by {self.adjoint:.0e}, ")
            lines[-1] += f"forward mode and differences by {self.differences:.0e}"
        if self.twice and self.ok:
            lines.append(f"at {self.twice} of them, second derivatives have the bits of the interpreter in the module")
        return "\n  ".join([*lines, *self.wrong, *several(self.kinks, "kinks"), *several(self.notes, "notes")])


def several(said: Sequence[str], what: str) -> list[str]:
    """The first three lines of `said`, and the number of the others."""
    return [*said[:3], *([f"and {len(said) - 3} more {what}"] if len(said) > 3 else [])]
