"""Functions over rows of numbers, run in other engines by `tests/js/same_bits.js`, to the bit."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from paths import TESTS

from rose import build

CHECK = TESTS / "js" / "same_bits.js"


def text(numbers: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<f8").tobytes()).decode()


def entry(name: str, sweep: Any, points: Any, wanted: Any) -> dict[str, Any]:
    """The module of a function from rows to rows, with its points and what it is to give there."""
    module = build.lowered({"sweep": sweep})
    of_sweep = module.signatures["sweep"]
    return {
        "name": name, "wasm": base64.b64encode(module.wasm).decode(), "per": [np.shape(x)[1] for x in (points, wanted)],
        "from": of_sweep.params[0].at, "points": text(points), "to": of_sweep.result.at, "wanted": text(wanted),
    }  # fmt: skip


def in_node(bundle: Sequence[dict[str, Any]], folder: Path) -> Any:
    """What node says: the functions with the number of rows that it compared, and the first rows that differ."""
    script = folder / "all.js"
    script.write_text(f"{CHECK.read_text()}\nconsole.log(sameBits({json.dumps(bundle)}));\n")
    return json.loads(subprocess.run(["node", script], check=True, capture_output=True, text=True).stdout)
