"""`python -m benchmarks.zoo`: all tools, or those that are named; `tables` writes RESULTS.md from the last run."""

import json
import sys
from pathlib import Path
from typing import Any

from .cases import CASES
from .judge import verdicts
from .report import report
from .tools import TOOLS, Tool, answered, installed

RESULTS = Path(__file__).parents[1] / "results" / "zoo.json"


def measured(tool: Tool) -> dict[str, Any]:
    """What a tool says of each case, judged; the answers that are wrong are kept."""
    if wrong := installed(tool):
        return {"missing": f"cannot be installed: {wrong}"}
    version, rows = answered(tool)
    if not version:
        return {"missing": "does not start"}
    judged = {c.name: verdicts(c, rows[c.name], tool.bound) for c in CASES}
    wrong_ones = {name: rows[name] for name, found in judged.items() if "wrong" in found}
    return {"version": version, "verdicts": judged, "wrong": wrong_ones}


def main(words: list[str]) -> None:
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for tool in TOOLS:
        if not words or tool.name in words:
            print(tool.name, flush=True)
            found[tool.name] = measured(tool)
            RESULTS.write_text(json.dumps({t.name: found[t.name] for t in TOOLS if t.name in found}, indent=1) + "\n")
    (Path(__file__).parent / "RESULTS.md").write_text(report(found))


if __name__ == "__main__":
    main(sys.argv[1:])
