"""Locations of expressions, and of their parts."""

from __future__ import annotations

import sys

import pytest

import rose
from rose.errors import Loc, argument, called, here, is_ours
from tests.support.notebook import Notebook


def underlined(loc: Loc) -> str:
    line, carets = loc.excerpt().splitlines()
    return line[carets.index("^") : carets.rindex("^") + 1]


def test_the_location_is_the_expression_of_the_user():
    loc = here()
    file, line, *_ = loc.position()
    assert file == __file__ and line == test_the_location_is_the_expression_of_the_user.__code__.co_firstlineno + 1
    assert underlined(loc) == "here()"


def test_an_argument_that_is_not_there_leaves_the_whole_expression():
    loc = here()
    assert underlined(loc.narrow(argument(3, "x", 4))) == "here()"


def test_the_name_of_a_call_is_that_of_its_function():
    assert called(here()) == "here"


def test_files_of_the_package_are_ours_and_tests_are_the_users():
    assert is_ours(argument.__code__.co_filename) and not is_ours(__file__)


PROGRAM = "import rose\n@rose.fn\ndef {}(x: rose.Real) -> rose.Real:\n    return rose.sin(x, {})\n"


def test_a_timed_cell_of_a_notebook_is_found_in_its_history(monkeypatch: pytest.MonkeyPatch):
    notebook = Notebook(monkeypatch)
    notebook.run("\n\n" + PROGRAM.format("f", "x"))
    notebook.run(PROGRAM.format("g", "1.0"))
    notebook.run("f = f", timed=False)
    for name, expected in (("f", "rose.sin(x, x)"), ("g", "rose.sin(x, 1.0)")):
        with pytest.raises(rose.TypeMismatch) as e:
            notebook.names[name](1.0)
        assert e.value.loc is not None and underlined(e.value.loc) == expected


def test_the_last_of_two_timed_cells_with_a_function_is_meant_and_its_generators_are_of_it(
    monkeypatch: pytest.MonkeyPatch,
):
    notebook = Notebook(monkeypatch)
    for number in ("1.0", "x"):
        notebook.run(PROGRAM.format("f", number).replace("return", "return rose.sum(").rstrip() + " for _ in 'ab')")
    with pytest.raises(rose.TypeMismatch) as e:
        notebook.names["f"](1.0)
    assert e.value.loc is not None and underlined(e.value.loc) == "rose.sin(x, x)"


def test_a_timed_cell_that_is_in_no_history_has_no_source(monkeypatch: pytest.MonkeyPatch):
    notebook = Notebook(monkeypatch)
    f = notebook.run(PROGRAM.format("f", "x"), kept=False)["f"]
    with pytest.raises(rose.TypeMismatch, match="at <timed exec>:4\n  hint"):
        f(1.0)
    monkeypatch.delitem(sys.modules, "IPython")
    with pytest.raises(rose.TypeMismatch, match="at <timed exec>:4\n  hint"):
        f(1.0)
