"""Finding and loading the functions of a user's file."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import rose
from rose.cli.programs import Wrong, load, load_one, reported

PROGRAM = """
import rose
from rose import Real, fn, opaque
from rose.lib import Minimum

@fn
def f(x: Real) -> Real:
    return x * x

@fn
def g(x: Real) -> Real:
    return f(x) + 1.0

@opaque
def told(x: Real) -> Real:
    return x
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "a_program.py").write_text(PROGRAM)
    return tmp_path / "a_program.py"


def test_a_file_has_its_own_functions(program: Path):
    path, fs = load(str(program))
    assert (path, list(fs)) == (program, ["f", "g"])


def test_functions_are_named_after_the_file(program: Path):
    assert list(load(f"{program}:g, told,g")[1]) == ["g", "told"]
    assert load_one(f"{program}:f")(3.0) == 9.0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("{}:h", "has no @fn function h; it has f, g, told"),
        ("{}x", "there is no file"),
        ("{}", "name one function, as in"),
    ],
)
def test_a_wrong_target_is_a_usage_error(program: Path, target: str, message: str):
    with pytest.raises(click.UsageError, match=message):
        load_one(target.format(program))


def test_the_users_errors_are_reported_and_ours_are_not():
    with pytest.raises(Wrong, match="ZeroDivisionError") as e, reported("before: "):
        _ = 1 / 0
    assert e.value.message.startswith("before: ZeroDivisionError")
    with pytest.raises(Wrong, match="TypeMismatch"), reported():
        rose.compile(3.0)  # pyright: ignore


def test_a_text_has_the_functions_that_can_be_called(tmp_path: Path):
    f = rose.fn([rose.Real], rose.Real)(lambda x: x + 1.0)
    (tmp_path / "f.rose").write_text(rose.compile({"f": f}).pretty())
    assert load_one(str(tmp_path / "f.rose"))(1.0) == 2.0
