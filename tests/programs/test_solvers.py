"""The measurements of SciPy's solvers: what is measured is the same, with derivatives and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

pytestmark = pytest.mark.slow

pytest.importorskip("scipy", reason="SciPy is not installed")


def solved(*args: str) -> dict[str, Any]:
    """What the script of the measurements prints."""
    command = [sys.executable, "solve.py", *args]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    folder = ROOT / "benchmarks" / "solvers"
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_bundle_is_adjusted_with_derivatives_as_with_differences(tmp_path: Path):
    problem = "bundle of 20 cameras, least_squares"
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({problem: solved("with_rose", problem)["told"]}))
    ours, theirs = [solved(tool, problem, str(answers), "once") for tool in ("with_rose", "with_differences")]
    assert ours["differs by"] == theirs["differs by"] == 0
    assert ours["cost"] == pytest.approx(theirs["cost"], rel=1e-6)
    assert ours["calls"]["fun"] == ours["calls"]["jac"] < theirs["calls"]["fun"]


def test_an_answer_that_differs_is_not_timed(tmp_path: Path):
    problem = "Rosenbrock 100, L-BFGS-B"
    told = solved("with_rose", problem)["told"]
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({problem: [[told[0][0] * (1 + 1e-8)], *told[1:]]}))
    assert solved("with_rose", problem, str(answers)) == {"error": "differs by 1.0e-08"}
