"""To add an operation is to add its row: in a copy of the tree one is known everywhere, on scalars and structural."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import added_operations
from paths import ROOT


def test_an_operation_that_is_added_by_its_row_is_known_everywhere(tmp_path: Path):
    for room in ("rose", "wasm_backend"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    assert len(added_operations.add("cube", tmp_path)) == 1 and len(added_operations.add("swap", tmp_path)) <= 4
    command, env = [sys.executable, "-B", added_operations.__file__], {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout == "both are known\n", done.stderr
