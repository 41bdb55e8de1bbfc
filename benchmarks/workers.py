"""What Workers gain and cost, in node: a map without and with them, and one call: `python -m benchmarks.workers`.

A row is 200 steps of a pendulum, a microsecond or two. Milliseconds, the least of rounds by turns.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

import rose
from rose import Real, fn

from .loops import shown

STEPS = 200


@fn
def swing(k: Real) -> Real:
    """Where a pendulum of this stiffness is after some steps."""
    end = rose.scan(lambda i, s: (s[0] + 0.01 * s[1], s[1] - 0.01 * k * rose.sin(s[0])), (1.0, 0.0), STEPS)
    return end[0]


def measured() -> dict[str, list[float]]:
    """By the number of rows: without Workers, with 1, 2 and 4; and of one row, a call in a Worker."""
    with tempfile.TemporaryDirectory() as folder:
        rose.compile(swing).save(folder, map=True, workers=True)
        command = ["node", Path(__file__).with_suffix(".mjs"), Path(folder) / "index.js"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    rows: list[dict[str, Any]] = []
    for count, times in measured().items():
        told = {"rows": int(count), **dict(zip(("map", "1", "2", "4", "remote"), times, strict=False))}
        rows.append({k: f"{x:.3f}" if isinstance(x, float) else x for k, x in ({"remote": ""} | told).items()})
    Console(width=100).print(shown("milliseconds, by the number of Workers", rows))


if __name__ == "__main__":
    main()
