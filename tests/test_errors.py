"""What a wrong program is told. The programs are in `wrong/`; what each is told is in `golden/errors.txt`.

`pytest --bless` writes that file anew. In it, line numbers count from the first line of the program.
"""

from __future__ import annotations

import ast
import pickle
import re
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import rose
from rose.errors import RoseError, is_ours
from tests.wrong import calls, derivatives, functions, loops, pythons, structs, values

Program = Callable[[], Any]

GOLDEN = Path(__file__).parent / "golden" / "errors.txt"


def programs(module: ModuleType) -> dict[str, Program]:
    """The wrong programs of a module, in order: its functions without parameters."""
    there = [f for f in vars(module).values() if hasattr(f, "__code__") and f.__module__ == module.__name__]
    return {f"{name_of(module)}: {f.__name__.replace('_', ' ')}": f for f in there if not f.__code__.co_argcount}


def name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


MODULES = (values, functions, loops, structs, derivatives, calls)
TABLE = {name: f for module in MODULES for name, f in programs(module).items()}
PYTHONS = programs(pythons)

each = pytest.mark.parametrize("name", TABLE)


def raised(program: Program) -> Exception:
    """What a program raises; one that gives a function is traced."""
    try:
        made = program()
        if isinstance(made, rose.Fn):
            _ = made.func
    except Exception as e:
        return e
    raise AssertionError("it raises nothing")


@cache
def error(name: str) -> RoseError:
    e = raised(TABLE[name])
    assert isinstance(e, RoseError), f"{type(e).__name__}: {e}"
    return e


@cache
def first_lines(file: str) -> list[int]:
    """The lines at which what stands outermost in a file begins."""
    return [node.lineno for node in ast.parse(Path(file).read_text(encoding="utf-8")).body]


def relative(text: str, file: str) -> str:
    """A message with the name of the file for its path, and lines that count from the first of the program."""

    def line(number: str) -> str:
        starts = [k for k in first_lines(file) if k <= int(number)]
        return f"+{int(number) - starts[-1]}" if starts else number

    name = Path(file).name
    text = re.sub(rf"{re.escape(file)}:(\d+)", lambda m: f"{name}:{line(m[1])}", text)
    return re.sub(r"at line (\d+)", lambda m: f"at line {line(m[1])}", text)


def told(name: str) -> str:
    e = error(name)
    return relative(f"{type(e).__name__}: {e}", TABLE[name].__code__.co_filename)


def document() -> str:
    return "\n\n".join([f"--- {name}\n{told(name)}" for name in TABLE]) + "\n"


def test_each_program_is_told_what_the_golden_file_says(bless: bool):
    if bless:
        GOLDEN.write_text(document(), encoding="utf-8")
    expected = GOLDEN.read_text(encoding="utf-8").split("\n\n--- ")
    for ours, theirs in zip(document().split("\n\n--- "), expected, strict=True):
        assert ours == theirs


# what holds for every message


@each
def test_an_error_is_short_and_says_what_to_write_instead(name: str):
    lines = str(error(name)).splitlines()
    assert 3 <= len(lines) <= 12
    assert max(map(len, lines)) <= 160
    assert lines[1].startswith("  at ")
    assert re.fullmatch(r"  hint: \S.{7,}", lines[-1])
    assert not lines[-1].endswith(".") or lines[-1].endswith(", ...")


@each
def test_an_error_points_at_an_expression_of_the_user(name: str):
    if name.endswith("source that cannot be had"):
        assert "  at <string>:" in str(error(name))
        return
    _, at, excerpt, caret, _ = str(error(name)).splitlines()
    file, _, number = at.removeprefix("  at ").rpartition(":")
    assert file == TABLE[name].__code__.co_filename
    line = Path(file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
    assert excerpt.strip() in line
    marked = [c for c, mark in zip(excerpt, caret, strict=False) if mark == "^"]
    assert set(caret) == {" ", "^"}
    assert len(marked) == caret.count("^")
    assert marked[0] != " "
    assert marked[-1] != " "


# Errors that come from where the edge is not ours to draw: a frame or more of this package shows.
SHOWS_US = re.compile(r"derivatives: .*|calls: .*|functions: a nested function compiled|values: .*(kept from|outside).*")


@each
def test_a_traceback_has_frames_of_the_user_alone(name: str):
    ours = [f.filename for f in traceback.extract_tb(error(name).__traceback__) if is_ours(f.filename)]
    assert not ours or SHOWS_US.fullmatch(name)


@each
def test_an_error_can_be_pickled(name: str):
    e = error(name)
    copy = pickle.loads(pickle.dumps(e))
    assert (type(copy), str(copy), copy.hint) == (type(e), str(e), e.hint)


@pytest.mark.parametrize("name", PYTHONS)
def test_what_python_refuses_is_refused_where_the_user_wrote_it(name: str):
    e = raised(PYTHONS[name])
    assert isinstance(e, (TypeError, AttributeError, KeyError))
    frames = traceback.extract_tb(e.__traceback__)
    assert not is_ours(frames[-1].filename)
    assert PYTHONS[name].__code__.co_filename in [f.filename for f in frames]


def test_each_kind_is_one_of_pythons_too():
    assert issubclass(rose.TypeMismatch, TypeError)
    assert issubclass(rose.OutOfRange, IndexError)
    assert issubclass(rose.NotLinear, TypeError)
    assert issubclass(rose.NotDifferentiable, TypeError)
    assert issubclass(rose.TooLarge, MemoryError)
    kinds = [k for k in vars(rose.errors).values() if isinstance(k, type) and issubclass(k, Exception)]
    assert all(issubclass(k, RoseError) for k in kinds)
