"""Type checkers on users' code: pyright and mypy, both strict, find nothing wrong in it, and do find mistakes."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
NO_TYPES = {"power.py", "quadratic.py"}  # a dict of names to types is no type to a checker: a struct is
# Ports that import SciPy, which has no stubs, are not strict.
PORTS = {path.name: path.read_text() for path in EXAMPLES.glob("ports/*.py")}
STRICT = {"strict.py", "wrong.py", "demo.py", *[name for name, text in PORTS.items() if "scipy" not in text]}
SCIPYS = "bundle.py"  # pyright reads the parameters of SciPy's functions off their defaults
WRONG = Path(__file__).with_name("wrong.py")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The examples and the files here, in a folder as a user would have them."""
    sources = [*EXAMPLES.rglob("*.py"), *Path(__file__).parent.glob("[!t]*.py")]
    return [Path(shutil.copy(path, tmp_path)) for path in sources if path.name not in NO_TYPES]


def ran(tool: str, *options: str, at: Path) -> str:
    command = [sys.executable, "-m", tool, *options]
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=False).stdout


def by_pyright(files: Iterable[Path], at: Path) -> list[tuple[str, int, str]]:
    names = [path.name for path in files]
    config: dict[str, Any] = {"include": names, "strict": sorted(STRICT), "typeCheckingMode": "standard"}
    (at / "pyrightconfig.json").write_text(json.dumps(config))
    found = json.loads(ran("pyright", "--outputjson", "--pythonpath", sys.executable, at=at))
    assert found["summary"]["filesAnalyzed"] == len(names)
    return [(Path(x["file"]).name, x["range"]["start"]["line"] + 1, x["message"]) for x in found["generalDiagnostics"]]


def by_mypy(files: Iterable[Path], at: Path) -> list[tuple[str, int, str]]:
    names = [path.name for path in files]
    loose = [name.removesuffix(".py") for name in names if name not in STRICT]
    (at / "mypy.ini").write_text(MYPY.format(loose=",".join(loose)))
    text = ran("mypy", "--cache-dir", str(ROOT / ".mypy_cache"), "--no-error-summary", *names, at=at)
    assert not re.search("^(?!.*: (error|note): )", text.rstrip(), re.MULTILINE), text
    lines = [re.match(r"(.*?):(\d+): error: (.*)", line) for line in text.splitlines()]
    return [(x[1], int(x[2]), x[3]) for x in lines if x]


MYPY = """
[mypy]
strict = True
ignore_missing_imports = True

[mypy-{loose}]
allow_untyped_defs = True
allow_incomplete_defs = True
allow_untyped_calls = True
warn_return_any = False
"""


def mistakes(who: str) -> set[int]:
    """The lines of `wrong.py` that a checker is to complain of."""
    lines = WRONG.read_text().splitlines()
    return {k for k, line in enumerate(lines, 1) if line.endswith((f"# found by {who}", "# found by both"))}


def test_pyright_finds_mistakes_and_nothing_else(files: list[Path], tmp_path: Path):
    found = by_pyright(files, tmp_path)
    assert [x for x in found if x[0] not in (WRONG.name, SCIPYS)] == []
    assert {line for name, line, _ in found if name == WRONG.name} == mistakes("pyright")


def test_mypy_finds_mistakes_and_nothing_else(files: list[Path], tmp_path: Path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    found = by_mypy(files, tmp_path)
    assert [x for x in found if x[0] != WRONG.name] == []
    assert {line for name, line, _ in found if name == WRONG.name} == mistakes("mypy")


def test_what_the_checkers_read_also_runs():
    subprocess.run([sys.executable, Path(__file__).with_name("strict.py")], check=True)
