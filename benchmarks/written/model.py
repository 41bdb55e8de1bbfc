"""What a program of this package is, and all of them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from ..compare.programs import Program

HERE = Path(__file__).parent
STYLES = ("arrays", "loops", "structs", "linalg")


@dataclass(frozen=True)
class Written:
    """A program, whose form is `text`.

    Its sizes and tables are in `program.h` for the adjoint in C, and in a module `program` for JAX.
    """

    name: str  # of its three files
    field: str
    style: str
    program: Program


def source(name: str) -> str:
    """Where the adjoint in C is, as a `Program` has it."""
    return str(HERE / "c" / name)


def names() -> list[str]:
    return sorted(path.stem for path in (HERE / "programs").glob("*.py") if path.stem != "__init__")


def written(name: str) -> Written:
    return importlib.import_module(f"benchmarks.written.programs.{name}").written()
