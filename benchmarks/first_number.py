"""The first number of a gradient in a new process, the import of Rose included: milliseconds of processor time.

`python -m benchmarks.first_number [other checkout]...`. Bytecode is kept in a folder of its own, and the first run of
each checkout, which writes it, is thrown away: without that each import would compile the sources again. Medians of
rounds in which each checkout has its turn.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 15
PROGRAM = """
import resource
import rose
from rose import Real, fn

@fn
def f(x: Real, y: Real) -> Real:
    return rose.sin(x) * y + x * x

rose.{transform}(f)(1.0, 2.0)
used = resource.getrusage(resource.RUSAGE_SELF)
print((used.ru_utime + used.ru_stime) * 1e3)
"""


def spent(root: Path, transform: str, bytecode: str) -> float:
    """The processor time of a new process that has the derivative of a function of two numbers."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"PYTHONPATH": str(root), "PYTHONPYCACHEPREFIX": bytecode, "ROSE_CACHE": bytecode}
    run = [sys.executable, "-c", PROGRAM.replace("{transform}", transform)]
    return float(subprocess.run(run, check=True, capture_output=True, text=True, env=env, cwd=bytecode).stdout)


def main() -> None:
    roots = [ROOT, *[Path(x).resolve() for x in sys.argv[1:]]]
    for transform in ("grad", "value_and_grad", "hessian"):
        with tempfile.TemporaryDirectory() as bytecode:
            for root in roots:
                spent(root, transform, bytecode)
            rounds = [[spent(root, transform, bytecode) for root in roots] for _ in range(ROUNDS)]
        medians = [statistics.median(times) for times in zip(*rounds, strict=True)]
        found = [f"{root.name} {x:.0f}" for root, x in zip(roots, medians, strict=True)]
        print(transform, *found, sep="  ")


if __name__ == "__main__":
    main()
