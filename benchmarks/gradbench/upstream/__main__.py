"""Write the directory of our tool for GradBench's repository: `python -m benchmarks.gradbench.upstream DIR`.

It has what GradBench asks of a tool, the programs, and a wheel of this package. GradBench asks for a README, the names
of the evals, and a Dockerfile, whose context is its repository, and which finds the directory at
`tools/rose-for-python`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[3]
TOLD = ("Dockerfile", "README.md", "evals.txt")
PROGRAMS = (
    "benchmarks/__init__.py", "benchmarks/gradbench/__init__.py", "benchmarks/gradbench/tool.py",
    "benchmarks/gradbench/placed.py", "benchmarks/gradbench/programs", "examples/descent.py",
    "examples/particle.py", "examples/saddle.py", "LICENSE",
)  # fmt: skip


def written(to: Path) -> None:
    """The directory, without the wheel. What is there is not touched: it must be new, or empty."""
    if to.exists() and any(to.iterdir()):
        sys.exit(f"{to} is not empty: name a new directory")
    to.mkdir(parents=True, exist_ok=True)
    for name in TOLD:
        shutil.copy(HERE / name, to / name)
    for name in PROGRAMS:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, to / name)


def main(words: list[str]) -> None:
    if len(words) != 1:
        sys.exit("name the directory: python -m benchmarks.gradbench.upstream DIR")
    to = Path(words[0])
    written(to)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", to, ROOT], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
