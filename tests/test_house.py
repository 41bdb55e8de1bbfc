"""The rules of the house that a program can check: sizes of rooms, imports at the top, no leftovers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from paths import ROOT

FILES = sorted([*(ROOT / "rose").rglob("*.py"), *(ROOT / "wasm_backend").rglob("*.py")])
LAZY = {"rose/build.py"}  # the one module that may import inside a function


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_file_is_longer_than_500_lines(path: Path):
    assert len(path.read_text().splitlines()) <= 500


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_function_is_longer_than_60_lines(path: Path):
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    long = [f"{f.name}: {f.end_lineno - f.lineno + 1}" for f in functions if f.end_lineno - f.lineno >= 60]
    assert not long


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_stand_at_the_top(path: Path):
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    inside = [f.name for f in functions for n in ast.walk(f) if isinstance(n, (ast.Import, ast.ImportFrom))]
    assert not inside or name(path) in LAZY


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_module_says_what_it_is_for(path: Path):
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_is_left_for_later(path: Path):
    words = ("TO" + "DO", "FIX" + "ME", "X" * 3)
    assert not any(word in path.read_text() for word in words)
