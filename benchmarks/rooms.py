"""The rooms of the house in numbers: `python -m benchmarks.rooms`.

Lines of each room; arrows of imports between rooms, those that point upwards, and cycles; and how often one
`rose.compile(rose.grad(f))` goes from a file to another, and from a room to another.
"""

from __future__ import annotations

import itertools
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import grimp
from rich.console import Console
from rich.table import Table

import rose
from rose import Real, Vec, fn

ROOT = Path(__file__).parents[1]
PACKAGES = ("rose", "wasm_backend")


def room(module: str) -> str:
    """The room of a module: the folder below its package, or the file, if it lies in none."""
    return ".".join(module.split(".")[:2])


def lines() -> Counter[str]:
    """Lines of Python in each room."""
    found: Counter[str] = Counter()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[room(module.removesuffix(".__init__"))] += len(path.read_text(encoding="utf-8").splitlines())
    return found


def floors() -> dict[str, int]:
    """The floor of each room, from the top, as pyproject.toml has it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        f"{container}.{name.strip(' ()')}": k
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
        for container in contract["containers"]
        for k, layer in enumerate(contract["layers"])
        for name in layer.split("|")
    }


def arrows() -> set[tuple[str, str]]:
    """Imports from one room to another, of one package, those for type checkers left out."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    pairs = {(room(a), room(b)) for a in graph.modules for b in graph.find_modules_directly_imported_by(a)}
    return {(a, b) for a, b in pairs if a != b and a.split(".")[0] == b.split(".")[0] and "." in a and "." in b}


def walked() -> tuple[int, int, int, int]:
    """Files, calls of functions with a name, changes of file and of room of `rose.compile(rose.grad(f))`."""

    @fn
    def f(x: Vec[5, Real], y: Vec[5, Real]) -> Real:
        return rose.sum((x[i] - y[i]) ** 2 for i in rose.range(5))

    path: list[str] = []
    inside = tuple(f"{ROOT / package}/" for package in PACKAGES)

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(inside) and not code.co_name.startswith("<"):
            path.append(frame.f_code.co_filename)

    rose.compile(rose.grad(fn([Real], Real)(lambda x: x * x)))  # what is done once: imports, tables
    sys.setprofile(note)
    try:
        rose.compile(rose.grad(f))
    finally:
        sys.setprofile(None)
    rooms = [room(".".join(Path(file).relative_to(ROOT).with_suffix("").parts)) for file in path]
    changes = [sum(a != b for a, b in itertools.pairwise(way)) for way in (path, rooms)]
    return len(set(path)), len(path), changes[0], changes[1]


def main() -> None:
    """Print the three tables."""
    console = Console(width=100)
    table = Table(title="lines", title_justify="left", box=None)
    table.add_column("room")
    table.add_column("lines", justify="right")
    found = lines()
    for name, count in sorted(found.items()):
        table.add_row(name, f"{count:,}")
    table.add_row("all", f"{found.total():,}")
    console.print(table)
    floor, pairs = floors(), arrows()
    upward = [(a, b) for a, b in pairs if floor.get(a, 0) > floor.get(b, 0)]
    mutual = [(a, b) for a, b in pairs if (b, a) in pairs]
    console.print(f"arrows between rooms: {len(pairs)}; upwards: {len(upward)}; to and fro: {len(mutual) // 2}")
    files, calls, by_file, by_room = walked()
    changes = f"{by_file:,} changes of file, {by_room:,} of room"
    console.print(f"rose.compile(rose.grad(f)): {files} files, {calls:,} calls, {changes}")


if __name__ == "__main__":
    main()
