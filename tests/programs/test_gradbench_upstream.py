"""The directory for GradBench's repository: the tool in it answers, with nothing else of this repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.gradbench import programs
from benchmarks.gradbench.upstream.__main__ import TOLD, main, written


def said(folder: Path, *messages: dict[str, object]) -> list[dict[str, object]]:
    given = "".join(json.dumps({"id": k, **m}) + "\n" for k, m in enumerate(messages))
    command = [sys.executable, "-m", "benchmarks.gradbench.tool"]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ran = subprocess.run(command, cwd=folder, env=env, input=given, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_the_tool_answers_from_its_directory(tmp_path: Path):
    written(tmp_path / "tool")
    assert {p.name for p in (tmp_path / "tool").iterdir()} >= set(TOLD)
    square = {"kind": "evaluate", "module": "hello", "function": "double", "input": 3.0}
    start, defined, answer = said(
        tmp_path / "tool", {"kind": "start", "eval": "hello"}, {"kind": "define", "module": "hello"}, square
    )
    assert start["tool"] == "rose-for-python"
    assert defined["success"] is True
    assert answer["output"] == 6.0


@pytest.mark.slow
def test_every_eval_that_it_names_is_defined(tmp_path: Path):
    written(tmp_path / "tool")
    names = (tmp_path / "tool" / "evals.txt").read_text().split()
    assert names == sorted(programs.NAMES)
    answers = said(tmp_path / "tool", *[{"kind": "define", "module": name} for name in names])
    assert all([a["success"] is True for a in answers])


def test_a_directory_with_files_is_left_alone(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SystemExit, match="is not empty"):
        main([str(tmp_path)])
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
