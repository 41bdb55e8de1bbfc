"""A package, as `rose compile` makes it, and projects that use it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rose
from tests.bundlers.lines import Line, loss, slope, wave

HERE = Path(__file__).parent
ANSWERS = """
export const answers = ({ wave, loss, slope }) => {
  const line = { b0: 0.5, b: -1.25 };
  const [x, y] = [[0.1, 0.2, 0.3], new Float64Array([1, 2, 3])];
  return { wave: wave(0.7), loss: loss(line, x, y), slope: slope(line, x, y) };
};
"""


@pytest.fixture(scope="session")
def expected() -> Any:
    """What Python gives."""
    module = rose.compile({"wave": wave, "loss": loss, "slope": slope})
    given = Line(0.5, -1.25), [0.1, 0.2, 0.3], [1, 2, 3]
    g = module.slope(*given)
    return {"wave": module.wave(0.7), "loss": module.loss(*given), "slope": {"b0": g.b0, "b": g.b}}


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the model."""
    out = tmp_path_factory.mktemp("package") / "lines"
    command = [sys.executable, "-m", "rose", "compile", HERE / "lines.py", "-o", out, "--html", "-q"]
    subprocess.run(command, check=True)
    return out


@pytest.fixture
def project(tmp_path: Path, package: Path) -> Path:
    """A project that has the package installed."""
    shutil.copytree(package, tmp_path / "node_modules" / "lines")
    (tmp_path / "package.json").write_text(json.dumps({"name": "app", "private": True, "type": "module"}))
    (tmp_path / "answers.js").write_text(ANSWERS)
    return tmp_path
