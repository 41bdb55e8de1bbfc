"""The rules of the house that a program can check: sizes of files, a test file for each module,
imports at the top, no leftovers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from paths import ROOT, TESTS

FILES = sorted([*(ROOT / "rose").rglob("*.py"), *(ROOT / "wasm_backend").rglob("*.py")])
LAZY = {  # modules that may import inside a function, and what
    "rose/build.py": "the back end, which only compiling needs",
    "rose/frontend/pickling.py": "what reads a pickle by value",
    "rose/hooks.py": "the rooms above, for those below",
    "rose/ir/libm/library.py": "what reads its file, which few programs need",
}
LONGEST_FILE = 600
LONGER: dict[str, str] = {}  # files that may be longer, and why
UNTESTED = {"rose/__main__.py", "rose/version.py"}  # modules of which there is nothing to test


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


EXPORTING = {"errors", "ir", "ir/libm", "functional", "implicit", "interpretations", "lib", "linalg", "nn", "random"}
EXPORTING = {f"rose/{room}/__init__.py" for room in (*EXPORTING, "testing")} | {"rose/__init__.py"}  # which are no maps


def defines(path: Path) -> bool:
    """Whether a file defines something: most `__init__.py` do not."""
    return any([isinstance(n, (ast.FunctionDef, ast.ClassDef)) for n in ast.parse(path.read_text()).body])


def unit_tests(path: Path) -> Path:
    """The test file of a module."""
    return TESTS / path.relative_to(ROOT).with_name(f"test_{path.stem.strip('_')}.py")


def test_every_module_has_its_test_file():
    modules = [path for path in FILES if path.name != "__init__.py" or defines(path)]
    without = {name(path) for path in modules if not unit_tests(path).exists()} - UNTESTED
    assert sorted(without) == []


def test_every_test_file_has_its_module():
    tests = [path for room in ("rose", "wasm_backend") for path in (TESTS / room).rglob("test_*.py")]
    assert sorted({name(path) for path in tests} - {name(unit_tests(path)) for path in FILES}) == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_file_is_too_long(path: Path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE or name(path) in LONGER


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


@pytest.mark.parametrize("path", [path for path in FILES if path.name == "__init__.py"], ids=name)
def test_the_init_of_a_room_is_a_map(path: Path):
    assert (len(ast.parse(path.read_text()).body) > 1) == (name(path) in EXPORTING)


def calls_itself(f: ast.FunctionDef) -> bool:
    """Whether a function calls itself, or hands itself on, as `map(f, ...)` does."""
    found = [x for n in ast.walk(f) if isinstance(n, ast.Call) for x in (n.func, *n.args)]
    return not {f.name, f"self.{f.name}"}.isdisjoint(map(ast.unparse, found))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_function_calls_itself_for_what_a_function_calls(path: Path):
    """There are exponentially many paths of calls, and long ones: `reachable` and `memoised` see each function once."""
    functions = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    over = [f for f in functions if any([isinstance(n, ast.Name) and n.id == "callees" for n in ast.walk(f)])]
    assert not [f.name for f in over if f.name != "callees" and calls_itself(f)]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_module_says_what_it_is_for(path: Path):
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_is_left_for_later(path: Path):
    words = ("TO" + "DO", "FIX" + "ME", "X" * 3)
    assert not any(word in path.read_text() for word in words)
